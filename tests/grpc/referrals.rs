//! Annex A.5 and A.2 over gRPC, and what only the guard recognises.

use serde_json::{Value, json};

use crate::client::*;
use crate::driver::{ADDRESS, ON_REQUEST};

fn mark(status: &str, skill: &str) -> Value {
    json!({ON_REQUEST: {"status": status, "skillId": skill, "personEntry": ADDRESS}})
}

/// The referral of A.2, whole but for its text and its fresh ids.
fn assert_is_a_2(reply: &Reply, status: &str, skill: &str) -> Value {
    let message = reply.one()["message"].clone();
    let text = referral_text(&message);
    let expected = json!({
        "role": "ROLE_AGENT",
        "messageId": message["messageId"],
        "contextId": message["contextId"],
        "parts": [{"text": text}],
        "metadata": mark(status, skill),
        "extensions": [ON_REQUEST],
    });
    assert_eq!(message, expected);
    assert!(["messageId", "contextId"].iter().all(|id| message[id].as_str().is_some_and(|id| !id.is_empty())));
    message
}

fn assert_plain(reply: &Reply, marked: &Value) {
    let message = &reply.one()["message"];
    assert_eq!(message["parts"], marked["parts"], "the same words");
    assert!(message.get("metadata").is_none() && message.get("extensions").is_none(), "{message}");
    assert!(!reply.holds(ON_REQUEST), "nothing under the URI: {reply:?}");
    assert_eq!(reply.echo(), None);
}

#[tokio::test]
async fn a_5_the_cards_own_example_is_referred_as_in_a_2_unary_and_streaming() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let plain = Caller::anonymous();
    let active = plain.clone().activating();
    let first = client.send(&active, &text_message(QUESTION)).await;
    let second = client.stream(&active, &text_message(QUESTION)).await;
    let mut messages = Vec::new();
    for reply in [&first, &second] {
        messages.push(assert_is_a_2(reply, "on-request", "service-pricing"));
        assert_eq!(reply.echo(), Some(ON_REQUEST));
        assert_eq!(reply.captured.head["content-type"], "application/grpc");
        assert_eq!(reply.captured.trailers.as_ref().unwrap()["grpc-status"], "0");
        assert!(!reply.captured.head.contains_key("grpc-status"), "a reply with a message ends in trailers");
    }
    assert_ne!(messages[0]["messageId"], messages[1]["messageId"], "a fresh message each time");
    assert_plain(&client.send(&plain, &text_message(QUESTION)).await, &messages[0]);
    assert_plain(&client.stream(&plain, &text_message(QUESTION)).await, &messages[0]);
}

#[tokio::test]
async fn the_referral_says_over_grpc_what_it_says_over_json_rpc() {
    let chapel = chapel();
    let over_grpc = Client::of(&chapel).await.send(&Caller::anonymous().activating(), &text_message(QUESTION)).await;
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": text_message(QUESTION)}});
    let over_rpc = chapel.send(&crate::driver::Request::post("/a2a/v1", &call).activating()).json();
    let without_ids = |message: &Value| {
        let mut message = message.clone();
        message.as_object_mut().unwrap().retain(|name, _| !["messageId", "contextId"].contains(&name.as_str()));
        message
    };
    assert_eq!(without_ids(&over_grpc.one()["message"]), without_ids(&over_rpc["result"]["message"]));
}

#[tokio::test]
async fn or_5_7_a_booking_is_referred_as_an_action() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let booking = text_message("Book a first meeting with a director at Larkfield Chapel.");
    for caller in [Caller::anonymous(), Caller::named("acme")] {
        let caller = caller.activating();
        assert_is_a_2(&client.send(&caller, &booking).await, "action-referred", "arrangement-booking");
        assert_is_a_2(&client.stream(&caller, &booking).await, "action-referred", "arrangement-booking");
    }
}

#[tokio::test]
async fn the_callers_context_is_kept_and_a_task_id_alone_gets_none() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let mut message = text_message(QUESTION);
    message["contextId"] = json!("c-7");
    assert_eq!(client.send(&Caller::anonymous(), &message).await.one()["message"]["contextId"], "c-7");
    let mut message = text_message(QUESTION);
    message["taskId"] = json!("t-7");
    assert_eq!(client.send(&Caller::anonymous(), &message).await.one()["message"]["contextId"], Value::Null);
}

#[tokio::test]
async fn a_named_skill_and_every_folding_of_the_question_are_gated() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let active = Caller::anonymous().activating();
    let mut named = text_message("hello");
    named["metadata"] = json!({ON_REQUEST: {"skillId": "service-pricing"}});
    let in_parts = json!({"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": "  what DOES a cremation\ncost at Larkfield Chapel"}]});
    for message in [named, in_parts] {
        assert_is_a_2(&client.send(&active, &message).await, "on-request", "service-pricing");
    }
}

/// The last message of a task that ends in a referral, in the task or in the event that ends it.
fn assert_refers_in_a_task(reply: &Reply, status: &str, state: &str, active: bool) {
    let last = reply.messages().last().unwrap();
    let task = last.get("task").or_else(|| last.get("statusUpdate")).unwrap_or_else(|| panic!("no task: {last}"));
    assert_eq!(task["status"]["state"], state, "{task}");
    let message = &task["status"]["message"];
    referral_text(message);
    assert_eq!(message["role"], "ROLE_AGENT");
    assert_eq!(message["metadata"][ON_REQUEST]["status"] == status, active, "{message}");
    assert_eq!(message["extensions"] == json!([ON_REQUEST]), active, "{message}");
    assert_eq!(reply.holds(ON_REQUEST), active, "{reply:?}");
}

#[tokio::test]
async fn or_5_3_what_no_resolver_knows_is_referred_by_the_guard() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let data =
        json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"data": {"want": ["price of a cremation", 3.0]}}]});
    // "What does a cremation cost?"
    let file = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"raw": "V2hhdCBkb2VzIGEgY3JlbWF0aW9uIGNvc3Q/", "mediaType": "text/plain"}]});
    for message in [text_message(PARAPHRASE), text_message("What are your fees?"), data, file] {
        for (caller, active) in [(Caller::named("acme"), false), (Caller::named("acme").activating(), true)] {
            let reply = client.send(&caller, &message).await;
            assert_refers_in_a_task(&reply, "on-request", "TASK_STATE_COMPLETED", active);
            let reply = client.stream(&caller, &message).await;
            assert_refers_in_a_task(&reply, "on-request", "TASK_STATE_COMPLETED", active);
            assert_eq!(reply.messages().len(), 3, "the task, its work, its end");
            assert_eq!(reply.messages()[0]["task"]["status"]["state"], "TASK_STATE_SUBMITTED");
        }
    }
    let booking = text_message("Please reserve an hour with a director on Monday");
    let reply = client.send(&Caller::anonymous().activating(), &booking).await;
    assert_refers_in_a_task(&reply, "action-referred", "TASK_STATE_REJECTED", true);
}

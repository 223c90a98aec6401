//! Activation on and off × message, status, artifact, history × unary, SSE.

use serde_json::{Value, json};
use tower_a2a_extensions::converse::{AnswerCoverage, Author, Citation, Coverage, CoverageReason, Envelope, Ownership};
use tower_a2a_extensions::{Converse, ConverseReply, testing};

use crate::support::*;

/// Every object of a reply by its place in it, and whose envelope it carries: `reply`, `id`,
/// `own`, `fallback`, `past`, or `none` for the user's.
type Objects = Vec<(String, &'static str)>;

fn envelope(whose: &str) -> Option<Value> {
    match whose {
        "none" => None,
        "fallback" => Some(fallback()),
        "past" => Some(past()),
        whose => Some(owned_by(whose).to_value()),
    }
}

fn hand_over(reply: &ConverseReply) {
    assert!(reply.set_for("a-2", owned_by("id")).is_ok());
    reply.set(owned_by("reply"));
}

/// A reply's payload in 1.0, and its objects.
fn payloads() -> Vec<(Value, Objects)> {
    let at = |place: &str, whose| (place.to_owned(), whose);
    let mut own = message("m-own", "ROLE_AGENT");
    own["metadata"] = json!({ CONVERSE: owned_by("own").to_value(), "theirs": [1.50] });
    let status = json!({"taskId": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_WORKING", "message": message("m-2", "ROLE_AGENT")}});
    let chunk = json!({"taskId": "t-1", "contextId": "c-1", "artifact": {"artifactId": "a-2", "parts": [{"text": "words"}]}, "append": true});
    let task = vec![
        at("/task/status/message", "reply"),
        at("/task/artifacts/0", "reply"),
        at("/task/artifacts/1", "id"),
        at("/task/history/0", "none"),
        at("/task/history/1", "past"),
    ];
    vec![
        (json!({"message": message("m-1", "ROLE_AGENT")}), vec![at("/message", "reply")]),
        (json!({"message": own}), vec![at("/message", "own")]),
        (json!({"task": full_task()}), task),
        (json!({"statusUpdate": status}), vec![at("/statusUpdate/status/message", "reply")]),
        (json!({"artifactUpdate": chunk}), vec![at("/artifactUpdate/artifact", "id")]),
    ]
}

/// The same without Converse's key, as it is for a client that did not activate it.
fn plain(payload: &Value) -> Value {
    let mut payload = payload.clone();
    if let Some(metadata) = payload.pointer_mut("/message/metadata").and_then(Value::as_object_mut) {
        metadata.remove(CONVERSE);
    }
    payload
}

#[track_caller]
fn check(reply: &Value, sent: &Value, objects: &Objects, active: bool) {
    testing::assert_conformant(reply, &Converse::new(), active);
    if !active {
        return assert_eq!(reply, &plain(sent));
    }
    testing::assert_stamped(reply, &Converse::new());
    for (place, whose) in objects {
        let object = reply.pointer(place).unwrap();
        let carried = carried(object);
        assert_eq!(carried, envelope(whose), "{place}");
        if let Some(carried) = carried {
            Envelope::from_value(&carried).unwrap();
        }
    }
}

#[tokio::test]
async fn unary_replies_carry_envelopes_exactly_where_they_are_active() {
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        for (payload, objects) in payloads().into_iter().take(3) {
            let document = json!({"jsonrpc": "2.0", "id": 1, "result": payload});
            let sent = typed_reply("application/json", document.to_string());
            let reply = respond(&layer(), json_rpc("SendMessage", asks), sent, hand_over).await;
            assert_eq!(reply.headers().get("a2a-extensions").is_some(), active);
            let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
            check(&reply["result"], &payload, &objects, active);

            let body = json!({"message": message("m-0", "ROLE_USER")}).to_string();
            let sent = typed_reply("application/a2a+json", payload.to_string());
            let reply = respond(&layer(), request("/a2a/message:send", "1.0", asks, body), sent, hand_over).await;
            check(&serde_json::from_slice(reply.body()).unwrap(), &payload, &objects, active);
        }
    }
}

#[tokio::test]
async fn streamed_replies_carry_envelopes_exactly_where_they_are_active() {
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &["https://example.com/other"] };
        let documents =
            payloads().into_iter().map(|(payload, _)| json!({"jsonrpc": "2.0", "id": 1, "result": payload}));
        let sent = typed_reply("text/event-stream", events(&documents.collect::<Vec<_>>()));
        let reply = respond(&layer(), json_rpc("SendStreamingMessage", asks), sent, hand_over).await;
        let events = read_events(reply.body());
        assert_eq!(events.len(), payloads().len());
        for (event, (payload, objects)) in events.iter().zip(payloads()) {
            check(&event["result"], &payload, &objects, active);
        }
    }
}

#[tokio::test]
async fn streams_of_http_json_carry_envelopes_exactly_where_they_are_active() {
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        let documents = payloads().into_iter().map(|(payload, _)| payload).collect::<Vec<_>>();
        let sent = typed_reply("text/event-stream", events(&documents));
        let body = json!({"message": message("m-0", "ROLE_USER")}).to_string();
        let reply = respond(&layer(), request("/a2a/message:stream", "1.0", asks, body), sent, hand_over).await;
        let events = read_events(reply.body());
        assert_eq!(events.len(), payloads().len());
        for (event, (payload, objects)) in events.iter().zip(payloads()) {
            check(event, &payload, &objects, active);
        }
    }
}

#[tokio::test]
async fn lists_of_tasks_carry_envelopes_exactly_where_they_are_active() {
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        let list = json!({"tasks": [full_task(), full_task()], "totalSize": 2});
        let at = |place: String, whose| (place, whose);
        let of_task = |task: usize| {
            let place = move |place: &str| format!("/tasks/{task}/{place}");
            [
                at(place("status/message"), "reply"),
                at(place("artifacts/1"), "id"),
                at(place("history/0"), "none"),
                at(place("history/1"), "past"),
            ]
        };
        let objects = (0..2).flat_map(of_task).collect::<Vec<_>>();
        let sent = typed_reply("application/json", json!({"jsonrpc": "2.0", "id": 1, "result": list}).to_string());
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}).to_string();
        let reply = respond(&layer(), request("/a2a", "1.0", asks, call), sent, hand_over).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        check(&reply["result"], &list, &objects, active);
    }
}

#[tokio::test]
async fn a24_streams_and_http_json_of_0_3_carry_them_too() {
    let message =
        json!({"kind": "message", "messageId": "m-1", "role": "agent", "parts": [{"kind": "text", "text": "words"}]});
    let status = json!({"kind": "status-update", "taskId": "t-1", "contextId": "c-1", "final": false,
        "status": {"state": "working", "message": message}});
    let chunk = json!({"kind": "artifact-update", "taskId": "t-1", "contextId": "c-1",
        "artifact": {"artifactId": "a-2", "parts": []}});
    let at = |place: &str, whose| vec![(place.to_owned(), whose)];
    let cases =
        [(message.clone(), at("", "reply")), (status, at("/status/message", "reply")), (chunk, at("/artifact", "id"))];
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        let documents = cases.iter().map(|(payload, _)| json!({"jsonrpc": "2.0", "id": 1, "result": payload}));
        let sent = typed_reply("text/event-stream", events(&documents.collect::<Vec<_>>()));
        let reply = respond(&layer(), json_rpc("message/stream", asks), sent, hand_over).await;
        let events = read_events(reply.body());
        assert_eq!(events.len(), cases.len());
        for (event, (payload, objects)) in events.iter().zip(&cases) {
            check(&event["result"], payload, objects, active);
        }
        let sent = typed_reply("application/json", json!({"message": message}).to_string());
        let body =
            json!({"request": {"messageId": "m-0", "role": "ROLE_USER", "content": [{"text": "words"}]}}).to_string();
        let reply = respond(&layer(), request("/a2a/v1/message:send", "0.3", asks, body), sent, hand_over).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        check(&reply, &json!({"message": message}), &at("/message", "reply"), active);
    }
}

#[tokio::test]
async fn a24_replies_of_0_3_carry_them_too() {
    let message = |id: &str, role: &str| json!({"kind": "message", "messageId": id, "role": role, "parts": [{"kind": "text", "text": "words"}]});
    let task = json!({
        "kind": "task", "id": "t-1", "contextId": "c-1",
        "status": {"state": "input-required", "message": message("m-1", "agent")},
        "artifacts": [{"artifactId": "a-2", "parts": []}],
        "history": [message("m-user", "user"), message("m-old", "agent")],
    });
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        let sent = typed_reply("application/json", json!({"jsonrpc": "2.0", "id": 1, "result": task}).to_string());
        let reply = respond(&layer(), json_rpc("message/send", asks), sent, hand_over).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        let at = |place: &str, whose| (place.to_owned(), whose);
        let objects = vec![
            at("/status/message", "reply"),
            at("/artifacts/0", "id"),
            at("/history/0", "none"),
            at("/history/1", "past"),
        ];
        check(&reply["result"], &task, &objects, active);
    }
}

/// The page's reply, whole.
#[tokio::test]
async fn the_pages_reply_is_reproduced() {
    let coverage = AnswerCoverage::assessed(Coverage::Answered, CoverageReason::SufficientEvidence)
        .with_originating_turn_id("c3…")
        .with_originating_request_id("c3…");
    let envelope = Envelope::builder(Author::Agent)
        .answer_coverage(coverage)
        .ownership(Ownership::ai_owned())
        .citation(Citation::new("0c8e…", "5d21…", "Returns policy"))
        .build()
        .unwrap();
    let message = json!({
        "messageId": "b81d6c0e-2f4a-4c77-9f0e-3f2d5a7c1e44", "contextId": "Zk3xQm…", "role": "ROLE_AGENT",
        "parts": [{"text": "You can return an order within 30 days of delivery."}],
    });
    let document = json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}});
    let sent = typed_reply("application/json", document.to_string());
    let hand_over = move |reply: &ConverseReply| reply.set(envelope.clone());
    let reply = respond(&layer(), json_rpc("SendMessage", &[CONVERSE]), sent, hand_over).await;
    assert_eq!(reply.headers()["a2a-extensions"], CONVERSE);
    let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
    let page = json!({
        "messageId": "b81d6c0e-2f4a-4c77-9f0e-3f2d5a7c1e44",
        "contextId": "Zk3xQm…",
        "role": "ROLE_AGENT",
        "parts": [{"text": "You can return an order within 30 days of delivery."}],
        "extensions": ["https://docs.radioso.ai/reference/a2a-converse-extension/v1"],
        "metadata": {
            "https://docs.radioso.ai/reference/a2a-converse-extension/v1": {
                "author": "agent",
                "answerCoverage": {
                    "availability": "assessed",
                    "coverage": "answered",
                    "reason": "sufficient_evidence",
                    "originatingTurnId": "c3…",
                    "originatingRequestId": "c3…"
                },
                "ownership": {"state": "ai_owned", "suppressed": false},
                "citations": [{"documentId": "0c8e…", "chunkId": "5d21…", "title": "Returns policy"}]
            }
        }
    });
    assert_eq!(reply["result"]["message"], page);
}

#[tokio::test]
async fn where_none_was_handed_over_every_object_has_the_fallback() {
    let document = json!({"jsonrpc": "2.0", "id": 1, "result": {"task": full_task()}});
    let sent = typed_reply("application/json", document.to_string());
    let reply = respond(&layer(), json_rpc("SendMessage", &[CONVERSE]), sent, |_| {}).await;
    let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
    for place in ["status/message", "artifacts/0", "artifacts/1"] {
        let object = reply.pointer(&format!("/result/task/{place}")).unwrap();
        assert_eq!(carried(object), Some(fallback()), "{place}");
    }
    let history = &reply["result"]["task"]["history"];
    assert_eq!(carried(&history[1]), Some(past()), "nobody knows who wrote it");
    assert_eq!(carried(&reply["result"]["task"]["history"][0]), None);
    assert_eq!(reply["result"]["task"]["artifacts"][1]["metadata"]["theirs"], 1);
}

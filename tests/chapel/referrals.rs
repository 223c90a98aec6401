//! Annex A.5 and A.2: the card's own example question, with and without the header.

use serde_json::{Value, json};

use crate::driver::{ADDRESS, Chapel, ON_REQUEST, Reply, Request};

/// The first pricing example of the shipped card, which a test below holds against it.
pub(crate) const QUESTION: &str = "What does a cremation cost at Larkfield Chapel?";

#[test]
fn the_question_is_the_cards_first_pricing_example() {
    let card = serde_json::from_str::<serde_json::Value>(include_str!("../../examples/chapel-card.json")).unwrap();
    let skills = card["skills"].as_array().unwrap();
    let pricing = skills.iter().find(|skill| skill["id"] == "service-pricing").unwrap();
    assert_eq!(pricing["examples"][0], QUESTION);
}

/// `SendMessage` with this raw `id`.
fn ask_with_id(id: &str) -> Request {
    Request::post(
        "/a2a/v1",
        &format!(
            r#"{{"jsonrpc": "2.0", "id": {id}, "method": "SendMessage", "params": {{"message":
               {{"messageId": "m-1", "role": "ROLE_USER", "parts": [{{"text": "{QUESTION}"}}]}}}}}}"#
        ),
    )
}

fn text_of(message: &Value) -> &str {
    message["parts"][0]["text"].as_str().unwrap_or_default()
}

fn assert_is_a_2(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.raw());
    assert_eq!(reply.header("a2a-extensions"), Some(ON_REQUEST));
    let message = reply.json()["result"]["message"].clone();
    assert_eq!(message["role"], "ROLE_AGENT");
    assert!(text_of(&message).contains(ADDRESS) && text_of(&message).contains("Larkfield Chapel"), "{message}");
    assert_eq!(message["extensions"], json!([ON_REQUEST]));
    assert_eq!(
        message["metadata"],
        json!({ON_REQUEST: {"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS}})
    );
    assert!(message["contextId"].as_str().is_some_and(|id| !id.is_empty()), "{message}");
    message
}

#[test]
fn a_5_the_cards_own_example_is_referred_as_in_a_2() {
    let chapel = Chapel::start();
    let first = assert_is_a_2(&chapel.send(&ask_with_id("\"1\"").activating()));
    let second = assert_is_a_2(&chapel.send(&ask_with_id("\"1\"").activating()));
    assert_ne!(first["messageId"], second["messageId"], "a fresh message each time");
    assert_ne!(first["contextId"], second["contextId"]);
}

#[test]
fn c12_the_id_comes_back_as_it_was_sent() {
    let chapel = Chapel::start();
    for id in ["\"1\"", "7", "null", "123456789012345678901234567890"] {
        let reply = chapel.send(&ask_with_id(id).activating());
        assert_is_a_2(&reply);
        let compact = reply.body.replace(' ', "");
        assert!(compact.contains(&format!(r#""id":{id}"#)), "{id}: {}", reply.body);
    }
}

#[test]
fn or_5_1_and_or_6_2_without_the_header_the_same_words_and_no_mark() {
    let chapel = Chapel::start();
    let marked = assert_is_a_2(&chapel.send(&ask_with_id("1").activating()));
    let reply = chapel.send(&ask_with_id("1"));
    let message = &reply.json()["result"]["message"];
    assert_eq!(text_of(message), text_of(&marked));
    assert!(message["metadata"].get(ON_REQUEST).is_none(), "{message}");
    assert!(message.get("extensions").is_none(), "{message}");
    assert_eq!(reply.header("a2a-extensions"), None);
}

#[test]
fn or_5_7_a_booking_is_referred_as_an_action() {
    let chapel = Chapel::start();
    let text = "Book a first meeting with a director at Larkfield Chapel.";
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message":
        {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]}}});
    let message = chapel.send(&Request::post("/a2a/v1", &call).activating()).json()["result"]["message"].clone();
    assert_eq!(message["metadata"][ON_REQUEST]["status"], "action-referred");
    assert_eq!(message["metadata"][ON_REQUEST]["skillId"], "arrangement-booking");
    assert!(text_of(&message).contains(ADDRESS), "{message}");
}

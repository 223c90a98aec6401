//! Errors that callers of 0.3 get, in the shape of their binding.

use serde_json::{Value, json};

use crate::support::*;

/// Status, code, reason and type of an error, which are all there is to check.
fn error(wire: Wire, reply: &Reply) -> (u16, Value, Value) {
    assert_eq!(reply.header("content-type"), Some("application/json"), "{wire:?}: {}", reply.text());
    let error = &reply.json()["error"];
    assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
    let info = if wire == Wire::JsonRpc { &error["data"][0] } else { &error["details"][0] };
    (reply.status.as_u16(), error["code"].clone(), info["reason"].clone())
}

fn required_card() -> Value {
    let mut card = card();
    card["capabilities"]["extensions"][1]["required"] = json!(true);
    card
}

#[tokio::test]
async fn a9_a_required_extension_is_asked_of_every_operation_of_0_3() {
    let app = App::telling(required_card());
    let operations = [Ask::Send, Ask::Stream, Ask::Get, Ask::List, Ask::Cancel, Ask::Resubscribe, Ask::PushConfig];
    for wire in Wire::ALL {
        for ask in operations.into_iter().filter(|ask| (wire, *ask) != (Wire::JsonRpc, Ask::List)) {
            let reply = app.send(wire.request(ask, &wire.message("hello"))).await;
            let (status, code) = if wire == Wire::JsonRpc { (200, -32008) } else { (400, 400) };
            assert_eq!(
                error(wire, &reply),
                (status, json!(code), json!("EXTENSION_SUPPORT_REQUIRED")),
                "{wire:?} {ask:?}: {}",
                reply.text()
            );
            assert!(reply.text().contains(&format!(r#""missingExtensions":"{MOOD}""#)), "{}", reply.text());
            assert_eq!(reply.header("x-a2a-extensions"), None, "no echo on this refusal");
        }
        assert!(app.calls().is_empty(), "{wire:?}");
        app.send(wire.request(Ask::Card, &Value::Null)).await;
        assert_eq!(app.calls().len(), 1, "{wire:?}: the card says what is required");
        let request = wire.request(Ask::Get, &Value::Null);
        app.send(with(request, "x-a2a-extensions", MOOD)).await;
        assert_eq!(app.calls().len(), 1, "{wire:?}: the name of 0.3 counts");
    }
}

#[tokio::test]
async fn a_version_that_the_card_does_not_list_is_refused_where_the_gate_would_answer() {
    let app = App::telling(card());
    for wire in Wire::ALL {
        for said in ["1.0", "9.9"] {
            let request = with(wire.request(Ask::Send, &wire.message(QUESTION)), "a2a-version", said);
            let (status, code) = if wire == Wire::JsonRpc { (200, -32009) } else { (400, 400) };
            let reply = app.send(request).await;
            // `A2A-Version` decides how HTTP+JSON is answered, here as 1.0.
            let kind = if wire == Wire::JsonRpc { "application/json" } else { "application/a2a+json" };
            assert_eq!((reply.status.as_u16(), reply.header("content-type")), (status, Some(kind)), "{wire:?} {said}");
            let error = &reply.json()["error"];
            let info = if wire == Wire::JsonRpc { &error["data"][0] } else { &error["details"][0] };
            assert_eq!((&error["code"], &info["reason"]), (&json!(code), &json!("VERSION_NOT_SUPPORTED")));
        }
    }
    // A card of 1.0 alone: who names no version asks nothing of it, and is answered in the shape of the call.
    let mut new = card_of_both();
    for name in ["url", "preferredTransport", "additionalInterfaces", "protocolVersion"] {
        new.as_object_mut().unwrap().remove(name);
    }
    let app = App::telling(new);
    for wire in Wire::ALL {
        for ask in [Ask::Send, Ask::Stream] {
            let reply = app.send(wire.request(ask, &wire.message(QUESTION))).await;
            assert_eq!(reply.status.as_u16(), 200, "{wire:?} {ask:?}");
            assert!(reply.text().contains(ADDRESS) && !reply.text().contains("VERSION"), "{wire:?}: {}", reply.text());
        }
    }
    assert!(app.calls().is_empty());
}

#[tokio::test]
async fn a_stream_that_the_card_does_not_offer_is_refused_as_a_document() {
    let mut silent = card();
    silent["capabilities"]["streaming"] = json!(false);
    let app = App::telling(silent);
    for wire in Wire::ALL {
        let reply = app.send(wire.request(Ask::Stream, &wire.message(QUESTION))).await;
        let (status, code) = if wire == Wire::JsonRpc { (200, -32004) } else { (400, 400) };
        assert_eq!(error(wire, &reply), (status, json!(code), json!("UNSUPPORTED_OPERATION")), "{wire:?}");
    }
    assert!(app.calls().is_empty());
}

#[tokio::test]
async fn what_servers_read_differently_is_refused() {
    let text = |text: &str| json!([{"text": text}]);
    let rest = [
        (
            json!({"message": Wire::HttpJson.message("hello"), "request": Wire::HttpJson.message(QUESTION)})
                .to_string(),
            "two messages",
        ),
        (
            json!({"message": {"messageId": "m", "parts": text("hello"), "content": text(QUESTION)}}).to_string(),
            "two lists of Parts",
        ),
        (json!({"message": {"messageId": "m", "message_id": "n", "content": text("hello")}}).to_string(), "two ids"),
        (json!({"request": [1, 2]}).to_string(), "an array for an object"),
        (json!({"message": {"Content": text("hello")}}).to_string(), "a name that folds to ours"),
        (format!(r#"{{"message": {{"content": [{{"text": "hi", "text": "{QUESTION}"}}]}}}}"#), "text twice"),
    ];
    let app = App::telling(card());
    for (body, what) in rest {
        let reply = app.send(post("/rest/v1/message:send", body)).await;
        assert_eq!(error(Wire::HttpJson, &reply), (400, json!(400), Value::Null), "{what}");
    }
    let reply = app.send(post("/rest/v1/message:send", "{nothing")).await;
    assert_eq!(error(Wire::HttpJson, &reply), (400, json!(400), Value::Null));
    let call = Wire::JsonRpc.request(Ask::Send, &Wire::JsonRpc.message(QUESTION));
    let call = http_body_util::BodyExt::collect(call.into_body()).await.unwrap().to_bytes();
    let batch = [&b"["[..], &call, b"]"].concat();
    let reply = app.send(post("/rpc", batch)).await;
    assert_eq!((&reply.json()["id"], &reply.json()["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert!(app.calls().is_empty());
}

#[tokio::test]
async fn a_claim_of_having_given_what_is_closed_stops_the_reply_of_0_3_too() {
    let mut closed = card();
    closed["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = json!(false);
    let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS});
    for wire in Wire::ALL {
        let task = match wire {
            Wire::JsonRpc => {
                json!({"kind": "task", "id": "t-1", "contextId": "c-1", "status": {"state": "completed"}, "artifacts": [
                {"artifactId": "a", "parts": [{"kind": "text", "text": SECRET}], "metadata": {ON_REQUEST: mark}}]})
            }
            Wire::HttpJson => {
                json!({"task": {"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [
                {"artifactId": "a", "parts": [{"text": SECRET}], "metadata": {ON_REQUEST: mark}}]}})
            }
        };
        let app = App::answering(closed.clone(), wire.reply(Ask::Send, &[task]));
        let reply = app.send(wire.request(Ask::Send, &wire.message("hello"))).await;
        let (status, code) = if wire == Wire::JsonRpc { (200, -32006) } else { (500, 500) };
        assert_eq!(error(wire, &reply), (status, json!(code), json!("INVALID_AGENT_RESPONSE")), "{wire:?}");
        assert!(!reply.tells(), "{wire:?}");
    }
}

#[test]
fn a_card_of_0_3_is_read_without_findings() {
    let mut closed = card();
    closed["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = json!(false);
    let layer = layer(closed);
    let found = layer.findings().iter().map(|finding| finding.rule.as_ref()).collect::<Vec<_>>();
    assert_eq!(found, ["OR-5.10"], "nobody can be reached: {}", layer.findings());
}

//! Requests of 0.3: which are gated, and what a referral looks like.

use serde_json::{Value, json};
use tower_a2a_extensions::{Binding, ProtocolVersion};

use crate::support::*;

/// The whole referral, of which only the fresh id and the wording are not given.
fn assert_referral(wire: Wire, mut message: Value, active: bool) {
    let members = message.as_object_mut().unwrap_or_else(|| panic!("{wire:?}: no message"));
    let id = members.remove("messageId").unwrap();
    assert!(id.as_str().is_some_and(|id| !id.is_empty() && id != "m-1"), "{id}");
    let text = members[if wire == Wire::JsonRpc { "parts" } else { "content" }][0]["text"].clone();
    assert!(text.as_str().unwrap().contains(ADDRESS) && text.as_str().unwrap().contains("Harbour Lights"), "{text}");
    let mut expected = match wire {
        Wire::JsonRpc => json!({"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": text}]}),
        Wire::HttpJson => json!({"role": "ROLE_AGENT", "content": [{"text": text}]}),
    };
    expected["contextId"] = json!("c-1");
    if active {
        let mark = json!({"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS});
        expected["metadata"] = json!({ON_REQUEST: mark});
        expected["extensions"] = json!([ON_REQUEST]);
    }
    assert_eq!(message, expected, "{wire:?}");
}

#[tokio::test]
async fn a_referral_has_the_shape_of_its_binding_unary_and_streaming_active_or_not() {
    for card in [card(), card_of_both()] {
        let app = App::telling(card);
        for wire in Wire::ALL {
            for ask in [Ask::Send, Ask::Stream] {
                for active in [true, false] {
                    let request = wire.request(ask, &wire.message(QUESTION));
                    let request = if active { with(request, "x-a2a-extensions", ON_REQUEST) } else { request };
                    let reply = app.send(request).await;
                    assert_eq!(reply.status, 200, "{wire:?}: {}", reply.text());
                    let kind = if ask == Ask::Send { "application/json" } else { "text/event-stream" };
                    assert_eq!(reply.header("content-type"), Some(kind), "{wire:?}");
                    assert_eq!(reply.header("x-a2a-extensions"), active.then_some(ON_REQUEST), "{wire:?}");
                    assert_eq!(reply.header("a2a-extensions"), None, "the name that the client used");
                    let [payload] = &wire.payloads(&reply)[..] else { panic!("one payload: {}", reply.text()) };
                    let message = if wire == Wire::JsonRpc { payload } else { &payload["message"] };
                    assert_referral(wire, message.clone(), active);
                    assert!(!reply.tells());
                }
            }
        }
        assert!(app.calls().is_empty());
    }
}

#[tokio::test]
async fn every_spelling_of_the_question_is_gated() {
    let parts = |name: &str, part: Value| {
        let mut message = json!({"messageId": "m-1", "contextId": "c-1", "role": "ROLE_USER"});
        message[name] = json!([part]);
        message
    };
    let text = json!({"text": QUESTION});
    let rest = [
        json!({"message": parts("content", text.clone())}),
        json!({"request": parts("content", text.clone())}),
        json!({"request": parts("parts", text.clone())}),
        json!({"message": parts("parts", json!({"kind": "text", "text": QUESTION}))}),
        json!({"message": {"message_id": "m-1", "context_id": "c-1", "role": 1, "content": [text]}, "configuration": {"blocking": true}}),
        json!({"message": {"messageId": "m-1", "contextId": "c-1", "content": [text]}, "metadata": {"a": 1}}),
    ];
    let app = App::telling(card());
    for body in rest {
        for path in ["/rest/v1/message:send", "/tenant-7/v1/message:send", "/v1/message%3Asend"] {
            let reply = app.send(post(path, body.to_string())).await;
            assert_eq!(reply.status, 200, "{path}: {body}: {}", reply.text());
            assert_referral(Wire::HttpJson, reply.json()["message"].clone(), false);
        }
    }
    for role in [json!("user"), json!("agent"), json!("ROLE_USER"), json!(1), Value::Null] {
        let mut message = Wire::JsonRpc.message(QUESTION);
        message["role"] = role.clone();
        if role.is_null() {
            message.as_object_mut().unwrap().remove("role");
        }
        let reply = app.send(Wire::JsonRpc.request(Ask::Send, &message)).await;
        assert_referral(Wire::JsonRpc, reply.json()["result"].clone(), false);
    }
    assert!(app.calls().is_empty());
}

#[tokio::test]
async fn a_named_skill_is_gated_from_both_places_of_metadata() {
    let app = App::telling(card());
    let named = json!({ON_REQUEST: {"skillId": "service-pricing"}});
    for wire in Wire::ALL {
        let mut message = wire.message("hello");
        message["metadata"] = named.clone();
        let reply = app.send(wire.request(Ask::Send, &message)).await;
        assert!(reply.text().contains(ADDRESS), "{wire:?}: {}", reply.text());
        let beside = match wire {
            Wire::JsonRpc => {
                let params = json!({"message": wire.message("hello"), "metadata": named});
                post("/rpc", json!({"jsonrpc": "2.0", "id": 7, "method": "message/send", "params": params}).to_string())
            }
            Wire::HttpJson => {
                post("/rest/v1/message:send", json!({"request": wire.message("hello"), "metadata": named}).to_string())
            }
        };
        assert!(app.send(beside).await.text().contains(ADDRESS), "{wire:?}");
    }
    assert!(app.calls().is_empty());
}

#[tokio::test]
async fn what_is_not_on_request_reaches_the_agent_byte_for_byte_and_is_read() {
    let app = App::answering(card(), ("application/json", "{}".to_owned()));
    for wire in Wire::ALL {
        let data = json!({"want": ["hours"], "n": 3.0});
        let (message, file) = match wire {
            Wire::JsonRpc => (
                json!({"kind": "message", "messageId": "m-1", "taskId": "t-1", "role": "user", "parts": [{"kind": "text", "text": "hello"}, {"kind": "data", "data": data}]}),
                json!({"kind": "file", "file": {"bytes": "aGk=", "mimeType": "text/plain"}}),
            ),
            Wire::HttpJson => (
                json!({"messageId": "m-1", "taskId": "t-1", "role": "ROLE_USER", "content": [{"text": "hello"}, {"data": {"data": data}}]}),
                json!({"file": {"fileWithBytes": "aGk=", "mimeType": "text/plain"}}),
            ),
        };
        let mut with_file = message.clone();
        with_file[if wire == Wire::JsonRpc { "parts" } else { "content" }].as_array_mut().unwrap().push(file);
        for (message, files) in [(message, false), (with_file, true)] {
            for ask in [Ask::Send, Ask::Stream] {
                let request = wire.request(ask, &message);
                let (parts, body) = request.into_parts();
                let sent = http_body_util::BodyExt::collect(body).await.unwrap().to_bytes();
                app.send(http::Request::from_parts(parts, sent.clone().into())).await;
                let [(call, got)] = &app.calls()[..] else { panic!("{wire:?}: one call") };
                assert_eq!(*got, sent, "{wire:?}");
                let binding = if wire == Wire::JsonRpc { Binding::JsonRpc } else { Binding::HttpJson };
                assert_eq!(call.binding(), Some(binding));
                assert_eq!(call.protocol_version(), Some(ProtocolVersion::V0_3), "{wire:?}");
                let message = call.message().unwrap();
                assert_eq!((message.text().as_ref(), message.task_id().as_deref()), ("hello", Some("t-1")));
                let read = message.data().map(|json| serde_json::from_str(&json).unwrap()).collect::<Vec<Value>>();
                assert_eq!(read, [json!({"want": ["hours"], "n": 3.0})], "{wire:?}: what is nested is unwrapped");
                assert_eq!(message.has_files(), files, "{wire:?}");
            }
        }
    }
}

#[tokio::test]
async fn requests_without_a_message_pass_in_their_version() {
    let app = App::answering(card(), ("application/json", "{}".to_owned()));
    for wire in Wire::ALL {
        for ask in [Ask::Get, Ask::List, Ask::Cancel, Ask::Resubscribe, Ask::PushConfig, Ask::Card] {
            if (wire, ask) == (Wire::JsonRpc, Ask::List) {
                continue;
            }
            let reply = app.send(wire.request(ask, &Value::Null)).await;
            let [(call, _)] = &app.calls()[..] else { panic!("{wire:?} {ask:?}: {}", reply.text()) };
            assert_eq!(call.protocol_version(), Some(ProtocolVersion::V0_3), "{wire:?} {ask:?}");
            assert!(call.message().is_none());
        }
    }
}

#[tokio::test]
async fn over_http_json_the_version_goes_by_the_header_then_the_names_then_the_path() {
    let ask = |path: &str, message: Value, said: Option<&str>| {
        let request = post(path, json!({"message": message}).to_string());
        match said {
            Some(said) => with(request, "a2a-version", said),
            None => request,
        }
    };
    let old = Wire::HttpJson.message(QUESTION);
    let new = json!({"messageId": "m-1", "contextId": "c-1", "role": "ROLE_USER", "parts": [{"text": QUESTION}]});
    let table = [
        ("/rest/v1/message:send", &old, None, "content"),
        ("/rest/v1/message:send", &new, None, "content"),
        ("/rest/message:send", &old, None, "content"),
        ("/rest/message:send", &new, None, "parts"),
        ("/rest/message:send", &new, Some("0.3"), "content"),
        ("/rest/message:send", &new, Some("1.0"), "parts"),
        ("/rest/v1/message:send", &new, Some("1.0"), "parts"),
        ("/rest/v1/message:send", &old, Some("1.0"), "parts"),
    ];
    let app = App::telling(card_of_both());
    for (path, message, said, expected) in table {
        let reply = app.send(ask(path, message.clone(), said)).await;
        let context = format!("{path} {message} {said:?}: {}", reply.text());
        assert!(reply.json()["message"][expected][0]["text"].as_str().unwrap().contains(ADDRESS), "{context}");
        let kind = if expected == "content" { "application/json" } else { "application/a2a+json" };
        assert_eq!(reply.header("content-type"), Some(kind), "{context}");
    }
    assert!(app.calls().is_empty());
}

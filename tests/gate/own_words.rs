//! An agent that asks the guard, is refused, and answers in its own words.

use axum::Router;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequestGuard};

use crate::support::*;

const WORDS: &str = "I would rather not say.";
const ACTIVE: &[(&str, &str)] = &[("a2a-extensions", URI)];

/// An agent that is refused `skill`, then answers this.
fn refused(skill: &'static str, status: u16, kind: &'static str, reply: impl ToString) -> TestApp {
    let reply = reply.to_string();
    let agent = async move |guard: OnRequestGuard| -> Response {
        assert!(guard.disclose(skill).await.is_err());
        let status = http::StatusCode::from_u16(status).unwrap();
        (status, [("content-type", kind)], reply).into_response()
    };
    let layer = A2aExtensionsLayer::new(card()).unwrap();
    TestApp { router: Router::new().fallback(agent).layer(layer), calls: Default::default() }
}

fn price(kind: &'static str, reply: impl ToString) -> TestApp {
    refused("service-pricing", 200, kind, reply)
}

/// One way to ask: its path, method, and how a payload is wrapped for it.
#[derive(Clone, Copy, Debug)]
enum Wire {
    Rpc,
    RpcStream,
    OldRpc,
    Rest,
    RestStream,
}

impl Wire {
    const ALL: [Self; 5] = [Self::Rpc, Self::RpcStream, Self::OldRpc, Self::Rest, Self::RestStream];

    fn is_stream(self) -> bool {
        matches!(self, Self::RpcStream | Self::RestStream)
    }

    fn kind(self) -> &'static str {
        if self.is_stream() { "text/event-stream" } else { "application/json" }
    }

    fn reply(self, member: &str, payload: &Value) -> String {
        let payload = if matches!(self, Self::OldRpc) { payload.clone() } else { json!({member: payload}) };
        let whole = match self {
            Self::Rest | Self::RestStream => payload,
            _ => json!({"jsonrpc": "2.0", "id": 1, "result": payload}),
        };
        if self.is_stream() { format!("data: {whole}\n\n") } else { whole.to_string() }
    }

    async fn ask(self, app: &TestApp, headers: &[(&str, &str)], text: &str) -> Reply {
        let (path, body) = match self {
            Self::Rpc => ("/a2a/v1", rpc("SendMessage", &message(text))),
            Self::RpcStream => ("/a2a/v1", rpc("SendStreamingMessage", &message(text))),
            Self::OldRpc => ("/a2a/v1", rpc("message/send", &message(text))),
            Self::Rest => ("/a2a/rest/message:send", json!({"message": message(text)})),
            Self::RestStream => ("/a2a/rest/message:stream", json!({"message": message(text)})),
        };
        app.send(post(path, headers, body.to_string())).await
    }

    /// The payload of a reply of one document or event.
    fn payload(self, reply: &Reply, member: &str) -> Value {
        let whole = if self.is_stream() { reply.event() } else { reply.json() };
        let result = if matches!(self, Self::Rest | Self::RestStream) { whole } else { whole["result"].clone() };
        if matches!(self, Self::OldRpc) { result } else { result[member].clone() }
    }

    fn message(self, text: &str) -> Value {
        match self {
            Self::OldRpc => {
                json!({"kind": "message", "messageId": "a", "role": "agent", "parts": [{"kind": "text", "text": text}]})
            }
            _ => json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": text}]}),
        }
    }

    fn task(self, state: &str, message: Option<Value>) -> Value {
        let state = if matches!(self, Self::OldRpc) {
            state.trim_start_matches("TASK_STATE_").to_lowercase()
        } else {
            state.to_owned()
        };
        let mut task = json!({"id": "t", "contextId": "c", "status": {"state": state}});
        if matches!(self, Self::OldRpc) {
            task["kind"] = json!("task");
        }
        if let Some(message) = message {
            task["status"]["message"] = message;
        }
        task
    }
}

fn texts(message: &Value) -> Vec<&str> {
    message["parts"].as_array().unwrap().iter().map(|part| part["text"].as_str().unwrap()).collect()
}

/// The mark of a message while the extension is active, or nothing at all of it.
fn check_mark(message: &Value, is_active: bool, status: &str, case: &str) {
    if is_active {
        assert_eq!(message["metadata"][URI]["status"], status, "{case}");
        assert_eq!(message["extensions"], json!([URI]), "{case}");
    } else {
        assert!(message.get("metadata").is_none() && message.get("extensions").is_none(), "{case}");
    }
}

#[tokio::test]
async fn or_6_1_or_6_2_a_message_is_marked_and_gets_the_address_if_it_lacks_it() {
    for wire in Wire::ALL {
        for headers in [ACTIVE, &[]] {
            let reply = wire.reply("message", &wire.message(WORDS));
            let reply = wire.ask(&price(wire.kind(), reply), headers, "fees please").await;
            let case = format!("{wire:?} {headers:?}: {}", reply.text());
            let message = wire.payload(&reply, "message");
            let [words, referral] = &texts(&message)[..] else { panic!("{case}") };
            assert!(*words == WORDS && referral.contains(ADDRESS) && referral.contains("Harbour Lights"), "{case}");
            check_mark(&message, !headers.is_empty(), "on-request", &case);

            let told = format!("Ask at {ADDRESS}, please.");
            let reply = wire.reply("message", &wire.message(&told));
            let reply = wire.ask(&price(wire.kind(), reply), headers, "fees please").await;
            let message = wire.payload(&reply, "message");
            assert_eq!(texts(&message), [told], "{wire:?}");
            check_mark(&message, !headers.is_empty(), "on-request", &reply.text());
        }
    }
}

#[tokio::test]
async fn or_6_1_a_final_status_refers_and_one_without_a_message_gets_one() {
    for wire in Wire::ALL {
        for headers in [ACTIVE, &[]] {
            for state in ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_REJECTED"] {
                for words in [None, Some(wire.message(WORDS)), Some(Value::Null)] {
                    let has_words = words.as_ref().is_some_and(Value::is_object);
                    let reply = wire.reply("task", &wire.task(state, words));
                    let reply = wire.ask(&price(wire.kind(), reply), headers, "fees please").await;
                    let case = format!("{wire:?} {headers:?} {state}: {}", reply.text());
                    let task = wire.payload(&reply, "task");
                    let message = &task["status"]["message"];
                    assert!(texts(message).last().unwrap().contains(ADDRESS), "{case}");
                    assert_eq!(texts(message).len(), 1 + usize::from(has_words), "{case}");
                    let id = if has_words { "a" } else { "t-service-pricing" };
                    assert_eq!(message["messageId"], id, "{case}");
                    assert_eq!(message.get("kind").is_some(), matches!(wire, Wire::OldRpc), "{case}");
                    check_mark(message, !headers.is_empty(), "on-request", &case);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_running_task_keeps_its_words_and_gets_none() {
    for wire in Wire::ALL {
        for words in [None, Some(wire.message(WORDS))] {
            let sent = wire.reply("task", &wire.task("TASK_STATE_WORKING", words));
            let reply = wire.ask(&price(wire.kind(), &sent), &[], "fees please").await;
            assert_eq!(reply.text(), sent, "{wire:?}");
        }
    }
}

#[tokio::test]
async fn or_5_7_a_refused_action_is_marked_as_an_action() {
    let reply = Wire::Rpc.reply("message", &Wire::Rpc.message("No."));
    let app = refused("arrangement-booking", 200, "application/json", reply);
    let reply = Wire::Rpc.ask(&app, ACTIVE, "a slot on Tuesday?").await;
    let message = Wire::Rpc.payload(&reply, "message");
    check_mark(&message, true, "action-referred", &reply.text());
    assert!(texts(&message)[1].contains("https://ask.harbour.example/book"), "{message}");
}

#[tokio::test]
async fn or_5_3_an_error_after_a_refusal_becomes_the_referral() {
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "refused"}});
    for (wire, status, error) in [
        (Wire::Rpc, 200, error.clone()),
        (Wire::RpcStream, 200, error.clone()),
        (Wire::OldRpc, 200, error.clone()),
        (Wire::Rpc, 500, error),
        (Wire::Rest, 500, json!({"error": {"code": 500, "message": "refused"}})),
        (Wire::RestStream, 403, json!({"detail": "no"})),
    ] {
        for headers in [ACTIVE, &[]] {
            let reply =
                wire.ask(&refused("service-pricing", status, "application/json", &error), headers, "fees").await;
            let case = format!("{wire:?} {status}: {}", reply.text());
            assert_eq!(reply.status, 200, "{case}");
            let message = wire.payload(&reply, "message");
            assert!(texts(&message)[0].contains(ADDRESS), "{case}");
            check_mark(&message, !headers.is_empty(), "on-request", &case);
        }
    }
}

#[tokio::test]
async fn or_5_2_an_agent_that_only_probes_the_guard_on_the_way_to_a_public_answer_refers_nobody() {
    for wire in Wire::ALL {
        for headers in [ACTIVE, &[]] {
            let sent = wire.reply("message", &wire.message("From ten to four."));
            let reply = wire.ask(&price(wire.kind(), &sent), headers, "When are you open?").await;
            assert_eq!(reply.text(), sent, "{wire:?}");
        }
    }
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "broken"}});
    let reply = Wire::Rpc.ask(&price("application/json", &error), &[], "When are you open?").await;
    assert_eq!(reply.text(), error.to_string());
}

#[tokio::test]
async fn what_the_handler_marked_itself_is_not_marked_again() {
    let agent = async move |guard: OnRequestGuard| {
        let mut message = json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": "Ring us."}]});
        guard.disclose("service-pricing").await.unwrap_err().mark(&mut message);
        let other = json!({"messageId": "b", "role": "ROLE_AGENT", "parts": [{"text": "And another thing."}]});
        let events = [message, other].map(|message| {
            let event = json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}});
            format!("data: {event}\n\n")
        });
        ([("content-type", "text/event-stream")], events.concat())
    };
    let layer = A2aExtensionsLayer::new(card()).unwrap();
    let app = TestApp { router: Router::new().fallback(agent).layer(layer), calls: Default::default() };
    let reply = Wire::RpcStream.ask(&app, ACTIVE, "fees please").await;
    let text = reply.text();
    let (first, second) = text.split_once("\n\n").unwrap();
    assert!(first.contains("\"on-request\"") && !second.contains(URI) && !second.contains(ADDRESS), "{text}");
}

#[tokio::test]
async fn or_6_2_a_message_without_parts_gets_the_address() {
    for wire in Wire::ALL {
        for parts in [None, Some(Value::Null), Some(json!([]))] {
            let mut message = wire.message("");
            message.as_object_mut().unwrap().remove("parts");
            if let Some(parts) = &parts {
                message["parts"] = parts.clone();
            }
            for is_status in [false, true] {
                let (member, payload) = match is_status {
                    false => ("message", message.clone()),
                    true => ("task", wire.task("TASK_STATE_COMPLETED", Some(message.clone()))),
                };
                let reply = wire.ask(&price(wire.kind(), wire.reply(member, &payload)), ACTIVE, "fees please").await;
                let got = wire.payload(&reply, member);
                let message = if is_status { &got["status"]["message"] } else { &got };
                assert!(texts(message)[0].contains(ADDRESS), "{wire:?} {parts:?}: {}", reply.text());
                check_mark(message, true, "on-request", &reply.text());
            }
        }
    }
}

#[tokio::test]
async fn or_6_2_words_that_are_marked_name_the_address_in_their_own_spelling() {
    for wire in Wire::ALL {
        for (words, added) in [(WORDS.to_owned(), 1), (format!("Ask at {ADDRESS}."), 0)] {
            let agent = async move |guard: OnRequestGuard| {
                let mut message = wire.message(&words);
                guard.disclose("service-pricing").await.unwrap_err().mark(&mut message);
                ([("content-type", wire.kind())], wire.reply("message", &message))
            };
            let layer = A2aExtensionsLayer::new(card()).unwrap();
            let app = TestApp { router: Router::new().fallback(agent).layer(layer), calls: Default::default() };
            let reply = wire.ask(&app, ACTIVE, "fees please").await;
            let message = wire.payload(&reply, "message");
            assert_eq!(texts(&message).len(), 1 + added, "{wire:?}: {message}");
            assert!(texts(&message).last().unwrap().contains(ADDRESS), "{wire:?}: {message}");
            let has_kinds = message["parts"].as_array().unwrap().iter().all(|part| part.get("kind").is_some());
            assert_eq!(has_kinds, matches!(wire, Wire::OldRpc), "{message}");
            check_mark(&message, true, "on-request", &reply.text());
        }
    }
}

#[tokio::test]
async fn a_call_that_was_refused_nothing_keeps_its_bytes() {
    let sent = Wire::Rpc.reply("task", &Wire::Rpc.task("TASK_STATE_COMPLETED", None));
    let app = TestApp::answering(A2aExtensionsLayer::new(card()).unwrap(), "application/json", &*sent);
    assert_eq!(Wire::Rpc.ask(&app, ACTIVE, "hello").await.text(), sent);
}

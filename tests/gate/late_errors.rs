//! An agent that streams, is refused something by the guard, and then fails.

use axum::Router;
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequestGuard};

use crate::support::*;

/// How the stream is asked for, and how its events are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wire {
    Rpc,
    OldRpc,
    Rest,
    OldRest,
}

impl Wire {
    const ALL: [Self; 4] = [Self::Rpc, Self::OldRpc, Self::Rest, Self::OldRest];

    fn is_rpc(self) -> bool {
        matches!(self, Self::Rpc | Self::OldRpc)
    }

    fn event(self, payload: &Value) -> String {
        let whole = if self.is_rpc() { json!({"jsonrpc": "2.0", "id": 1, "result": payload}) } else { payload.clone() };
        format!("data: {whole}\n\n")
    }

    fn error(self) -> String {
        let error = json!({"code": -32603, "message": "refused"});
        let whole =
            if self.is_rpc() { json!({"jsonrpc": "2.0", "id": 1, "error": error}) } else { json!({"error": error}) };
        format!("data: {whole}\n\n")
    }

    fn task(self) -> Value {
        match self {
            Self::OldRpc => json!({"kind": "task", "id": "t", "contextId": "c", "status": {"state": "submitted"}}),
            _ => json!({"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_SUBMITTED"}}}),
        }
    }

    /// A status of the task.
    fn status(self, state: &str, words: Option<&str>) -> Value {
        let message = words.map(|words| match self {
            Self::OldRpc => json!({"kind": "message", "messageId": "a", "role": "agent", "parts": [{"kind": "text", "text": words}]}),
            Self::OldRest => json!({"messageId": "a", "role": "ROLE_AGENT", "content": [{"text": words}]}),
            _ => json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": words}]}),
        });
        let old = state.trim_start_matches("TASK_STATE_").to_lowercase();
        let mut status = json!({"state": if self == Self::OldRpc { &old } else { state }});
        if let Some(message) = message {
            status["message"] = message;
        }
        match self {
            Self::OldRpc => json!({"kind": "status-update", "taskId": "t", "contextId": "c", "status": status}),
            _ => json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": status}}),
        }
    }

    fn message(self) -> Value {
        match self {
            Self::OldRpc => json!({"kind": "message", "messageId": "a", "role": "agent", "parts": []}),
            _ => json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": []}}),
        }
    }

    async fn ask(self, app: &TestApp, headers: &[(&str, &str)]) -> Reply {
        let mut message = message("fees please");
        if self == Self::OldRest {
            message["content"] = message["parts"].take();
            message.as_object_mut().unwrap().remove("parts");
        }
        let (path, body) = match self {
            Self::Rpc => ("/a2a/v1", rpc("SendStreamingMessage", &message)),
            Self::OldRpc => ("/a2a/v1", rpc("message/stream", &message)),
            Self::Rest | Self::OldRest => ("/a2a/rest/message:stream", json!({"message": message})),
        };
        let version = if matches!(self, Self::OldRpc | Self::OldRest) { "0.3" } else { "1.0" };
        let headers = [headers, &[("a2a-version", version)]].concat();
        app.send(post(path, &headers, body.to_string())).await
    }
}

/// An agent that sends `before`, is refused, and sends `after`: all in these chunks.
fn failing(events: String, skill: &'static str, chunk: usize) -> TestApp {
    let agent = async move |guard: OnRequestGuard| {
        let chunks = events.as_bytes().chunks(chunk).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec()));
        let chunks = chunks.collect::<Vec<_>>();
        assert!(guard.disclose(skill).await.is_err());
        ([(CONTENT_TYPE, "text/event-stream")], axum::body::Body::from_stream(futures_util::stream::iter(chunks)))
    };
    let layer = A2aExtensionsLayer::new(card()).unwrap();
    TestApp { router: Router::new().fallback(agent).layer(layer), calls: Default::default() }
}

fn events(reply: &Reply) -> Vec<Value> {
    let text = reply.text();
    let events = text.split("\n\n").filter(|event| !event.is_empty());
    events.map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

#[tokio::test]
async fn or_5_3_an_error_behind_a_task_ends_it_with_the_referral() {
    for wire in Wire::ALL {
        for (skill, state) in [("service-pricing", "COMPLETED"), ("arrangement-booking", "REJECTED")] {
            for (headers, chunk) in [(&[("a2a-extensions", URI)][..], 10_000), (&[], 3)] {
                let before =
                    [wire.event(&wire.task()), wire.event(&wire.status("TASK_STATE_WORKING", Some("One moment.")))]
                        .concat();
                let sent =
                    [before.clone(), wire.error(), wire.event(&wire.status("TASK_STATE_COMPLETED", Some("late")))]
                        .concat();
                let reply = wire.ask(&failing(sent, skill, chunk), headers).await;
                let case = format!("{wire:?} {skill} {headers:?}: {}", reply.text());
                assert!(reply.text().starts_with(&before), "{case}");
                let events = events(&reply);
                assert_eq!(events.len(), 3, "nothing follows the end: {case}");
                let payload = if wire.is_rpc() { &events[2]["result"] } else { &events[2] };
                let update = if wire == Wire::OldRpc { payload } else { &payload["statusUpdate"] };
                assert_eq!((&update["taskId"], &update["contextId"]), (&json!("t"), &json!("c")), "{case}");
                let name = if wire == Wire::OldRpc { state.to_lowercase() } else { format!("TASK_STATE_{state}") };
                assert_eq!(update["status"]["state"], name, "{case}");
                let is_old = matches!(wire, Wire::OldRpc | Wire::OldRest);
                assert_eq!(update.get("final"), is_old.then_some(&json!(true)), "{case}");
                let message = &update["status"]["message"];
                let parts = if wire == Wire::OldRest { &message["content"] } else { &message["parts"] };
                assert!(parts[0]["text"].as_str().unwrap().contains("https://ask.harbour.example/"), "{case}");
                assert_eq!(message["contextId"], "c", "{case}");
                let status = if state == "COMPLETED" { json!("on-request") } else { json!("action-referred") };
                let mark = message.get("metadata").map(|metadata| &metadata[URI]["status"]);
                assert_eq!(mark, (!headers.is_empty()).then_some(&status), "{case}");
            }
        }
    }
}

#[tokio::test]
async fn an_error_that_comes_first_becomes_a_message() {
    for wire in Wire::ALL {
        let reply = wire.ask(&failing(wire.error(), "service-pricing", 7), &[]).await;
        let events = events(&reply);
        let payload = if wire.is_rpc() { &events[0]["result"] } else { &events[0] };
        let message = if wire == Wire::OldRpc { payload } else { &payload["message"] };
        assert!(events.len() == 1 && message.to_string().contains(ADDRESS), "{wire:?}: {}", reply.text());
    }
}

#[tokio::test]
async fn an_error_stays_where_the_stream_has_referred_or_holds_a_message() {
    for wire in Wire::ALL {
        let error = wire.error();
        let ended = wire.status("TASK_STATE_FAILED", Some("I may not say."));
        for payloads in [vec![wire.message()], vec![wire.task(), ended]] {
            let sent = payloads.iter().map(|payload| wire.event(payload)).chain([error.clone()]).collect::<String>();
            let reply = wire.ask(&failing(sent, "service-pricing", 10_000), &[]).await;
            let text = reply.text();
            assert!(text.ends_with(&error) && text.contains(ADDRESS), "{wire:?}: {text}");
        }
    }
}

#[tokio::test]
async fn an_error_of_a_call_that_was_refused_nothing_stays() {
    for wire in Wire::ALL {
        let sent = [wire.event(&wire.task()), wire.error()].concat();
        let layer = A2aExtensionsLayer::new(card()).unwrap();
        let app = TestApp::answering(layer, "text/event-stream", &*sent);
        assert_eq!(wire.ask(&app, &[]).await.text(), sent, "{wire:?}");
    }
}

#[tokio::test]
async fn or_6_2_own_words_get_the_address_where_the_parts_of_their_version_stand() {
    for wire in Wire::ALL {
        let parts = if wire == Wire::OldRest { "content" } else { "parts" };
        let words = wire.status("TASK_STATE_COMPLETED", Some("I may not say."));
        let none = wire.status("TASK_STATE_COMPLETED", None);
        for (payload, count) in [(words, 2), (none, 1)] {
            let sent = wire.event(&payload);
            let reply = wire.ask(&failing(sent, "service-pricing", 10_000), &[("a2a-extensions", URI)]).await;
            let events = events(&reply);
            let payload = if wire.is_rpc() { &events[0]["result"] } else { &events[0] };
            let update = if wire == Wire::OldRpc { payload } else { &payload["statusUpdate"] };
            let message = &update["status"]["message"];
            let texts = message[parts].as_array().unwrap();
            assert_eq!(texts.len(), count, "{wire:?}: {}", reply.text());
            assert!(texts[count - 1]["text"].as_str().unwrap().contains(ADDRESS), "{wire:?}: {}", reply.text());
            assert_eq!(message["metadata"][URI]["status"], "on-request", "{wire:?}: {}", reply.text());
        }
    }
}

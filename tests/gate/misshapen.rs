//! Replies whose shape no client of the call can read, and data in places where it does not belong:
//! the observer is told.

use std::sync::{Arc, Mutex};

use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, ExtensionsEvent, ExtensionsObserver, MessageGate,
    OutgoingObject, Stamp,
};

use crate::support::*;

const MOOD: &str = "https://harbour.example/mood/v1";

#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl ExtensionsObserver for Told {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        let told = match event {
            ExtensionsEvent::Misshapen { what, .. } => format!("misshapen: {what}"),
            ExtensionsEvent::Noticed { extension, what, .. } => format!("{extension}: {what}"),
            _ => return,
        };
        self.0.lock().unwrap().push(told);
    }
}

/// A public extension that guards nothing.
struct Mood;

impl A2aExtension for Mood {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(MOOD)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set("calm") } else { Stamp::remove() }
    }
}

fn layer(told: &Told, strict: bool) -> A2aExtensionsLayer {
    let mut card = opened_card();
    card["capabilities"]["extensions"].as_array_mut().unwrap().push(json!({"uri": MOOD}));
    A2aExtensionsLayer::builder(card)
        .extension(tower_a2a_extensions::OnRequest::new().information("service-pricing"))
        .extension(Mood)
        .observer(told.clone())
        .strict(strict)
        .build()
        .unwrap()
}

fn asking(method: &str, active: &[(&str, &str)]) -> Request<axum::body::Body> {
    post("/a2a/v1", active, rpc(method, &message("When are you open?")).to_string())
}

fn replies(results: &[Value], stream: bool) -> (&'static str, String) {
    let reply = |result: &Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    match stream {
        true => ("text/event-stream", results.iter().map(|one| format!("data: {}\n\n", reply(one))).collect()),
        false => ("application/json", reply(&results[0]).to_string()),
    }
}

#[tokio::test]
async fn a_reply_of_a_wrong_shape_is_observed_once_per_call_and_an_error_under_strict() {
    let said = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "nine to five"}]});
    let old =
        json!({"kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "nine"}]});
    let task = json!({"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}});
    let spoken = json!({"message": {"role": "assistant", "content": "nine to five"}});
    let right = [
        ("SendMessage", json!({"message": said})),
        ("SendMessage", json!({"task": task})),
        ("message/send", old.clone()),
        ("GetTask", task.clone()),
        ("vendor/ask", said.clone()),
    ];
    let wrong = [
        ("SendMessage", said.clone()),
        ("SendMessage", task.clone()),
        ("SendMessage", spoken.clone()),
        ("SendMessage", json!({"message": {"role": "ROLE_AGENT", "parts": "nine to five"}})),
        ("SendMessage", json!({"message": {"role": 3, "parts": []}})),
        ("SendMessage", json!({"answer": "nine to five"})),
        ("message/send", json!({"message": said})),
    ];
    let cases = right.into_iter().map(|case| (case, 0)).chain(wrong.into_iter().map(|case| (case, 1)));
    for ((method, result), count) in cases {
        for active in [&[][..], &[("a2a-extensions", MOOD)]] {
            let told = Told::default();
            let (kind, reply) = replies(std::slice::from_ref(&result), false);
            let app = TestApp::answering(layer(&told, false), kind, reply.clone());
            let left = app.send(asking(method, active)).await;
            assert_eq!(told.take().len(), count, "{method} {active:?} {result}");
            assert!(!active.is_empty() || left.text() == reply, "{method} {result}: it leaves as it is");
            let strict = TestApp::answering(layer(&told, true), kind, reply).send(asking(method, active)).await;
            let code = if count == 0 { Value::Null } else { json!(-32006) };
            assert_eq!(strict.json()["error"]["code"], code, "{method} {active:?} {result}");
        }
    }
    for method in ["SendStreamingMessage", "SubscribeToTask"] {
        let told = Told::default();
        let (kind, events) = replies(&[spoken.clone(), said.clone(), spoken.clone()], true);
        TestApp::answering(layer(&told, false), kind, events).send(asking(method, &[])).await;
        assert_eq!(told.take().len(), 1, "{method}");
    }
}

#[tokio::test]
async fn active_data_of_another_extension_stays_where_no_message_is_and_inactive_data_is_told_of() {
    let carried = |key: &str| json!({key: "calm", "x": 1});
    let result = |key: &str| {
        let part = json!({"text": "hello", "metadata": carried(key)});
        let status = json!({"state": "TASK_STATE_WORKING", "metadata": carried(key)});
        json!({"id": "t", "status": status, "artifacts": [{"artifactId": "a", "parts": [part]}], "metadata": carried(key)})
    };
    let places = |result: &Value| {
        ["/metadata", "/status/metadata", "/artifacts/0/parts/0/metadata"]
            .map(|place| result.pointer(place).unwrap().clone())
    };
    for stream in [false, true] {
        let (method, wrapped) =
            if stream { ("SubscribeToTask", json!({"task": result(MOOD)})) } else { ("GetTask", result(MOOD)) };
        let (kind, reply) = replies(&[wrapped], stream);
        let told = Told::default();
        let app = TestApp::answering(layer(&told, false), kind, reply);
        let result = |reply: Reply| {
            let got = if stream { reply.event()["result"]["task"].clone() } else { reply.json()["result"].clone() };
            places(&got)
        };
        let active = result(app.send(asking(method, &[("a2a-extensions", MOOD)])).await);
        assert_eq!(active, [(); 3].map(|()| carried(MOOD)), "{method}");
        assert_eq!(told.take(), [""; 0]);
        let inactive = result(app.send(asking(method, &[])).await);
        assert_eq!(inactive, [(); 3].map(|()| json!({"x": 1})), "{method}");
        let told = told.take();
        assert!(told.len() == 3 && told.iter().all(|one| one.starts_with(MOOD)), "{told:?}");
    }
    let told = Told::default();
    let (kind, reply) = replies(&[result(URI)], false);
    let left =
        TestApp::answering(layer(&told, false), kind, reply).send(asking("GetTask", &[("a2a-extensions", URI)])).await;
    assert_eq!(places(&left.json()["result"]), [(); 3].map(|()| json!({"x": 1})), "a guard's own never stays");
}

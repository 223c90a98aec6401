//! What the operator is told.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tower_a2a_extensions::converse::{Author, Envelope, PendingInput, Routine, RoutineStatus};
use tower_a2a_extensions::{A2aExtensionsLayer, ConverseReply, ExtensionsEvent, ExtensionsObserver};

use crate::support::*;

#[derive(Clone, Default)]
pub(crate) struct Noticed(pub(crate) Arc<Mutex<Vec<String>>>);

impl ExtensionsObserver for Noticed {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        if let ExtensionsEvent::Noticed { extension, what, .. } = event {
            self.0.lock().unwrap().push(format!("{extension} {what}"));
        }
    }
}

pub(crate) fn observed() -> (A2aExtensionsLayer, Noticed) {
    let noticed = Noticed::default();
    let layer = A2aExtensionsLayer::builder(card(&json!([declaration()]))).observer(noticed.clone()).build().unwrap();
    (layer, noticed)
}

fn booking(slots: &[&str]) -> Envelope {
    let routine = Routine::new("Book a table", RoutineStatus::WaitingForInput);
    let slots = slots.iter().map(|key| PendingInput::required(*key, "string", "A slot."));
    let routine = slots.fold(routine, Routine::with_pending_input);
    Envelope::builder(Author::Agent).routine(routine).build().unwrap()
}

async fn findings(method: &str, state: &str, slots: &'static [&'static str]) -> usize {
    let (layer, noticed) = observed();
    let status = json!({"state": state, "message": {"messageId": "m-1", "role": "ROLE_AGENT", "parts": []}});
    let task = json!({"id": "t-1", "contextId": "c-1", "status": status});
    let result = if method.contains('/') { task } else { json!({"task": task}) };
    let document = json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let sent = typed_reply("application/json", document.to_string());
    let hand_over = |reply: &ConverseReply| reply.set(booking(slots));
    let reply = respond(&layer, json_rpc(method, &[CONVERSE]), sent, hand_over).await;
    let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
    let status = reply.pointer("/result/task/status/message").or_else(|| reply.pointer("/result/status/message"));
    assert_eq!(carried(status.unwrap()), Some(booking(slots).to_value()), "the reply leaves as it is");
    let noticed = noticed.0.lock().unwrap();
    assert!(noticed.iter().all(|what| what.starts_with(CONVERSE) && what.contains("pendingInput")), "{noticed:?}");
    noticed.len()
}

#[tokio::test]
async fn a_task_that_waits_for_a_routine_and_does_not_say_for_what_is_noticed() {
    for (method, waits, works) in [
        ("SendMessage", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING"),
        ("message/send", "input-required", "working"),
    ] {
        assert_eq!(findings(method, waits, &[]).await, 1, "{method}");
        assert_eq!(findings(method, waits, &["date"]).await, 0, "{method}");
        assert_eq!(findings(method, works, &[]).await, 0, "{method}");
    }
}

#[tokio::test]
async fn an_agents_own_envelope_that_cannot_be_read_is_replaced_and_noticed() {
    for own in [r#""words""#, r#"{"author":"agent","author":"human"}"#, r#"{"author":{}}"#] {
        let (layer, noticed) = observed();
        let message =
            format!(r#"{{"messageId":"m","role":"ROLE_AGENT","parts":[],"metadata":{{"{CONVERSE}":{own}}}}}"#);
        let document = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"message":{message}}}}}"#);
        let sent = typed_reply("application/json", document);
        let reply = respond(&layer, json_rpc("SendMessage", &[CONVERSE]), sent, |_| {}).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        assert_eq!(carried(&reply["result"]["message"]), Some(fallback()), "{own}");
        assert_eq!(noticed.0.lock().unwrap().len(), 1, "{own}");
    }
}

//! Push payloads, which go through the filter and not through the layer.

use serde_json::{Value, json};
use tower_a2a_extensions::{A2aCall, ConverseReply, ReplyFilter, StoredActivation};

use crate::support::*;

fn sent(filter: &ReplyFilter, call: &A2aCall, payload: &Value) -> Value {
    serde_json::from_slice(&filter.stamp(payload.to_string(), call).unwrap()).unwrap()
}

#[test]
fn payloads_carry_what_was_handed_over_to_their_call() {
    let filter = layer().filter();
    let status = |id: &str| json!({"state": "TASK_STATE_WORKING", "message": message(id, "ROLE_AGENT")});
    let update = |id: &str| json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": status(id)}});
    let call = filter.call_for(&StoredActivation::from_iter([CONVERSE]));
    let reply = ConverseReply::of(&call);
    assert!(reply.is_active());
    let of = |payload: &Value| carried(&payload["statusUpdate"]["status"]["message"]);
    assert_eq!(of(&sent(&filter, &call, &update("m-1"))), Some(fallback()));
    for owner in ["ai_owned", "human_owned"] {
        reply.set(owned_by(owner));
        assert_eq!(of(&sent(&filter, &call, &update("m-1"))), Some(owned_by(owner).to_value()));
    }
    reply.set_for("m-2", owned_by("id")).unwrap();
    assert_eq!(of(&sent(&filter, &call, &update("m-2"))), Some(owned_by("id").to_value()));

    let inactive = filter.call_for(&StoredActivation::default());
    ConverseReply::of(&inactive).set(owned_by("human_owned"));
    assert!(!ConverseReply::of(&inactive).is_active());
    assert_eq!(sent(&filter, &inactive, &update("m-1")), update("m-1"));
}

#[test]
fn an_envelope_that_was_stored_with_its_object_leaves_with_it_later() {
    let filter = layer().filter();
    let mut stored = message("m-1", "ROLE_AGENT");
    stored["metadata"] = json!({ CONVERSE: owned_by("human_owned").to_value() });
    let status = json!({"state": "TASK_STATE_COMPLETED", "message": stored});
    let task = json!({"task": {"id": "t", "contextId": "c", "status": status}});
    for (uris, expected) in [(vec![CONVERSE], Some(owned_by("human_owned").to_value())), (vec![], None)] {
        let call = filter.call_for(&StoredActivation::from_iter(uris));
        let payload = sent(&filter, &call, &task);
        assert_eq!(carried(&payload["task"]["status"]["message"]), expected);
    }
}

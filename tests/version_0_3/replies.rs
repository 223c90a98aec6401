//! Replies of 0.3 agents: stamped where active, stripped where not, the rest byte for byte.

use serde_json::{Value, json};
use tower_a2a_extensions::{A2aCall, StoredActivation};

use crate::support::*;

/// One reply: its payloads, and the pointer of each outgoing object by payload.
struct Row {
    wire: Wire,
    ask: Ask,
    payloads: Vec<Value>,
    objects: Vec<Vec<&'static str>>,
}

fn row(wire: Wire, ask: Ask, payloads: Vec<Value>, objects: &[&[&'static str]]) -> Row {
    Row { wire, ask, payloads, objects: objects.iter().map(|pointers| pointers.to_vec()).collect() }
}

fn rpc_message(role: &str) -> Value {
    json!({"kind": "message", "messageId": "a", "role": role, "parts": [{"kind": "text", "text": "x"}, {"kind": "data", "data": {"n": 1}}]})
}

fn rpc_task() -> Value {
    json!({"kind": "task", "id": "t-1", "contextId": "c-1",
        "status": {"state": "input-required", "message": rpc_message("agent"), "timestamp": "2025-10-28T10:32:03Z"},
        "artifacts": [{"artifactId": "a-1", "parts": [{"kind": "file", "file": {"uri": "https://x.example"}}]}],
        "history": [rpc_message("user"), rpc_message("agent")]})
}

fn rest_message(role: &str) -> Value {
    json!({"messageId": "a", "role": role, "content": [{"text": "x"}, {"data": {"data": {"n": 1}}}]})
}

fn rest_task(state: &str) -> Value {
    json!({"id": "t-1", "contextId": "c-1",
        "status": {"state": state, "message": rest_message("ROLE_AGENT"), "timestamp": "2025-10-28T10:32:03Z"},
        "artifacts": [{"artifactId": "a-1", "parts": [{"file": {"fileWithUri": "https://x.example"}}]}],
        "history": [rest_message("ROLE_USER"), rest_message("ROLE_AGENT")]})
}

fn table() -> Vec<Row> {
    use Ask::{Cancel, Get, List, PushConfig, Resubscribe, Send, Stream};
    use Wire::{HttpJson, JsonRpc};
    const TASK: &[&str] = &["/status/message", "/artifacts/0", "/history/1"];
    const WRAPPED: &[&str] = &["/task/status/message", "/task/artifacts/0", "/task/history/1"];
    const LISTED: &[&str] =
        &["/0/status/message", "/0/artifacts/0", "/0/history/1", "/1/status/message", "/1/artifacts/0", "/1/history/1"];
    let rpc_events = || {
        vec![
            rpc_task(),
            json!({"kind": "status-update", "taskId": "t-1", "contextId": "c-1", "final": false, "status": {"state": "working", "message": rpc_message("agent")}}),
            json!({"kind": "artifact-update", "taskId": "t-1", "contextId": "c-1", "artifact": {"artifactId": "a-1", "parts": [{"kind": "text", "text": "x"}]}, "append": true}),
            json!({"kind": "status-update", "taskId": "t-1", "contextId": "c-1", "final": true, "status": {"state": "completed"}}),
        ]
    };
    let rest_events = || {
        vec![
            json!({"task": rest_task("TASK_STATE_SUBMITTED")}),
            json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_WORKING", "update": rest_message("ROLE_AGENT")}}}),
            json!({"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "artifact": {"artifactId": "a-1", "parts": [{"text": "x"}]}, "append": true}}),
            json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "final": true, "status": {"state": "TASK_STATE_COMPLETED"}}}),
        ]
    };
    let rpc_places: &[&[&str]] = &[TASK, &["/status/message"], &["/artifact"], &[]];
    let rest_places: &[&[&str]] = &[WRAPPED, &["/statusUpdate/status/update"], &["/artifactUpdate/artifact"], &[]];
    let config = json!({"taskId": "t-1", "pushNotificationConfig": {"url": "https://x.example"}});
    vec![
        row(JsonRpc, Send, vec![rpc_message("agent")], &[&[""]]),
        row(JsonRpc, Send, vec![rpc_task()], &[TASK]),
        row(JsonRpc, Get, vec![rpc_task()], &[TASK]),
        row(JsonRpc, Cancel, vec![rpc_task()], &[TASK]),
        row(JsonRpc, Stream, rpc_events(), rpc_places),
        row(JsonRpc, Stream, vec![rpc_message("agent")], &[&[""]]),
        row(JsonRpc, Resubscribe, rpc_events(), rpc_places),
        row(JsonRpc, PushConfig, vec![json!([config])], &[&[]]),
        row(HttpJson, Send, vec![json!({"message": rest_message("ROLE_AGENT")})], &[&["/message"]]),
        row(HttpJson, Send, vec![json!({"msg": rest_message("ROLE_AGENT")})], &[&["/msg"]]),
        row(HttpJson, Send, vec![json!({"task": rest_task("TASK_STATE_COMPLETED")})], &[WRAPPED]),
        row(HttpJson, Get, vec![rest_task("TASK_STATE_INPUT_REQUIRED")], &[TASK]),
        row(HttpJson, Cancel, vec![rest_task("TASK_STATE_CANCELLED")], &[TASK]),
        row(
            HttpJson,
            List,
            vec![json!([rest_task("TASK_STATE_WORKING"), rest_task("TASK_STATE_CANCELLED")])],
            &[LISTED],
        ),
        row(HttpJson, List, vec![json!([])], &[&[]]),
        row(HttpJson, Stream, rest_events(), rest_places),
        row(HttpJson, Stream, vec![json!({"message": rest_message("ROLE_AGENT")})], &[&["/message"]]),
        row(HttpJson, Resubscribe, rest_events(), rest_places),
        row(HttpJson, PushConfig, vec![json!({"configs": [config]})], &[&[]]),
    ]
}

/// With the extension's stamp on each outgoing object, beside a foreign extension's.
fn stamped(row: &Row, ours: bool) -> Vec<Value> {
    let mut payloads = row.payloads.clone();
    for (payload, pointers) in payloads.iter_mut().zip(&row.objects) {
        for pointer in pointers {
            let object = payload.pointer_mut(pointer).unwrap();
            object["metadata"] = json!({"https://foreign.example/x": {"n": 1.5}});
            object["extensions"] = json!(["https://foreign.example/x"]);
            if ours {
                object["metadata"][MOOD] = json!("calm");
                object["extensions"].as_array_mut().unwrap().push(json!(MOOD));
            }
        }
    }
    payloads
}

async fn replied(row: &Row, sent: &[Value], active: bool) -> (Vec<Value>, String) {
    let app = App::answering(card(), row.wire.reply(row.ask, sent));
    let request = row.wire.request(row.ask, &row.wire.message("hello"));
    let request = if active { with(request, "x-a2a-extensions", MOOD) } else { request };
    let reply = app.send(request).await;
    assert_eq!((reply.status.as_u16(), app.calls().len()), (200, 1), "{:?} {:?}", row.wire, row.ask);
    assert_eq!(reply.header("x-a2a-extensions"), active.then_some(MOOD));
    (row.wire.payloads(&reply), reply.text())
}

#[tokio::test]
async fn active_every_object_is_stamped_and_nothing_else_changes() {
    for row in table() {
        let (payloads, _) = replied(&row, &stamped(&row, false), true).await;
        assert_eq!(payloads, stamped(&row, true), "{:?} {:?}", row.wire, row.ask);
        let (again, _) = replied(&row, &payloads, true).await;
        assert_eq!(again, payloads, "{:?} {:?}: a second time changes nothing", row.wire, row.ask);
    }
}

#[tokio::test]
async fn active_objects_without_metadata_and_extensions_get_both() {
    for row in table() {
        let (mut payloads, _) = replied(&row, &row.payloads, true).await;
        for (payload, pointers) in payloads.iter_mut().zip(&row.objects) {
            for pointer in pointers {
                let object = payload.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
                assert_eq!(object.remove("metadata"), Some(json!({MOOD: "calm"})), "{:?} {:?}", row.wire, row.ask);
                assert_eq!(object.remove("extensions"), Some(json!([MOOD])));
            }
        }
        assert_eq!(payloads, row.payloads, "{:?} {:?}", row.wire, row.ask);
    }
}

#[tokio::test]
async fn inactive_stamps_go_and_what_has_none_leaves_byte_for_byte() {
    for row in table() {
        let (payloads, text) = replied(&row, &stamped(&row, true), false).await;
        assert_eq!(payloads, stamped(&row, false), "{:?} {:?}", row.wire, row.ask);
        assert!(!text.contains(MOOD), "{text}");
        let (_, text) = replied(&row, &row.payloads, false).await;
        assert_eq!(text, row.wire.reply(row.ask, &row.payloads).1, "{:?} {:?}", row.wire, row.ask);
    }
}

#[tokio::test]
async fn errors_of_an_agent_of_0_3_leave_as_they_are() {
    let errors = [
        (Wire::JsonRpc, json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32001, "message": "Task not found"}})),
        (Wire::HttpJson, json!({"code": 404, "message": "Task not found", "details": []})),
        (Wire::HttpJson, json!({"message": "Task not found"})),
    ];
    for (wire, error) in errors {
        let app = App::answering(card(), ("application/json", error.to_string()));
        for active in [true, false] {
            let request = wire.request(Ask::Get, &Value::Null);
            let request = if active { with(request, "x-a2a-extensions", MOOD) } else { request };
            assert_eq!(app.send(request).await.text(), error.to_string(), "{wire:?}");
        }
    }
}

#[test]
fn a_push_is_a_bare_task_in_either_spelling() {
    let layer = layer(card());
    let filter = layer.filter();
    for task in [rpc_task(), rest_task("TASK_STATE_COMPLETED")] {
        let active = filter.call_for(&StoredActivation::from_iter([MOOD]));
        let sent = |task: &Value, call: &A2aCall| -> Value {
            serde_json::from_slice(&filter.stamp(task.to_string(), call).unwrap()).unwrap()
        };
        let stamped = sent(&task, &active);
        for pointer in ["/status/message", "/artifacts/0", "/history/1"] {
            assert_eq!(stamped.pointer(pointer).unwrap()["metadata"], json!({MOOD: "calm"}), "{pointer}");
        }
        assert_eq!(stamped["history"][0], task["history"][0], "the user's message is not ours");
        let stripped = sent(&stamped, &filter.call_for(&StoredActivation::default()));
        assert!(!stripped.to_string().contains(MOOD), "{stripped}");
    }
}

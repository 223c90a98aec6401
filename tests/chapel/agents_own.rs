//! What is not on request: the agent's own replies, its tasks, and its errors.

use serde_json::{Value, json};

use crate::bindings::{Wire, text_message};
use crate::driver::{CARD, Chapel, ON_REQUEST, Request};

fn rpc(method: &str, params: &Value) -> Request {
    Request::post("/a2a/v1", &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

/// A task that the chapel has made for this assistant.
fn make_task(chapel: &Chapel, assistant: &str) -> Value {
    let request = rpc("SendMessage", &json!({"message": text_message("Has the transfer happened?")}));
    chapel.send(&request.signed_in_as(assistant)).json()["result"]["task"].clone()
}

#[test]
fn or_5_2_public_skills_are_answered_with_a_message_and_no_mark() {
    let chapel = Chapel::start();
    for wire in Wire::ALL {
        for text in ["When can I visit Larkfield Chapel?", "Can I talk to somebody at Larkfield Chapel?"] {
            let reply = chapel.send(&wire.request(&text_message(text)).activating());
            let results = wire.results(&reply);
            let message = wire.member(&results[0], "message", "message").expect("a message");
            assert!(message["parts"][0]["text"].as_str().unwrap().contains("16:30"), "{wire:?}: {message}");
            assert!(message.get("metadata").is_none() && message.get("extensions").is_none(), "{message}");
            assert_eq!(reply.header("a2a-extensions"), Some(ON_REQUEST), "negotiated all the same");
        }
    }
}

#[test]
fn or_5_9_a_sign_in_skill_is_a_task_that_waits_for_the_sign_in() {
    let chapel = Chapel::start();
    for wire in Wire::ALL {
        let reply = chapel.send(&wire.request(&text_message("Has the transfer happened?")).activating());
        let results = wire.results(&reply);
        let last = results.last().unwrap();
        let task = wire.member(last, "task", "task").or_else(|| wire.member(last, "statusUpdate", "status-update"));
        assert_eq!(task.expect("a task")["status"]["state"], wire.state("AUTH_REQUIRED"), "{wire:?}");
        assert!(!reply.body.contains(ON_REQUEST), "{wire:?}: {}", reply.body);
    }
}

#[test]
fn a_task_is_found_again_by_the_assistant_that_made_it_and_by_nobody_else() {
    let chapel = Chapel::start();
    let task = make_task(&chapel, "acme");
    let id = task["id"].as_str().unwrap();
    let path = format!("/a2a/rest/tasks/{id}");

    assert_eq!(chapel.send(&rpc("GetTask", &json!({"id": id})).signed_in_as("acme")).json()["result"], task);
    assert_eq!(chapel.send(&Request::get(&path).signed_in_as("acme")).json(), task);
    let old = chapel.send(&rpc("tasks/get", &json!({"id": id})).without("A2A-Version").signed_in_as("acme")).json();
    assert_eq!((&old["result"]["kind"], &old["result"]["status"]["state"]), (&json!("task"), &json!("auth-required")));
    let listed = chapel.send(&Request::get("/a2a/rest/tasks?pageSize=10").signed_in_as("acme")).json();
    assert_eq!((&listed["tasks"], &listed["totalSize"]), (&json!([task]), &json!(1)));

    for stranger in [rpc("GetTask", &json!({"id": id})), rpc("GetTask", &json!({"id": id})).signed_in_as("other")] {
        assert_eq!(chapel.send(&stranger).json()["error"]["code"], -32001);
    }
    assert_eq!(chapel.send(&Request::get(&path)).status, 404);
    assert_eq!(chapel.send(&rpc("ListTasks", &json!({})).signed_in_as("other")).json()["result"]["tasks"], json!([]));
}

#[test]
fn a_task_is_cancelled_once() {
    let chapel = Chapel::start();
    let task = make_task(&chapel, "acme");
    let cancel = rpc("CancelTask", &json!({"id": task["id"]})).signed_in_as("acme");
    assert_eq!(chapel.send(&cancel).json()["result"]["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(chapel.send(&cancel).json()["error"]["code"], -32002);
    let path = format!("/a2a/rest/tasks/{}:cancel", task["id"].as_str().unwrap());
    assert_eq!(chapel.send(&Request::post(&path, &"").signed_in_as("acme")).status, 400);
}

#[test]
fn lists_come_in_pages_newest_first() {
    let chapel = Chapel::start();
    let made = [0; 3].map(|_| make_task(&chapel, "acme")["id"].clone());
    let page = |token: &str| {
        let params = json!({"pageSize": 2, "pageToken": token});
        chapel.send(&rpc("ListTasks", &params).signed_in_as("acme")).json()["result"].clone()
    };
    let first = page("");
    assert_eq!([&first["tasks"][0]["id"], &first["tasks"][1]["id"]], [&made[2], &made[1]]);
    let second = page(first["nextPageToken"].as_str().unwrap());
    assert_eq!(second["tasks"][0]["id"], made[0]);
    assert_eq!(second["nextPageToken"], "");
}

#[test]
fn a_waiting_task_can_be_watched_and_an_ended_one_cannot() {
    let chapel = Chapel::start();
    let task = make_task(&chapel, "acme");
    let watch = rpc("SubscribeToTask", &json!({"id": task["id"]})).signed_in_as("acme");
    assert_eq!(chapel.send(&watch).events()[0]["result"]["task"], task);
    let old = rpc("tasks/resubscribe", &json!({"id": task["id"]})).without("A2A-Version").signed_in_as("acme");
    assert_eq!(chapel.send(&old).events()[0]["result"]["kind"], "task");
    let path = format!("/a2a/rest/tasks/{}:subscribe", task["id"].as_str().unwrap());
    for request in [Request::get(&path), Request::post(&path, &"")] {
        assert_eq!(chapel.send(&request.signed_in_as("acme")).events()[0]["task"], task);
    }
    chapel.send(&rpc("CancelTask", &json!({"id": task["id"]})).signed_in_as("acme"));
    assert_eq!(chapel.send(&watch).json()["error"]["code"], -32004);
}

#[test]
fn what_is_not_offered_is_refused_in_the_callers_binding() {
    let chapel = Chapel::start();
    let hours = json!({"message": text_message("When can I visit Larkfield Chapel?")});
    for (method, code) in [
        ("NoSuchMethod", -32601),
        ("GetExtendedAgentCard", -32004),
        ("CreateTaskPushNotificationConfig", -32003),
        ("tasks/pushNotificationConfig/set", -32003),
        ("GetTask", -32602),
    ] {
        assert_eq!(chapel.send(&rpc(method, &json!({}))).json()["error"]["code"], code, "{method}");
    }
    let version = rpc("SendMessage", &hours).without("A2A-Version").header("A2A-Version", "9.9");
    assert_eq!(chapel.send(&version).json()["error"]["code"], -32009);
    let version = Request::post("/a2a/rest/message:send", &hours).without("A2A-Version").header("A2A-Version", "9.9");
    let reply = chapel.send(&version);
    assert_eq!((reply.status, &reply.json()["error"]["details"][0]["reason"]), (400, &json!("VERSION_NOT_SUPPORTED")));
}

#[test]
fn a_notification_gets_no_body() {
    let chapel = Chapel::start();
    let params = json!({"message": text_message("When can I visit Larkfield Chapel?")});
    let call = json!({"jsonrpc": "2.0", "method": "SendMessage", "params": params});
    let reply = chapel.send(&Request::post("/a2a/v1", &call));
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
}

#[test]
fn a_token_that_is_none_is_refused_and_the_card_is_for_everybody() {
    let chapel = Chapel::start();
    for authorization in ["Basic abc", "Bearer", "Bearer other", "Bearer demo-", "Bearer demo-a b"] {
        let request = rpc("ListTasks", &json!({})).header("Authorization", authorization);
        assert_eq!(chapel.send(&request).status, 401, "{authorization}");
    }
    let twice = rpc("ListTasks", &json!({})).signed_in_as("a").signed_in_as("b");
    assert_eq!(chapel.send(&twice).status, 401);
    let card = chapel.send(&Request::get("/.well-known/agent-card.json").header("Authorization", "Basic abc"));
    assert_eq!((card.status, card.body.as_str()), (200, CARD.trim_end()));
}

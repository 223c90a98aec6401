//! What the agent itself writes under our key.

use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequest};

use crate::support::*;

fn mark(status: &str, skill: &str) -> Value {
    json!({"status": status, "skillId": skill, "personEntry": ADDRESS})
}

fn marked(object: Value, status: &str, skill: &str) -> Value {
    let mut object = object;
    object["extensions"] = json!([URI, "https://foreign.example/x"]);
    object["metadata"] = json!({"https://foreign.example/x": 1, URI: mark(status, skill)});
    object
}

fn task() -> Value {
    let agent = json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": "ask there", "metadata": {URI: 1, "keep": 2}}]});
    let user = json!({"messageId": "u", "role": "ROLE_USER", "parts": [{"text": "hi"}], "metadata": {URI: {"skillId": "service-pricing"}}, "extensions": [URI]});
    json!({
        "id": "t-1", "contextId": "c-1", "metadata": {URI: "task", "keep": 1},
        "status": {"state": "TASK_STATE_COMPLETED", "message": marked(agent.clone(), "on-request", "service-pricing")},
        "artifacts": [marked(json!({"artifactId": "x", "parts": [{"text": "ask there"}]}), "on-request", "service-pricing")],
        "history": [user, marked(agent, "on-request", "service-pricing")],
    })
}

async fn replied(result: &Value, headers: &[(&str, &str)]) -> Value {
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
    let app = TestApp::answering(A2aExtensionsLayer::new(card()).unwrap(), "application/json", reply);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t-1"}}).to_string();
    let reply = app.send(post("/a2a/v1", headers, body)).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (1, 200));
    assert_eq!(reply.headers["content-length"], reply.bytes.len().to_string().as_str());
    reply.json()["result"].clone()
}

#[tokio::test]
async fn a15_what_is_not_active_is_gone_from_every_object_and_nothing_else_is() {
    let mut expected = task();
    let lists = json!({"tasks": [task()], "nextPageToken": ""});
    expected["metadata"] = json!({"keep": 1});
    for pointer in ["/status/message", "/artifacts/0", "/history/1"] {
        let object = expected.pointer_mut(pointer).unwrap();
        object["metadata"] = json!({"https://foreign.example/x": 1});
        object["extensions"] = json!(["https://foreign.example/x"]);
        if let Some(metadata) = object.pointer_mut("/parts/0/metadata") {
            *metadata = json!({"keep": 2});
        }
    }
    assert_eq!(replied(&task(), &[]).await, expected, "GetTask");
    assert_eq!(replied(&lists, &[]).await, json!({"tasks": [expected], "nextPageToken": ""}), "ListTasks");
    assert_eq!(replied(&json!({"task": task()}), &[]).await, json!({"task": expected}), "SendMessage");
}

#[tokio::test]
async fn active_marks_keep_the_cards_address() {
    let mut object = json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": format!("ask: {ADDRESS}")}]});
    object["metadata"] =
        json!({URI: {"status": "on-request", "skillId": "service-pricing", "personEntry": "https://evil.example"}});
    let reply = replied(&json!({"message": object}), &[("a2a-extensions", URI)]).await;
    assert_eq!(reply["message"]["metadata"][URI], mark("on-request", "service-pricing"));
    assert_eq!(reply["message"]["extensions"], json!([URI]));
}

#[tokio::test]
async fn a_claim_of_having_given_what_is_closed_stops_the_reply() {
    let artifact = json!({"artifactId": "x", "parts": [{"text": SECRET}], "metadata": {URI: mark("given-on-opt-in", "service-pricing")}});
    let result = json!({"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact]}});
    for headers in [&[][..], &[("a2a-extensions", URI)]] {
        let layer = || A2aExtensionsLayer::new(card()).unwrap();
        let wrapped = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
        let app = TestApp::answering(layer(), "application/json", wrapped);
        let reply = app.send(post("/a2a/v1", headers, rpc("SendMessage", &message("hello")).to_string())).await;
        assert_eq!(
            (reply.status.as_u16(), &reply.json()["error"]["code"], reply.tells()),
            (200, &json!(-32006), false)
        );
        let app = TestApp::answering(layer(), "application/a2a+json", result.to_string());
        let reply =
            app.send(post("/a2a/rest/message:send", headers, json!({"message": message("hello")}).to_string())).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["error"]["code"], reply.tells()), (500, &json!(500), false));
        assert_eq!(reply.json()["error"]["details"][0]["reason"], "INVALID_AGENT_RESPONSE");
        let app = TestApp::answering(
            layer(),
            "text/event-stream",
            format!("data: {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{result}}}\n\n"),
        );
        let reply =
            app.send(post("/a2a/v1", headers, rpc("SendStreamingMessage", &message("hello")).to_string())).await;
        assert_eq!((&reply.event()["error"]["code"], reply.tells()), (&json!(-32006), false));
    }
}

#[tokio::test]
async fn a_given_artifact_without_a_permit_is_withheld() {
    let artifact = json!({"artifactId": "x", "parts": [{"text": SECRET}], "metadata": {URI: mark("given-on-opt-in", "service-pricing")}});
    let result = json!({"jsonrpc": "2.0", "id": 1, "result": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact]}});
    let layer = A2aExtensionsLayer::builder(opened_card())
        .extension(OnRequest::new().information("service-pricing"))
        .build()
        .unwrap();
    let app = TestApp::answering(layer, "application/json", result.to_string());
    for headers in [&[][..], &[("a2a-extensions", URI)]] {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t"}}).to_string();
        let reply = app.send(post("/a2a/v1", headers, body)).await;
        assert_eq!((reply.status.as_u16(), reply.tells()), (200, false));
        let task = &reply.json()["result"];
        let status = &task["status"]["message"];
        assert!(status["parts"][0]["text"].as_str().unwrap().contains(ADDRESS), "{task}");
        assert_eq!(status["messageId"], "t-service-pricing", "polls agree");
        assert_eq!(status["metadata"][URI]["status"].is_string(), !headers.is_empty());
        assert_eq!(task["artifacts"][0]["parts"].as_array().unwrap().len(), 1);
        assert!(task["artifacts"][0].get("metadata").is_none_or(|metadata| metadata.get(URI).is_none()), "{task}");
    }
}

#[tokio::test]
async fn a_card_that_names_the_uri_as_a_value_is_untouched() {
    let text = card().to_string();
    let app = TestApp::answering(A2aExtensionsLayer::new(card()).unwrap(), "application/json", text.clone());
    let reply = app.send(Request::get("/.well-known/agent-card.json").body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(reply.text(), text);
}

#[tokio::test]
async fn b29_a_reply_past_the_limit_goes_on_unstamped_and_a_key_ends_it() {
    let mood = "https://harbour.example/mood";
    let small = |extra: &str| {
        let declaring = json!({"name": "Harbour Lights", "capabilities": {"extensions": [{"uri": mood}]}});
        let layer = A2aExtensionsLayer::builder(declaring).extension(Mood).max_response_document(100).build().unwrap();
        let reply = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"message":{{"parts":[{{"text":"{}"}}]{extra}}}}}}}"#,
            "x".repeat(200)
        );
        (TestApp::answering(layer, "application/json", reply.clone()), reply)
    };
    let body = rpc("SendMessage", &message("hello")).to_string();
    let (app, reply) = small("");
    assert_eq!(app.send(post("/a2a/v1", &[("a2a-extensions", mood)], body.clone())).await.text(), reply);
    let (app, _) = small(&format!(r#","metadata":{{"{mood}":"{SECRET}"}}"#));
    let reply = app.send(post("/a2a/v1", &[], body)).await;
    assert_eq!((&reply.json()["error"]["code"], reply.tells()), (&json!(-32006), false));
}

#[tokio::test]
async fn get_replies_of_operations_vary() {
    let app = TestApp::answering(
        A2aExtensionsLayer::new(card()).unwrap(),
        "application/json",
        json!({"id": "t", "status": {"state": "TASK_STATE_WORKING"}}).to_string(),
    );
    let reply = app.send(Request::get("/a2a/rest/tasks/t").body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(reply.headers["vary"], "A2A-Extensions, X-A2A-Extensions, A2A-Version, Authorization");
}

#[tokio::test]
async fn a15_a_bare_message_http_json_and_events_are_stripped_alike() {
    let said = json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": "ask there"}]});
    let result = json!({"message": marked(said.clone(), "on-request", "service-pricing")});
    let mut stripped = said;
    stripped["extensions"] = json!(["https://foreign.example/x"]);
    stripped["metadata"] = json!({"https://foreign.example/x": 1});
    let layer = || A2aExtensionsLayer::new(card()).unwrap();
    let rest = TestApp::answering(layer(), "application/a2a+json", result.to_string());
    let reply = rest.send(post("/a2a/rest/message:send", &[], json!({"message": message("hello")}).to_string())).await;
    assert_eq!(reply.json()["message"], stripped);
    let event = format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
    let stream = TestApp::answering(layer(), "text/event-stream", event);
    let reply = stream.send(post("/a2a/v1", &[], rpc("SendStreamingMessage", &message("hello")).to_string())).await;
    assert_eq!(reply.event()["result"]["message"], stripped);
    let old = json!({"jsonrpc": "2.0", "id": 1, "result": {"kind": "message", "role": "agent", "messageId": "a", "parts": [], "metadata": {URI: 1}}});
    let old = TestApp::answering(layer(), "application/json", old.to_string());
    let reply =
        old.send(post("/a2a/v1", &[("a2a-version", "0.3")], rpc("message/send", &message("hello")).to_string())).await;
    assert_eq!(reply.json()["result"]["metadata"], json!({}));
}

#[tokio::test]
async fn or_5_9_a_sign_in_task_keeps_its_bytes_and_a_stamp_only_adds() {
    let task = r#"{"jsonrpc":"2.0","result":{ "task":{"status":{"state":"TASK_STATE_AUTH_REQUIRED","message":{"parts":[{"text":"sign\u0020in"}],"role":"ROLE_AGENT"}},"id":"t","n":1.50}},"id":1}"#;
    let body = rpc("SendMessage", &message("where is she?")).to_string();
    let own = TestApp::answering(A2aExtensionsLayer::new(card()).unwrap(), "application/json", task);
    assert_eq!(own.send(post("/a2a/v1", &[("a2a-extensions", URI)], body.clone())).await.text(), task);

    let mut declaring = card();
    declaring["capabilities"]["extensions"]
        .as_array_mut()
        .unwrap()
        .push(json!({"uri": "https://harbour.example/mood"}));
    let layer = A2aExtensionsLayer::builder(declaring).extension(Mood).build().unwrap();
    let stamped = TestApp::answering(layer, "application/json", task);
    let reply = stamped.send(post("/a2a/v1", &[("a2a-extensions", "https://harbour.example/mood")], body)).await;
    let added = r#","extensions":["https://harbour.example/mood"]"#;
    let text = reply.text();
    assert!(text.contains(added) && text.contains(r#""https://harbour.example/mood":"calm""#), "{text}");
    // What is left without the two added members is the agent's own text.
    let mut rest = task.as_bytes().iter().peekable();
    for byte in text.bytes() {
        rest.next_if_eq(&&byte);
    }
    assert!(rest.peek().is_none(), "every byte of the agent is still there, in order");
}

struct Mood;

impl tower_a2a_extensions::A2aExtension for Mood {
    fn uri(&self) -> tower_a2a_extensions::ExtensionUri {
        tower_a2a_extensions::ExtensionUri::from_static("https://harbour.example/mood")
    }

    fn gate(&self) -> Option<&dyn tower_a2a_extensions::MessageGate> {
        None
    }

    fn stamp(
        &self,
        object: &tower_a2a_extensions::OutgoingObject<'_>,
        _: &tower_a2a_extensions::A2aCall,
    ) -> tower_a2a_extensions::Stamp {
        if object.is_active() {
            tower_a2a_extensions::Stamp::set("calm")
        } else {
            tower_a2a_extensions::Stamp::remove()
        }
    }
}

#[tokio::test]
async fn a_type_that_is_not_read_is_searched_before_its_head_leaves() {
    for kind in ["text/plain", "application/octet-stream", ""] {
        let layer = || A2aExtensionsLayer::new(card()).unwrap();
        let held = format!(r#"{{"metadata":{{"{URI}":"{SECRET}"}}}}"#);
        let app = TestApp::answering(layer(), kind, held);
        let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string())).await;
        assert_eq!((&reply.json()["error"]["code"], reply.tells()), (&json!(-32006), false), "{kind}");
        let app = TestApp::answering(layer(), kind, format!("the URI is \"{URI}\", as a value"));
        let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string())).await;
        assert_eq!(reply.text(), format!("the URI is \"{URI}\", as a value"), "{kind}");
    }
}

//! What the agent left unmarked although a permit was used (OR-6.2).

use std::sync::{Arc, Mutex};

use axum::Router;
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, ExtensionsEvent, ExtensionsObserver, OnRequest, OnRequestGuard};

use crate::support::*;

#[derive(Clone, Default)]
struct Noticed(Arc<Mutex<Vec<String>>>);

impl ExtensionsObserver for Noticed {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        if let ExtensionsEvent::Noticed { what, .. } = event {
            self.0.lock().unwrap().push(what.to_string());
        }
    }
}

/// What a caller that is given the price reads of these documents, and what is observed.
async fn given(kind: &'static str, documents: &[Value]) -> (String, Vec<String>) {
    let noticed = Noticed::default();
    let on_request = OnRequest::new().information("service-pricing");
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(on_request).observer(noticed.clone());
    let replies = documents.iter().map(|document| json!({"jsonrpc": "2.0", "id": 1, "result": document}));
    let body = match kind {
        "text/event-stream" => replies.map(|reply| format!("data: {reply}\n\n")).collect(),
        _ => replies.map(|reply| reply.to_string()).collect::<String>(),
    };
    let agent = async move |guard: OnRequestGuard| {
        let _permit = guard.disclose("service-pricing").await.unwrap();
        ([("content-type", kind)], body)
    };
    let app =
        TestApp { router: Router::new().fallback(agent).layer(layer.build().unwrap()), calls: Default::default() };
    let mut asks = message("the second one?");
    asks["metadata"] = json!({URI: {"actingFor": "family-7"}});
    let method = if kind == "text/event-stream" { "SendStreamingMessage" } else { "SendMessage" };
    let reply = app.send(post("/a2a/v1", &[("a2a-extensions", URI)], rpc(method, &asks).to_string())).await;
    let noticed = noticed.0.lock().unwrap().clone();
    (reply.text(), noticed)
}

fn artifact(id: &str) -> Value {
    json!({"artifactId": id, "parts": [{"text": format!("about {id}")}]})
}

fn task(state: &str, artifacts: &[&str]) -> Value {
    let artifacts = artifacts.iter().map(|id| artifact(id)).collect::<Value>();
    json!({"task": {"id": "t", "contextId": "c", "status": {"state": state}, "artifacts": artifacts}})
}

fn is_told(noticed: &[String], what: &str) -> bool {
    noticed.iter().filter(|told| told.contains(what)).count() == 1
}

#[tokio::test]
async fn or_6_2_the_only_artifact_of_a_document_is_marked_as_given() {
    let (reply, noticed) = given("application/json", &[task("TASK_STATE_COMPLETED", &["one"])]).await;
    assert_eq!(reply.matches("given-on-opt-in").count(), 1, "{reply}");
    assert!(is_told(&noticed, "only on its way out"), "{noticed:?}");
}

#[tokio::test]
async fn or_6_2_of_several_artifacts_none_is_marked_as_given_and_the_observer_is_told() {
    let (reply, noticed) = given("application/json", &[task("TASK_STATE_COMPLETED", &["one", "two"])]).await;
    assert!(!reply.contains("given-on-opt-in"), "{reply}");
    assert!(is_told(&noticed, "several Artifacts"), "{noticed:?}");
}

#[tokio::test]
async fn or_6_2_a_failed_task_gave_nothing() {
    let (reply, _) = given("application/json", &[task("TASK_STATE_FAILED", &["one"])]).await;
    assert!(!reply.contains("given-on-opt-in"), "{reply}");
}

#[tokio::test]
async fn or_6_2_in_a_stream_the_first_artifact_is_marked_in_all_its_chunks_and_no_other() {
    let chunk = |id: &str| json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact(id)}});
    let (reply, noticed) = given("text/event-stream", &[chunk("one"), chunk("two"), chunk("one")]).await;
    let marked = reply.split("\n\n").map(|event| event.contains("given-on-opt-in")).collect::<Vec<_>>();
    assert_eq!(marked, [true, false, true, false], "{reply}");
    assert!(is_told(&noticed, "only on its way out"), "{noticed:?}");
}

#[tokio::test]
async fn or_6_2_a_permit_whose_reply_is_a_message_is_told_to_the_observer() {
    let message = json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": "It is 7."}]}});
    let (reply, noticed) = given("application/json", &[message]).await;
    assert!(!reply.contains("given-on-opt-in"), "{reply}");
    assert!(is_told(&noticed, "the reply is a Message"), "{noticed:?}");
}

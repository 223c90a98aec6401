//! A mark that stands in no Message and no Artifact judges what it stands beside, and what is beside
//! it reaches nobody else.

use std::convert::Infallible;

use axum::Router;
use axum::body::{Body, Bytes};
use futures_util::stream;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, StoredActivation};

use crate::support::*;
use crate::withheld::{closed, get_task, opened, withheld};

const CASES: u32 = if cfg!(debug_assertions) { 3_000 } else { 50_000 };

/// As the guard wrote it when another assistant got the information.
fn others_mark() -> Value {
    json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS, "givenTo": "k1.other"})
}

fn agents(part: &Value) -> Value {
    json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [part]})
}

fn users() -> Value {
    json!({"messageId": "u", "role": "ROLE_USER", "parts": [{"text": "how much?"}]})
}

fn task() -> Value {
    json!({
        "id": "t", "contextId": "c", "vendor": {"x": [{"y": 1}]}, "metadata": {"z": {"w": [1, {}]}},
        "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-01T00:00:00Z", "message": agents(&json!({"text": "x"}))},
        "artifacts": [{"artifactId": "a", "parts": [{"data": {"d": [{}]}, "metadata": {"q": {}}}]}, {"artifactId": "b", "parts": []}],
        "history": [users(), agents(&json!({"text": "y"}))],
    })
}

fn update() -> Value {
    json!({"taskId": "t", "contextId": "c", "artifact": {"artifactId": "a", "parts": [{"text": "x"}]}, "append": true, "lastChunk": false, "metadata": {}})
}

/// Replies of every shape, with nothing in them that must not leave.
fn shapes() -> Vec<Value> {
    let status = json!({"taskId": "t", "contextId": "c", "status": task()["status"], "final": true});
    let artifact = json!({"artifactId": "a", "name": "n", "parts": [{"text": "x"}]});
    vec![
        task(),
        json!({"task": task()}),
        json!({"message": agents(&json!({"text": "x"}))}),
        json!({"statusUpdate": status}),
        json!({"artifactUpdate": update()}),
        json!({"tasks": [task(), {"id": "o", "status": {"state": "TASK_STATE_WORKING"}}], "nextPageToken": "n", "totalSize": 2}),
        json!([{"task": task()}]),
        json!({"task": artifact}),
        json!({"tasks": [artifact]}),
        json!({"statusUpdate": artifact}),
        json!({"artifactUpdate": artifact}),
        json!({"kind": "artifact-update", "taskId": "t", "artifact": artifact}),
        json!({"kind": "status-update", "taskId": "t", "status": {"state": "working", "update": {"message_id": "m", "content": [{"text": "x"}]}}}),
    ]
}

/// Where objects stand in a value, but for what the user said.
fn objects(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if members.get("role") != Some(&json!("ROLE_USER")) => {
            found.push(pointer.to_owned());
            members.iter().for_each(|(key, value)| objects(value, &format!("{pointer}/{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| objects(item, &format!("{pointer}/{index}"), found));
        }
        _ => {}
    }
}

fn pick(choices: &[String], choice: usize) -> &str {
    &choices[choice % choices.len()]
}

/// A reply with the mark of another at some place, and the secret somewhere beside it.
fn reply(choices: [usize; 4], is_marked: bool) -> Value {
    let shapes = shapes();
    let mut reply = json!({"jsonrpc": "2.0", "id": 1, "result": shapes[choices[0] % shapes.len()]});
    let mut places = Vec::new();
    objects(&reply, "", &mut places);
    let marked = pick(&places, choices[1]).to_owned();
    // What a status says it says of its Task.
    let scope = marked.strip_suffix("/status").unwrap_or(&marked);
    let mut beside = Vec::new();
    objects(reply.pointer(scope).unwrap(), scope, &mut beside);
    let told = reply.pointer_mut(pick(&beside, choices[2])).unwrap();
    let secret = match choices[3] % 4 {
        0 => json!(SECRET),
        1 => json!([{"text": SECRET}]),
        2 => json!({"x": [[{"deep": SECRET}]]}),
        _ => json!([SECRET]),
    };
    let name =
        pick(&["total", "text", "name", "parts", "extensions", "description"].map(str::to_owned), choices[3] / 4)
            .to_owned();
    told[name] = secret;
    if is_marked {
        let marked = reply.pointer_mut(&marked).unwrap().as_object_mut().unwrap();
        let metadata = marked.entry("metadata").or_insert_with(|| Map::new().into());
        metadata[URI] = others_mark();
        if choices[3].is_multiple_of(3) {
            marked.insert("extensions".to_owned(), json!([URI]));
        }
    }
    reply
}

async fn left(layer: &A2aExtensionsLayer, kind: &'static str, chunks: Vec<Bytes>, active: bool) -> Vec<u8> {
    let agent = async move || {
        let chunks = chunks.into_iter().map(Ok::<_, Infallible>);
        ([("content-type", kind)], Body::from_stream(stream::iter(chunks)))
    };
    let mut request = get_task();
    if active {
        request.headers_mut().insert("a2a-extensions", URI.parse().unwrap());
    }
    let router = Router::new().fallback(agent).layer(layer.clone());
    TestApp { router, calls: Default::default() }.send(request).await.bytes
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn or_5_4_a_secret_beside_anothers_mark_is_in_no_byte_wherever_the_mark_stands() {
    let layers = [closed(), opened()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let strategy = (any::<[usize; 4]>(), any::<bool>(), proptest::collection::vec(1..60_usize, 1..20));
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let result = runner.run(&strategy, |(choices, active, cuts)| {
        let reply = reply(choices, true).to_string();
        let event = format!("id: 1\ndata: {reply}\n\n");
        for layer in &layers {
            let document = Bytes::from(reply.clone());
            let leaving = runtime.block_on(left(layer, "application/json", vec![document.clone()], active));
            prop_assert!(!has(&leaving, SECRET) && !has(&leaving, "givenTo"), "{}", String::from_utf8_lossy(&leaving));
            let (mut rest, mut chunks) = (Bytes::from(event.clone()), Vec::new());
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                chunks.push(rest.split_to((*cut).min(rest.len())));
            }
            let leaving = runtime.block_on(left(layer, "text/event-stream", chunks, active));
            prop_assert!(!has(&leaving, SECRET), "{}", String::from_utf8_lossy(&leaving));
            let filter = layer.filter();
            let stored = StoredActivation::from_iter(active.then_some(URI));
            let pushed = filter.stamp(document, &filter.call_for(&stored)).unwrap_or_default();
            prop_assert!(!has(&pushed, SECRET), "{}", String::from_utf8_lossy(&pushed));
        }
        Ok(())
    });
    result.unwrap();
}

#[test]
fn without_a_mark_every_byte_stays() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let layer = opened();
    let mut runner = TestRunner::new(Config { cases: CASES / 4, failure_persistence: None, ..Config::default() });
    let result = runner.run(&(any::<[usize; 4]>(), any::<bool>()), |(choices, active)| {
        let reply = Bytes::from(reply(choices, false).to_string());
        let leaving = runtime.block_on(left(&layer, "application/json", vec![reply.clone()], active));
        prop_assert_eq!(leaving, reply);
        Ok(())
    });
    result.unwrap();
}

#[tokio::test]
async fn or_5_4_what_is_beside_a_mark_on_a_task_is_withheld_and_the_task_is_not_lost() {
    let mut marked = task();
    marked["metadata"] = json!({URI: others_mark(), "total": SECRET});
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": marked});
    withheld("on a task", "application/json", reply.to_string(), get_task).await;
    let got = TestApp::answering(opened(), "application/json", reply.to_string()).send(get_task()).await;
    let result = got.json()["result"].clone();
    assert_eq!((&result["id"], &result["contextId"]), (&json!("t"), &json!("c")));
    let status = &result["status"];
    assert_eq!(status["state"], "TASK_STATE_COMPLETED");
    assert_eq!(status["message"]["messageId"], "m", "polls agree on it");
    assert!(status["message"]["parts"][0]["text"].as_str().unwrap().contains(ADDRESS));
    assert_eq!(result["history"], json!([users()]), "what the user said is the user's");
    assert_eq!((&result["artifacts"], &result["metadata"]), (&Value::Null, &Value::Null));
    assert_eq!(got.headers["cache-control"], "no-store");

    let bare =
        json!({"result": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "metadata": marked["metadata"]}});
    let got = TestApp::answering(opened(), "application/json", bare.to_string()).send(get_task()).await;
    let message = got.json()["result"]["status"]["message"].clone();
    assert_eq!((&message["messageId"], &message["role"]), (&json!("t-withheld"), &json!("ROLE_AGENT")));
}

#[tokio::test]
async fn only_the_task_that_a_mark_stands_in_is_withheld_of_a_page() {
    let mut marked = task();
    marked["status"]["metadata"] = json!({URI: others_mark()});
    marked["vendor"] = json!(SECRET);
    let mut other = task();
    other["artifacts"][0]["name"] = json!("open to all");
    let page = json!({"jsonrpc": "2.0", "id": 1, "result": {"tasks": [other, marked, other], "nextPageToken": "n"}});
    let got = TestApp::answering(opened(), "application/json", page.to_string()).send(get_task()).await;
    assert!(!got.tells());
    let tasks = &got.json()["result"]["tasks"];
    assert_eq!((&tasks[0], &tasks[2]), (&other, &other));
    assert_eq!(tasks[1]["id"], "t");
}

#[tokio::test]
async fn later_chunks_of_an_artifact_whose_event_was_marked_are_withheld() {
    let event = |update: Value| {
        format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": {"artifactUpdate": update}}))
    };
    let mut first = update();
    first["metadata"][URI] = others_mark();
    let mut later = update();
    later["artifact"]["parts"][0]["text"] = json!(SECRET);
    let stream = event(first) + &event(later);
    withheld("chunks", "text/event-stream", stream.clone(), get_task).await;
    let text = TestApp::answering(opened(), "text/event-stream", stream).send(get_task()).await.text();
    assert!(text.contains(r#""artifact":{"artifactId":"a","parts":[{"text":""#), "{text}");
}

#[tokio::test]
async fn no_inactive_uri_stays_in_an_extensions_beside_a_mark() {
    let mut marked = task();
    marked["metadata"][URI] = json!({"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS});
    marked["extensions"] = json!([URI, "https://other.example/v1"]);
    marked["artifacts"][0]["parts"][0]["metadata"] = json!({URI: {"actingFor": "p"}});
    marked["artifacts"][0]["parts"][0]["extensions"] = json!([URI]);
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": marked});
    let got = TestApp::answering(opened(), "application/json", reply.to_string()).send(get_task()).await;
    assert!(!got.text().contains(URI), "{}", got.text());
    assert_eq!(got.json()["result"]["extensions"], json!(["https://other.example/v1"]));
}

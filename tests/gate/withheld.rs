//! Replies in which what must not leave stands in odd places or shapes.

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequest};

use crate::support::*;

pub(crate) fn closed() -> A2aExtensionsLayer {
    A2aExtensionsLayer::new(card()).unwrap()
}

pub(crate) fn opened() -> A2aExtensionsLayer {
    A2aExtensionsLayer::builder(opened_card())
        .extension(OnRequest::new().information("service-pricing"))
        .build()
        .unwrap()
}

pub(crate) fn mark() -> Value {
    json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS})
}

pub(crate) fn given() -> Value {
    json!({"artifactId": "x", "parts": [{"text": SECRET}], "metadata": {URI: mark()}})
}

pub(crate) fn task() -> Value {
    json!({"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}})
}

pub(crate) fn get_task() -> Request<Body> {
    post("/a2a/v1", &[], json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t"}}).to_string())
}

/// The secret leaves in no reply to `request`, whether the extension is active or not.
pub(crate) async fn withheld(
    name: &str,
    kind: &'static str,
    reply: impl Into<Vec<u8>> + Clone,
    request: impl Fn() -> Request<Body>,
) {
    for layer in [closed(), opened()] {
        for active in [true, false] {
            let reply = axum::body::Bytes::from(reply.clone().into());
            let agent = async move || ([("content-type", kind)], reply.clone());
            let app =
                TestApp { router: axum::Router::new().fallback(agent).layer(layer.clone()), calls: Default::default() };
            let mut request = request();
            if active {
                request.headers_mut().insert("a2a-extensions", URI.parse().unwrap());
            }
            let reply = app.send(request).await;
            assert!(!reply.tells(), "{name}: {}", String::from_utf8_lossy(&reply.bytes));
        }
    }
}

#[tokio::test]
async fn a_given_artifact_in_a_place_where_a2a_has_none_is_withheld() {
    let with = |member: &str, value: Value| {
        let mut task = task();
        task[member] = value;
        json!({"jsonrpc": "2.0", "id": 1, "result": task})
    };
    let mut odd = vec![
        with("artifacts", json!({"x": given()})),
        with("artifacts", given()),
        with("artifacts", json!([[given()]])),
        with("history", given()),
        with("unknown", json!([given()])),
        with("task", json!({"artifacts": [given()]})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"task": [given()], "message": {"role": "ROLE_AGENT", "parts": []}}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": task(), "error": {"data": given()}}),
        json!({"jsonrpc": "2.0", "id": 1, "error": {"data": [given()]}}),
        with("artifacts", json!([{"artifactId": "z", "parts": [{"data": {"task": {"artifacts": [given()]}}}]}])),
        with("artifacts", json!([{"artifactId": "z", "parts": [], "metadata": {"https://orch.example/sub": given()}}])),
        with("metadata", json!({"orch": {"sub": given()}})),
    ];
    let mut listed = given();
    listed["metadata"] = json!([{URI: mark()}]);
    odd.push(with("artifacts", json!([listed])));
    for reply in odd {
        withheld(&reply.to_string(), "application/json", reply.to_string(), get_task).await;
    }
}

#[tokio::test]
async fn a_mark_that_cannot_be_read_without_doubt_is_withheld() {
    let odd = [
        r#"{"status":"given-on-opt-in","skillId":"service-pricing","n":1e999}"#.to_owned(),
        r#"{"status":"given-on-opt-in","skillId":"service-pricing","s":"\ud800"}"#.to_owned(),
        r#"{"status":"given-on-opt-in","skillId":"service-pricing","status":"on-request"}"#.to_owned(),
        r#"{"status":"given-on-opt-in","skillId":"service-pricing","skillId":"opening-hours"}"#.to_owned(),
        format!(
            r#"{{"status":"given-on-opt-in","skillId":"service-pricing","d":{}1{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        ),
    ];
    for mark in odd {
        let artifact = format!(r#"{{"artifactId":"x","parts":[{{"text":"{SECRET}"}}],"metadata":{{"{URI}":{mark}}}}}"#);
        let reply = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":"t","status":{{"state":"TASK_STATE_COMPLETED"}},"artifacts":[{artifact}]}}}}"#
        );
        withheld(&mark, "application/json", reply, get_task).await;
        let twice = artifact_with_two_marks();
        withheld("two marks", "application/json", twice, get_task).await;
    }
}

fn artifact_with_two_marks() -> String {
    let (given, other) = (mark(), json!({"status": "on-request", "skillId": "service-pricing"}));
    let metadata = format!(r#"{{"{URI}":{given},"{URI}":{other}}}"#);
    let artifact = format!(r#"{{"artifactId":"x","parts":[{{"text":"{SECRET}"}}],"metadata":{metadata}}}"#);
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":"t","status":{{"state":"TASK_STATE_COMPLETED"}},"artifacts":[{artifact}]}}}}"#
    )
}

#[tokio::test]
async fn later_chunks_of_a_withheld_artifact_are_withheld() {
    let chunk = |artifact: Value| {
        let update = json!({"taskId": "t", "contextId": "c", "artifact": artifact, "append": true});
        format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": {"artifactUpdate": update}}))
    };
    let mut first = given();
    first["parts"][0]["text"] = json!("first");
    let later = json!({"artifactId": "x", "parts": [{"text": SECRET}]});
    let stream = chunk(first.clone()) + &chunk(later.clone());
    let subscribe = || {
        post(
            "/a2a/v1",
            &[],
            json!({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": "t"}}).to_string(),
        )
    };
    withheld("by id", "text/event-stream", stream, subscribe).await;
    let unreadable = chunk(first.clone()).replacen(r#""status":"#, r#""status":"on-request","status":"#, 1);
    assert_ne!(unreadable, chunk(first.clone()));
    withheld("by an unreadable mark", "text/event-stream", unreadable + &chunk(later.clone()), subscribe).await;
    first.as_object_mut().unwrap().remove("artifactId");
    withheld("without id", "text/event-stream", chunk(first) + &chunk(later), subscribe).await;
}

#[tokio::test]
async fn what_cannot_be_read_ends_a_stream_from_which_something_was_withheld() {
    let event = |artifact: Value, end: &str| {
        let update = json!({"taskId": "t", "contextId": "c", "artifact": artifact, "append": true});
        format!("data: {}{end}", json!({"jsonrpc": "2.0", "id": 1, "result": {"artifactUpdate": update}}))
    };
    let later = json!({"artifactId": "x", "parts": [{"text": SECRET}]});
    let mut long = later.clone();
    long["name"] = json!("x".repeat(2 << 20));
    let subscribe = || {
        post(
            "/a2a/v1",
            &[],
            json!({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": "t"}}).to_string(),
        )
    };
    let mut unreadable = given();
    unreadable["parts"][0]["text"] = json!("first");
    let first = event(unreadable, "\n\n");
    withheld("cut off", "text/event-stream", first.clone() + &event(later, "\n"), subscribe).await;
    let broken = format!("data: {{\"parts\":[{{\"text\":\"{SECRET}\"\n\n");
    withheld("broken", "text/event-stream", first.clone() + &broken, subscribe).await;
    withheld("too long", "text/event-stream", first + &event(long, "\n\n"), subscribe).await;
}

#[tokio::test]
async fn replies_in_utf_16_and_utf_32_are_searched() {
    let mut task = task();
    task["artifacts"] = json!([given()]);
    let text = json!({"jsonrpc": "2.0", "id": 1, "result": task}).to_string();
    let spaced = |count: usize| text.replace(&format!("\"{URI}\":"), &format!("\"{URI}\"{}:", " ".repeat(count)));
    let escaped = URI.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<String>();
    let escaped = text.replace(&format!("\"{URI}\":"), &format!("\"{escaped}\":"));
    let wide = [
        text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect(),
        spaced(20).chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        spaced(900).encode_utf16().flat_map(u16::to_be_bytes).collect(),
        escaped.encode_utf16().flat_map(u16::to_le_bytes).collect(),
    ];
    for bytes in wide {
        for layer in [closed(), opened()] {
            let reply = axum::body::Bytes::from(bytes.clone());
            let agent = async move || ([("content-type", "application/json")], reply.clone());
            let app = TestApp { router: axum::Router::new().fallback(agent).layer(layer), calls: Default::default() };
            assert_eq!(app.send(get_task()).await.json()["error"]["code"], -32006);
        }
    }
}

#[tokio::test]
async fn json_under_the_type_of_a_stream_is_searched() {
    let mut task = task();
    task["artifacts"] = json!([given()]);
    for end in ["", "\n", "\n\n"] {
        withheld("json", "text/event-stream", format!("{task}{end}"), get_task).await;
        withheld("DATA", "text/event-stream", format!("DATA: {task}{end}"), get_task).await;
    }
}

#[tokio::test]
async fn a_client_cannot_ask_for_a_reply_that_cannot_be_read() {
    // The agent answers what it is asked for: compressed, or a part of the whole.
    let obliging = async |headers: http::HeaderMap| {
        let coding = headers.contains_key("accept-encoding").then_some(("content-encoding", "gzip"));
        let range = headers.contains_key("range").then_some(("content-range", "bytes 0-9/10"));
        let headers = coding.into_iter().chain(range);
        let reply = if coding_is_asked(headers.clone()) { SECRET.to_owned() } else { "{}".to_owned() };
        (
            axum::response::AppendHeaders(headers.chain([("content-type", "application/json")]).collect::<Vec<_>>()),
            reply,
        )
    };
    fn coding_is_asked<'a>(mut headers: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
        headers.next().is_some()
    }
    let router = axum::Router::new().fallback(obliging).layer(closed());
    let app = TestApp { router, calls: Default::default() };
    let asking = [("accept-encoding", "gzip"), ("range", "bytes=0-9")];
    for request in [
        post("/a2a/v1", &asking, json!({"method": "tasks/list", "params": {}}).to_string()),
        post("/a2a/v1", &asking, " "),
        post("/a2a/v1", &asking, ""),
        Request::get("/a2a/rest/contexts/c/tasks-of").header("accept-encoding", "gzip").body(Body::empty()).unwrap(),
        Request::get("/a2a/rest/tasks/t").header("range", "bytes=0-9").body(Body::empty()).unwrap(),
    ] {
        let name = format!("{} {}", request.method(), request.uri());
        assert!(!app.send(request).await.tells(), "{name}");
    }
    let beside = Request::get("/files/report").header("accept-encoding", "gzip").body(Body::empty()).unwrap();
    assert!(app.send(beside).await.tells(), "another app's downloads are untouched");
}

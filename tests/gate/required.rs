//! A second, required extension that the client does not ask for (A9, A13).

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::support::*;

const NEEDED: &str = "https://harbour.example/ext/needed/v1";

fn app() -> TestApp {
    let mut card = card();
    card["capabilities"]["extensions"].as_array_mut().unwrap().push(json!({"uri": NEEDED, "required": true}));
    TestApp::telling(A2aExtensionsLayer::new(card).unwrap())
}

fn assert_refused(reply: &Reply, status: u16, code: i64, info: &Value) {
    assert_eq!(reply.status, status);
    assert_eq!(reply.json()["error"]["code"], code);
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["reason"], "EXTENSION_SUPPORT_REQUIRED");
    assert_eq!(info["domain"], "a2a-protocol.org");
    assert_eq!(info["metadata"]["missingExtensions"], NEEDED);
    assert!(!reply.headers.contains_key("a2a-extensions"));
}

#[tokio::test]
async fn a9_every_json_rpc_operation_is_refused() {
    for method in [
        "SendMessage",
        "SendStreamingMessage",
        "GetTask",
        "ListTasks",
        "CancelTask",
        "SubscribeToTask",
        "message/send",
        "message/stream",
        "tasks/get",
        "tasks/cancel",
        "tasks/resubscribe",
        "tasks/pushNotificationConfig/set",
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
    ] {
        let app = app();
        let body = json!({"jsonrpc": "2.0", "id": "r", "method": method, "params": {"id": "t"}}).to_string();
        let reply = app.send(post("/a2a/v1", &[("a2a-extensions", URI)], body)).await;
        assert_refused(&reply, 200, -32008, &reply.json()["error"]["data"][0]);
        assert_eq!((app.calls(), &reply.json()["id"]), (0, &json!("r")), "{method}");
    }
}

#[tokio::test]
async fn a9_every_http_json_operation_is_refused() {
    for (method, path) in [
        ("POST", "/a2a/rest/message:send"),
        ("POST", "/a2a/rest/message:stream"),
        ("GET", "/a2a/rest/tasks/t-1"),
        ("GET", "/a2a/rest/tasks"),
        ("POST", "/a2a/rest/tasks/t-1:cancel"),
        ("POST", "/a2a/rest/tasks/t-1:subscribe"),
        ("GET", "/a2a/rest/tasks/t-1:subscribe"),
        ("GET", "/tenant/tasks/t-1/pushNotificationConfigs"),
        ("POST", "/message/send"),
        ("POST", "/a2a/rest/message%3Asend"),
    ] {
        let app = app();
        let body = if method == "POST" { json!({"message": message("hi")}).to_string().into() } else { Body::empty() };
        let mut request = post(path, &[], body);
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        let reply = app.send(request).await;
        assert_refused(&reply, 400, 400, &reply.json()["error"]["details"][0]);
        assert_eq!(reply.json()["error"]["status"], "FAILED_PRECONDITION");
        assert_eq!(reply.headers["content-type"], "application/a2a+json");
        assert_eq!(reply.headers.contains_key("vary"), method == "GET");
        assert_eq!(app.calls(), 0, "{method} {path}");
    }
}

#[tokio::test]
async fn a9_a_header_less_operation_is_known_by_the_cards_own_path() {
    for (path, status) in
        [("/a2a/rest/tasks", 400), ("/a2a/rest/tasks/t", 400), ("/tasks", 200), ("/a2a/restful/tasks", 200)]
    {
        let (app, request) = (app(), Request::get(path).body(Body::empty()).unwrap());
        assert_eq!(app.send(request).await.status.as_u16(), status, "{path}");
    }
}

#[tokio::test]
async fn a13_cards_and_everything_else_pass() {
    let card_call = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
    let bare = |method: Method, path: &str| Request::builder().method(method).uri(path).body(Body::empty()).unwrap();
    let requests = [
        post("/a2a/v1", &[], card_call("GetExtendedAgentCard")),
        post("/a2a/v1", &[], card_call("agent/getAuthenticatedExtendedCard")),
        bare(Method::GET, "/.well-known/agent-card.json"),
        bare(Method::GET, "/a2a/rest/extendedAgentCard"),
        bare(Method::OPTIONS, "/a2a/rest/message:send"),
        bare(Method::HEAD, "/a2a/v1"),
        bare(Method::GET, "/health"),
        post("/mcp", &[], json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string()),
        post("/todo", &[], json!({"title": "buy milk"}).to_string()),
    ];
    for request in requests {
        let (app, name) = (app(), format!("{} {}", request.method(), request.uri()));
        app.send(request).await;
        assert_eq!(app.calls(), 1, "{name}");
    }
}

#[tokio::test]
async fn a9_a11_a_path_of_the_grpc_service_is_refused_in_trailers() {
    let app = app();
    let request =
        post("/lf.a2a.v1.A2AService/GetTask", &[("content-type", "application/grpc")], &b"\0\0\0\0\x02\x08\x01"[..]);
    let reply = app.send(request).await;
    assert_eq!((app.calls(), reply.status.as_u16(), reply.headers["grpc-status"].to_str().unwrap()), (0, 200, "9"));
}

#[tokio::test]
async fn a6_a_compressed_body_does_not_hide_an_operation() {
    let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": NEEDED, "required": true}]}});
    let app = TestApp::telling(A2aExtensionsLayer::new(card).unwrap());
    let reply = app.send(post("/a2a/v1", &[("content-encoding", "gzip")], &b"\x1f\x8b"[..])).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 415));
}

#[tokio::test]
async fn b30_an_http_json_operation_is_refused_before_its_body_is_polled() {
    let never = Body::from_stream(Never);
    let app = app();
    let reply = app.send(post("/a2a/rest/message:send", &[("expect", "100-continue")], never)).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 400));
}

/// Polling it is a fault.
struct Never;

impl futures_core::Stream for Never {
    type Item = Result<bytes::Bytes, std::convert::Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        panic!("the body was polled")
    }
}

#[tokio::test]
async fn the_order_is_version_then_required_then_gate() {
    let app = app();
    let body = rpc("SendMessage", &message(QUESTION)).to_string();
    let version = app.send(post("/a2a/v1", &[("a2a-version", "9.9")], body.clone())).await;
    assert_eq!(version.json()["error"]["code"], -32009);
    let missing = app.send(post("/a2a/v1", &[], body.clone())).await;
    assert_eq!(missing.json()["error"]["code"], -32008);
    assert!(
        missing.json()["error"]["message"].as_str().unwrap().ends_with(&format!(": {NEEDED}")),
        "{}",
        missing.text()
    );
    let version = app.send(post("/a2a/v1", &[("a2a-version", "9.9"), ("a2a-extensions", NEEDED)], body)).await;
    assert_eq!(version.json()["error"]["code"], -32009);
    assert_eq!(version.headers["a2a-extensions"], NEEDED, "a refusal after negotiation echoes");
    assert_eq!(app.calls(), 0);
}

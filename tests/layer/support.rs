//! Cards, extensions and requests that the tests share.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::response::Response;
use axum::{Router, routing::post};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

pub(crate) const FIRST: &str = "https://example.com/first/v1";
pub(crate) const SECOND: &str = "https://example.com/second/v1";

/// An extension without a gate that writes `"stamped"`.
pub(crate) struct Stamping(pub(crate) &'static str);

impl A2aExtension for Stamping {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(self.0)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _call: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set("stamped") } else { Stamp::remove() }
    }
}

pub(crate) fn card(extensions: Value) -> Value {
    json!({
        "name": "Clerk",
        "supportedInterfaces": [
            {"url": "https://agent.example.com/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://agent.example.com/a2a/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": "https://agent.example.com/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": true, "extensions": extensions},
        "skills": [],
    })
}

pub(crate) fn two() -> Value {
    card(json!([{"uri": FIRST}, {"uri": SECOND}]))
}

pub(crate) fn stamping_layer() -> A2aExtensionsLayer {
    A2aExtensionsLayer::builder(two()).extension(Stamping(FIRST)).extension(Stamping(SECOND)).build().unwrap()
}

/// What the agent saw.
pub(crate) type Seen = Arc<Mutex<Vec<HeaderMap>>>;

/// An agent that remembers the request heads and answers with a message.
pub(crate) fn agent(seen: &Seen) -> Router {
    let seen = Arc::clone(seen);
    let handler = async move |headers: HeaderMap| {
        seen.lock().unwrap().push(headers);
        (
            [("content-type", "application/json")],
            r#"{"jsonrpc":"2.0","id":1,"result":{"message":{"role":"ROLE_AGENT","parts":[]}}}"#,
        )
    };
    Router::new().route("/a2a/v1", post(handler))
}

pub(crate) fn send(headers: &[(&str, &[u8])]) -> Request<Body> {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}}"#;
    let mut request = Request::post("/a2a/v1").header("content-type", "application/json").header("a2a-version", "1.0");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

pub(crate) async fn call(app: &Router, request: Request<Body>) -> Response {
    app.clone().oneshot(request).await.unwrap()
}

pub(crate) async fn body(response: Response) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes).unwrap()
}

pub(crate) async fn ok(app: &Router, request: Request<Body>) -> (HeaderMap, Value) {
    let response = call(app, request).await;
    assert_eq!(response.status(), StatusCode::OK);
    let headers = response.headers().clone();
    (headers, body(response).await)
}

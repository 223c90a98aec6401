//! A card with on-request skills, and an agent that gives everything away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::A2aExtensionsLayer;

pub(crate) const URI: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const QUESTION: &str = "What does a lantern ceremony cost at Harbour Lights?";
pub(crate) const ADDRESS: &str = "https://ask.harbour.example/talk";
/// What the agent says to whoever reaches it.
pub(crate) const SECRET: &str = "seven thousand and eleven";

pub(crate) fn card() -> Value {
    json!({
        "name": "Harbour Lights assistant",
        "provider": {"organization": "Harbour Lights", "url": "https://harbour.example"},
        "supportedInterfaces": [
            {"url": "https://agent.harbour.example/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": "https://agent.harbour.example/a2a/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
            {"url": "https://agent.harbour.example/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
            {"url": "https://agent.harbour.example/a2a/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": true, "extensions": [{
            "uri": URI,
            "required": false,
            "params": {"skills": [
                {"id": "service-pricing", "personEntry": ADDRESS},
                {"id": "arrangement-booking", "personEntry": "https://ask.harbour.example/book", "completion": "in-conversation"},
            ]},
        }]},
        "skills": [
            {"id": "opening-hours", "name": "Opening hours", "description": "When we are open.", "tags": ["hours"], "examples": ["When are you open?"]},
            {"id": "service-pricing", "name": "Costs", "description": "Costs of our services, on request.", "tags": ["pricing"], "examples": [QUESTION]},
            {"id": "arrangement-booking", "name": "Book a meeting", "description": "Books a meeting.", "tags": ["booking"], "examples": ["Please book a meeting"]},
        ],
    })
}

/// The card with both skills opened to assistants.
pub(crate) fn opened_card() -> Value {
    let mut card = card();
    for skill in 0..2 {
        card["capabilities"]["extensions"][0]["params"]["skills"][skill]["assistantAccess"] = json!(true);
    }
    card
}

/// An app and how often its agent was reached.
pub(crate) struct TestApp {
    pub(crate) router: Router,
    pub(crate) calls: Arc<AtomicUsize>,
}

/// A reply: what arrived, as bytes.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl TestApp {
    /// An agent behind the layer that answers anything with `reply`.
    pub(crate) fn answering(layer: A2aExtensionsLayer, content_type: &'static str, reply: impl Into<String>) -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let (counter, reply) = (Arc::clone(&calls), reply.into());
        let agent = async move || {
            counter.fetch_add(1, Ordering::SeqCst);
            ([("content-type", content_type)], reply)
        };
        Self { router: Router::new().fallback(agent).layer(layer), calls }
    }

    /// An agent that tells the secret whatever it is asked.
    pub(crate) fn telling(layer: A2aExtensionsLayer) -> Self {
        let message = json!({"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": SECRET}]});
        Self::answering(
            layer,
            "application/json",
            json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}}).to_string(),
        )
    }

    pub(crate) fn closed() -> Self {
        Self::telling(A2aExtensionsLayer::new(card()).unwrap())
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        Reply { status: parts.status, headers: parts.headers, bytes }
    }
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The payload of the only event of a stream.
    pub(crate) fn event(&self) -> Value {
        assert_eq!(self.headers["content-type"], "text/event-stream");
        let text = self.text();
        let data =
            text.strip_prefix("data: ").and_then(|text| text.strip_suffix("\n\n")).unwrap_or_else(|| panic!("{text}"));
        assert!(!data.contains("\n"), "one event: {text}");
        serde_json::from_str(data).unwrap()
    }

    /// Whether the secret is anywhere in the reply, head included.
    pub(crate) fn tells(&self) -> bool {
        let head = format!("{:?}", self.headers);
        head.contains(SECRET) || self.bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
    }
}

pub(crate) fn message(text: &str) -> Value {
    json!({"messageId": "m-1", "contextId": "c-1", "role": "ROLE_USER", "parts": [{"text": text}]})
}

pub(crate) fn rpc(method: &str, message: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}})
}

pub(crate) fn post(path: &str, headers: &[(&str, &str)], body: impl Into<Body>) -> Request<Body> {
    let mut request = Request::post(path);
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    if !headers.iter().any(|(name, _)| *name == "a2a-version") {
        request = request.header("a2a-version", "1.0");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.into()).unwrap()
}

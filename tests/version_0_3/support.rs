//! A card of 0.3, requests in both bindings, and an agent that answers what a test says.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OnRequest, OutgoingObject, Stamp,
};

pub(crate) const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const MOOD: &str = "https://biz.example/mood/v1";
pub(crate) const QUESTION: &str = "What does a lantern ceremony cost at Harbour Lights?";
pub(crate) const ADDRESS: &str = "https://ask.harbour.example/talk";
pub(crate) const SECRET: &str = "seven thousand and eleven";

/// As agents of 0.3 publish it: `url` with a preferred transport, and the others.
pub(crate) fn card() -> Value {
    json!({
        "protocolVersion": "0.3.0",
        "name": "Harbour Lights assistant",
        "provider": {"organization": "Harbour Lights", "url": "https://harbour.example"},
        "url": "https://agent.harbour.example/rpc",
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{"url": "https://agent.harbour.example/rest", "transport": "HTTP+JSON"}],
        "capabilities": {"streaming": true, "extensions": [
            {"uri": ON_REQUEST, "params": {"skills": [{"id": "service-pricing", "personEntry": ADDRESS, "assistantAccess": true}]}},
            {"uri": MOOD},
        ]},
        "skills": [
            {"id": "service-pricing", "name": "Costs", "description": "Costs, on request.", "tags": [], "examples": [QUESTION]},
        ],
    })
}

/// The same agent, which also speaks 1.0.
pub(crate) fn card_of_both() -> Value {
    let mut card = card();
    card["supportedInterfaces"] = json!([
        {"url": "https://agent.harbour.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "https://agent.harbour.example/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
    ]);
    card
}

/// An extension that says the same of every object.
struct Mood;

impl A2aExtension for Mood {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(MOOD)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set("calm") } else { Stamp::remove() }
    }
}

pub(crate) fn layer(card: Value) -> A2aExtensionsLayer {
    let on_request = OnRequest::new().information("service-pricing");
    A2aExtensionsLayer::builder(card).extension(on_request).extension(Mood).build().unwrap()
}

/// The two bindings.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Wire {
    JsonRpc,
    HttpJson,
}

/// What a client of 0.3 asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Ask {
    Send,
    Stream,
    Get,
    /// Only HTTP+JSON has it.
    List,
    Cancel,
    Resubscribe,
    PushConfig,
    Card,
}

impl Wire {
    pub(crate) const ALL: [Self; 2] = [Self::JsonRpc, Self::HttpJson];

    /// The user's message with one text, as this binding writes it.
    pub(crate) fn message(self, text: &str) -> Value {
        match self {
            Self::JsonRpc => {
                json!({"kind": "message", "messageId": "m-1", "contextId": "c-1", "role": "user", "parts": [{"kind": "text", "text": text}]})
            }
            Self::HttpJson => {
                json!({"messageId": "m-1", "contextId": "c-1", "role": "ROLE_USER", "content": [{"text": text}]})
            }
        }
    }

    /// A request without `A2A-Version`, as clients of 0.3 send it.
    pub(crate) fn request(self, ask: Ask, message: &Value) -> Request<Body> {
        match self {
            Self::JsonRpc => {
                let (method, params) = match ask {
                    Ask::Send => ("message/send", json!({"message": message})),
                    Ask::Stream => ("message/stream", json!({"message": message})),
                    Ask::Get => ("tasks/get", json!({"id": "t-1", "historyLength": 3})),
                    Ask::Cancel => ("tasks/cancel", json!({"id": "t-1"})),
                    Ask::Resubscribe => ("tasks/resubscribe", json!({"id": "t-1"})),
                    Ask::PushConfig => ("tasks/pushNotificationConfig/list", json!({"id": "t-1"})),
                    Ask::Card => ("agent/getAuthenticatedExtendedCard", Value::Null),
                    Ask::List => panic!("JSON-RPC of 0.3 has no list"),
                };
                let call = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
                post("/rpc", call.to_string())
            }
            Self::HttpJson => {
                let get = |path: &str| Request::get(path).body(Body::empty()).unwrap();
                match ask {
                    Ask::Send => post("/rest/v1/message:send", json!({"message": message}).to_string()),
                    Ask::Stream => post("/rest/v1/message:stream", json!({"message": message}).to_string()),
                    Ask::Get => get("/rest/v1/tasks/t-1?historyLength=3"),
                    Ask::List => get("/rest/v1/tasks"),
                    Ask::Cancel => post("/rest/v1/tasks/t-1:cancel", ""),
                    Ask::Resubscribe => get("/rest/v1/tasks/t-1:subscribe"),
                    Ask::PushConfig => get("/rest/v1/tasks/t-1/pushNotificationConfigs"),
                    Ask::Card => get("/rest/v1/card"),
                }
            }
        }
    }

    /// The reply that an agent gives in this binding, and its media type.
    pub(crate) fn reply(self, ask: Ask, payloads: &[Value]) -> (&'static str, String) {
        let written = payloads.iter().map(|payload| match self {
            Self::JsonRpc => json!({"id": 7, "jsonrpc": "2.0", "result": payload}).to_string(),
            Self::HttpJson => payload.to_string(),
        });
        match ask {
            Ask::Stream | Ask::Resubscribe => {
                ("text/event-stream", written.map(|event| format!("data: {event}\r\n\r\n")).collect())
            }
            _ => ("application/json", written.collect()),
        }
    }

    /// What stands in a reply: the payload of a document, or of each event.
    pub(crate) fn payloads(self, reply: &Reply) -> Vec<Value> {
        let documents = match reply.headers["content-type"].to_str().unwrap() {
            "text/event-stream" => {
                let text = reply.text();
                let events = text.lines().filter_map(|line| line.strip_prefix("data: "));
                events.map(|event| serde_json::from_str(event).unwrap()).collect()
            }
            _ => vec![reply.json()],
        };
        let payload = |document: Value| match self {
            Self::JsonRpc => {
                assert_eq!((&document["jsonrpc"], &document["id"]), (&json!("2.0"), &json!(7)));
                document["result"].clone()
            }
            Self::HttpJson => document,
        };
        documents.into_iter().map(payload).collect()
    }
}

pub(crate) fn post(path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::post(path).header("content-type", "application/json").body(body.into()).unwrap()
}

/// With a header more.
pub(crate) fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    request.headers_mut().append(name, value.parse().unwrap());
    request
}

/// An agent behind the layer, and the calls that reached it.
pub(crate) struct App {
    router: Router,
    calls: Arc<Mutex<Vec<(A2aCall, Bytes)>>>,
}

/// A reply, as it arrived.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl App {
    pub(crate) fn answering(card: Value, reply: (&'static str, String)) -> Self {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let keep = Arc::clone(&calls);
        let agent = async move |request: Request<Body>| {
            let call = A2aCall::of(request.extensions()).unwrap().clone();
            let body = request.into_body().collect().await.unwrap().to_bytes();
            keep.lock().unwrap().push((call, body));
            ([("content-type", reply.0)], reply.1)
        };
        Self { router: Router::new().fallback(agent).layer(layer(card)), calls }
    }

    /// An agent that tells the secret to whoever reaches it.
    pub(crate) fn telling(card: Value) -> Self {
        Self::answering(card, ("application/json", json!({"message": {"content": [{"text": SECRET}]}}).to_string()))
    }

    pub(crate) fn of(router: Router) -> Self {
        Self { router, calls: Arc::default() }
    }

    pub(crate) fn calls(&self) -> Vec<(A2aCall, Bytes)> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Reply { status: parts.status, headers: parts.headers, body }
    }
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.to_vec()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Whether the secret is anywhere in it, head included.
    pub(crate) fn tells(&self) -> bool {
        format!("{:?}{}", self.headers, self.text()).contains(SECRET)
    }
}

//! A card, replies, and calls through the layer.

use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::converse::{Author, Envelope, Ownership};
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, ConverseReply, testing};

pub(crate) const CONVERSE: &str = "https://docs.radioso.ai/reference/a2a-converse-extension/v1";

pub(crate) fn declaration() -> Value {
    json!({"uri": CONVERSE, "required": false, "params": {
        "mcp": {"url": "https://mcp.example.com/a/pot", "serverCardUrl": "https://mcp.example.com/a/pot/server-card"},
        "tools": [],
    }})
}

pub(crate) fn card(extensions: &Value) -> Value {
    let interface = |binding: &str, version: &str| json!({"url": "https://agent.example.com/a2a", "protocolBinding": binding, "protocolVersion": version});
    json!({
        "name": "Copper Pot",
        "provider": {"organization": "Copper Pot", "url": "https://example.com"},
        "supportedInterfaces": [
            interface("JSONRPC", "1.0"), interface("JSONRPC", "0.3"), interface("HTTP+JSON", "1.0"),
            interface("GRPC", "1.0"),
        ],
        "capabilities": {"streaming": true, "extensions": extensions},
        "skills": [],
    })
}

pub(crate) fn layer() -> A2aExtensionsLayer {
    A2aExtensionsLayer::new(card(&json!([declaration()]))).unwrap()
}

/// An envelope that can be told from others.
pub(crate) fn owned_by(owner: &str) -> Envelope {
    Envelope::builder(Author::Agent).ownership(Ownership::new(owner.into())).build().unwrap()
}

pub(crate) fn fallback() -> Value {
    json!({"author": "agent", "answerCoverage": {"availability": "not_recorded"}, "citations": []})
}

/// What is told of `owned_by` once something was withheld or refused.
pub(crate) fn bare(owner: &str) -> Value {
    let mut bare = owned_by(owner).to_value();
    bare["citations"] = json!([]);
    bare
}

/// Of a message of the history without an envelope of its own.
pub(crate) fn past() -> Value {
    json!({"answerCoverage": {"availability": "not_recorded"}})
}

pub(crate) fn message(id: &str, role: &str) -> Value {
    json!({"messageId": id, "role": role, "parts": [{"text": "words"}]})
}

/// A task with everything that a reply can hold.
pub(crate) fn full_task() -> Value {
    json!({
        "id": "t-1", "contextId": "c-1",
        "status": {"state": "TASK_STATE_COMPLETED", "message": message("m-status", "ROLE_AGENT")},
        "artifacts": [
            {"artifactId": "a-1", "parts": [{"text": "words"}]},
            {"artifactId": "a-2", "parts": [{"text": "words"}], "metadata": {"theirs": 1}, "extensions": ["https://example.com/theirs"]},
        ],
        "history": [message("m-user", "ROLE_USER"), message("m-old", "ROLE_AGENT")],
    })
}

pub(crate) fn json_rpc(method: &str, asks: &[&str]) -> Request<String> {
    let params = json!({"message": message("m-0", "ROLE_USER")});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let version = if method.contains('/') { "0.3" } else { "1.0" };
    request("/a2a", version, asks, call.to_string())
}

pub(crate) fn request(path: &str, version: &str, asks: &[&str], body: String) -> Request<String> {
    let mut request = Request::post(path).header("content-type", "application/json").header("a2a-version", version);
    if !asks.is_empty() {
        request = request.header("a2a-extensions", asks.join(", "));
    }
    request.body(body).unwrap()
}

pub(crate) fn typed_reply(kind: &str, body: impl Into<Bytes>) -> Response<Bytes> {
    Response::builder().header("content-type", kind).body(body.into()).unwrap()
}

/// Runs a request in front of an agent that first hands over envelopes, then answers this.
pub(crate) async fn respond(
    layer: &A2aExtensionsLayer,
    request: Request<String>,
    reply: Response<Bytes>,
    hand_over: impl Fn(&ConverseReply) + Clone + Send + 'static,
) -> Response<Bytes> {
    let agent = move |request: Request<Bytes>| {
        hand_over(&ConverseReply::of(A2aCall::of(request.extensions()).unwrap()));
        let reply = reply.clone();
        async move { reply }
    };
    testing::respond(layer, request, agent).await
}

pub(crate) fn events(documents: &[Value]) -> String {
    documents.iter().map(|document| format!("data: {document}\n\n")).collect()
}

pub(crate) fn read_events(body: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(body).unwrap();
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap()).collect()
}

/// What an object carries; `None` where it neither has the key nor lists the URI.
pub(crate) fn carried(object: &Value) -> Option<Value> {
    let listed = object["extensions"].as_array().into_iter().flatten().filter(|uri| **uri == CONVERSE).count();
    let envelope = object["metadata"].get(CONVERSE).cloned();
    assert_eq!(listed, usize::from(envelope.is_some()), "{object}");
    envelope
}

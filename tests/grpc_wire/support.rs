//! A card, agents that speak gRPC, and calls.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Struct, Value as ProtoValue};
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, A2aRequestBody, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

use crate::messages::v1;

pub(crate) const URI: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const MOOD: &str = "https://example.com/mood/v1";
pub(crate) const QUESTION: &str = "What does a lantern ceremony cost at Harbour Lights?";
pub(crate) const ADDRESS: &str = "https://ask.harbour.example/talk";
/// What the agent says to whoever reaches it.
pub(crate) const SECRET: &str = "seven thousand and eleven";

/// An extension without a gate.
pub(crate) struct Mood;

impl A2aExtension for Mood {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(MOOD)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set(json!({"mood": "calm", "level": 3})) } else { Stamp::remove() }
    }
}

pub(crate) fn card() -> Value {
    json!({
        "name": "Harbour Lights assistant",
        "provider": {"organization": "Harbour Lights", "url": "https://harbour.example"},
        "supportedInterfaces": [
            {"url": "https://agent.harbour.example", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
            {"url": "https://agent.harbour.example", "protocolBinding": "GRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": true, "extensions": [{
            "uri": URI,
            "required": false,
            "params": {"skills": [{"id": "service-pricing", "personEntry": ADDRESS}]},
        }]},
        "skills": [
            {"id": "opening-hours", "name": "Opening hours", "description": "Open.", "tags": ["hours"], "examples": ["When are you open?"]},
            {"id": "service-pricing", "name": "Costs", "description": "Costs.", "tags": ["pricing"], "examples": [QUESTION]},
        ],
    })
}

pub(crate) fn gated() -> A2aExtensionsLayer {
    A2aExtensionsLayer::new(card()).unwrap()
}

pub(crate) fn moody() -> A2aExtensionsLayer {
    let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": MOOD}]}});
    A2aExtensionsLayer::builder(card).extension(Mood).build().unwrap()
}

pub(crate) fn frame(message: &impl Message) -> Vec<u8> {
    raw_frame(0, &message.encode_to_vec())
}

pub(crate) fn raw_frame(flag: u8, message: &[u8]) -> Vec<u8> {
    [&[flag], &u32::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat()
}

/// The messages of the frames in a body.
pub(crate) fn unframed(mut body: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while !body.is_empty() {
        let length = u32::from_be_bytes(body[1..5].try_into().unwrap()) as usize;
        assert_eq!(body[0], 0);
        messages.push(body[5..5 + length].to_vec());
        body = &body[5 + length..];
    }
    messages
}

pub(crate) fn text_part(text: &str) -> v1::Part {
    v1::Part { content: Some(v1::Content::Text(text.into())), ..v1::Part::default() }
}

pub(crate) fn users(text: &str) -> v1::Message {
    v1::Message {
        message_id: "m-1".into(),
        context_id: "c-1".into(),
        role: 1,
        parts: vec![text_part(text)],
        ..v1::Message::default()
    }
}

pub(crate) fn agents(text: &str) -> v1::Message {
    v1::Message { message_id: "a-1".into(), role: 2, parts: vec![text_part(text)], ..v1::Message::default() }
}

pub(crate) fn asking(text: &str) -> Vec<u8> {
    frame(&v1::SendMessageRequest { message: Some(users(text)), ..v1::SendMessageRequest::default() })
}

pub(crate) fn replying(payload: v1::Payload) -> Vec<u8> {
    frame(&v1::StreamResponse { payload: Some(payload) })
}

/// JSON as a `google.protobuf.Value`.
pub(crate) fn proto_value(value: &Value) -> ProtoValue {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(truth) => Kind::BoolValue(*truth),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap()),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(elements) => {
            Kind::ListValue(prost_types::ListValue { values: elements.iter().map(proto_value).collect() })
        }
        Value::Object(_) => Kind::StructValue(proto_struct(value)),
    };
    ProtoValue { kind: Some(kind) }
}

pub(crate) fn proto_struct(value: &Value) -> Struct {
    let members = value.as_object().unwrap();
    Struct { fields: members.iter().map(|(key, value)| (key.clone(), proto_value(value))).collect() }
}

pub(crate) const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";
pub(crate) const STREAM: &str = "/lf.a2a.v1.A2AService/SendStreamingMessage";

/// A call with the usual headers; `headers` are added, or replace the content type.
pub(crate) fn call(path: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Request<TestBody> {
    let mut request = Request::post(path).header("te", "trailers");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/grpc");
    }
    if !headers.iter().any(|(name, _)| *name == "a2a-version") {
        request = request.header("a2a-version", "1.0");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(TestBody::of([body.into()], None)).unwrap()
}

/// A body of chunks, then trailers. Its length is not known.
#[derive(Debug, Default)]
pub(crate) struct TestBody {
    frames: VecDeque<Frame<Bytes>>,
    /// It never ends.
    pub(crate) endless: bool,
}

impl TestBody {
    pub(crate) fn of(chunks: impl IntoIterator<Item = Bytes>, trailers: Option<HeaderMap>) -> Self {
        let chunks = chunks.into_iter().filter(|chunk| !chunk.is_empty()).map(Frame::data);
        Self { frames: chunks.chain(trailers.map(Frame::trailers)).collect(), endless: false }
    }
}

impl Body for TestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.frames.pop_front() {
            None if self.endless => Poll::Pending,
            frame => Poll::Ready(frame.map(Ok)),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.frames.is_empty() && !self.endless
    }
}

pub(crate) fn ok_trailers() -> HeaderMap {
    HeaderMap::from_iter([(http::HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"))])
}

/// What an agent got.
#[derive(Clone, Default)]
pub(crate) struct Seen(pub(crate) Arc<Mutex<Vec<(HeaderMap, Bytes)>>>);

impl Seen {
    pub(crate) fn calls(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// A whole reply.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
}

/// Sends a call through the layer to an agent that answers with these chunks and trailers.
pub(crate) async fn send_to(
    layer: &A2aExtensionsLayer,
    request: Request<TestBody>,
    seen: &Seen,
    reply: impl Fn() -> Response<TestBody> + Clone + Send + Sync + 'static,
) -> Reply {
    let seen = seen.clone();
    let agent = tower::service_fn(move |request: Request<A2aRequestBody<TestBody>>| {
        let (seen, reply) = (seen.clone(), reply.clone());
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            seen.0.lock().unwrap().push((parts.headers, body));
            Ok::<_, Infallible>(reply())
        }
    });
    let response = layer.layer(agent).oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let mut body = Box::pin(body);
    let mut reply = Reply { headers: parts.headers, body: Vec::new(), trailers: None };
    while let Some(frame) = body.frame().await {
        let frame = frame.unwrap();
        assert!(reply.trailers.is_none(), "trailers come last");
        match frame.into_data() {
            Ok(data) => reply.body.extend_from_slice(&data),
            Err(frame) => reply.trailers = frame.into_trailers().ok(),
        }
    }
    assert!(body.is_end_stream());
    reply
}

pub(crate) fn response(chunks: impl IntoIterator<Item = Vec<u8>>) -> Response<TestBody> {
    let body = TestBody::of(chunks.into_iter().map(Bytes::from), Some(ok_trailers()));
    Response::builder().header("content-type", "application/grpc").body(body).unwrap()
}

/// An agent that tells the secret whatever it is asked.
pub(crate) fn telling() -> Response<TestBody> {
    response([replying(v1::Payload::Message(agents(SECRET)))])
}

pub(crate) async fn send(layer: &A2aExtensionsLayer, request: Request<TestBody>) -> (Reply, Seen) {
    let seen = Seen::default();
    let reply = send_to(layer, request, &seen, telling).await;
    assert!(seen.calls() > 0 || !reply.tells());
    (reply, seen)
}

/// `google.rpc.Status`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Status {
    #[prost(int32, tag = "1")]
    pub(crate) code: i32,
    #[prost(string, tag = "2")]
    pub(crate) message: String,
    #[prost(message, repeated, tag = "3")]
    pub(crate) details: Vec<prost_types::Any>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ErrorInfo {
    #[prost(string, tag = "1")]
    pub(crate) reason: String,
    #[prost(string, tag = "2")]
    pub(crate) domain: String,
    #[prost(map = "string, string", tag = "3")]
    pub(crate) metadata: std::collections::HashMap<String, String>,
}

impl Reply {
    /// The status of a trailers-only reply.
    pub(crate) fn refusal(&self) -> &str {
        assert!(self.body.is_empty() && self.trailers.is_none(), "{self:?}");
        assert_eq!(self.headers["content-type"], "application/grpc");
        self.headers["grpc-status"].to_str().unwrap()
    }

    pub(crate) fn error_info(&self) -> (Status, ErrorInfo) {
        let head = self.trailers.as_ref().unwrap_or(&self.headers);
        let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let bytes = GeneralPurpose::new(&STANDARD, config).decode(&head["grpc-status-details-bin"]).unwrap();
        let status = Status::decode(&bytes[..]).unwrap();
        let any = &status.details[0];
        assert_eq!(any.type_url, "type.googleapis.com/google.rpc.ErrorInfo");
        let info = ErrorInfo::decode(&any.value[..]).unwrap();
        (status, info)
    }

    /// The only message of a reply that went well.
    pub(crate) fn message(&self) -> v1::Message {
        assert_eq!(self.trailers.as_ref().unwrap()["grpc-status"], "0");
        let messages = unframed(&self.body);
        assert_eq!(messages.len(), 1);
        match v1::StreamResponse::decode(&messages[0][..]).unwrap().payload {
            Some(v1::Payload::Message(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    /// Whether the secret is anywhere in the reply.
    pub(crate) fn tells(&self) -> bool {
        let text = format!("{:?}{:?}", self.headers, self.trailers);
        text.contains(SECRET) || self.body.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
    }
}

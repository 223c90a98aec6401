//! Exchanges of a gRPC client with five gRPC servers: real frames, heads and trailers.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::fs;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use a2a_pb::protojson;
use bytes::{Buf, Bytes};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full};
use prost::Message;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, A2aRequestBody, Binding, ProtocolVersion};

use crate::support::{URI, layer, read, wire};

const SERVERS: [&str; 5] =
    ["a2a-protocol-server", "a2a-server-lf", "agntcy-a2a-server", "js-a2a-sdk", "python-a2a-sdk"];

/// How many outgoing objects each reply holds, counted by another program in what another protobuf
/// reader made of it.
#[rustfmt::skip]
const CASES: &[(&str, [usize; 5])] = &[
    ("cancel-task", [0, 0, 0, 1, 1]),
    ("error-invalid", [0, 1, 1, 0, 0]),
    ("error-not-cancelable", [0, 0, 0, 0, 0]),
    ("error-task-not-found", [0, 0, 0, 0, 0]),
    ("error-version", [0, 1, 1, 0, 1]),
    ("get-task", [2, 2, 2, 3, 2]),
    ("list-tasks", [2, 0, 0, 6, 4]),
    ("send-message-reply", [1, 1, 1, 1, 1]),
    ("send-message-reply-ext", [1, 1, 1, 1, 1]),
    ("send-message-reply-noversion", [0, 1, 1, 0, 1]),
    ("send-return-immediately", [0, 0, 0, 0, 0]),
    ("send-task-reply", [2, 2, 2, 3, 2]),
    ("stream", [5, 5, 5, 5, 5]),
    ("stream-error", [0, 0, 0, 0, 0]),
    ("stream-message-only", [1, 1, 1, 1, 1]),
    ("subscribe", [1, 1, 1, 2, 1]),
];

/// Replies of `js-a2a-sdk-activated`.
const ACTIVATED: &[(&str, usize)] = &[("send-message-reply-ext", 1), ("stream-message-only", 1)];

/// What the captured client asks for in some requests, and one server activates.
const ASKED: &str = "https://agent.example.com/ext/v1";

/// One call, as it was on the wire.
#[derive(Clone)]
struct Exchange {
    name: String,
    path: String,
    request_headers: HeaderMap,
    request: Bytes,
    headers: HeaderMap,
    body: Bytes,
    /// `None` where the head says it all.
    trailers: Option<HeaderMap>,
    stamps: usize,
}

impl Exchange {
    fn load(server: &str, case: &str, stamps: usize) -> Self {
        let name = format!("grpc/{server}/{case}");
        let (pseudo, mut request_headers) = head(&read(&format!("{name}.req.headers")));
        request_headers.remove("a2a-extensions");
        let path = pseudo.into_iter().find_map(|(name, value)| (name == ":path").then_some(value)).unwrap();
        let (pseudo, headers) = head(&read(&format!("{name}.resp.headers")));
        assert_eq!(pseudo, [(":status".to_owned(), "200".to_owned())], "{name}");
        let (_, trailers) = head(&read(&format!("{name}.resp.trailers")));
        let trailers = Some(trailers).filter(|_| !headers.contains_key("grpc-status"));
        Self {
            request: read(&format!("{name}.req.body")),
            body: read(&format!("{name}.resp.body")),
            name,
            path,
            request_headers,
            headers,
            trailers,
            stamps,
        }
    }

    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (case, counts) in CASES {
            all.extend(SERVERS.iter().zip(counts).map(|(server, count)| Self::load(server, case, *count)));
        }
        all.extend(ACTIVATED.iter().map(|(case, count)| Self::load("js-a2a-sdk-activated", case, *count)));
        all
    }

    fn method(&self) -> &str {
        self.path.rsplit('/').next().unwrap()
    }

    /// The frames that an agent sends, its data in pieces of this size.
    fn frames(&self, piece: usize) -> VecDeque<Frame<Bytes>> {
        let data = self.body.chunks(piece).map(|piece| Frame::data(Bytes::copy_from_slice(piece)));
        data.chain(self.trailers.clone().map(Frame::trailers)).collect()
    }

    async fn through(&self, layer: &A2aExtensionsLayer, active: bool, piece: usize) -> Left {
        let exchange = self.clone();
        let seen = Arc::new(Mutex::new(None));
        let keep = Arc::clone(&seen);
        let agent = tower::service_fn(move |request: Request<A2aRequestBody<Full<Bytes>>>| {
            let (keep, frames, headers) = (Arc::clone(&keep), exchange.frames(piece), exchange.headers.clone());
            async move {
                let call = A2aCall::of(request.extensions()).unwrap().clone();
                let body = request.into_body().collect().await.unwrap().to_bytes();
                *keep.lock().unwrap() = Some((call, body));
                let mut response = Response::new(FramesBody(frames));
                *response.headers_mut() = headers;
                Ok::<_, Infallible>(response)
            }
        });
        let mut request = Request::post(&self.path).body(Full::new(self.request.clone())).unwrap();
        *request.headers_mut() = self.request_headers.clone();
        if active {
            request.headers_mut().append("a2a-extensions", HeaderValue::from_static(URI));
        }
        let response = layer.layer(agent).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200, "{}", self.name);
        let headers = response.headers().clone();
        let collected = response.into_body().collect().await.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        let trailers = collected.trailers().cloned();
        let (call, request) =
            seen.lock().unwrap().take().unwrap_or_else(|| panic!("{} was refused: {headers:?}", self.name));
        Left { headers, trailers, body: collected.to_bytes(), call, request }
    }
}

/// What left the layer, on both sides.
struct Left {
    headers: HeaderMap,
    trailers: Option<HeaderMap>,
    body: Bytes,
    call: A2aCall,
    request: Bytes,
}

struct FramesBody(VecDeque<Frame<Bytes>>);

impl http_body::Body for FramesBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }
}

/// Pseudo headers, and the others.
fn head(bytes: &[u8]) -> (Vec<(String, String)>, HeaderMap) {
    let (mut pseudo, mut headers) = (Vec::new(), HeaderMap::new());
    for line in std::str::from_utf8(bytes).unwrap().lines().filter(|line| !line.is_empty()) {
        let at = line.match_indices(": ").next().unwrap().0;
        let (name, value) = (&line[..at], &line[at + 2..]);
        if name.starts_with(':') {
            pseudo.push((name.to_owned(), value.to_owned()));
        } else {
            headers.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
        }
    }
    (pseudo, headers)
}

/// The messages in a body of frames, each with its prefix and nothing behind them.
fn messages(mut body: &[u8]) -> Vec<&[u8]> {
    let mut messages = Vec::new();
    while body.has_remaining() {
        assert_eq!(body.get_u8(), 0, "not compressed");
        let length = usize::try_from(body.get_u32()).unwrap();
        let (message, rest) = body.split_at(length);
        messages.push(message);
        body = rest;
    }
    messages
}

/// The messages of a reply as JSON, by the types of the SDK.
fn decoded(method: &str, body: &[u8]) -> Vec<Value> {
    fn each<M: Message + Default + Serialize>(body: &[u8]) -> Vec<Value> {
        let read = |message| serde_json::to_value(M::decode(message).unwrap()).unwrap();
        messages(body).into_iter().map(read).collect()
    }
    match method {
        "SendMessage" => each::<protojson::SendMessageResponse>(body),
        "SendStreamingMessage" | "SubscribeToTask" => each::<protojson::StreamResponse>(body),
        "GetTask" | "CancelTask" => each::<protojson::Task>(body),
        "ListTasks" => each::<protojson::ListTasksResponse>(body),
        other => panic!("{other}"),
    }
}

/// Takes the stamps out and counts them; nothing else may name the extension.
fn unstamp(value: &mut Value) -> usize {
    let children = |values: &mut dyn Iterator<Item = &mut Value>| values.map(unstamp).sum::<usize>();
    match value {
        Value::Object(members) => {
            let stamped = members.get_mut("metadata").and_then(Value::as_object_mut).and_then(|map| map.remove(URI));
            let listed = members.get_mut("extensions").and_then(Value::as_array_mut).map_or(0, |uris| {
                let before = uris.len();
                uris.retain(|uri| uri != URI);
                before - uris.len()
            });
            assert_eq!((stamped, listed), if listed == 0 { (None, 0) } else { (Some(json!("calm")), 1) });
            drop_empty(members);
            listed + children(&mut members.values_mut())
        }
        Value::Array(items) => children(&mut items.iter_mut()),
        _ => 0,
    }
}

/// ProtoJSON leaves an empty list out, and an empty Struct says no more than none.
fn drop_empty(members: &mut Map<String, Value>) {
    members.retain(|name, value| match name.as_str() {
        "metadata" => *value != json!({}),
        "extensions" => *value != json!([]),
        _ => true,
    });
}

fn assert_stamped(exchange: &Exchange, left: &Left) {
    let name = &exchange.name;
    let mut original = decoded(exchange.method(), &exchange.body);
    assert_eq!(original.iter_mut().map(unstamp).sum::<usize>(), 0, "{name}");
    let mut stamped = decoded(exchange.method(), &left.body);
    assert_eq!(stamped.len(), original.len(), "{name}: the framing is kept");
    assert_eq!(stamped.iter_mut().map(unstamp).sum::<usize>(), exchange.stamps, "{name}");
    assert_eq!(stamped, original, "{name}");
    if exchange.stamps == 0 {
        assert_eq!(left.body, exchange.body, "{name}");
    }
    assert_eq!(left.trailers, exchange.trailers, "{name}");
}

/// The head is the server's, but for the header that names what is active.
fn assert_same_head(exchange: &Exchange, left: &Left, echo: Option<&str>) {
    let (mut got, mut sent) = (left.headers.clone(), exchange.headers.clone());
    assert_eq!(
        got.remove("a2a-extensions").as_ref().map(HeaderValue::as_bytes),
        echo.map(str::as_bytes),
        "{}",
        exchange.name
    );
    sent.remove("a2a-extensions");
    assert_eq!(got, sent, "{}", exchange.name);
}

#[tokio::test]
async fn inactive_every_grpc_reply_leaves_byte_for_byte() {
    for exchange in Exchange::all() {
        for piece in [usize::MAX, 1] {
            let left = exchange.through(&layer(), false, piece).await;
            assert_eq!(left.body, exchange.body, "{}", exchange.name);
            assert_eq!(left.trailers, exchange.trailers, "{}", exchange.name);
            assert_same_head(&exchange, &left, None);
        }
    }
}

#[tokio::test]
async fn active_every_grpc_reply_gets_exactly_its_stamps_and_keeps_its_framing() {
    let mut stamped_files = 0;
    for exchange in Exchange::all() {
        for piece in [usize::MAX, 1, 7] {
            let left = exchange.through(&layer(), true, piece).await;
            assert_stamped(&exchange, &left);
            // What the server names itself and the card does not declare is taken out.
            assert_same_head(&exchange, &left, Some(URI));
        }
        stamped_files += usize::from(exchange.stamps > 0);
    }
    assert_eq!(stamped_files, STAMPED_FILES);
}

/// How many entries of the table are no zero.
const STAMPED_FILES: usize = 50;

/// A card whose on-request skill none of the captured requests asks for.
fn gating_layer() -> A2aExtensionsLayer {
    const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
    A2aExtensionsLayer::new(json!({
        "name": "Clerk",
        "provider": {"organization": "Clerk", "url": "https://example.com"},
        "supportedInterfaces": [{"url": "https://agent.example.com", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": true, "extensions": [
            {"uri": ASKED},
            {"uri": ON_REQUEST, "params": {"skills": [{"id": "pricing", "personEntry": "https://ask.example.com/talk"}]}},
        ]},
        "skills": [{"id": "pricing", "name": "Costs", "description": "On request.", "tags": [], "examples": ["What does it cost?"]}],
    }))
    .unwrap()
}

#[tokio::test]
async fn every_grpc_request_reaches_the_agent_as_it_was_sent_and_its_message_is_found() {
    let mut texts = BTreeSet::new();
    for exchange in Exchange::all() {
        let name = &exchange.name;
        let left = exchange.through(&gating_layer(), false, usize::MAX).await;
        assert_eq!(left.request, exchange.request, "{name}");
        assert_eq!(left.body, exchange.body, "{name}");
        let sends = exchange.method().starts_with("Send");
        assert_eq!(left.call.message().is_some(), sends, "{name}");
        assert_eq!(left.call.binding(), Some(Binding::Grpc), "{name}");
        assert_eq!(left.call.protocol_version(), Some(ProtocolVersion::V1_0), "{name}");
        texts.extend(left.call.message().map(|message| message.text().into_owned()));
    }
    let texts = texts.iter().map(String::as_str).filter(|text| !text.is_empty()).collect::<Vec<_>>();
    assert!(texts.contains(&"price") && texts.contains(&"wait") && texts.len() >= 4, "{texts:?}");
}

#[tokio::test]
async fn what_a_server_activates_by_itself_is_named_where_the_card_declares_it() {
    let mut exchange = Exchange::load("js-a2a-sdk-activated", "send-message-reply-ext", 0);
    assert_eq!(exchange.headers["a2a-extensions"], ASKED);
    exchange.request_headers.insert("a2a-extensions", HeaderValue::from_static(ASKED));
    let left = exchange.through(&gating_layer(), false, usize::MAX).await;
    assert_same_head(&exchange, &left, Some(ASKED));
    assert_eq!(left.body, exchange.body);
}

#[test]
fn every_captured_grpc_reply_is_in_the_table() {
    let mut count = 0;
    for server in fs::read_dir(wire().join("grpc")).unwrap() {
        let files = fs::read_dir(server.unwrap().path()).unwrap().map(|entry| entry.unwrap().file_name());
        count += files.filter(|file| file.to_string_lossy().ends_with(".resp.body")).count();
    }
    assert_eq!(count, CASES.len() * SERVERS.len() + ACTIVATED.len());
}

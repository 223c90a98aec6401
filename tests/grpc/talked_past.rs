//! The gRPC rows of what talks past a gate: an agent on tonic that tells the price to whoever
//! reaches it, a layer with a closed card around it, and bytes that no client library would send.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy;
use hyper_util::rt::TokioExecutor;
use prost::Message;
use serde_json::{Value, json};

use crate::client::{Captured, Client, QUESTION, send_request, text_message};
use crate::driver::{ADDRESS, CARD, figure, price};
use crate::leaky::Leaky;

const SEND: &str = "/lf.a2a.v1.A2AService/SendMessage";
const STREAM: &str = "/lf.a2a.v1.A2AService/SendStreamingMessage";

/// A frame: its flag, its length, its bytes.
fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[flag][..], &length, message].concat()
}

/// A field with a length, as protobuf writes it.
fn field(number: u8, value: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = value.len();
    while length >= 0x80 {
        out.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
        length >>= 7;
    }
    out.push(u8::try_from(length).unwrap());
    [out, value.to_vec()].concat()
}

fn asked(text: &str) -> Vec<u8> {
    send_request(&text_message(text)).encode_to_vec()
}

/// A message of 1.0 with this field after its id.
fn with_parts(parts: &[Vec<u8>]) -> Vec<u8> {
    let parts = parts.iter().flat_map(|part| field(5, part)).collect::<Vec<_>>();
    field(2, &[field(1, b"m-1"), parts].concat())
}

/// The same request with the tag and the length of its message in more bytes than they take.
fn overlong(request: &[u8]) -> Vec<u8> {
    assert!(request[0] == 0x12 && request[1] < 0x80, "its message is its first field, and short");
    [&[0x92, 0x80, 0x00, request[1] | 0x80, 0x80, 0x80, 0x00][..], &request[2..]].concat()
}

struct Attempt {
    what: &'static str,
    method: Method,
    path: &'static str,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    http1: bool,
}

impl Attempt {
    fn new(what: &'static str, body: Vec<u8>) -> Self {
        let headers = vec![("content-type", "application/grpc"), ("te", "trailers"), ("a2a-version", "1.0")];
        Self { what, method: Method::POST, path: SEND, headers, body, http1: false }
    }

    fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    fn method(mut self, method: Method) -> Self {
        self.method = method;
        self
    }

    fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    fn http1(mut self) -> Self {
        self.http1 = true;
        self.without("te")
    }

    async fn send(&self, addr: &str) -> (StatusCode, Captured) {
        let builder = legacy::Client::builder(TokioExecutor::new()).http2_only(!self.http1).clone();
        let client: legacy::Client<_, Full<Bytes>> = builder.build_http();
        let mut request = Request::new(Full::new(Bytes::from(self.body.clone())));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = format!("http://{addr}{}", self.path).parse().unwrap();
        for (name, value) in &self.headers {
            request.headers_mut().append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let (parts, body) =
            client.request(request).await.unwrap_or_else(|error| panic!("{}: {error}", self.what)).into_parts();
        let body = body.collect().await.unwrap_or_else(|error| panic!("{}: {error}", self.what));
        let trailers = body.trailers().cloned();
        (parts.status, Captured { head: parts.headers, data: body.to_bytes().to_vec(), trailers })
    }
}

fn grpc_status(captured: &Captured) -> Option<&str> {
    let of = |headers: &HeaderMap| headers.get("grpc-status").cloned();
    let status = of(&captured.head).or_else(|| captured.trailers.as_ref().and_then(of));
    status.map(|status| match status.to_str().unwrap() {
        "0" => "0",
        "3" => "3",
        "8" => "8",
        "12" => "12",
        other => panic!("status {other}"),
    })
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    // A member with one stored block, which every decompressor reads.
    let length = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(bytes);
    let mut crc = !0_u32;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(length).to_le_bytes());
    out
}

/// What must be refused: it is no plain gRPC, or it can be read in two ways.
fn refused() -> Vec<Attempt> {
    let question = asked(QUESTION);
    let plain = frame(0, &question);
    let hidden = |parts: &[Vec<u8>]| frame(0, &with_parts(parts));
    let text = |text: &str| field(1, text.as_bytes());
    let grpc_web_text = STANDARD.encode(&plain).into_bytes();
    let new = Attempt::new;
    vec![
        new("gRPC-Web", plain.clone()).header("content-type", "application/grpc-web+proto"),
        new("gRPC-Web as text", grpc_web_text).header("content-type", "application/grpc-web-text+proto"),
        new("gRPC-Web over HTTP/1.1", plain.clone()).header("content-type", "application/grpc-web").http1(),
        new("Connect, unary", question.clone()).header("content-type", "application/proto"),
        new("Connect, unary JSON", json!({"message": text_message(QUESTION)}).to_string().into_bytes())
            .header("content-type", "application/json"),
        new("Connect, streaming", plain.clone()).header("content-type", "application/connect+proto").path(STREAM),
        new("a compressed frame", frame(1, &gzip(&question))).header("grpc-encoding", "gzip"),
        new("a compressed frame that names no coding", frame(1, &gzip(&question))),
        new("another flag", frame(2, &question)),
        new("a second frame", [frame(0, &asked("hello")), plain.clone()].concat()),
        new("an empty second frame", [plain.clone(), frame(0, b"")].concat()),
        new("text twice in one Part", hidden(&[[text("hello"), text(QUESTION)].concat()])),
        new("the message twice", frame(0, &[asked("hello"), question.clone()].concat())),
        new(
            "the id twice",
            frame(0, &field(2, &[field(1, b"m-1"), field(1, b"m-2"), field(5, &text(QUESTION))].concat())),
        ),
        new("two kinds of content in one Part", hidden(&[[text("hello"), field(2, QUESTION.as_bytes())].concat()])),
        new("a length that lies", [&[0, 0, 0, 0xff, 0xff][..], &question].concat()),
        new("a length of 4 GiB", [&[0, 0xff, 0xff, 0xff, 0xff][..], &question].concat()),
        new("a prefix cut short", vec![0, 0, 0]),
        new("a field cut short", frame(0, &question[..question.len() - 3])),
        new("a group", frame(0, &[&[0x13][..], &question, &[0x14]].concat())),
        new("bytes behind the frame", [plain.clone(), vec![0, 0, 0]].concat()),
        new("an empty frame before it", [frame(0, b""), plain.clone()].concat()),
        new("metadata twice", frame(0, &[question.clone(), field(4, b""), field(4, b"")].concat())),
        new("text that is no UTF-8", hidden(&[field(1, b"what does \xff cost")])),
    ]
}

/// What tonic reads as it reads the plain call: gated, or refused.
fn gated_or_refused() -> Vec<Attempt> {
    let plain = || frame(0, &asked(QUESTION));
    let text = |text: &str| field(1, text.as_bytes());
    let new = Attempt::new;
    let unknown = field(15, &[0; 200]);
    vec![
        new("by GET", plain()).method(Method::GET),
        new("by PUT", plain()).method(Method::PUT),
        new("by DELETE", plain()).method(Method::DELETE),
        new("without content type", plain()).without("content-type"),
        new("as text", plain()).header("content-type", "text/plain"),
        new("as an upload", plain()).header("content-type", "multipart/form-data; boundary=x"),
        new("as grpc+json", plain()).header("content-type", "application/grpc+json"),
        new("by HTTP/1.1", plain()).http1(),
        new("by GET and HTTP/1.1", plain()).method(Method::GET).http1(),
        new("with a slash behind it", plain()).path("/lf.a2a.v1.A2AService/SendMessage/"),
        new("with the method escaped", plain()).path("/lf.a2a.v1.A2AService/Send%4Dessage"),
        new("with the service escaped", plain()).path("/lf.a2a.v1.A2A%53ervice/SendMessage"),
        new("with a query", plain()).path("/lf.a2a.v1.A2AService/SendMessage?x=1"),
        new("behind unknown fields", frame(0, &[unknown.clone(), asked(QUESTION), unknown].concat())),
        new("under no method", plain()).path("/lf.a2a.v1.A2AService/NoSuchMethod"),
        new("behind an unknown group", frame(0, &[&[0x7b, 0x08, 1, 0x7c][..], &asked(QUESTION)].concat())),
        new("in numbers that are longer than they need be", frame(0, &overlong(&asked(QUESTION)))),
        new(
            "with its parts around its id",
            frame(0, &field(2, &[field(5, &text("hello")), field(1, b"m-1"), field(5, &text(QUESTION))].concat())),
        ),
        new("with a coding that is not used", plain()).header("grpc-encoding", "gzip"),
        new("with the version of 0.3", plain()).header("a2a-version", "0.3"),
        new("without a version", plain()).without("a2a-version"),
        new("streamed", plain()).path(STREAM),
    ]
}

fn closed() -> Value {
    serde_json::from_str(CARD).unwrap()
}

/// The agent that tells tells: what follows would see it.
#[tokio::test]
async fn the_agent_tells_the_price_to_whoever_reaches_it() {
    let agent = Leaky::telling();
    let addr = agent.serve(closed()).await;
    let (status, captured) = Attempt::new("not on request", frame(0, &asked("hello"))).send(&addr).await;
    assert_eq!((status, grpc_status(&captured), agent.calls()), (StatusCode::OK, Some("0"), 1));
    assert!(captured.holds(figure(price())), "{captured:?}");
}

#[tokio::test]
async fn talked_past_in_frames_that_are_not_plain_is_refused_in_trailers_only() {
    let agent = Leaky::telling();
    let addr = agent.serve(closed()).await;
    for attempt in refused() {
        let (status, captured) = attempt.send(&addr).await;
        let what = attempt.what;
        assert!(!captured.holds(figure(price())), "{what}: {captured:?}");
        assert_eq!((agent.calls(), status), (0, StatusCode::OK), "{what}: {captured:?}");
        assert!(matches!(grpc_status(&captured), Some("3" | "8" | "12")), "{what}: {captured:?}");
        assert!(captured.head.contains_key("grpc-status") && captured.data.is_empty(), "{what}: {captured:?}");
    }
}

#[tokio::test]
async fn talked_past_by_method_type_path_or_version_is_gated_or_refused() {
    let agent = Leaky::telling();
    let addr = agent.serve(closed()).await;
    let mut referred = 0;
    for attempt in gated_or_refused() {
        let (status, captured) = attempt.send(&addr).await;
        let what = attempt.what;
        assert!(!captured.holds(figure(price())), "{what}: {captured:?}");
        assert_eq!(agent.calls(), 0, "{what}: {captured:?}");
        assert!(status.is_success() || status.is_client_error(), "{what}: {status} {captured:?}");
        referred += usize::from(captured.holds(ADDRESS));
        assert!(captured.holds(ADDRESS) || grpc_status(&captured) != Some("0"), "{what}: {captured:?}");
    }
    assert!(referred >= 5, "{referred} were gated");
}

#[tokio::test]
async fn a_method_that_takes_no_message_acts_on_none() {
    let agent = Leaky::telling();
    let addr = agent.serve(closed()).await;
    for method in ["GetTask", "CancelTask", "ListTasks", "SubscribeToTask"] {
        let path: &'static str = format!("/lf.a2a.v1.A2AService/{method}").leak();
        let (_, captured) = Attempt::new("another method", frame(0, &asked(QUESTION))).path(path).send(&addr).await;
        assert!(!captured.holds(figure(price())), "{method}: {captured:?}");
    }
}

/// Each row against the example as well, by an assistant that is known, with the price opened to it
/// if it acts for somebody: it says that it does not.
#[tokio::test]
async fn talked_past_the_chapel_itself() {
    let chapel = crate::client::opened_chapel("talked-past");
    for attempt in refused().into_iter().chain(gated_or_refused()) {
        let attempt = attempt.header("authorization", "Bearer demo-acme");
        let (status, captured) = attempt.send(chapel.addr()).await;
        assert!(!captured.holds(figure(price())), "{}: {captured:?}", attempt.what);
        assert!(!status.is_server_error(), "{}: {status}", attempt.what);
    }
    let client = Client::of(&chapel).await;
    let reply = client.send(&crate::client::Caller::anonymous(), &text_message(QUESTION)).await;
    assert!(reply.holds(ADDRESS), "it still serves: {reply:?}");
}

#[tokio::test]
async fn a_message_over_the_limit_or_in_many_pieces_is_bounded_and_read() {
    let agent = Leaky::telling();
    let addr = agent.serve(closed()).await;
    let huge = "x".repeat(3 << 20);
    let (status, captured) = Attempt::new("over the limit", frame(0, &asked(&huge))).send(&addr).await;
    assert_eq!((status, agent.calls()), (StatusCode::OK, 0), "{captured:?}");
    assert_ne!(grpc_status(&captured), Some("0"));
    let long = format!("{}{QUESTION}", " ".repeat(1 << 20));
    let parts = [field(1, long.as_bytes())];
    let (_, captured) = Attempt::new("long", frame(0, &with_parts(&parts))).send(&addr).await;
    assert!(!captured.holds(figure(price())), "{captured:?}");
}

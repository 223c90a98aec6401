//! Captured files, and a layer in front of an agent that answers with one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Empty};
use serde_json::json;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, A2aRequestBody, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

/// An extension that none of the captured agents knows.
pub(crate) const URI: &str = "https://biz.example/mood/v1";

struct Mood;

impl A2aExtension for Mood {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URI)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set("calm") } else { Stamp::remove() }
    }
}

pub(crate) fn layer() -> A2aExtensionsLayer {
    let interface = |path, binding| json!({"url": format!("https://agent.example.com{path}"), "protocolBinding": binding, "protocolVersion": "1.0"});
    let card = json!({
        "name": "Clerk",
        "supportedInterfaces": [interface("/rpc", "JSONRPC"), interface("/rest", "HTTP+JSON")],
        "capabilities": {"streaming": true, "extensions": [{"uri": URI}]},
    });
    A2aExtensionsLayer::builder(card).extension(Mood).build().unwrap()
}

pub(crate) fn wire() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire")
}

pub(crate) fn read(path: &str) -> Bytes {
    let path = wire().join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).into()
}

/// Status and content type of a captured head.
pub(crate) fn head(bytes: &[u8]) -> (u16, String) {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut lines = text.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-type").then(|| value.trim().to_owned())
    };
    (status, lines.find_map(header).unwrap_or_default())
}

/// The chunks of a body with chunk framing.
pub(crate) fn chunks(mut raw: &[u8]) -> Vec<Bytes> {
    let mut chunks = Vec::new();
    while !raw.is_empty() {
        let end = raw.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = std::str::from_utf8(&raw[..end]).unwrap();
        let size = usize::from_str_radix(size.split(';').next().unwrap().trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        chunks.push(Bytes::copy_from_slice(&raw[end + 2..end + 2 + size]));
        assert_eq!(&raw[end + 2 + size..end + 4 + size], b"\r\n");
        raw = &raw[end + 4 + size..];
    }
    chunks
}

/// A body that comes in the captured chunks.
struct ChunkedBody(VecDeque<Bytes>);

impl http_body::Body for ChunkedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|chunk| Ok(Frame::data(chunk))))
    }
}

/// A captured reply.
#[derive(Clone)]
pub(crate) struct Captured {
    pub(crate) name: String,
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) chunks: Vec<Bytes>,
}

impl Captured {
    pub(crate) fn reply(server: &str, case: &str) -> Self {
        let name = format!("{server}/{case}");
        let (status, content_type) = head(&read(&format!("{name}.resp.headers")));
        let body = read(&format!("{name}.resp.body"));
        Self { name, status, content_type, chunks: vec![body] }
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.content_type.starts_with("text/event-stream")
    }

    pub(crate) fn body(&self) -> String {
        String::from_utf8(self.chunks.concat()).unwrap()
    }

    fn request(&self, active: bool) -> Request<Empty<Bytes>> {
        let case = self.name.rsplit('/').next().unwrap();
        let request = match case.split('-').next() {
            Some("rest") => Request::get("/rest/tasks/t"),
            Some("agent") => Request::get("/.well-known/agent-card.json"),
            _ => Request::post("/rpc"),
        };
        let request = request.header("a2a-version", "1.0");
        let request = if active { request.header("a2a-extensions", URI) } else { request };
        request.body(Empty::new()).unwrap()
    }

    /// What leaves where the agent answers with it, and the header that names what is active.
    pub(crate) async fn through_layer(&self, active: bool) -> (String, Option<String>) {
        let captured = self.clone();
        let agent = tower::service_fn(move |_: Request<A2aRequestBody<Empty<Bytes>>>| {
            let mut response = Response::builder().status(captured.status);
            if !captured.content_type.is_empty() {
                response = response.header("content-type", &captured.content_type);
            }
            let body = ChunkedBody(captured.chunks.clone().into());
            std::future::ready(Ok::<_, Infallible>(response.body(body).unwrap()))
        });
        let response = layer().layer(agent).oneshot(self.request(active)).await.unwrap();
        assert_eq!(response.status(), self.status, "{}", self.name);
        let content_type = response.headers().get("content-type").map_or("", |value| value.to_str().unwrap());
        assert_eq!(content_type, self.content_type, "{}", self.name);
        let echo = response.headers().get("a2a-extensions").map(|value| value.to_str().unwrap().to_owned());
        let body = response.into_body().collect().await.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        (String::from_utf8(body.to_bytes().to_vec()).unwrap(), echo)
    }
}

//! The agent's side: a stream of which a test decides when it goes on.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::HeaderMap;
use http_body::Frame;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

pub(crate) const URI: &str = "https://biz.example/mood/v1";

pub(crate) struct Mood;

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
    let card = json!({"name": "Clerk", "capabilities": {"streaming": true, "extensions": [{"uri": URI}]}});
    A2aExtensionsLayer::builder(card).extension(Mood).build().unwrap()
}

/// An event whose message has this text.
pub(crate) fn event(text: &str) -> String {
    let message = json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": text}]}});
    format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": message}))
}

/// Serves `agent` behind the layer at `/rpc`, for as long as the test runs.
pub(crate) async fn serve<F>(agent: impl Fn() -> F + Clone + Send + Sync + 'static) -> SocketAddr
where
    F: Future<Output = Response> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().route("/rpc", post(agent)).layer(layer());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

pub(crate) fn reply(content_type: &'static str, body: Body) -> Response {
    ([("content-type", content_type)], body).into_response()
}

/// Frames that the test sends, then trailers if there are any.
pub(crate) struct SentFrames {
    pub(crate) frames: mpsc::UnboundedReceiver<Bytes>,
    pub(crate) trailers: Option<HeaderMap>,
    pub(crate) dropped: Arc<AtomicBool>,
}

impl http_body::Body for SentFrames {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.frames.poll_recv(cx) {
            Poll::Ready(None) => Poll::Ready(self.trailers.take().map(|trailers| Ok(Frame::trailers(trailers)))),
            polled => polled.map(|frame| frame.map(|frame| Ok(Frame::data(frame)))),
        }
    }
}

impl Drop for SentFrames {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

/// A stream that is ready whenever it is polled, until it has offered `left` bytes.
pub(crate) struct Flood {
    pub(crate) event: Bytes,
    pub(crate) left: usize,
    pub(crate) taken: Arc<AtomicUsize>,
    pub(crate) dropped: Arc<AtomicBool>,
}

impl http_body::Body for Flood {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.left < self.event.len() {
            return Poll::Ready(None);
        }
        self.left -= self.event.len();
        self.taken.fetch_add(self.event.len(), Ordering::SeqCst);
        // A copy, as an agent makes each event anew.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&self.event)))))
    }
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

//! What unit tests of policies and extensions need, without a server.
//!
//! ```
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use serde_json::json;
//! use tower_a2a_extensions::{
//!     A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OutgoingObject, Stamp, testing,
//! };
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! struct Mood;
//!
//! impl A2aExtension for Mood {
//!     fn uri(&self) -> ExtensionUri {
//!         ExtensionUri::from_static("https://example.com/mood/v1")
//!     }
//!
//!     fn gate(&self) -> Option<&dyn MessageGate> {
//!         None
//!     }
//!
//!     fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
//!         if object.is_active() { Stamp::set("calm") } else { Stamp::remove() }
//!     }
//! }
//!
//! let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": "https://example.com/mood/v1"}]}});
//! let layer = A2aExtensionsLayer::builder(card).extension(Mood).build().unwrap();
//! let question = json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "How are you?"}]}});
//! let request = Request::post("/message:send")
//!     .header("a2a-version", "1.0")
//!     .header("a2a-extensions", "https://example.com/mood/v1")
//!     .body(question.to_string())
//!     .unwrap();
//!
//! let agent = async |_| {
//!     let answer = json!({"message": {"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "Well."}]}});
//!     // A reply without a JSON type is not stamped.
//!     Response::builder().header("content-type", "application/json").body(Bytes::from(answer.to_string())).unwrap()
//! };
//! let reply = testing::respond(&layer, request, agent).await;
//! assert_eq!(reply.headers()["a2a-extensions"], "https://example.com/mood/v1");
//! let reply: serde_json::Value = serde_json::from_slice(reply.body()).unwrap();
//! assert_eq!(reply["message"]["metadata"]["https://example.com/mood/v1"], "calm");
//! testing::assert_stamped(&reply, &Mood);
//! # });
//! ```
//!
//! # Panics
//!
//! The functions here panic where something is wrong: they are for tests.

mod conformance;

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

pub use self::conformance::{assert_conformant, assert_stamped, conformance_faults};
use crate::binding::IncomingMessage;
use crate::server::{A2aExtensionsLayer, A2aRequestBody};

/// A message as a policy, a resolver or a gate gets it.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::testing;
///
/// let message = testing::incoming_message(&json!({"messageId": "m", "parts": [{"text": "What does it cost?"}]}));
/// assert_eq!(message.text(), "What does it cost?");
/// ```
///
/// # Panics
///
/// Where `message` is none that the layer would pass on.
#[must_use]
#[track_caller]
pub fn incoming_message(message: &Value) -> IncomingMessage {
    read(message, None)
}

/// Like [`incoming_message`], with the `metadata` that stands beside the message in the request.
///
/// # Panics
///
/// Where the layer would refuse them.
#[must_use]
#[track_caller]
pub fn incoming_message_with_metadata(message: &Value, request_metadata: &Value) -> IncomingMessage {
    read(message, Some(request_metadata))
}

fn read(message: &Value, request_metadata: Option<&Value>) -> IncomingMessage {
    match IncomingMessage::from_value(message, request_metadata) {
        Ok(message) => message,
        Err(error) => panic!("the layer refuses this message: {error}"),
    }
}

/// The output of a future that is ready at once, such as a decision whose policy waits for nothing.
///
/// ```
/// use tower_a2a_extensions::testing;
///
/// assert_eq!(testing::ready(async { 7 }), 7);
/// ```
///
/// # Panics
///
/// Where the future waits for something. Then the test needs a runtime.
#[track_caller]
pub fn ready<F: Future>(future: F) -> F::Output {
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("the future is not ready: it waits for something"),
    }
}

/// Runs one request through a layer in front of `agent`, and gives the whole reply.
///
/// The layer goes by what `agent` says its reply is. One without a JSON type (`application/json`)
/// or `text/event-stream` in its `content-type` is not stamped. The [module](self) has an example.
///
/// # Panics
///
/// Where the reply's body breaks off, for example because it was stopped midway.
pub async fn respond<A, F>(layer: &A2aExtensionsLayer, request: Request<impl Into<Bytes>>, agent: A) -> Response<Bytes>
where
    A: Fn(Request<Bytes>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Bytes>> + Send + 'static,
{
    let mut service = layer.layer(ClosureAgent(agent));
    let request = request.map(|body| Full::new(body.into()));
    let response = match service.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let (parts, body) = response.into_parts();
    match body.collect().await {
        Ok(body) => Response::from_parts(parts, body.to_bytes()),
        Err(error) => panic!("the reply broke off: {error}"),
    }
}

#[derive(Clone)]
struct ClosureAgent<A>(A);

impl<A, F> Service<Request<A2aRequestBody<Full<Bytes>>>> for ClosureAgent<A>
where
    A: Fn(Request<Bytes>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Bytes>> + Send + 'static,
{
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<A2aRequestBody<Full<Bytes>>>) -> Self::Future {
        let agent = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let bytes = body.collect().await?.to_bytes();
            Ok(agent(Request::from_parts(parts, bytes)).await.map(Full::new))
        })
    }
}

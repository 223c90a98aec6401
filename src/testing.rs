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

mod agent;
mod bind;
mod conformance;
mod events;

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde_json::Value;

pub use self::agent::respond;
pub use self::bind::bind;
pub use self::conformance::{assert_conformant, assert_stamped, conformance_faults};
pub use self::events::events;
use crate::binding::IncomingMessage;
use crate::call::{A2aCall, CallSetup};
use crate::negotiation::Activation;

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

/// A call of nobody, as [`A2aCall::detached`] gives one, with this
/// [`decision_timeout`](A2aCall::decision_timeout) in place of five seconds. For what holds where
/// the time is over.
///
/// ```
/// use std::time::Duration;
/// use tower_a2a_extensions::testing;
///
/// let call = testing::detached_call(Duration::from_millis(20));
/// assert_eq!(call.decision_timeout(), Duration::from_millis(20));
/// ```
#[must_use]
pub fn detached_call(decision_timeout: Duration) -> A2aCall {
    A2aCall::new(Arc::new(CallSetup { decision_timeout, ..CallSetup::default() }), Activation::default())
}

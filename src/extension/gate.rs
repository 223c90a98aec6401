//! Whether a message reaches the agent.

use std::fmt;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use serde_json::Value;

use crate::binding::{IncomingMessage, ReplyDraft, message_response};
use crate::call::A2aCall;
use crate::error::A2aError;

/// Decides whether a message reaches the agent.
///
/// Gates are asked in card order, the first that does not pass decides. A gate that panics refuses
/// the call, and so does one that takes longer than twice [`A2aCall::decision_timeout`]: a gate
/// limits its own time, since only it knows what to say then.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::{
///     A2aCall, A2aExtension, Answer, ExtensionUri, Gate, GateFuture, IncomingMessage, MessageGate, OutgoingObject, Stamp,
///     testing,
/// };
///
/// /// Lets no message pass that shouts.
/// struct Quiet;
///
/// impl MessageGate for Quiet {
///     fn decide<'a>(&'a self, message: &'a IncomingMessage, _call: &'a A2aCall) -> GateFuture<'a> {
///         GateFuture::new(async move {
///             // A real one would ask a service here.
///             if message.text().ends_with('!') { Gate::Answer(Answer::text("Quietly, please.")) } else { Gate::Pass }
///         })
///     }
/// }
///
/// impl A2aExtension for Quiet {
///     fn uri(&self) -> ExtensionUri {
///         ExtensionUri::from_static("https://example.com/quiet/v1")
///     }
///
///     fn gate(&self) -> Option<&dyn MessageGate> {
///         Some(self)
///     }
///
///     fn stamp(&self, _object: &OutgoingObject<'_>, _call: &A2aCall) -> Stamp {
///         Stamp::keep()
///     }
/// }
///
/// let message = testing::incoming_message(&json!({"messageId": "m", "parts": [{"text": "HELLO!"}]}));
/// let decided = testing::ready(Quiet.decide(&message, &A2aCall::detached()));
/// assert_eq!(decided, Gate::Answer(Answer::text("Quietly, please.")));
/// ```
pub trait MessageGate: Send + Sync {
    /// Decides one message.
    fn decide<'a>(&'a self, message: &'a IncomingMessage, call: &'a A2aCall) -> GateFuture<'a>;
}

/// What a [`MessageGate`] decided.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Gate {
    /// The agent gets the message.
    Pass,
    /// The caller gets this message instead, in its own binding.
    Answer(Answer),
    /// The caller gets an error, in its own binding.
    Refuse(A2aError),
}

/// A message in the agent's place.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::{A2aCall, Answer};
///
/// let answer = Answer::text("Not today.").metadata("https://example.com/closed/v1", json!({"until": "Monday"}));
/// let message = answer.to_message(&A2aCall::detached());
/// assert_eq!(message["parts"][0]["text"], "Not today.");
/// assert_eq!(message["role"], "ROLE_AGENT");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    text: String,
    metadata: Vec<(String, Value)>,
}

impl Answer {
    /// A message of one text Part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), metadata: Vec::new() }
    }

    /// Adds a value to the message's metadata. On its way out it passes
    /// [`A2aExtension::stamp`](super::A2aExtension::stamp) like any other: on a call that did not
    /// activate the extension it goes.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// The answer as a Message in the caller's version, to be put into a task or a stream. Its
    /// `messageId` is fresh each time.
    #[must_use]
    pub fn to_message(&self, call: &A2aCall) -> Value {
        let target = call.reply_target();
        self.clone().into_draft(call).to_value(target.binding, target.version)
    }

    /// The answer as the whole HTTP response in the caller's binding: a document, a stream of one
    /// event, 204 for a notification, or a gRPC frame. The trailers of that travel in the response's
    /// [`Extensions`](http::Extensions); the layer sends them behind the body.
    #[must_use]
    pub fn into_http_response(self, call: &A2aCall) -> Response<Bytes> {
        message_response(&call.reply_target(), &self.into_draft(call))
    }

    pub(crate) fn into_draft(self, call: &A2aCall) -> ReplyDraft {
        ReplyDraft { metadata: self.metadata, ..ReplyDraft::answering(call.message(), self.text) }
    }
}

/// The future of a [`MessageGate`]: ready without an allocation, or boxed.
pub struct GateFuture<'a>(GateState<'a>);

enum GateState<'a> {
    Ready(Ready<Gate>),
    Boxed(Pin<Box<dyn Future<Output = Gate> + Send + 'a>>),
}

impl<'a> GateFuture<'a> {
    /// A decision that is there already.
    #[must_use]
    pub fn ready(gate: Gate) -> Self {
        Self(GateState::Ready(ready(gate)))
    }

    /// A decision that has to wait for something.
    #[must_use]
    pub fn new(decision: impl Future<Output = Gate> + Send + 'a) -> Self {
        Self(GateState::Boxed(Box::pin(decision)))
    }
}

impl From<Gate> for GateFuture<'_> {
    fn from(gate: Gate) -> Self {
        Self::ready(gate)
    }
}

impl Future for GateFuture<'_> {
    type Output = Gate;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate> {
        match &mut self.0 {
            GateState::Ready(gate) => Pin::new(gate).poll(cx),
            GateState::Boxed(gate) => gate.as_mut().poll(cx),
        }
    }
}

impl fmt::Debug for GateFuture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GateFuture").finish_non_exhaustive()
    }
}

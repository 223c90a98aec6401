//! Whether a message reaches the agent.

use std::fmt;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use serde_json::Value;

use crate::binding::IncomingMessage;
use crate::call::A2aCall;
use crate::error::A2aError;

/// Decides whether a message reaches the agent.
///
/// Gates are asked in card order, the first that does not pass decides. A gate that panics refuses
/// the call.
pub trait MessageGate: Send + Sync {
    /// Decides one message.
    fn gate<'a>(&'a self, message: &'a IncomingMessage, call: &'a A2aCall) -> GateFuture<'a>;
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
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub(crate) text: String,
    pub(crate) metadata: Vec<(String, Value)>,
}

impl Answer {
    /// A message of one text Part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), metadata: Vec::new() }
    }

    /// Adds a value to the message's metadata. It passes [`A2aExtension::stamp`](super::A2aExtension::stamp) like any other:
    /// on a call that did not activate the extension it is for `stamp` to remove it.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
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

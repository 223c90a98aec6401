//! The message of a request, shared with its body.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

/// A message that came in, for gates, resolvers and policies.
#[derive(Clone)]
pub struct IncomingMessage {}

impl IncomingMessage {
    /// The text of each text Part, in order.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        std::iter::empty()
    }

    /// The text of all text Parts, joined by a line feed.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    /// The JSON text of each data Part's `data`, in order, as it was written.
    pub fn data(&self) -> impl Iterator<Item = Cow<'_, str>> {
        std::iter::empty()
    }

    /// The client's id for the message.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// The conversation it belongs to.
    #[must_use]
    pub fn context_id(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// The task it continues.
    #[must_use]
    pub fn task_id(&self) -> Option<Cow<'_, str>> {
        None
    }

    /// The values under `key` in `message.metadata`, then in `params.metadata` (HTTP+JSON: the
    /// request's `metadata`). A value that cannot be read is left out.
    pub fn metadata(&self, _key: &str) -> impl Iterator<Item = Value> + '_ {
        std::iter::empty()
    }
}

impl fmt::Debug for IncomingMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingMessage").finish_non_exhaustive()
    }
}
impl IncomingMessage {
    pub(crate) fn from_value(_m: &Value, _r: Option<&Value>) -> Result<Self, crate::error::A2aError> {
        Ok(Self {})
    }
}

//! The message of a request, shared with its body.
//!
//! STUB for the tests of `on_request`: the binding room brings the real reader.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::error::A2aError;

/// A message that came in, for gates, resolvers and policies.
#[derive(Clone)]
pub struct IncomingMessage(Arc<(Value, Value)>);

impl IncomingMessage {
    /// A message that came with no request, for tests.
    #[allow(clippy::unnecessary_wraps)]
    pub(crate) fn from_value(message: &Value, request_metadata: Option<&Value>) -> Result<Self, A2aError> {
        Ok(Self(Arc::new((message.clone(), request_metadata.cloned().unwrap_or_default()))))
    }

    fn part_members(&self, name: &'static str) -> impl Iterator<Item = &Value> {
        let parts = self.0.0.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        parts.iter().filter_map(move |part| part.get(name))
    }

    fn string(&self, name: &str) -> Option<Cow<'_, str>> {
        self.0.0.get(name).and_then(Value::as_str).map(Cow::Borrowed)
    }

    /// The text of each text Part, in order.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.part_members("text").filter_map(Value::as_str).map(Cow::Borrowed)
    }

    /// The text of all text Parts, joined by a line feed.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        Cow::Owned(self.texts().collect::<Vec<_>>().join("\n"))
    }

    /// The JSON text of each data Part's `data`, in order, as it was written.
    pub fn data(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.part_members("data").map(|data| Cow::Owned(data.to_string()))
    }

    /// The client's id for the message.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'_, str>> {
        self.string("messageId")
    }

    /// The conversation it belongs to.
    #[must_use]
    pub fn context_id(&self) -> Option<Cow<'_, str>> {
        self.string("contextId")
    }

    /// The task it continues.
    #[must_use]
    pub fn task_id(&self) -> Option<Cow<'_, str>> {
        self.string("taskId")
    }

    /// The values under `key` in `message.metadata`, then in `params.metadata` (HTTP+JSON: the
    /// request's `metadata`). A value that cannot be read is left out.
    pub fn metadata(&self, key: &str) -> impl Iterator<Item = Value> + '_ {
        let in_message = self.0.0.get("metadata").and_then(|metadata| metadata.get(key)).cloned();
        in_message.into_iter().chain(self.0.1.get(key).cloned())
    }
}

impl fmt::Debug for IncomingMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingMessage").finish_non_exhaustive()
    }
}

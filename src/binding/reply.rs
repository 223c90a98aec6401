//! What the layer itself answers, in the shape of the caller's binding and version.

use bytes::Bytes;
use http::Response;
use serde_json::Value;

use super::{Binding, ProtocolVersion};
use crate::error::A2aError;

/// The `id` of a JSON-RPC request, as it can be repeated.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum ReplyId {
    /// There is none: a notification.
    Absent,
    /// It cannot be repeated (not unique, an object, invalid, over 1 KiB), or it is `null`.
    #[default]
    Null,
    /// The raw JSON text: a string or a number.
    Raw(Bytes),
}

/// Where and how a reply of the layer goes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ReplyTarget {
    pub(crate) binding: Binding,
    pub(crate) version: ProtocolVersion,
    /// Of JSON-RPC; meaningless elsewhere.
    pub(crate) id: ReplyId,
    /// The operation streams: a message goes out as a stream of one event.
    pub(crate) streaming: bool,
}

/// A message that the layer or an extension makes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReplyDraft {
    pub(crate) text: String,
    /// Values by metadata key, in order.
    pub(crate) metadata: Vec<(String, Value)>,
    /// URIs for the message's `extensions`.
    pub(crate) extensions: Vec<String>,
    pub(crate) message_id: String,
    pub(crate) context_id: Option<String>,
}

impl ReplyDraft {
    /// The message as JSON of the given version and binding (A2A §4.1.4; 0.3: `kind`, `role: agent`).
    pub(crate) fn to_value(&self, _binding: Binding, _version: ProtocolVersion) -> Value {
        Value::Null
    }
}

/// A refusal in the caller's shape, complete with status and content type.
pub(crate) fn error_response(_target: &ReplyTarget, _error: &A2aError) -> Response<Bytes> {
    Response::new(Bytes::new())
}

/// A message in the caller's shape: a document, one event of a stream, or 204 for a notification.
pub(crate) fn message_response(_target: &ReplyTarget, _draft: &ReplyDraft) -> Response<Bytes> {
    Response::new(Bytes::new())
}
impl ReplyDraft {
    pub(crate) fn new(text: String, metadata: Vec<(String, Value)>, context_id: Option<String>) -> Self {
        Self { text, metadata, extensions: vec![], message_id: String::new(), context_id }
    }
}
pub(crate) fn grpc_refusal(_error: &A2aError) -> Response<Bytes> {
    Response::new(Bytes::new())
}

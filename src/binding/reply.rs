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
    ///
    /// STUB for the tests of `on_request`: the binding room brings the real writer.
    pub(crate) fn to_value(&self, binding: Binding, version: ProtocolVersion) -> Value {
        let metadata = self.metadata.iter().cloned().collect::<serde_json::Map<_, _>>();
        let mut message = serde_json::json!({"messageId": self.message_id, "role": "ROLE_AGENT",
            "parts": [{"text": self.text}], "metadata": metadata, "extensions": self.extensions});
        if let Some(context) = &self.context_id {
            message["contextId"] = context.as_str().into();
        }
        if (binding, version) == (Binding::JsonRpc, ProtocolVersion::V0_3) {
            message["kind"] = "message".into();
            message["role"] = "agent".into();
            message["parts"][0]["kind"] = "text".into();
        }
        message
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

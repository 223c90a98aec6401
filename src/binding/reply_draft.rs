//! What the layer itself answers, before it has a shape.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Binding, IncomingMessage, ProtocolVersion};
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

impl ReplyId {
    /// The JSON to write; `null` where there is nothing to repeat.
    pub(super) fn as_json(&self) -> &str {
        match self {
            Self::Absent | Self::Null => "null",
            Self::Raw(raw) => std::str::from_utf8(raw).unwrap_or("null"),
        }
    }
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
    /// Whether documents of HTTP+JSON go out as `application/json`; `None` leaves it to the version.
    pub(crate) plain_json: Option<bool>,
}

impl ReplyTarget {
    /// JSON-RPC without an `id`, where nothing was read of a request.
    pub(crate) fn unread() -> Self {
        let (binding, version) = (Binding::JsonRpc, ProtocolVersion::V1_0);
        Self { binding, version, id: ReplyId::Null, streaming: false, plain_json: None }
    }

    /// The media type of a document (A2A §11.2).
    pub(super) fn media_type(&self) -> &'static str {
        let is_plain = self.plain_json.unwrap_or(self.version == ProtocolVersion::V0_3);
        if is_plain { "application/json" } else { "application/a2a+json" }
    }
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
    /// A message of one text with a fresh `messageId`. Its `contextId` is the one of the message
    /// that it answers, or else a fresh one; none where that message names only a task, whose
    /// context the layer does not know.
    pub(crate) fn answering(message: Option<&IncomingMessage>, text: impl Into<String>) -> Self {
        let named = message.and_then(IncomingMessage::context_id).filter(|id| !id.is_empty());
        let only_task = named.is_none() && message.is_some_and(|message| message.task_id().is_some());
        let fresh = || Some(Uuid::new_v4().to_string()).filter(|_| !only_task);
        Self {
            text: text.into(),
            metadata: Vec::new(),
            extensions: Vec::new(),
            message_id: Uuid::new_v4().to_string(),
            context_id: named.map(Into::into).or_else(fresh),
        }
    }

    /// The members that are alike everywhere. Empty ones are left out, as ProtoJSON does.
    pub(super) fn insert_common(&self, message: &mut Map<String, Value>) {
        message.insert("messageId".into(), self.message_id.as_str().into());
        if let Some(context_id) = &self.context_id {
            message.insert("contextId".into(), context_id.as_str().into());
        }
        if !self.metadata.is_empty() {
            message.insert("metadata".into(), Value::Object(self.metadata.iter().cloned().collect()));
        }
        if !self.extensions.is_empty() {
            message.insert("extensions".into(), self.extensions.as_slice().into());
        }
    }
}

/// `ErrorInfo`, where A2A defines a reason for the error (A2A §9.5, §11.6).
pub(super) fn error_info(error: &A2aError) -> Option<Value> {
    let reason = error.kind().codes().reason?;
    let metadata = error.metadata().map(|(key, value)| (key.to_owned(), value.into()));
    Some(json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "a2a-protocol.org",
        "metadata": metadata.collect::<Map<_, Value>>(),
    }))
}

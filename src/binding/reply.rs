//! What the layer itself answers, in the shape of the caller's binding and version.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Binding, IncomingMessage, ProtocolVersion, grpc, http_json, json_rpc};
use crate::error::A2aError;
#[cfg(not(feature = "grpc"))]
use crate::error::A2aErrorKind;

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
    fn media_type(&self) -> &'static str {
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

    /// The message as JSON of the given version and binding (A2A §4.1.4; 0.3: `kind`, `role:
    /// agent`). It is the bare message, as a task's `status.message` has it.
    pub(crate) fn to_value(&self, binding: Binding, version: ProtocolVersion) -> Value {
        match binding {
            Binding::JsonRpc => json_rpc::message(self, version),
            Binding::HttpJson | Binding::Grpc => http_json::message(self, version),
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

/// A refusal in the caller's shape, complete with status and content type. A streaming call gets
/// it as a document too (A2A §9.4.2): nothing has been streamed yet.
pub(crate) fn error_response(target: &ReplyTarget, error: &A2aError) -> Response<Bytes> {
    match target.binding {
        Binding::JsonRpc => {
            let (status, body) = json_rpc::error(&target.id, error);
            document(status, "application/json", body)
        }
        Binding::HttpJson => {
            let (status, body) = http_json::error(error);
            document(status, target.media_type(), body)
        }
        Binding::Grpc => grpc::error_response(error),
    }
}

/// A message in the caller's shape: a document, one event of a stream, 204 for a notification, or a
/// gRPC frame whose trailers stand in the response's extensions.
pub(crate) fn message_response(target: &ReplyTarget, draft: &ReplyDraft) -> Response<Bytes> {
    let (media_type, body) = match target.binding {
        Binding::JsonRpc if target.id == ReplyId::Absent => return no_content(),
        Binding::JsonRpc => ("application/json", json_rpc::result(&target.id, draft, target.version)),
        Binding::HttpJson => (target.media_type(), http_json::result(draft, target.version)),
        #[cfg(feature = "grpc")]
        Binding::Grpc => return grpc::message_response(draft),
        #[cfg(not(feature = "grpc"))]
        Binding::Grpc => {
            let error = A2aError::new(A2aErrorKind::UnsupportedOperation, "gRPC is not answered here");
            return grpc::error_response(&error);
        }
    };
    if target.streaming { event_stream(&body) } else { document(StatusCode::OK, media_type, body) }
}

/// A Message or a Task that the agent has made in the caller's spelling, as a whole reply. `None`
/// over gRPC, where it is no JSON.
pub(crate) fn object_response(target: &ReplyTarget, object: &Value, is_task: bool) -> Option<Response<Bytes>> {
    let member = if is_task { "task" } else { "message" };
    let (media_type, body) = match target.binding {
        Binding::JsonRpc if target.id == ReplyId::Absent => return Some(no_content()),
        Binding::JsonRpc => ("application/json", json_rpc::object_result(&target.id, object, member, target.version)),
        Binding::HttpJson => (target.media_type(), json!({member: object}).to_string()),
        Binding::Grpc => return None,
    };
    Some(if target.streaming { event_stream(&body) } else { document(StatusCode::OK, media_type, body) })
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

fn document(status: StatusCode, media_type: &'static str, body: String) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() = status;
    let length = HeaderValue::from(response.body().len());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(CONTENT_LENGTH, length);
    response
}

/// A stream of one event. The JSON holds no line break: strings escape theirs.
fn event_stream(json: &str) -> Response<Bytes> {
    let mut response = document(StatusCode::OK, "text/event-stream", format!("data: {json}\n\n"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn no_content() -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

#[cfg(test)]
mod tests;

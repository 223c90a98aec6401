//! What the layer itself answers, in the shape of the caller's binding and version.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::reply_draft::{ReplyDraft, ReplyId, ReplyTarget};
use super::{Binding, ProtocolVersion, grpc, http_json, json_rpc};
use crate::error::A2aError;
#[cfg(not(feature = "grpc"))]
use crate::error::A2aErrorKind;

impl ReplyDraft {
    /// The message as JSON of the given version and binding (A2A §4.1.4; 0.3: `kind`, `role:
    /// agent`). It is the bare message, as a task's `status.message` has it.
    pub(crate) fn to_value(&self, binding: Binding, version: ProtocolVersion) -> Value {
        match binding {
            Binding::JsonRpc => json_rpc::message(self, version),
            Binding::HttpJson | Binding::Grpc => http_json::message(self, version),
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

//! HTTP+JSON: the shape of messages and errors (A2A §11).

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::ProtocolVersion;
use super::reply_draft::{ReplyDraft, error_info};
use crate::error::A2aError;

/// The message in ProtoJSON: 0.3's proto calls the Parts `content`.
pub(super) fn message(draft: &ReplyDraft, version: ProtocolVersion) -> Value {
    let parts = if version == ProtocolVersion::V0_3 { "content" } else { "parts" };
    let mut message = Map::new();
    message.insert("role".into(), "ROLE_AGENT".into());
    message.insert(parts.into(), json!([{"text": draft.text}]));
    draft.insert_common(&mut message);
    Value::Object(message)
}

/// The reply to a sent message, or one event of a stream.
pub(super) fn result(draft: &ReplyDraft, version: ProtocolVersion) -> String {
    json!({"message": message(draft, version)}).to_string()
}

/// An error and the status it goes out with (A2A §11.6).
pub(super) fn error(error: &A2aError) -> (StatusCode, String) {
    let codes = error.kind().codes();
    let mut body = json!({"code": codes.http.as_u16(), "status": codes.grpc_name, "message": error.message()});
    if let (Some(info), Some(body)) = (error_info(error), body.as_object_mut()) {
        body.insert("details".into(), json!([info]));
    }
    (codes.http, json!({"error": body}).to_string())
}

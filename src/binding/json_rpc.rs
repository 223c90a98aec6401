//! JSON-RPC: methods, and the shape of results and errors (A2A §9).

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::reply_draft::{ReplyDraft, ReplyId, error_info};
use super::{Operation, ProtocolVersion};
use crate::error::A2aError;
use crate::json::JsonText;

use Operation as O;
use ProtocolVersion::{V0_3, V1_0};

/// Every method of both versions.
const METHODS: [(&str, Operation, ProtocolVersion); 22] = [
    ("SendMessage", O::SendMessage, V1_0),
    ("SendStreamingMessage", O::SendStreamingMessage, V1_0),
    ("GetTask", O::GetTask, V1_0),
    ("ListTasks", O::ListTasks, V1_0),
    ("CancelTask", O::CancelTask, V1_0),
    ("SubscribeToTask", O::SubscribeToTask, V1_0),
    ("CreateTaskPushNotificationConfig", O::PushNotificationConfig, V1_0),
    ("GetTaskPushNotificationConfig", O::PushNotificationConfig, V1_0),
    ("ListTaskPushNotificationConfigs", O::PushNotificationConfig, V1_0),
    ("ListTaskPushNotificationConfig", O::PushNotificationConfig, V1_0),
    ("DeleteTaskPushNotificationConfig", O::PushNotificationConfig, V1_0),
    ("GetExtendedAgentCard", O::ExtendedAgentCard, V1_0),
    ("message/send", O::SendMessage, V0_3),
    ("message/stream", O::SendStreamingMessage, V0_3),
    ("tasks/get", O::GetTask, V0_3),
    ("tasks/cancel", O::CancelTask, V0_3),
    ("tasks/resubscribe", O::SubscribeToTask, V0_3),
    ("tasks/pushNotificationConfig/set", O::PushNotificationConfig, V0_3),
    ("tasks/pushNotificationConfig/get", O::PushNotificationConfig, V0_3),
    ("tasks/pushNotificationConfig/list", O::PushNotificationConfig, V0_3),
    ("tasks/pushNotificationConfig/delete", O::PushNotificationConfig, V0_3),
    ("agent/getAuthenticatedExtendedCard", O::ExtendedAgentCard, V0_3),
];

/// The operation that a `method` names, and the version whose name it is.
pub(super) fn operation(method: &JsonText<'_>) -> Option<(Operation, ProtocolVersion)> {
    let known = METHODS.iter().find(|(name, ..)| method.is(name))?;
    Some((known.1, known.2))
}

/// The message as JSON-RPC of a version has it: 0.3 tells objects and Parts by `kind`.
pub(super) fn message(draft: &ReplyDraft, version: ProtocolVersion) -> Value {
    let mut message = Map::new();
    if version == V0_3 {
        message.insert("kind".into(), "message".into());
        message.insert("role".into(), "agent".into());
        message.insert("parts".into(), json!([{"kind": "text", "text": draft.text}]));
    } else {
        message.insert("role".into(), "ROLE_AGENT".into());
        message.insert("parts".into(), json!([{"text": draft.text}]));
    }
    draft.insert_common(&mut message);
    Value::Object(message)
}

/// A result that is a message. The member `message` around it is new in 1.0.
pub(super) fn result(id: &ReplyId, draft: &ReplyDraft, version: ProtocolVersion) -> String {
    object_result(id, &message(draft, version), "message", version)
}

/// A result that is the object `member`. The member around it is new in 1.0.
pub(super) fn object_result(id: &ReplyId, object: &Value, member: &str, version: ProtocolVersion) -> String {
    match version {
        V0_3 => envelope(id.as_json(), "result", object),
        V1_0 => envelope(id.as_json(), "result", &json!({member: object})),
    }
}

/// An error and the status it goes out with. A status other than 200 says that the request was not
/// read, so its `id` is unknown.
pub(super) fn error(id: &ReplyId, error: &A2aError) -> (StatusCode, String) {
    let codes = error.kind().codes();
    let mut body = json!({"code": codes.json_rpc, "message": error.message()});
    if let (Some(info), Some(body)) = (error_info(error), body.as_object_mut()) {
        body.insert("data".into(), json!([info]));
    }
    let id = if codes.json_rpc_status == StatusCode::OK { id.as_json() } else { "null" };
    (codes.json_rpc_status, envelope(id, "error", &body))
}

/// The raw `id` stands as it came: a `Value` would change a number of 30 digits (C12).
fn envelope(id: &str, member: &str, value: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#)
}

//! JSON-RPC, as much of it as an agent without tasks needs: messages, unary and streamed, in A2A 1.0
//! (A2A §9) and 0.3. What cannot be read is refused by the layer before anything here runs.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};
use tower_a2a_extensions::on_request::ActionReply;
use tower_a2a_extensions::{OnRequestGuard, ProtocolVersion};

use crate::agent::Clerk;

/// The error is a whole reply in the caller's shape: a referral, or what was answered before.
pub(crate) async fn json_rpc(
    State(clerk): State<Arc<Clerk>>,
    guard: OnRequestGuard,
    Json(call): Json<Value>,
) -> Result<Response, ActionReply> {
    let (version, streams) = match call.get("method").and_then(Value::as_str) {
        Some("SendMessage") => (ProtocolVersion::V1_0, false),
        Some("SendStreamingMessage") => (ProtocolVersion::V1_0, true),
        Some("message/send") => (ProtocolVersion::V0_3, false),
        Some("message/stream") => (ProtocolVersion::V0_3, true),
        _ => return Ok(error(&call, -32601, "there is no such method")),
    };
    let Some(message) = call.pointer("/params/message").filter(|message| message.is_object()) else {
        return Ok(error(&call, -32602, "a message is missing"));
    };
    let reply = clerk.answer(message, version, &guard).await?;
    let result = if version == ProtocolVersion::V0_3 { reply } else { json!({"message": reply}) };
    let Some(id) = call.get("id") else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let document = json!({"jsonrpc": "2.0", "id": id, "result": result});
    if streams {
        let event = Event::default().data(document.to_string());
        return Ok(Sse::new(stream::iter([Ok::<_, Infallible>(event)])).into_response());
    }
    Ok(Json(document).into_response())
}

fn error(call: &Value, code: i64, message: &str) -> Response {
    let Some(id) = call.get("id") else { return StatusCode::NO_CONTENT.into_response() };
    Json(json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})).into_response()
}

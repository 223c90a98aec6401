//! JSON-RPC, as much of it as this agent needs: messages, unary and streamed (A2A §9).

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use tower_a2a_extensions::ConverseReply;

use crate::agent::{Turn, Waiter};

pub(crate) async fn json_rpc(
    State(waiter): State<Arc<Waiter>>,
    reply: ConverseReply,
    Json(call): Json<Value>,
) -> Response {
    let id = call.get("id").cloned().unwrap_or_default();
    let streams = match call.get("method").and_then(Value::as_str) {
        Some("SendMessage") => false,
        Some("SendStreamingMessage") => true,
        _ => return Json(fault(&id, -32601, "there is no such method")).into_response(),
    };
    let Some(message) = call.pointer("/params/message").filter(|message| message.is_object()) else {
        return Json(fault(&id, -32602, "a message is missing")).into_response();
    };
    let tool = reply.declaration().and_then(|declared| declared.tool("book_table"));
    let turns = waiter.answer(message, tool, streams);
    // The layer stamps an event when it leaves: its envelope is set when it is asked for.
    let mut documents = turns.into_iter().map(move |turn| document(turn, &id, &reply));
    if streams {
        let events =
            stream::iter(documents).map(|document| Ok::<_, Infallible>(Event::default().data(document.to_string())));
        return Sse::new(events).into_response();
    }
    Json(documents.next()).into_response()
}

fn document(turn: Turn, id: &Value, reply: &ConverseReply) -> Value {
    match turn.envelope {
        Ok(envelope) => reply.set(envelope),
        // The guest gets the answer all the same.
        Err(error) => eprintln!("{error}"),
    }
    json!({"jsonrpc": "2.0", "id": id, "result": turn.payload})
}

fn fault(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

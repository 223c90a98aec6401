//! JSON-RPC, A2A 1.0 (A2A §9) and 0.3 side by side: the name of the method says which.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tower_a2a_extensions::OnRequestGuard;

use crate::agent::Clerk;
use crate::asker::Asker;
use crate::events::{Event, Version, task_json};
use crate::faults::{Fault, check_version};
use crate::stream::event_stream;
use crate::tasks::TaskQuery;

#[derive(Deserialize)]
struct Call<'a> {
    /// As it is written: a number of thirty digits comes back with thirty digits.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    method: String,
    #[serde(default)]
    params: Value,
}

/// `null` is an id, a missing one makes a notification.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// What goes back: one result, or events.
enum Outcome {
    Result(Value),
    Events(Response),
}

pub(crate) async fn json_rpc(
    State(clerk): State<Arc<Clerk>>,
    Asker(asker): Asker,
    guard: OnRequestGuard,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let call = match serde_json::from_slice::<Call<'_>>(&body) {
        Ok(call) => call,
        Err(error) => {
            let fault = if error.is_data() { Fault::BadRequest } else { Fault::BadJson };
            return document(envelope("null", "error", &fault.to_json_rpc()));
        }
    };
    let id = call.id.map_or("null", RawValue::get).to_owned();
    if id.starts_with(['{', '[', 't', 'f']) {
        return document(envelope("null", "error", &Fault::BadRequest.to_json_rpc()));
    }
    let outcome = match check_version(&headers, &uri, &["1.0", "0.3"]) {
        Ok(()) => perform(&clerk, asker.as_deref(), &guard, &call, &id).await,
        Err(fault) => Err(fault),
    };
    match outcome {
        _ if call.id.is_none() => StatusCode::NO_CONTENT.into_response(),
        Ok(Outcome::Events(events)) => events,
        Ok(Outcome::Result(result)) => document(envelope(&id, "result", &result)),
        Err(fault) => document(envelope(&id, "error", &fault.to_json_rpc())),
    }
}

async fn perform(
    clerk: &Clerk,
    asker: Option<&str>,
    guard: &OnRequestGuard,
    call: &Call<'_>,
    id: &str,
) -> Result<Outcome, Fault> {
    let version = if call.method.contains('/') { Version::V0_3 } else { Version::V1_0 };
    let params = &call.params;
    match call.method.as_str() {
        "SendMessage" | "message/send" => {
            let reply = clerk.answer(message(params)?, asker, guard).await?;
            if let Event::Task(task) = &reply {
                clerk.tasks.keep(task, asker);
            }
            Ok(Outcome::Result(reply.to_json(version)))
        }
        "SendStreamingMessage" | "message/stream" => {
            let (first, rest) = match clerk.answer(message(params)?, asker, guard).await? {
                Event::Task(task) => {
                    let (first, rest) = clerk.tasks.play(task, asker);
                    (first, Some(rest))
                }
                reply => (reply, None),
            };
            Ok(Outcome::Events(event_stream(first, rest, in_envelope(id, version))))
        }
        "SubscribeToTask" | "tasks/resubscribe" => {
            let (first, rest) = clerk.tasks.watch(task_id(params)?, asker)?;
            Ok(Outcome::Events(event_stream(first, rest, in_envelope(id, version))))
        }
        "GetTask" | "tasks/get" => {
            let task = clerk.tasks.get(task_id(params)?, asker).ok_or(Fault::TaskNotFound)?;
            Ok(Outcome::Result(task_json(task, version)))
        }
        "CancelTask" | "tasks/cancel" => {
            Ok(Outcome::Result(task_json(clerk.tasks.cancel(task_id(params)?, asker)?, version)))
        }
        "ListTasks" => Ok(Outcome::Result(clerk.tasks.page(&TaskQuery::from_json(params), asker))),
        "GetExtendedAgentCard" | "agent/getAuthenticatedExtendedCard" => Err(Fault::Unsupported),
        other if other.contains("PushNotificationConfig") || other.contains("pushNotificationConfig") => {
            Err(Fault::NoPushNotifications)
        }
        _ => Err(Fault::UnknownMethod),
    }
}

fn message(params: &Value) -> Result<&Value, Fault> {
    params.get("message").ok_or(Fault::BadParams)
}

fn task_id(params: &Value) -> Result<&str, Fault> {
    params.get("id").and_then(Value::as_str).ok_or(Fault::BadParams)
}

fn in_envelope(id: &str, version: Version) -> impl Fn(&Event) -> String + Send + 'static {
    let id = id.to_owned();
    move |event| envelope(&id, "result", &event.to_json(version))
}

/// Written by hand, so that the id stays as it was sent.
fn envelope(id: &str, member: &str, value: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{value}}}"#)
}

fn document(body: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

impl TaskQuery {
    pub(crate) fn from_json(params: &Value) -> Self {
        let text = |name| params.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        Self {
            context: text("contextId").map(str::to_owned),
            state: text("status").map(str::to_owned),
            page_size: params.get("pageSize").and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok()),
            page_token: text("pageToken").and_then(|token| token.parse().ok()),
            artifacts: params.get("includeArtifacts") == Some(&json!(true)),
        }
    }
}

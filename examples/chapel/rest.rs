//! HTTP+JSON, A2A 1.0 (A2A §11).

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde_json::Value;
use tower_a2a_extensions::OnRequestGuard;

use crate::agent::Clerk;
use crate::asker::Asker;
use crate::events::{Event, Version};
use crate::faults::{Fault, check_version};
use crate::stream::event_stream;
use crate::tasks::TaskQuery;

pub(crate) fn routes() -> Router<Arc<Clerk>> {
    Router::new()
        .route("/a2a/rest/message:send", post(send))
        .route("/a2a/rest/message:stream", post(stream))
        .route("/a2a/rest/tasks", get(list))
        .route("/a2a/rest/tasks/{id}", get(task).post(task))
        .route("/a2a/rest/extendedAgentCard", get(async || refusal(Fault::Unsupported)))
}

async fn send(
    State(clerk): State<Arc<Clerk>>,
    Asker(asker): Asker,
    guard: OnRequestGuard,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let reply = match message(&headers, &uri, &body) {
        Ok(message) => clerk.answer(&message, asker.as_deref(), &guard).await,
        Err(fault) => Err(fault),
    };
    if let Ok(Event::Task(task)) = &reply {
        clerk.tasks.keep(task, asker.as_deref());
    }
    reply.map_or_else(refusal, |reply| document(StatusCode::OK, &reply.to_json(Version::V1_0)))
}

async fn stream(
    State(clerk): State<Arc<Clerk>>,
    Asker(asker): Asker,
    guard: OnRequestGuard,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let reply = match message(&headers, &uri, &body) {
        Ok(message) => clerk.answer(&message, asker.as_deref(), &guard).await,
        Err(fault) => Err(fault),
    };
    match reply {
        Ok(Event::Task(task)) => {
            let (first, rest) = clerk.tasks.play(task, asker.as_deref());
            event_stream(first, Some(rest), plain)
        }
        Ok(reply) => event_stream(reply, None, plain),
        Err(fault) => refusal(fault),
    }
}

async fn list(
    State(clerk): State<Arc<Clerk>>,
    Asker(asker): Asker,
    uri: Uri,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    match check_version(&headers, &uri, &["1.0"]) {
        Ok(()) => document(StatusCode::OK, &clerk.tasks.page(&TaskQuery::from_query(&query), asker.as_deref())),
        Err(fault) => refusal(fault),
    }
}

/// `GET /tasks/{id}`, `POST /tasks/{id}:cancel`, and `:subscribe` by either method.
async fn task(
    State(clerk): State<Arc<Clerk>>,
    Asker(asker): Asker,
    Path(id): Path<String>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let asker = asker.as_deref();
    if let Err(fault) = check_version(&headers, &uri, &["1.0"]) {
        return refusal(fault);
    }
    let found = match (method, id.rsplit_once(':')) {
        (Method::POST, Some((id, "cancel"))) => clerk.tasks.cancel(id, asker),
        (_, Some((id, "subscribe"))) => {
            let watched = clerk.tasks.watch(id, asker);
            return watched.map_or_else(refusal, |(first, rest)| event_stream(first, rest, plain));
        }
        (Method::POST, _) => Err(Fault::UnknownMethod),
        (_, _) => clerk.tasks.get(&id, asker).ok_or(Fault::TaskNotFound),
    };
    found.map_or_else(refusal, |task| document(StatusCode::OK, &task))
}

fn message(headers: &HeaderMap, uri: &Uri, body: &Bytes) -> Result<Value, Fault> {
    check_version(headers, uri, &["1.0"])?;
    let mut request = serde_json::from_slice::<Value>(body).map_err(|_| Fault::BadJson)?;
    request.get_mut("message").map(Value::take).ok_or(Fault::BadParams)
}

fn plain(event: &Event) -> String {
    event.to_json(Version::V1_0).to_string()
}

fn refusal(fault: Fault) -> Response {
    let status = StatusCode::from_u16(fault.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    document(status, &fault.to_http_json())
}

fn document(status: StatusCode, body: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/a2a+json")], body.to_string()).into_response()
}

impl TaskQuery {
    fn from_query(query: &HashMap<String, String>) -> Self {
        let text = |name| query.get(name).filter(|text| !text.is_empty());
        Self {
            context: text("contextId").cloned(),
            state: text("status").cloned(),
            page_size: text("pageSize").and_then(|size| size.parse().ok()),
            page_token: text("pageToken").and_then(|token| token.parse().ok()),
            artifacts: text("includeArtifacts").is_some_and(|text| text == "true"),
        }
    }
}

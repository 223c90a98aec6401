//! An agent whose bookings are opened, and calls of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::on_request::actions::store::{ActionLimit, MemoryStore};
use tower_a2a_extensions::on_request::actions::{
    ActionPermit, ActionReply, ActionTerms, Actions, Attestation, StaffNotice,
};
use tower_a2a_extensions::{A2aExtensionsLayer, BoxError, CallFacts, OnRequest, OnRequestGuard, ReplyFilter};

pub(crate) const URI: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const ADDRESS: &str = "https://ask.harbour.example/book";

/// Headers that tell the agent to ask the guard for the wrong thing first, and to fail in the end.
pub(crate) const PROBES: &str = "x-probes";
pub(crate) const ONLY_ASKS: &str = "x-only-asks";
pub(crate) const FAILS: &str = "x-fails";

fn card(completion: &str) -> Value {
    let interfaces =
        [("JSONRPC", "1.0"), ("HTTP+JSON", "1.0"), ("GRPC", "1.0"), ("JSONRPC", "0.3"), ("HTTP+JSON", "0.3")];
    let interfaces = interfaces.map(|(binding, version)| {
        json!({"url": "https://agent.harbour.example/a2a", "protocolBinding": binding, "protocolVersion": version})
    });
    json!({
        "name": "Harbour Lights assistant",
        "provider": {"organization": "Harbour Lights", "url": "https://harbour.example"},
        "supportedInterfaces": interfaces,
        "capabilities": {"streaming": true, "extensions": [{"uri": URI, "required": false, "params": {"skills": [
            {"id": "booking", "personEntry": ADDRESS, "assistantAccess": true, "completion": completion},
        ]}}]},
        "skills": [{"id": "booking", "name": "Book", "description": "Books.", "tags": [], "examples": ["Please book"]}],
    })
}

/// What the agent is and has done.
pub(crate) struct Harbour {
    pub(crate) router: Router,
    pub(crate) booked: Arc<AtomicUsize>,
    pub(crate) told: Arc<Mutex<Vec<&'static str>>>,
    pub(crate) actions: Actions,
    pub(crate) filter: ReplyFilter,
    store: MemoryStore,
}

#[derive(Clone)]
struct AgentState {
    booked: Arc<AtomicUsize>,
    /// Without one it makes a deferred reply.
    reply: Option<Arc<Value>>,
}

impl Harbour {
    /// An agent whose bookings staff complete, and who says so.
    pub(crate) fn deferring() -> Self {
        Self::with("deferred", None)
    }

    /// An agent that books, and answers with this Message or Task.
    pub(crate) fn answering(completion: &str, reply: Value) -> Self {
        Self::with(completion, Some(Arc::new(reply)))
    }

    /// Another replica of an agent that answers so.
    pub(crate) fn replica(&self, completion: &str, reply: Value) -> Self {
        Self::over(self.store.clone(), completion, Some(Arc::new(reply)))
    }

    fn with(completion: &str, reply: Option<Arc<Value>>) -> Self {
        Self::over(MemoryStore::new(), completion, reply)
    }

    fn over(store: MemoryStore, completion: &str, reply: Option<Arc<Value>>) -> Self {
        let told = Arc::<Mutex<Vec<&'static str>>>::default();
        let board = Arc::clone(&told);
        let until = SystemTime::now() + Duration::from_secs(86_400);
        let actions = Actions::new("harbour", "harbour.example", store.clone())
            .attestation(Attestation::new("harbour.example", 2, until))
            .staff(move |notice: StaffNotice| {
                board.lock().unwrap().push(notice.event().as_str());
                async { Ok::<_, BoxError>(()) }
            });
        let minute = Duration::from_secs(60);
        let terms = ActionTerms::new("booking").reversible("cancel it").staff("Ines");
        let on_request = OnRequest::new()
            .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)))
            .actions(actions.clone())
            .action(terms.limits(ActionLimit::new(3, minute), ActionLimit::new(10, minute)));
        let layer = A2aExtensionsLayer::builder(card(completion)).extension(on_request).build().unwrap();
        let filter = layer.filter();
        let booked = Arc::<AtomicUsize>::default();
        let state = AgentState { booked: Arc::clone(&booked), reply };
        let router = Router::new().fallback(post(agent)).with_state(state).layer(layer);
        Self { router, booked, told, actions, filter, store }
    }

    pub(crate) fn booking() -> Self {
        let reply =
            json!({"messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": "Booked for Tuesday at ten."}]});
        Self::answering("in-conversation", reply)
    }

    pub(crate) fn booked(&self) -> usize {
        self.booked.load(Ordering::SeqCst)
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Reply {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap();
        let trailers = body.trailers().cloned().unwrap_or_default();
        Reply { status: parts.status, headers: parts.headers, trailers, body: body.to_bytes() }
    }
}

async fn agent(State(state): State<AgentState>, guard: OnRequestGuard, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    if let Some(stored) = state.reply.as_ref().and_then(|task| stored(task, &body)) {
        return stored;
    }
    if parts.headers.contains_key(PROBES) {
        // It asks to be told what it may only do.
        let referral = guard.disclose("booking").await.unwrap_err();
        if parts.headers.contains_key(ONLY_ASKS) {
            return referral.into_response();
        }
    }
    let booked = match guard.perform("booking").await {
        Ok(permit) => book(permit, &state).await,
        Err(reply) => Err(reply),
    };
    if parts.headers.contains_key(FAILS) {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    match booked {
        Ok(object) => wrapped(&object, parts.uri.path(), &body).into_response(),
        Err(reply) => reply.into_response(),
    }
}

/// What the agent's store says of its task, in each way in which it is asked for.
fn stored(task: &Value, body: &Bytes) -> Option<Response> {
    let call = serde_json::from_slice::<Value>(body).ok()?;
    let reply = |result: Value| json!({"jsonrpc": "2.0", "id": call["id"], "result": result}).to_string();
    let json = [("content-type", "application/json")];
    Some(match call["method"].as_str()? {
        "GetTask" => (json, reply(task.clone())).into_response(),
        "ListTasks" => {
            (json, reply(json!({"tasks": [task, {"id": "other", "status": task["status"]}]}))).into_response()
        }
        "SubscribeToTask" => {
            let event = json!({"statusUpdate": {"taskId": task["id"], "contextId": "c", "status": task["status"]}});
            ([("content-type", "text/event-stream")], format!("data: {}\n\n", reply(event))).into_response()
        }
        _ => return None,
    })
}

async fn book(permit: ActionPermit, state: &AgentState) -> Result<Value, ActionReply> {
    let (booked, reply, deferred) = (Arc::clone(&state.booked), state.reply.clone(), permit.deferred());
    permit
        .run(async move {
            booked.fetch_add(1, Ordering::SeqCst);
            Ok(match (reply, deferred) {
                (Some(reply), _) => reply.as_ref().clone(),
                // The second booking is answered with a task.
                (None, Some(deferred)) if booked.load(Ordering::SeqCst) > 1 => {
                    deferred.task(json!({"id": "t-1"}), "We have your request.")
                }
                (None, Some(deferred)) => deferred.message("We have your request."),
                (None, None) => return Err("it is not deferred".into()),
            })
        })
        .await
}

/// The agent's own reply, over JSON-RPC and HTTP+JSON.
fn wrapped(object: &Value, path: &str, body: &Bytes) -> impl IntoResponse + use<> {
    let member = if object.get("status").is_some() { "task" } else { "message" };
    let reply = match path {
        "/rpc" => {
            let call = serde_json::from_slice::<Value>(body).unwrap();
            json!({"jsonrpc": "2.0", "id": call["id"], "result": {member: object}})
        }
        _ => json!({member: object}),
    };
    ([("content-type", "application/json")], reply.to_string())
}

pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) trailers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A message of an assistant that acts for somebody.
pub(crate) fn message(id: &str) -> Value {
    json!({
        "messageId": id, "contextId": "c-1", "role": "ROLE_USER",
        "parts": [{"text": "Please book"}, {"data": {"day": "Tuesday", "people": 2}}],
        "metadata": {URI: {"actingFor": "a reference"}},
    })
}

fn request(path: &str, version: &str, body: impl Into<Body>, active: bool) -> Request<Body> {
    let mut request = Request::post(path).header("a2a-version", version).header("x-assistant", "a");
    if active {
        request = request.header("a2a-extensions", URI);
    }
    let media_type = if path.contains("A2AService") { "application/grpc" } else { "application/json" };
    request.header("content-type", media_type).body(body.into()).unwrap()
}

pub(crate) fn json_rpc(message: &Value) -> Request<Body> {
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": {"message": message}});
    request("/rpc", "1.0", call.to_string(), true)
}

/// A call of another operation, by a client that activated nothing.
pub(crate) fn reading(method: &str) -> Request<Body> {
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": {"id": "t-1"}});
    request("/rpc", "1.0", call.to_string(), false)
}

pub(crate) fn http_json(message: &Value) -> Request<Body> {
    request("/message:send", "1.0", json!({"message": message}).to_string(), true)
}

/// The same message as 0.3's JSON-RPC has it.
pub(crate) fn old_json_rpc(message: &Value) -> Request<Body> {
    let mut old = message.clone();
    old["kind"] = json!("message");
    old["role"] = json!("user");
    for part in old["parts"].as_array_mut().unwrap() {
        part["kind"] = if part.get("text").is_some() { json!("text") } else { json!("data") };
    }
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "message/send", "params": {"message": old}});
    request("/rpc", "0.3", call.to_string(), true)
}

#[cfg(feature = "grpc")]
pub(crate) fn grpc(message: &Value) -> Request<Body> {
    use prost::Message as _;

    let asking = json!({"message": message});
    let encoded = serde_json::from_value::<a2a_pb::protojson::SendMessageRequest>(asking).unwrap().encode_to_vec();
    let mut frame = vec![0];
    frame.extend(u32::try_from(encoded.len()).unwrap().to_be_bytes());
    frame.extend(encoded);
    request("/lf.a2a.v1.A2AService/SendMessage", "1.0", frame, true)
}

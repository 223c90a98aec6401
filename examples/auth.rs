//! Auth belongs outside the extensions layer: what it finds out must be there when the gate decides.
//!
//! In axum the layer that is added last is the outermost. In the wrong order every caller looks
//! anonymous, so nothing is given: too little, never too much. Run it: `cargo run --example auth`.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{
    A2aExtensionsLayer, BoxError, BuildError, CallFacts, Held, OnRequest, OnRequestGuard, Referral,
};

const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";

/// What the auth layer hands inwards.
#[derive(Clone)]
struct Claims {
    assistant: String,
}

/// Stands for a layer that verifies a token.
async fn authenticate(mut request: Request, next: Next) -> Response {
    if request.headers().contains_key("authorization") {
        request.extensions_mut().insert(Claims { assistant: "acme".to_owned() });
    }
    next.run(request).await
}

static FEES: Held<&str> = Held::new("fees", "a consultation is free for members");

async fn agent(guard: OnRequestGuard) -> Result<Json<Value>, Referral> {
    let fees = guard.open(&FEES).await?;
    let artifact = fees.artifact(|fees| json!([{"text": fees}]));
    Ok(Json(json!({"task": {"id": "t-1", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact]}})))
}

fn extensions() -> Result<A2aExtensionsLayer, BuildError> {
    let card = json!({
        "name": "Clinic", "provider": {"organization": "Hill Clinic", "url": "https://clinic.example"},
        "capabilities": {"extensions": [{
            "uri": ON_REQUEST, "required": false,
            "params": {"skills": [
                {"id": "fees", "personEntry": "https://clinic.example/ask", "assistantAccess": true}
            ]}
        }]},
        "skills": [{"id": "fees", "name": "Fees", "description": "Fees, on request.", "tags": ["fees"]}]
    });
    let on_request = OnRequest::new().information("fees").caller(|facts: &CallFacts<'_>| {
        Some(Caller::assistant(facts.extensions().get::<Claims>()?.assistant.as_str()))
    });
    A2aExtensionsLayer::builder(card).extension(on_request).build()
}

fn routes() -> Router {
    Router::new().route("/message:send", post(agent))
}

fn right_order() -> Result<Router, BuildError> {
    Ok(routes().layer(extensions()?).layer(from_fn(authenticate)))
}

fn wrong_order() -> Result<Router, BuildError> {
    Ok(routes().layer(from_fn(authenticate)).layer(extensions()?))
}

/// The same question each time: an assistant with a token, acting for a person.
async fn ask(app: Router) -> Result<String, BoxError> {
    let message = json!({"message": {
        "messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "What are the fees?"}],
        "metadata": {ON_REQUEST: {"actingFor": "person 7"}}
    }});
    let request = Request::post("/message:send")
        .header("A2A-Version", "1.0")
        .header("A2A-Extensions", ON_REQUEST)
        .header("Authorization", "Bearer token")
        .body(Body::from(message.to_string()))?;
    let body = to_bytes(app.oneshot(request).await?.into_body(), 64 * 1024).await?;
    Ok(String::from_utf8(body.to_vec())?)
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let right = ask(right_order()?).await?;
    let wrong = ask(wrong_order()?).await?;
    println!("auth outside: {right}\nauth inside:  {wrong}");

    assert!(right.contains("free for members") && right.contains("given-on-opt-in"));
    assert!(!wrong.contains("free for members") && wrong.contains("https://clinic.example/ask"));
    Ok(())
}

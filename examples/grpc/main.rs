//! The chapel of the `chapel` example over gRPC, JSON-RPC and HTTP+JSON: one port, one layer.
//!
//! ```text
//! cargo run --example grpc --features grpc
//! ```
//!
//! The agent, its tasks and its two JSON bindings are those of the `chapel` example, line for line.
//! Here is only what gRPC adds: `service.rs` implements the service that the official Rust SDK
//! (`a2a-pb`) generates, `convert.rs` goes between its messages and the chapel's JSON.
//!
//! `CHAPEL_ADDR` is where it listens, `CHAPEL_CARD` a card to serve instead of the chapel's own.

#[path = "../chapel/agent.rs"]
mod agent;
#[path = "../chapel/asker.rs"]
mod asker;
#[path = "../chapel/auth.rs"]
mod auth;
mod convert;
#[path = "../chapel/desk.rs"]
mod desk;
#[path = "../chapel/events.rs"]
mod events;
#[path = "../chapel/faults.rs"]
mod faults;
#[path = "../chapel/intent.rs"]
mod intent;
#[path = "../chapel/rest.rs"]
mod rest;
#[path = "../chapel/rpc.rs"]
mod rpc;
mod service;
#[path = "../chapel/stream.rs"]
mod stream;
#[path = "../chapel/tasks.rs"]
mod tasks;

use std::process::ExitCode;
use std::sync::Arc;

use a2a_pb::a2a_service_server::{A2aServiceServer, SERVICE_NAME};
use axum::Router;
use axum::middleware::from_fn;
use axum::routing::post;
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, BoxError};

use crate::agent::Clerk;
use crate::auth::authenticate;
use crate::service::Desk;

#[tokio::main]
async fn main() -> ExitCode {
    desk::exit_code(serve().await)
}

async fn serve() -> Result<(), BoxError> {
    let card = desk::card(&own_card()?)?;
    let extensions = A2aExtensionsLayer::builder(&card).extension(desk::on_request()).build()?;
    desk::print_by_rule(extensions.findings());

    let clerk = Arc::new(Clerk::new());
    let grpc = A2aServiceServer::new(Desk::new(Arc::clone(&clerk)));
    let agent = Router::new()
        .route("/a2a/v1", post(rpc::json_rpc))
        .merge(rest::routes())
        .with_state(clerk)
        .route_service(&format!("/{SERVICE_NAME}/{{method}}"), grpc)
        .layer(extensions) // the one line, for all three bindings
        .layer(from_fn(authenticate));
    let app = desk::card_route(card).merge(agent);

    let listener = desk::listen().await?;
    desk::print_welcome(include_str!("welcome.txt"), listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

/// The chapel's card, with the interface that this program has besides.
fn own_card() -> Result<String, BoxError> {
    let mut card = serde_json::from_str::<Value>(include_str!("../chapel-card.json"))?;
    let interfaces = card.get_mut("supportedInterfaces").and_then(Value::as_array_mut);
    let interfaces = interfaces.ok_or("the card has no interfaces")?;
    interfaces
        .push(json!({"url": "https://agent.larkfield.example", "protocolBinding": "GRPC", "protocolVersion": "1.0"}));
    Ok(card.to_string())
}

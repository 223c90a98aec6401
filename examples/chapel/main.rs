//! An A2A agent of a fictional chapel that tells its price to people and not to programs.
//!
//! ```text
//! cargo run --example chapel
//! ```
//!
//! Read `main.rs` for the one line that adds the layer, `agent.rs` for how an agent asks the guard,
//! `desk.rs` for how On Request is configured, `auth.rs` for who calls. The rest is what any A2A
//! agent has, with or without this crate: `rpc.rs` and `rest.rs` speak the bindings, `events.rs` the
//! versions, `tasks.rs` keeps the tasks.
//!
//! `CHAPEL_ADDR` is where it listens, `CHAPEL_CARD` a card to serve instead of `chapel-card.json`.

mod agent;
mod asker;
mod auth;
mod desk;
mod events;
mod faults;
mod intent;
mod rest;
mod rpc;
mod stream;
mod tasks;

use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::post;
use tower_a2a_extensions::{A2aExtensionsLayer, BoxError};

use crate::agent::Clerk;
use crate::auth::authenticate;

#[tokio::main]
async fn main() -> ExitCode {
    desk::exit_code(serve().await)
}

async fn serve() -> Result<(), BoxError> {
    let card = desk::card(include_str!("../chapel-card.json"))?;
    let extensions = A2aExtensionsLayer::builder(&card).extension(desk::on_request()).build()?;
    desk::print_by_rule(extensions.findings());

    let agent = Router::new()
        .route("/a2a/v1", post(rpc::json_rpc))
        .merge(rest::routes())
        .with_state(Arc::new(Clerk::new()))
        .layer(extensions) // the one line; routes added below it would not be covered
        .layer(from_fn(authenticate));
    let app = desk::card_route(card).merge(agent);

    let listener = desk::listen().await?;
    desk::print_welcome(include_str!("welcome.txt"), listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

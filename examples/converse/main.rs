//! A restaurant that answers with citations, books a table by a routine, and hands over to a person.
//!
//! ```text
//! cargo run --example converse
//! ```
//!
//! Read `agent.rs` for the envelopes, one for each turn, and `rpc.rs` for how they are handed over.
//! `booking.rs` is the routine. `CONVERSE_ADDR` is where it listens.

mod agent;
mod booking;
mod rpc;

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tower_a2a_extensions::{A2aExtensionsLayer, AgentCard, BoxError};

use crate::agent::Waiter;

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = serve().await else { return ExitCode::SUCCESS };
    eprintln!("{error}");
    ExitCode::FAILURE
}

async fn serve() -> Result<(), BoxError> {
    let card = AgentCard::from_json(include_str!("card.json"))?;
    let agent = Router::new()
        .route("/a2a", post(rpc::json_rpc))
        .with_state(Arc::new(Waiter::default()))
        .layer(A2aExtensionsLayer::new(&card)?); // the one line: the card declares Converse
    let card_json = async move || ([(header::CONTENT_TYPE, "application/json")], card.source().to_owned());
    let app = agent.route("/.well-known/agent-card.json", get(card_json));

    let addr = env::var("CONVERSE_ADDR").unwrap_or_else(|_| "127.0.0.1:8083".to_owned());
    let listener = TcpListener::bind(&addr)
        .await
        .map_err(|error| format!("cannot listen on {addr}: {error} (set CONVERSE_ADDR to another address)"))?;
    let base = format!("http://{}", listener.local_addr()?);
    println!("{}", include_str!("welcome.txt").replace("{base}", &base).trim_end());
    Ok(axum::serve(listener, app).await?)
}

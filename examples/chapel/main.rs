//! An A2A agent of a fictional chapel that tells its price to people and not to programs.
//!
//! ```text
//! cargo run --example chapel
//! ```
//!
//! Read `main.rs` for the one line that adds the layer, `agent.rs` for how an agent asks the guard,
//! `auth.rs` for who calls. The rest is what any A2A agent has, with or without this crate:
//! `rpc.rs` and `rest.rs` speak the bindings, `events.rs` the versions, `tasks.rs` keeps the tasks.
//!
//! `CHAPEL_ADDR` is where it listens, `CHAPEL_CARD` a card to serve instead of `chapel-card.json`.

mod agent;
mod auth;
mod events;
mod faults;
mod intent;
mod rest;
mod rpc;
mod stream;
mod tasks;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};

use axum::Router;
use axum::http::header;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{A2aExtensionsLayer, AgentCard, BoxError, BuildError, CallFacts, Findings, OnRequest};

use crate::agent::Clerk;
use crate::auth::{Claims, authenticate};

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            match error.downcast_ref::<BuildError>() {
                Some(error) => print_by_rule(&error.findings),
                None => eprintln!("{error}"),
            }
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), BoxError> {
    let card = card()?;
    let extensions = A2aExtensionsLayer::builder(&card).extension(on_request()).build()?;
    print_by_rule(extensions.findings());

    let agent = Router::new()
        .route("/a2a/v1", post(rpc::json_rpc))
        .merge(rest::routes())
        .with_state(Arc::new(Clerk::new()))
        .layer(extensions) // the one line; routes added below it would not be covered
        .layer(from_fn(authenticate));
    let app = Router::new().route("/.well-known/agent-card.json", get(async move || card_json(&card))).merge(agent);

    let listener = listen().await?;
    print_welcome(listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}

/// How this operator wants On Request: who an assistant is, and that the price is information, not
/// an action. Whether assistants get it is for the card to say (`assistantAccess`): this one says no.
/// Its tasks end with the process, so the process's own key will do for their marks (`mark_key`).
fn on_request() -> OnRequest {
    OnRequest::new()
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.extensions().get::<Claims>()?.assistant.as_str())))
        .information("service-pricing")
        .held(&agent::PRICE)
}

fn card() -> Result<AgentCard, BoxError> {
    let json = match env::var_os("CHAPEL_CARD") {
        Some(path) => {
            fs::read_to_string(&path).map_err(|error| format!("cannot read CHAPEL_CARD {}: {error}", path.display()))?
        }
        None => include_str!("../chapel-card.json").to_owned(),
    };
    Ok(AgentCard::from_json(json)?)
}

fn card_json(card: &AgentCard) -> ([(header::HeaderName, &'static str); 1], String) {
    ([(header::CONTENT_TYPE, "application/json")], card.source().to_owned())
}

async fn listen() -> Result<TcpListener, BoxError> {
    let addr = env::var("CHAPEL_ADDR").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let bound = TcpListener::bind(&addr).await;
    bound.map_err(|error| format!("cannot listen on {addr}: {error} (set CHAPEL_ADDR to another address)").into())
}

fn print_by_rule(findings: &Findings) {
    let mut findings = findings.iter().collect::<Vec<_>>();
    findings.sort_by_key(|finding| finding.rule.clone());
    for finding in findings {
        eprintln!("{finding}");
    }
}

fn print_welcome(addr: SocketAddr) {
    let host = if addr.ip().is_unspecified() { SocketAddr::from((Ipv4Addr::LOCALHOST, addr.port())) } else { addr };
    let welcome = include_str!("welcome.txt").replace("{base}", &format!("http://{host}"));
    println!("{}", welcome.trim_end());
}

//! What the chapel's two programs, `chapel` and `grpc`, share around their one line: the card, how
//! the operator wants On Request, where to listen and what to print.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::{env, fs};

use axum::Router;
use axum::http::header;
use axum::routing::get;
use tokio::net::TcpListener;
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{AgentCard, BoxError, BuildError, CallFacts, Findings, OnRequest};

use crate::agent;
use crate::auth::Claims;

/// How this operator wants On Request: who an assistant is, and that the price is information, not
/// an action. Whether assistants get it is for the card to say (`assistantAccess`): this one says no.
/// Its tasks end with the process, so the process's own key will do for their marks (`mark_key`).
pub(crate) fn on_request() -> OnRequest {
    OnRequest::new()
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.extensions().get::<Claims>()?.assistant.as_str())))
        .information("service-pricing")
        .held(&agent::PRICE)
}

/// The card in the file that `CHAPEL_CARD` names, or else the chapel's own.
pub(crate) fn card(own: &str) -> Result<AgentCard, BoxError> {
    let json = match env::var_os("CHAPEL_CARD") {
        Some(path) => {
            fs::read_to_string(&path).map_err(|error| format!("cannot read CHAPEL_CARD {}: {error}", path.display()))?
        }
        None => own.to_owned(),
    };
    Ok(AgentCard::from_json(json)?)
}

/// The card's own route: it stands beside the agent and is for everybody.
pub(crate) fn card_route(card: AgentCard) -> Router {
    let card_json = async move || ([(header::CONTENT_TYPE, "application/json")], card.source().to_owned());
    Router::new().route("/.well-known/agent-card.json", get(card_json))
}

pub(crate) async fn listen() -> Result<TcpListener, BoxError> {
    let addr = env::var("CHAPEL_ADDR").unwrap_or_else(|_| "127.0.0.1:8080".to_owned());
    let bound = TcpListener::bind(&addr).await;
    bound.map_err(|error| format!("cannot listen on {addr}: {error} (set CHAPEL_ADDR to another address)").into())
}

pub(crate) fn print_by_rule(findings: &Findings) {
    let mut findings = findings.iter().collect::<Vec<_>>();
    findings.sort_by_key(|finding| finding.rule.clone());
    for finding in findings {
        eprintln!("{finding}");
    }
}

/// Prints how the chapel is called where it listens.
pub(crate) fn print_welcome(welcome: &str, addr: SocketAddr) {
    let host = if addr.ip().is_unspecified() { SocketAddr::from((Ipv4Addr::LOCALHOST, addr.port())) } else { addr };
    println!("{}", welcome.replace("{base}", &format!("http://{host}")).trim_end());
}

/// How the process ends: findings by rule, or the error in words.
pub(crate) fn exit_code(served: Result<(), BoxError>) -> ExitCode {
    let Err(error) = served else { return ExitCode::SUCCESS };
    match error.downcast_ref::<BuildError>() {
        Some(error) => print_by_rule(&error.findings),
        None => eprintln!("{error}"),
    }
    ExitCode::FAILURE
}

//! The chapel's diary: an agent that books at an assistant's request (OR-5.6), and never twice.
//!
//! ```text
//! cargo run --example booking
//! ```
//!
//! Read `desk.rs` for what the operator fixes, and `agent.rs` for how an agent asks the guard. `diary.rs`
//! stands for the booking system, `rpc.rs` is a small JSON-RPC; who calls and what a text is about
//! are found out as in the `chapel` example.
//!
//! To standard output it prints a line for each notice to staff (`told Mair Evans` before a booking
//! starts; `done`, `not-done` or `unknown` and the action's key afterwards) and for each booking
//! (`booked m-1`, the id of the message).
//!
//! | variable | default | |
//! |---|---|---|
//! | `BOOKING_ADDR` | `127.0.0.1:8081` | where it listens |
//! | `BOOKING_ATTESTATION` | `level2` | `level1` or `expired`: then every booking is referred |
//! | `BOOKING_LIMITS` | 3 per assistant, 10 in total, a minute | `off` lifts them |
//! | `REDIS_URL` | claims stay in this process | the store that all replicas share (feature `redis`) |

mod agent;
#[path = "../chapel/auth.rs"]
mod auth;
mod desk;
mod diary;
#[path = "../chapel/intent.rs"]
mod intent;
mod rpc;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{env, io};

use axum::Router;
use axum::http::header;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tower_a2a_extensions::{A2aExtensionsLayer, AgentCard, BoxError};

use crate::agent::Clerk;
use crate::auth::authenticate;

/// How long the end of the process waits for what is still being settled.
const LAST_CALL: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> ExitCode {
    let Err(error) = serve().await else { return ExitCode::SUCCESS };
    eprintln!("{error}");
    ExitCode::FAILURE
}

async fn serve() -> Result<(), BoxError> {
    let card = AgentCard::from_json(include_str!("card.json"))?;
    let actions = desk::actions()?;
    let extensions =
        A2aExtensionsLayer::builder(&card).extension(desk::on_request(actions.clone(), desk::terms()?)).build()?;
    extensions.findings().iter().for_each(|finding| eprintln!("{finding}"));

    let app = Router::new()
        .route("/a2a/v1", post(rpc::json_rpc))
        .with_state(Arc::new(Clerk::default()))
        .layer(extensions) // the one line
        .layer(from_fn(authenticate))
        .merge(card_route(card));

    let listener = listen().await?;
    print_welcome(listener.local_addr()?);
    // What a process before this one left behind. Without the store bookings are referred, and the rest goes on.
    if let Err(error) = actions.tell_overdue().await {
        eprintln!("{error}");
    }
    axum::serve(listener, app).with_graceful_shutdown(told_to_stop()).await?;
    // A booking goes on although its client has hung up, and staff are told of every outcome.
    tokio::time::timeout(LAST_CALL, actions.settled()).await.map_err(|_| "some bookings were not settled in time")?;
    Ok(())
}

/// The card's own route: it stands beside the agent and is for everybody.
fn card_route(card: AgentCard) -> Router {
    let card_json = async move || ([(header::CONTENT_TYPE, "application/json")], card.source().to_owned());
    Router::new().route("/.well-known/agent-card.json", get(card_json))
}

async fn listen() -> Result<TcpListener, BoxError> {
    let addr = env::var("BOOKING_ADDR").unwrap_or_else(|_| "127.0.0.1:8081".to_owned());
    let bound = TcpListener::bind(&addr).await;
    bound.map_err(|error| format!("cannot listen on {addr}: {error} (set BOOKING_ADDR to another address)").into())
}

/// Prints how the diary is called where it listens.
fn print_welcome(addr: SocketAddr) {
    println!("{}", include_str!("welcome.txt").replace("{base}", &format!("http://{addr}")).trim_end());
}

/// Ctrl-C, or SIGTERM where there is such a thing.
async fn told_to_stop() {
    let stopped = async {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let mut terminate = signal(SignalKind::terminate())?;
            tokio::select! {
                interrupted = tokio::signal::ctrl_c() => interrupted,
                _ = terminate.recv() => Ok(()),
            }
        }
        #[cfg(not(unix))]
        tokio::signal::ctrl_c().await
    };
    let stopped: io::Result<()> = stopped.await;
    if let Err(error) = stopped {
        // It cannot be told to stop gently, so it goes on until it is killed.
        eprintln!("no signals here: {error}");
        std::future::pending::<()>().await;
    }
}

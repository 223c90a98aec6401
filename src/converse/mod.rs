//! Converse: what a reply says of itself, for machines.
//!
//! The [Converse extension](https://docs.radioso.ai/reference/a2a-converse-extension/v1) puts an
//! [`Envelope`] on every Message, `status.message` and Artifact: who wrote it, how well it covers the
//! question, who owns the conversation, which routine runs and what it waits for, and what is cited.
//! Both the agent's and a person's words come as the agent's messages; only `author` tells them apart.
//!
//! The layer installs [`Converse`] where the card declares it, and stamps while the client has
//! activated it. The handler hands envelopes over by a [`ConverseReply`]; where it hands over none,
//! objects say `author: agent` and that no assessment ran, and messages of the history name no author.
//!
//! ```
//! # #[cfg(feature = "axum")] {
//! use axum::{Json, Router, body::Body, http::Request, routing::post};
//! use http_body_util::BodyExt;
//! use serde_json::{Value, json};
//! use tower::ServiceExt;
//! use tower_a2a_extensions::converse::{Author, CONVERSE_URI, ConverseDeclaration, Envelope, McpEndpoint, Ownership};
//! use tower_a2a_extensions::{A2aExtensionsLayer, BoxError, ConverseReply};
//!
//! async fn desk(reply: ConverseReply) -> Json<Value> {
//!     if let Ok(envelope) = Envelope::builder(Author::Human).ownership(Ownership::human_owned()).build() {
//!         reply.set(envelope);
//!     }
//!     Json(json!({"message": {"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "Anna here."}]}}))
//! }
//!
//! let converse = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
//! let card = json!({"name": "Desk", "capabilities": {"extensions": [converse]}, "skills": []});
//! let app = Router::new().route("/message:send", post(desk)).layer(A2aExtensionsLayer::new(card)?);
//!
//! let question = json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "A person, please."}]}});
//! let request = Request::post("/message:send")
//!     .header("content-type", "application/json")
//!     .header("a2a-version", "1.0")
//!     .header("a2a-extensions", CONVERSE_URI.as_str())
//!     .body(Body::from(question.to_string()))?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let reply: Value = serde_json::from_slice(&app.oneshot(request).await?.into_body().collect().await?.to_bytes())?;
//! let envelope = Envelope::from_value(&reply["message"]["metadata"][CONVERSE_URI.as_str()])?;
//! assert_eq!(envelope.author(), Some(&Author::Human));
//! # Ok::<(), BoxError>(())
//! # })?;
//! # }
//! # Ok::<(), tower_a2a_extensions::BoxError>(())
//! ```
//!
//! # Task state and envelope
//!
//! While a task waits for input for a routine, `routine.pendingInput` is what it waits for. Where it
//! is empty, and the routine is neither completed nor abandoned, the
//! [observer](crate::ExtensionsObserver) is told, once for each call; the reply leaves as it is. It is
//! seen where the client has activated the extension, and where the task or event has a Message or an
//! Artifact: without one nothing carries an envelope.
//!
//! # Push notifications, and bindings of your own
//!
//! A [`ReplyFilter`](crate::ReplyFilter) stamps them like replies. Envelopes live with their call and
//! are stored nowhere: hand them over to the call that [`call_for`](crate::ReplyFilter::call_for)
//! makes, before each payload, or write them into the stored objects under [`CONVERSE_URI`], from
//! where every later reply takes them for clients that activated the extension.
//!
//! # Beside On Request
//!
//! Either may stand first in the card or in the client's header: an object is read once and gets
//! both. What another extension withholds carries the fallback, since any other envelope may tell of
//! the content that is gone; of the reply's envelope only author and ownership remain then, and where
//! the caller was referred. An envelope that is handed over by id, or written into an object, is the
//! agent's word about that object alone.

mod card;
mod envelope;
mod extension;
mod outcome;
mod reply;
mod slot;
mod stamp;
mod words;

#[cfg(test)]
mod tests;

pub use self::card::{
    ConverseDeclaration, ConverseTool, McpEndpoint, Slot, SlotProblem, SlotType, ToolInput, ToolInputError, check_card,
};
pub use self::envelope::{
    AnswerCoverage, Author, Citation, Coverage, CoverageAvailability, CoverageReason, Envelope, EnvelopeBuilder,
    EnvelopeError, EnvelopeOddity, EnvelopeReadError, Invocation, Ownership, OwnershipState, PendingInput, Routine,
    RoutineStatus,
};
pub use self::extension::Converse;
pub use self::outcome::InvocationOutcome;
pub use self::reply::{ConverseReply, EnvelopeLimitError};
pub use self::words::UnknownWord;
use crate::uri::ExtensionUri;

/// The URI of the extension.
pub const CONVERSE_URI: ExtensionUri =
    ExtensionUri::from_static("https://docs.radioso.ai/reference/a2a-converse-extension/v1");

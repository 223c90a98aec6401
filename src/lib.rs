//! One line gives an [A2A](https://a2a-protocol.org) agent extension negotiation, stamping and the
//! On Request gate.
//!
//! An Agent Card declares extensions, a client asks for some by URI in the `A2A-Extensions` header,
//! and their data travels in `metadata` and `extensions` of Messages and Artifacts (A2A §3.2.6,
//! §4.6). [`A2aExtensionsLayer`] does all of it in front of an agent, whatever the agent is built
//! with: axum, another tower stack, an SDK. For every request, in JSON-RPC, HTTP+JSON and (feature
//! `grpc`) gRPC, unary and streamed, A2A 1.0 and 0.3:
//!
//! 1. the header is read and intersected with what the card declares;
//! 2. a missing required extension is refused, in the caller's binding, before the agent runs;
//! 3. a message for an on-request skill is decided: referred to a person's entry point, or let
//!    through ([`on_request`]);
//! 4. what goes out carries `extensions` and `metadata` of exactly what is active, such as a reply's
//!    own account of itself ([`converse`]);
//! 5. the response names the active URIs.
//!
//! # A server
//!
//! ```
//! # #[cfg(feature = "axum")] {
//! use axum::{Json, Router, body::Body, http::Request, routing::post};
//! use http_body_util::BodyExt;
//! use serde_json::{Value, json};
//! use tower::ServiceExt;
//! use tower_a2a_extensions::on_request::ON_REQUEST_URI;
//! use tower_a2a_extensions::{A2aExtensionsLayer, Held, OnRequestGuard, Referral};
//!
//! // Opens only with a permit for its skill, whatever the question looked like.
//! static PRICE: Held<&str> = Held::new("service-pricing", "as the chapel gives it");
//!
//! async fn agent(guard: OnRequestGuard, Json(_call): Json<Value>) -> Result<Json<Value>, Referral> {
//!     let price = guard.open(&PRICE).await?; // or a complete referral in the caller's binding
//!     let artifact = price.artifact(|price| json!([{"text": price}]));
//!     let status = json!({"state": "TASK_STATE_COMPLETED"});
//!     Ok(Json(json!({"task": {"id": "t-1", "contextId": "c-1", "status": status, "artifacts": [artifact]}})))
//! }
//!
//! let card = json!({
//!     "name": "Example Memorial Chapel assistant",
//!     "provider": {"organization": "Example Memorial Chapel", "url": "https://example.com"},
//!     "supportedInterfaces": [
//!         {"url": "https://agent.example.com/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}
//!     ],
//!     "capabilities": {"extensions": [{
//!         "uri": "https://agent-capability.org/ext/on-request/v1",
//!         "params": {"skills": [{"id": "service-pricing", "personEntry": "https://ask.example.com/talk"}]}
//!     }]},
//!     "skills": [{"id": "service-pricing", "name": "Service costs", "description": "On request.", "tags": []}]
//! });
//! let app = Router::new().route("/a2a/message:send", post(agent)).layer(A2aExtensionsLayer::new(card)?);
//!
//! let question = json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "And what is it?"}]}});
//! let request = Request::post("/a2a/message:send")
//!     .header("content-type", "application/json")
//!     .header("a2a-version", "1.0")
//!     .header("a2a-extensions", ON_REQUEST_URI.as_str())
//!     .body(Body::from(question.to_string()))?;
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! let reply = app.oneshot(request).await?;
//! assert_eq!(reply.headers()["a2a-extensions"], ON_REQUEST_URI.as_str());
//! let reply: Value = serde_json::from_slice(&reply.into_body().collect().await?.to_bytes())?;
//! let mark = &reply["message"]["metadata"][ON_REQUEST_URI.as_str()];
//! assert_eq!(mark["status"], "on-request");
//! assert_eq!(mark["personEntry"], "https://ask.example.com/talk");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # An extension of your own
//!
//! [`A2aExtension`] is one trait; negotiation, bindings, streams and places are the layer's.
//!
//! # Where to start
//!
//! | you are | start with |
//! |---|---|
//! | an agent developer | [`A2aExtensionsLayer`], [`OnRequestGuard`], and the guide [`docs::deciding`] |
//! | an operator | [`docs::security`], [`docs::cards`], and an [`ExtensionsObserver`] |
//! | an author of an extension | [`A2aExtension`], whose documentation is a guide, and [`docs::architecture`] |
//! | an author of an assistant | [`docs::deciding`] for what an agent asks of you, and the [mark](on_request#marks) of its replies |
//!
//! # Features
//!
//! | feature | default | what |
//! |---|---|---|
//! | `axum` | yes | extractors for [`A2aCall`], [`ActivatedExtensions`], [`OnRequestGuard`], [`ConverseReply`]; [`Referral`] as a handler's error |
//! | `grpc` | no | A2A over gRPC in front of tonic, or any stack on `http` types; without it its paths are refused while a gate is installed |
//! | `json-schema` | no | input schemas of routines, and inputs against them, checked by every keyword ([`converse`]) |
//! | `redis` | no | `RedisStore`: replicas share the claims and limits of actions ([`on_request::actions`]) |
//! | `tracing` | no | `TracingObserver`, an [`ExtensionsObserver`] that writes `tracing` events |
//! | `cli` | no | the command `a2a-card-check`; [`on_request::CardChecker`] is there without it |
//! | `full` | no | all of them but `cli` and `json-schema` |
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "__bench")]
#[doc(hidden)]
pub mod bench_support;
mod binding;
mod call;
mod card;
pub mod converse;
mod deadline;
#[cfg(any(doc, doctest))]
pub mod docs;
mod error;
mod extension;
#[cfg(feature = "axum")]
mod extract;
mod findings;
mod json;
mod negotiation;
mod observer;
pub mod on_request;
#[cfg(feature = "grpc")]
mod protobuf;
mod server;
mod shield;
mod stamping;
pub mod testing;
mod uri;
mod values;

pub use binding::{Binding, IncomingMessage, ProtocolVersion};
pub use call::{A2aCall, ActivatedExtensions, CallFacts, CallRegistry, HeaderLookup, StoredActivation};
pub use card::{AgentCard, CardInterface, CardSkill, DeclaredExtension};
pub use converse::{Converse, ConverseReply};
pub use error::{A2aError, A2aErrorKind, BoxError};
pub use extension::{A2aExtension, Answer, Gate, GateFuture, MessageGate, ObjectKind, OutgoingObject, Stamp};
#[cfg(feature = "axum")]
pub use extract::MissingLayer;
pub use findings::{BuildError, Finding, Findings, Severity};
pub use negotiation::{A2A_EXTENSIONS, A2A_VERSION, DeclineError, X_A2A_EXTENSIONS};
#[cfg(feature = "tracing")]
pub use observer::TracingObserver;
pub use observer::{ExtensionsEvent, ExtensionsObserver};
pub use on_request::{Held, OnRequest, OnRequestGuard, Policy, Referral, SkillCall, Verdict, with_state};
pub use server::{
    A2aExtensionsBody, A2aExtensionsBuilder, A2aExtensionsFuture, A2aExtensionsLayer, A2aExtensionsService,
    A2aRequestBody, ReplyStoppedError,
};
pub use stamping::{PayloadStopKind, PayloadStoppedError, ReplyFilter};
pub use uri::{ExtensionUri, UriError};

/// The code of the README compiles.
#[cfg(all(doctest, feature = "axum"))]
#[doc = include_str!("../README.md")]
struct ReadmeDoctests;

//! One line gives an A2A agent extension negotiation, stamping and the On Request gate.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod binding;
mod call;
mod card;
mod deadline;
mod error;
mod extension;
mod findings;
mod json;
mod negotiation;
mod observer;
mod on_request;
mod server;
mod stamping;
mod uri;

pub use binding::{Binding, IncomingMessage, ProtocolVersion};
pub use call::{A2aCall, ActivatedExtensions, CallFacts, CallRegistry, HeaderLookup};
pub use card::{AgentCard, CardInterface, CardSkill, DeclaredExtension};
pub use error::{A2aError, A2aErrorKind};
pub use extension::{A2aExtension, Answer, Gate, GateFuture, MessageGate, ObjectKind, OutgoingObject, Stamp};
pub use findings::{BuildError, Finding, Findings, Severity};
pub use negotiation::{A2A_EXTENSIONS, A2A_VERSION, DeclineError, X_A2A_EXTENSIONS};
pub use observer::{ExtensionsEvent, ExtensionsObserver};
pub use server::{
    A2aExtensionsBody, A2aExtensionsBuilder, A2aExtensionsFuture, A2aExtensionsLayer, A2aExtensionsService,
    A2aRequestBody, ReplyStoppedError,
};
pub use uri::{ExtensionUri, UriError};

/// An error of whatever type, as tower has it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

//! The layer: what polls, and nothing else. What it does with heads, bytes and decisions stands in
//! the rooms below.

mod admission;
mod build;
mod builder;
mod claims;
mod collector;
mod config;
mod echo;
mod frames;
mod future;
mod grpc;
mod instead;
mod layer;
mod media_type;
mod offered;
mod reader;
mod reply;
mod request_body;
mod response_body;
mod service;
mod upgrade;

pub use builder::A2aExtensionsBuilder;
pub use future::A2aExtensionsFuture;
pub use layer::A2aExtensionsLayer;
pub use request_body::A2aRequestBody;
pub use response_body::{A2aExtensionsBody, ReplyStoppedError};
pub use service::A2aExtensionsService;

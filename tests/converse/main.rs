//! Converse in front of agents: what replies carry, in every binding, and what they do not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod both;
mod conversations;
mod example;
mod findings;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "grpc")]
#[path = "../../src/stamping/grpc/tests/messages.rs"]
mod messages;
mod payloads;
mod support;
mod table;
mod tools;

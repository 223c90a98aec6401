//! gRPC calls through the layer, frame by frame, without a gRPC library.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod answers;
mod beside;
mod dropped;
mod foreign;
mod guarded;
#[path = "../../src/stamping/grpc/tests/messages.rs"]
mod messages;
mod negotiation;
mod opened;
mod own_words;
mod refusals;
mod replies;
mod stopped;
mod support;
mod talked_past;

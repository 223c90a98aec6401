//! Traffic of seven real servers and two real clients through the layer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod clients;
mod documents;
#[cfg(feature = "grpc")]
mod grpc;
mod support;
mod table;

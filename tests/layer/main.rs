//! The layer driven through `oneshot`, and every way of attaching it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

mod attach;
mod bodies;
mod build;
mod frames;
mod gates;
mod header;
mod mock;
mod streams;
mod support;

//! Version 0.3 in both its JSON bindings: a table of requests and replies.
//!
//! JSON-RPC of 0.3 tells objects by `kind`; HTTP+JSON of 0.3 is ProtoJSON, where Parts of a Message
//! are `content`, roles and states have long names and a list of tasks is a bare array.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

mod errors;
mod guarded;
mod replies;
mod requests;
mod support;

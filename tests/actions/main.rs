//! Actions through the whole layer, in every binding (OR-5.6 to OR-5.8): one agent, one card.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod after_refusal;
mod bindings;
mod deferred;
mod support;

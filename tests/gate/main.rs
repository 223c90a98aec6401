//! The gate, driven through `oneshot` in front of an agent that tells its price to everybody.

mod answers;
mod bodies;
mod ids;
mod outgoing;
mod required;
mod routes;
mod support;
mod talked_past;

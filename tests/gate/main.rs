//! The gate, driven through `oneshot` in front of an agent that tells its price to everybody.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

mod answers;
mod beside;
mod bodies;
mod dropped;
mod endless;
mod heads;
mod ids;
mod late_errors;
mod late_marks;
mod limits;
mod marks;
mod misshapen;
mod neighbours;
mod opened;
mod outgoing;
mod own_words;
mod required;
mod routes;
mod store;
mod support;
mod talked_past;
mod unseen;
mod versions;
mod withheld;

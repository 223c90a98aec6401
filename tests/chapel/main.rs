//! The chapel example as its users meet it: its binary, over a socket.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

mod agents_own;
mod bindings;
mod driver;
mod opened;
mod other_examples;
mod paraphrases;
mod referrals;
mod start;

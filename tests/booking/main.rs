//! The booking example as its users meet it: its binary, over a socket, and what it prints.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failure here is a failed test"
)]

mod ask;
mod conditions;
mod driver;
mod duplicates;
mod hang_up;
mod limits;
#[cfg(feature = "redis")]
mod redis_server;
#[cfg(feature = "redis")]
mod replicas;
mod start;

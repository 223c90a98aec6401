//! gRPC: the `grpc` example as its users meet it, and agents that give everything away, each over a
//! real socket and with the official SDK's client on tonic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

mod agents_own;
mod client;
#[path = "../chapel/driver.rs"]
#[allow(dead_code, reason = "the chapel's own tests use the rest of it")]
mod driver;
mod echo;
mod ended;
mod leaky;
mod one_port;
mod opened;
mod referrals;
mod required;
mod shared_store;
mod talked_past;
mod tonic_0_13;

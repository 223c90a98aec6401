//! A real axum server on loopback, and clients that speak HTTP/1.1 byte by byte.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod client;
mod deep;
mod ended;
mod memory;
mod server;
mod streams;
mod truncated;

use peak_alloc::PeakAlloc;
use tokio::sync::{Mutex, MutexGuard};

/// Counts every byte of this process.
#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// What is measured is measured alone.
async fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::const_new(());
    ALONE.lock().await
}

//! A slow client holds the agent back, not the server's memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;

use crate::client::RawClient;
use crate::server::{Flood, event, reply, serve};
use crate::{HEAP, alone};

const OFFERED: usize = 100 << 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b17_a_client_that_reads_a_byte_every_100_ms_costs_less_than_a_mebibyte() {
    let _alone = alone().await;
    let (taken, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let (counter, flag) = (Arc::clone(&taken), Arc::clone(&dropped));
    let flood = event(&"x".repeat(1000));
    let agent = move || {
        let (taken, dropped) = (Arc::clone(&counter), Arc::clone(&flag));
        let flood = Flood { event: flood.clone().into(), left: OFFERED, taken, dropped };
        std::future::ready(reply("text/event-stream", Body::new(flood)))
    };
    let address = serve(agent).await;
    // Once through, so that what is made once is there.
    let mut first = RawClient::connect(address).await;
    first.ask("").await;
    first.until("\n\n\r\n").await;
    drop(first);
    while !dropped.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }

    let mut client = RawClient::connect(address).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let baseline = HEAP.current_usage();
    HEAP.reset_peak_usage();
    taken.store(0, Ordering::SeqCst);
    client.ask("").await;
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(3) {
        client.byte().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let over = HEAP.peak_usage().saturating_sub(baseline);
    let taken = taken.load(Ordering::SeqCst);
    println!("heap over baseline: {over} bytes; taken from the agent: {taken} of {OFFERED} bytes");
    assert!(over <= 1 << 20, "{over} bytes over baseline");
    assert!(taken > 0 && taken < OFFERED / 2, "the agent is held back: {taken} bytes were taken");
}

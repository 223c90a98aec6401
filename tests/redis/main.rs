//! `RedisStore` against servers that the tests start, kill, stop and empty.
//!
//! Without `redis-server` (in `PATH`, or named by `REDIS_SERVER`) they pass and say that they were
//! skipped, unless `REDIS_TESTS=required`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

mod contract;
mod emptied;
mod failures;
mod keys;
mod proxy;
mod replicas;
mod server;
mod set_up;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tower_a2a_extensions::on_request::actions::store::{
    ActionClaim, ActionKey, ActionLimit, ActionStore, ClaimOutcome, ClaimToken, LimitKey, RedisStore, StoreError,
};

pub(crate) const MINUTE: Duration = Duration::from_secs(60);
pub(crate) const AMPLE: ActionLimit = ActionLimit::new(1_000_000, MINUTE);
/// What a call may take at most: the time to connect and that of an answer.
pub(crate) const BOUND: Duration = Duration::from_millis(800);
/// For a machine that does much else at once.
const SLACK: Duration = Duration::from_millis(400);

pub(crate) fn hash(kind: u8, number: usize) -> [u8; 32] {
    let mut hash = [kind; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    hash
}

/// A claim of the action of a number by a new attempt.
pub(crate) fn claim(number: usize) -> ActionClaim {
    ActionClaim::new(ActionKey::new(hash(1, number)), ClaimToken::random())
        .with_digest(hash(2, number))
        .with_limits((LimitKey::new(hash(3, 0)), AMPLE), (LimitKey::new(hash(4, 0)), AMPLE))
        .with_note(format!("note {number}").into())
}

pub(crate) async fn start(store: &RedisStore, claim: &ActionClaim) -> Result<bool, StoreError> {
    store.start(claim.key(), claim.token(), MINUTE).await
}

pub(crate) async fn complete(store: &RedisStore, claim: &ActionClaim, reply: &[u8]) -> Result<bool, StoreError> {
    store.complete(claim.key(), claim.token(), reply).await
}

/// What went wrong, in full.
pub(crate) fn reason<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    let error = result.unwrap_err();
    std::error::Error::source(&error).unwrap().to_string()
}

/// Makes 50 different claims at once, none of which may be answered, and says what the longest took.
pub(crate) async fn refused_in_time(store: &RedisStore, case: &str) -> Duration {
    let calls = (0..50).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let started = Instant::now();
            let outcome = store.claim(&claim(1_000_000 + number)).await;
            assert!(outcome.is_err(), "{outcome:?}");
            started.elapsed()
        })
    });
    let mut longest = Duration::ZERO;
    for call in calls.collect::<Vec<_>>() {
        longest = longest.max(call.await.unwrap());
    }
    println!("{case}: 50 calls refused within {longest:?}");
    assert!(longest < BOUND + SLACK, "{case}: {longest:?}");
    longest
}

/// Claims what is free until it is claimed, and says how long that took.
pub(crate) async fn recovered(store: &RedisStore, number: usize, case: &str) -> Duration {
    let started = Instant::now();
    loop {
        match store.claim(&claim(number)).await {
            Ok(ClaimOutcome::Claimed) => break,
            Ok(outcome) => panic!("{case}: {outcome:?}"),
            Err(error) => assert!(started.elapsed() < Duration::from_secs(5), "{case}: {error:?}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    println!("{case}: claimed again after {:?}", started.elapsed());
    started.elapsed()
}

pub(crate) fn shared(store: RedisStore) -> Arc<dyn ActionStore> {
    Arc::new(store)
}

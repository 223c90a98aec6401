//! The properties that every store must have, as functions that a store's tests call.
//!
//! Each function panics with a message where the store breaks the property. They use new random
//! keys, so that they can run one after another or at once on one store, and real leases of some
//! tenths of a second, so that no clock has to be moved. The store must be one that nobody else uses
//! meanwhile: [`take_overdue`](super::ActionStore::take_overdue) takes what others started.
//!
//! Run them on a runtime with several threads, so that calls are made in parallel.
//!
//! ```
//! use std::sync::Arc;
//! use tower_a2a_extensions::on_request::actions::store::{MemoryStore, suite};
//!
//! # tokio_test::block_on(async {
//! suite::run(Arc::new(MemoryStore::new())).await;
//! # });
//! ```

mod deferred;
mod limits;
mod states;
mod time;

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

pub use self::deferred::a_deferred_task_is_told_until_it_is_completed;
pub use self::limits::{
    a_duplicate_is_told_before_a_limit, a_flood_of_fresh_ids_resets_no_limit,
    limits_are_charged_together_or_not_at_all, limits_free_up_again, limits_hold_in_parallel,
    the_call_after_the_last_is_limited,
};
pub use self::states::{
    a_claim_after_its_abandon_is_lost, a_claim_is_freed_by_its_token_only, one_of_many_parallel_claims_is_claimed,
    what_is_done_is_answered_again, what_is_started_becomes_unknown,
};
pub use self::time::{
    a_claim_ends_with_its_lease, durations_without_end_are_kept, notes_are_given_out_once,
    what_is_remembered_is_forgotten_in_time, what_takes_too_long_is_unknown,
};
use super::{
    AbandonOutcome, ActionClaim, ActionKey, ActionLimit, ActionState, ActionStore, ClaimOutcome, ClaimToken, LimitKey,
    StoreError,
};

/// What a store is given to the functions of this module as.
pub type SharedStore = Arc<dyn ActionStore>;

/// Runs every property, one after another; it takes about two seconds.
///
/// # Panics
///
/// Where the store breaks a property.
pub async fn run(store: SharedStore) {
    one_of_many_parallel_claims_is_claimed(&store).await;
    what_is_done_is_answered_again(&store).await;
    a_claim_is_freed_by_its_token_only(&store).await;
    what_is_started_becomes_unknown(&store).await;
    a_claim_after_its_abandon_is_lost(&store).await;
    a_claim_ends_with_its_lease(&store).await;
    what_takes_too_long_is_unknown(&store).await;
    what_is_remembered_is_forgotten_in_time(&store).await;
    durations_without_end_are_kept(&store).await;
    notes_are_given_out_once(&store).await;
    the_call_after_the_last_is_limited(&store).await;
    limits_are_charged_together_or_not_at_all(&store).await;
    a_duplicate_is_told_before_a_limit(&store).await;
    a_flood_of_fresh_ids_resets_no_limit(&store).await;
    limits_hold_in_parallel(&store).await;
    limits_free_up_again(&store).await;
    a_deferred_task_is_told_until_it_is_completed(&store).await;
}

/// How long a lease is that a test waits for, and how long it waits.
const SHORT: Duration = Duration::from_millis(50);
const OVER: Duration = Duration::from_millis(250);
/// A limit that no test reaches.
const AMPLE: ActionLimit = ActionLimit::new(1_000_000, Duration::from_secs(60));

fn random_hash() -> [u8; 32] {
    let mut hash = [0; 32];
    let (first, second) = hash.split_at_mut(16);
    first.copy_from_slice(Uuid::new_v4().as_bytes());
    second.copy_from_slice(Uuid::new_v4().as_bytes());
    hash
}

/// A claim of an action that nobody knows yet, under limits of its own.
fn new_claim() -> ActionClaim {
    let limit = || (LimitKey::new(random_hash()), AMPLE);
    ActionClaim::new(ActionKey::new(random_hash()), ClaimToken::random())
        .with_digest(random_hash())
        .with_limits(limit(), limit())
        .with_note(random_hash().to_vec())
}

/// The same action, asked for again.
fn again(claim: &ActionClaim) -> ActionClaim {
    claim.clone().with_token(ClaimToken::random()).with_note(b"of the duplicate".to_vec())
}

fn taken(claim: &ActionClaim, state: ActionState) -> ClaimOutcome {
    ClaimOutcome::Taken { digest: *claim.digest(), state }
}

/// A store whose errors fail the test.
struct Sound<'a>(&'a dyn ActionStore);

impl Sound<'_> {
    async fn claim(&self, claim: &ActionClaim) -> ClaimOutcome {
        told("claim", self.0.claim(claim).await)
    }

    async fn start(&self, claim: &ActionClaim, allowed: Duration) -> bool {
        told("start", self.0.start(claim.key(), claim.token(), allowed).await)
    }

    async fn complete(&self, claim: &ActionClaim, reply: &[u8]) -> bool {
        told("complete", self.0.complete(claim.key(), claim.token(), reply).await)
    }

    async fn abandon(&self, claim: &ActionClaim) -> AbandonOutcome {
        told("abandon", self.0.abandon(claim.key(), claim.token()).await)
    }

    async fn state(&self, claim: &ActionClaim) -> Option<ActionState> {
        told("state", self.0.state(claim.key()).await)
    }

    async fn take_overdue(&self, most: usize) -> Vec<Vec<u8>> {
        told("take_overdue", self.0.take_overdue(most).await)
    }

    /// Claims what must be free.
    async fn hold(&self, claim: &ActionClaim) {
        let outcome = self.claim(claim).await;
        assert_eq!(outcome, ClaimOutcome::Claimed, "an action that nobody holds can be claimed");
    }

    /// Claims and starts what must be free.
    async fn begin(&self, claim: &ActionClaim, allowed: Duration) {
        self.hold(claim).await;
        assert!(self.start(claim, allowed).await, "what is claimed can be started");
    }
}

fn told<T>(step: &str, result: Result<T, StoreError>) -> T {
    result.unwrap_or_else(|error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        panic!("{step} failed: {error}: {cause}")
    })
}

/// Makes all claims at once, each on a task of its own.
async fn claim_at_once(store: &SharedStore, claims: Vec<ActionClaim>) -> Vec<ClaimOutcome> {
    let tasks = claims.into_iter().map(|claim| {
        let store = Arc::clone(store);
        tokio::spawn(async move { told("claim", store.claim(&claim).await) })
    });
    let mut outcomes = Vec::new();
    for task in tasks.collect::<Vec<_>>() {
        outcomes.push(task.await.unwrap_or_else(|error| panic!("a claim was not answered: {error}")));
    }
    outcomes
}

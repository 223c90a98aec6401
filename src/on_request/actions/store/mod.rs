//! Where claims of actions are kept: the contract, and two stores that meet it.
//!
//! # For implementers
//!
//! A store holds one entry for each [`ActionKey`], and the state of two limits for each claim. It
//! is the only thing that keeps an action from being done twice, so each method is **one atomic
//! step**: nothing of another call may happen between what it reads and what it writes. Its time is
//! its own, one clock for all replicas.
//!
//! | state | how it is left |
//! |---|---|
//! | none | [`claim`](ActionStore::claim) makes it *claimed*, where both limits allow |
//! | claimed | [`start`](ActionStore::start) by its token within the lease: *started*; [`abandon`](ActionStore::abandon) by its token, or the end of the lease: none |
//! | started | [`complete`](ActionStore::complete) by its token: *done*; `abandon` by its token, or the end of the time allowed: *unknown* |
//! | unknown | `complete` by its token: *done*; else it stays until it is forgotten |
//! | done | stays until it is forgotten |
//!
//! * The lease and the time allowed end by the store's clock. What has ended is so for every later
//!   call, whether or not anything has run meanwhile.
//! * Both limits are asked in the step that claims, and charged only together. An entry that stands
//!   already is told before any limit is asked, so that a duplicate gets its reply when a limit is used up.
//! * `abandon` of a key that has no entry leaves a tombstone for at least the claim's lease: a claim
//!   with the same token that arrives later is [`ClaimOutcome::Lost`].
//! * An entry that is started, done or unknown is kept for [`ActionClaim::remembered`] from its last
//!   change, and never forgotten earlier. A store without room says [`ClaimOutcome::Full`].
//! * A task that [`defer`](ActionStore::defer) remembers stays until
//!   [`complete_deferred`](ActionStore::complete_deferred) forgets it. There is room for 10 000 at least.
//! * An error says that nothing is known of what was done. It must come soon: whoever waits for a
//!   store refers a person when the time is over.
//!
//! [`suite`] runs the whole contract against a store.

mod claim;
mod key_hasher;
mod limit;
mod memory;
#[cfg(feature = "redis")]
mod redis;
pub mod suite;
#[cfg(test)]
mod tests;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub(super) use self::claim::hex;
pub use self::claim::{
    AbandonOutcome, ActionClaim, ActionKey, ActionState, ClaimOutcome, ClaimToken, LimitKey, TaskKey,
};
pub use self::limit::{ActionLimit, LimitClock};
pub use self::memory::MemoryStore;
#[cfg(feature = "redis")]
pub use self::redis::{RedisStore, RedisStoreError};
use crate::error::BoxError;

/// What a store's methods return.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps claims, so that one action is done once. See the [module](self) for the contract.
///
/// ```
/// use std::time::Duration;
/// use tower_a2a_extensions::on_request::actions::store::{
///     ActionClaim, ActionKey, ActionLimit, ActionState, ActionStore, ClaimOutcome, ClaimToken, LimitKey, MemoryStore,
/// };
///
/// let limit = ActionLimit::new(3, Duration::from_secs(60));
/// let claim = ActionClaim::new(ActionKey::new([1; 32]), ClaimToken::random())
///     .with_limits((LimitKey::new([2; 32]), limit), (LimitKey::new([3; 32]), limit));
/// let store = MemoryStore::new();
/// # tokio_test::block_on(async {
/// assert_eq!(store.claim(&claim).await?, ClaimOutcome::Claimed);
/// assert!(store.start(claim.key(), claim.token(), Duration::from_secs(30)).await?);
/// assert!(store.complete(claim.key(), claim.token(), b"booked").await?);
///
/// let again = claim.clone().with_token(ClaimToken::random());
/// let ClaimOutcome::Taken { state, .. } = store.claim(&again).await? else { panic!("it was done") };
/// assert_eq!(state, ActionState::Done(b"booked".to_vec()));
/// # Ok::<(), tower_a2a_extensions::on_request::actions::store::StoreError>(())
/// # }).unwrap();
/// ```
pub trait ActionStore: Send + Sync + 'static {
    /// Claims an action, where nobody has and both limits allow it.
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome>;

    /// Starts what was claimed with this token, for at most `allowed`. `false` where the claim is
    /// not held any more; then the action must not be done.
    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool>;

    /// Records that what was started with this token is done, and how it was answered. `false` where
    /// no such thing was started.
    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool>;

    /// Gives up: frees what is only claimed, and makes what is started unknown.
    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome>;

    /// The state of an entry, for a duplicate that waits. `None` if the store has no entry, or no longer has it.
    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>>;

    /// Takes the notes of at most `most` actions that were started and have become unknown because
    /// their time was over. Each is given out once, to one caller, and its entry stays unknown.
    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>>;

    /// Remembers that staff have still to complete the action of a task. `false` where there is no room;
    /// a task that is remembered already is `true`.
    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool>;

    /// At most `most` tasks that staff have still to complete, each with its skill.
    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>>;

    /// Forgets a task, because staff have completed its action. `false` where it is not remembered.
    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool>;
}

impl<S: ActionStore + ?Sized> ActionStore for Arc<S> {
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome> {
        self.as_ref().claim(claim)
    }

    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool> {
        self.as_ref().start(key, token, allowed)
    }

    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool> {
        self.as_ref().complete(key, token, reply)
    }

    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome> {
        self.as_ref().abandon(key, token)
    }

    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>> {
        self.as_ref().state(key)
    }

    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>> {
        self.as_ref().take_overdue(most)
    }

    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool> {
        self.as_ref().defer(task, skill)
    }

    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>> {
        self.as_ref().deferred(most)
    }

    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool> {
        self.as_ref().complete_deferred(task)
    }
}

/// A store could not do what it was asked, or it is not known whether it did.
///
/// Opaque on purpose: whoever asks refers the person, whatever it was.
#[derive(Debug)]
pub struct StoreError(BoxError);

impl StoreError {
    /// Wraps what went wrong.
    #[must_use]
    pub fn new(error: impl Into<BoxError>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the store of actions failed")
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.0.as_ref())
    }
}

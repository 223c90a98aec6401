//! The store of several processes, in Redis or Valkey.

mod answer;
mod fault;
mod keys;
mod link;
mod node;
mod script;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::redis::{ConnectionInfo, IntoConnectionInfo, ProtocolVersion, Value};
use uuid::Uuid;

use self::answer::Generation;
use self::fault::Fault;
use self::keys::KeyPrefix;
use self::link::Link;
use self::script::{Script, ScriptCall};
use super::{
    AbandonOutcome, ActionClaim, ActionKey, ActionLimit, ActionState, ActionStore, ClaimOutcome, ClaimToken,
    StoreError, StoreFuture, TaskKey,
};

const DEFAULT_TIMEOUT: Duration = Duration::from_millis(400);
/// How many tasks of deferred actions are remembered.
const MOST_DEFERRED: usize = 10_000;
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);
/// A hundred years: numbers of microseconds that scripts can still add up exactly.
const LONGEST: u128 = 100 * 365 * 86_400 * 1_000_000;

/// Keeps claims in Redis (6 or later) or Valkey, alone or in a cluster, **for an operator with
/// several replicas**: they share its claims, its limits and its clock.
///
/// ```
/// use std::time::Duration;
/// use tower_a2a_extensions::on_request::actions::store::RedisStore;
///
/// let store = RedisStore::new("redis://:secret@redis.chapel.example/0", "holy-trinity")?
///     .with_node("redis://:secret@redis-2.chapel.example/0")?
///     .with_timeout(Duration::from_millis(300));
/// assert!(!format!("{store:?}").contains("secret"));
/// # Ok::<(), tower_a2a_extensions::on_request::actions::store::RedisStoreError>(())
/// ```
///
/// It connects when it is first used, and anew by itself after every failure. While Redis is down,
/// hangs, is slow or read-only, each call fails within twice the [time-out](Self::with_timeout), and
/// persons are referred. A clone is a pointer to the same connection.
///
/// # What the operator sees to
///
/// * **Redis must not evict**: a forgotten entry is an action done twice. Each new connection reads
///   `maxmemory-policy`, and is refused where that is not `noeviction`. A user who may neither
///   `CONFIG GET` nor `INFO` does not see it ([`eviction_policy`](Self::eviction_policy)).
/// * **An empty store refers.** Where the store is empty, or is not the one that a replica knows, it
///   may have been emptied, and answers [`ClaimOutcome::Emptied`] until everything would have been
///   forgotten: [`ActionClaim::remembered`], or the period of a limit where that is longer. So does
///   a new one, unless [`starts_empty`](Self::starts_empty) says that it is new.
/// * **Redis loses writes**: a failover may forget the last ones, which nobody can see. That is what
///   [`idempotency_key`](crate::on_request::actions::ActionPermit::idempotency_key) is for: the
///   booking system's own constraint has the last word. `appendfsync always` and
///   `min-replicas-to-write` make it rare.
/// * One prefix for each operator: all its keys are in one slot of a cluster. The user needs
///   `EVALSHA`, `EVAL`, `SCRIPT LOAD` and the commands of the scripts on the keys `{PREFIX}:*`.
/// * For `rediss://` switch on a TLS feature of the crate `redis`, such as `tokio-rustls-comp`.
#[derive(Clone)]
pub struct RedisStore(Arc<SharedStore>);

struct SharedStore {
    prefix: KeyPrefix,
    link: Arc<Link>,
    starts_empty: bool,
    seen: Mutex<Generation>,
}

impl RedisStore {
    /// A store at `redis://USER:PASSWORD@HOST:PORT/DB`, whose keys start with `{prefix}`.
    ///
    /// Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// If the URL is not a URL of Redis, or the prefix is not 1 to 100 ASCII letters, digits and
    /// `-`, `.`, `_`, `:`, `/`.
    pub fn new(url: &str, prefix: &str) -> Result<Self, RedisStoreError> {
        Ok(Self::with(KeyPrefix::new(prefix)?, vec![connection_info(url)?], DEFAULT_TIMEOUT, false))
    }

    /// Adds another server: a replica that may become the primary, or another node of the cluster.
    /// The store uses the one that is the primary of its keys.
    ///
    /// # Errors
    ///
    /// If the URL is not a URL of Redis.
    pub fn with_node(self, url: &str) -> Result<Self, RedisStoreError> {
        let mut nodes = self.0.link.nodes().to_vec();
        nodes.push(connection_info(url)?);
        Ok(Self::with(self.0.prefix.clone(), nodes, self.0.link.limit(), self.0.starts_empty))
    }

    /// Sets for how long connecting may take, and how long an answer. Default: 400 ms, at most a minute.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        let nodes = self.0.link.nodes().to_vec();
        Self::with(self.0.prefix.clone(), nodes, timeout.min(LONGEST_TIMEOUT), self.0.starts_empty)
    }

    /// Says that an empty store is a new one, so that its first actions are not referred for a day.
    /// Default: `false`.
    ///
    /// **For the first start only.** With `true`, a store that was emptied while no replica was
    /// running is taken for a new one, and what was done before may be done again.
    #[must_use]
    pub fn starts_empty(self, starts_empty: bool) -> Self {
        Self::with(self.0.prefix.clone(), self.0.link.nodes().to_vec(), self.0.link.limit(), starts_empty)
    }

    fn with(prefix: KeyPrefix, nodes: Vec<ConnectionInfo>, timeout: Duration, starts_empty: bool) -> Self {
        let link = Arc::new(Link::new(nodes, prefix.generation(), timeout));
        Self(Arc::new(SharedStore { prefix, link, starts_empty, seen: Mutex::default() }))
    }

    /// Connects now, so that a server that cannot be used is known at the start.
    ///
    /// # Errors
    ///
    /// Where there is no server, none that takes writes, or one that evicts.
    pub async fn connect(&self) -> Result<(), StoreError> {
        self.0.link.node().await.map(drop).map_err(StoreError::new)
    }

    /// What the server of the last connection said of its `maxmemory-policy`. `None` where there was
    /// no connection yet, or where it does not tell: then see to `noeviction` yourself.
    #[must_use]
    pub fn eviction_policy(&self) -> Option<String> {
        self.0.link.policy()
    }
}

impl SharedStore {
    async fn run<T>(&self, call: ScriptCall, read: impl Fn(Value) -> Result<T, Fault>) -> Result<T, StoreError> {
        let answer = self.link.run(&call).await.map_err(StoreError::new)?;
        read(answer).map_err(StoreError::new)
    }

    async fn claim(&self, claim: &ActionClaim) -> Result<ClaimOutcome, StoreError> {
        let ((assistant, of_assistant), (total, in_total)) = (claim.assistant_limit(), claim.total_limit());
        let keys = [
            self.prefix.entry(claim.key()),
            self.prefix.tombstone(claim.key(), claim.token()),
            self.prefix.limit(&assistant),
            self.prefix.limit(&total),
            self.prefix.generation(),
        ];
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let refers = claim.remembered().max(of_assistant.period()).max(in_total.period());
        let call = ScriptCall::new(Script::Claim, keys)
            .with(*claim.token().as_bytes())
            .with(*claim.digest())
            .with_number(&micros(claim.lease()))
            .with_number(&micros(claim.remembered()))
            .with(claim.note())
            .with_number(&micros(of_assistant.spacing()))
            .with_number(&tolerance(of_assistant))
            .with_number(&micros(in_total.spacing()))
            .with_number(&tolerance(in_total))
            .with(seen.id)
            .with(seen.began)
            .with_number(&u8::from(self.starts_empty))
            .with(Uuid::new_v4().to_string())
            .with_number(&micros(refers));
        let (generation, outcome) = self.run(call, answer::claim_outcome).await?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = generation;
        Ok(outcome)
    }

    /// A call with the entry, what is overdue and the notes, and the token and the name of the action.
    fn step(&self, script: Script, key: &ActionKey, token: ClaimToken, more: Option<String>) -> ScriptCall {
        let mut keys = vec![self.prefix.entry(key), self.prefix.overdue(), self.prefix.notes()];
        keys.extend(more);
        ScriptCall::new(script, keys).with(*token.as_bytes()).with_number(key)
    }
}

impl ActionStore for RedisStore {
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome> {
        Box::pin(self.0.claim(claim))
    }

    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool> {
        let call = self.0.step(Script::Start, key, token, None).with_number(&micros(allowed));
        Box::pin(self.0.run(call, |value| answer::yes(&value)))
    }

    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool> {
        let call = self.0.step(Script::Complete, key, token, None).with(reply);
        Box::pin(self.0.run(call, |value| answer::yes(&value)))
    }

    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome> {
        let call = self.0.step(Script::Abandon, key, token, Some(self.0.prefix.tombstone(key, token)));
        Box::pin(self.0.run(call, answer::abandon_outcome))
    }

    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>> {
        let call = ScriptCall::new(Script::State, [self.0.prefix.entry(key)]);
        Box::pin(self.0.run(call, answer::state))
    }

    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>> {
        let keys = [self.0.prefix.overdue(), self.0.prefix.notes()];
        // More at once would keep everybody else waiting.
        let call = ScriptCall::new(Script::TakeOverdue, keys).with_number(&most.min(1_000));
        Box::pin(self.0.run(call, answer::notes))
    }

    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool> {
        let call = ScriptCall::new(Script::Defer, [self.0.prefix.deferred()]).with_number(task).with(skill);
        Box::pin(self.0.run(call.with_number(&MOST_DEFERRED), |value| answer::yes(&value)))
    }

    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>> {
        let call = ScriptCall::new(Script::Deferred, [self.0.prefix.deferred()]).with_number(&most.min(MOST_DEFERRED));
        Box::pin(self.0.run(call, answer::tasks))
    }

    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool> {
        let call = ScriptCall::new(Script::CompleteDeferred, [self.0.prefix.deferred()]).with_number(task);
        Box::pin(self.0.run(call, |value| answer::yes(&value)))
    }
}

fn connection_info(url: &str) -> Result<ConnectionInfo, RedisStoreError> {
    // What went wrong might quote the password.
    let info = url.into_connection_info().map_err(|_| RedisStoreError::new("this is no URL of Redis"))?;
    // The third version tells at once when a connection is closed.
    let settings = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3).set_skip_set_lib_name();
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    Ok(info.set_redis_settings(settings).set_tcp_settings(tcp))
}

fn micros(duration: Duration) -> u128 {
    duration.as_micros().min(LONGEST)
}

/// How far a limit may be charged ahead; nothing at all is less than now.
fn tolerance(limit: ActionLimit) -> i128 {
    let Some(others) = limit.burst().checked_sub(1) else { return -1 };
    let ahead = limit.spacing().as_micros().saturating_mul(others.into()).min(LONGEST);
    i128::try_from(ahead).unwrap_or(-1)
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("nodes", &self.0.link)
            .field("prefix", &self.0.prefix)
            .field("timeout", &self.0.link.limit())
            .field("starts_empty", &self.0.starts_empty)
            .finish_non_exhaustive()
    }
}

/// Why a [`RedisStore`] is not made.
#[derive(Debug)]
pub struct RedisStoreError(&'static str);

impl RedisStoreError {
    fn new(reason: &'static str) -> Self {
        Self(reason)
    }
}

impl fmt::Display for RedisStoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for RedisStoreError {}

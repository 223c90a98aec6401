//! The store of one process.

mod entry;

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::entry::{Entry, EntryState};
use super::claim::{AbandonOutcome, ActionClaim, ActionKey, ActionState, ClaimOutcome, ClaimToken, LimitKey, TaskKey};
use super::key_hasher::KeyHasherBuilder;
use super::limit::{ActionLimit, LimitClock};
use super::{ActionStore, StoreFuture};

/// How many entries it holds unless told otherwise.
const DEFAULT_CAPACITY: usize = 100_000;
/// The share of one assistant is one part in so many.
const SHARES: usize = 10;
/// How many calls go by until what has ended is cleared out.
const SWEEP_EVERY: usize = 1_024;
/// How many tasks of deferred actions it remembers.
const MOST_DEFERRED: usize = 10_000;
const SECOND: u64 = 1_000_000;

type MicrosClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Keeps claims in this process: **for an operator with a single replica**. Two processes would
/// each do the action once, and each allow its limits (use a shared store there).
///
/// It never forgets an entry early. Where it is full, or one assistant has used up its tenth,
/// actions are referred. A restart forgets everything: what was started before it may be asked for
/// again, which the booking system's own constraint has to refuse
/// ([`idempotency_key`](crate::on_request::actions::ActionPermit::idempotency_key)).
#[derive(Clone)]
pub struct MemoryStore(Arc<SharedEntries>);

struct SharedEntries {
    entries: Mutex<Entries>,
    capacity: usize,
    clock: MicrosClock,
}

#[derive(Default)]
struct Entries {
    actions: HashMap<ActionKey, Entry, KeyHasherBuilder>,
    limits: HashMap<LimitKey, u64, KeyHasherBuilder>,
    /// How many entries each assistant has.
    shares: HashMap<LimitKey, usize, KeyHasherBuilder>,
    calls: usize,
    /// When it was last cleared out.
    cleared: u64,
    /// Tasks whose actions staff have still to complete, with their skills.
    deferred: HashMap<TaskKey, String>,
}

impl MemoryStore {
    /// An empty store for 100 000 entries.
    #[must_use]
    pub fn new() -> Self {
        let started = Instant::now();
        // From one day on, so that no limit is younger than its clock.
        let clock = move || micros(started.elapsed() + Duration::from_secs(86_400));
        Self::with(DEFAULT_CAPACITY, Arc::new(clock))
    }

    /// Sets for how many entries there is room. One assistant gets a tenth of it, at least one.
    #[must_use]
    pub fn with_capacity(self, entries: usize) -> Self {
        Self::with(entries, Arc::clone(&self.0.clock))
    }

    /// Sets the clock: the time since some fixed moment. For tests that move it.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self::with(self.0.capacity, Arc::new(move || micros(clock())))
    }

    fn with(capacity: usize, clock: MicrosClock) -> Self {
        Self(Arc::new(SharedEntries { entries: Mutex::default(), capacity, clock }))
    }

    fn locked(&self) -> (u64, MutexGuard<'_, Entries>) {
        let mut entries = self.0.entries.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock: of two calls the later has the later time.
        let now = (self.0.clock)();
        entries.calls = entries.calls.wrapping_add(1);
        if entries.calls.is_multiple_of(SWEEP_EVERY) {
            entries.clear_out(now);
        }
        (now, entries)
    }

    fn claim_now(&self, claim: &ActionClaim) -> ClaimOutcome {
        let (now, mut entries) = self.locked();
        if let Some(taken) = entries.taken(claim, now) {
            return taken;
        }
        let share = (self.0.capacity / SHARES).max(1);
        if !entries.has_room(claim, self.0.capacity, share) {
            // Not at every call: a flood must not make each of them a walk over all entries.
            if now.saturating_sub(entries.cleared) >= SECOND {
                entries.clear_out(now);
            }
            if !entries.has_room(claim, self.0.capacity, share) {
                return ClaimOutcome::Full;
            }
        }
        if !entries.charge(claim, now) {
            return ClaimOutcome::Limited;
        }
        entries.insert(claim, now);
        ClaimOutcome::Claimed
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl ActionStore for MemoryStore {
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome> {
        Box::pin(ready(Ok(self.claim_now(claim))))
    }

    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool> {
        let (now, mut entries) = self.locked();
        let entry = entries.live(key, now).filter(|entry| entry.token == token);
        let claimed = entry.filter(|entry| matches!(entry.state, EntryState::Claimed));
        let started = claimed.map(|entry| entry.turn(EntryState::Started, now.saturating_add(micros(allowed))));
        Box::pin(ready(Ok(started.is_some())))
    }

    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool> {
        let (now, mut entries) = self.locked();
        let entry = entries.live(key, now).filter(|entry| entry.token == token);
        let started = entry.filter(|entry| !matches!(entry.state, EntryState::Tombstone | EntryState::Claimed));
        let done = started.map(|entry| {
            if !matches!(entry.state, EntryState::Done(_)) {
                let until = now.saturating_add(entry.remembered);
                entry.turn(EntryState::Done(reply.to_vec()), until);
            }
        });
        Box::pin(ready(Ok(done.is_some())))
    }

    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome> {
        let (now, mut entries) = self.locked();
        let outcome = match entries.live(key, now) {
            None => {
                entries.bury(*key, token, now);
                AbandonOutcome::Freed
            }
            Some(entry) if entry.token != token => AbandonOutcome::Settled,
            Some(entry) => match entry.state {
                EntryState::Claimed => {
                    entries.remove(key);
                    AbandonOutcome::Freed
                }
                EntryState::Started => {
                    let until = now.saturating_add(entry.remembered);
                    entry.turn(EntryState::Unknown, until);
                    AbandonOutcome::Unknown
                }
                EntryState::Tombstone | EntryState::Unknown | EntryState::Done(_) => AbandonOutcome::Settled,
            },
        };
        Box::pin(ready(Ok(outcome)))
    }

    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>> {
        let (now, mut entries) = self.locked();
        let state = entries.live(key, now).and_then(|entry| entry.told(now));
        Box::pin(ready(Ok(state)))
    }

    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>> {
        let (now, mut entries) = self.locked();
        let overdue = entries.actions.values_mut().filter(|entry| entry.is_overdue(now)).take(most);
        let notes = overdue.map(|entry| {
            let until = entry.until.saturating_add(entry.remembered);
            entry.turn(EntryState::Unknown, until);
            entry.note.clone()
        });
        let notes = notes.collect();
        Box::pin(ready(Ok(notes)))
    }

    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool> {
        let (_, mut entries) = self.locked();
        let has_room = entries.deferred.len() < MOST_DEFERRED || entries.deferred.contains_key(task);
        if has_room {
            entries.deferred.insert(*task, skill.to_owned());
        }
        Box::pin(ready(Ok(has_room)))
    }

    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>> {
        let (_, entries) = self.locked();
        let tasks = entries.deferred.iter().take(most).map(|(task, skill)| (*task, skill.clone())).collect();
        Box::pin(ready(Ok(tasks)))
    }

    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool> {
        let (_, mut entries) = self.locked();
        Box::pin(ready(Ok(entries.deferred.remove(task).is_some())))
    }
}

impl Entries {
    /// The entry of a key, unless its time is over.
    fn live(&mut self, key: &ActionKey, now: u64) -> Option<&mut Entry> {
        if self.actions.get(key).is_some_and(|entry| entry.is_over(now)) {
            self.remove(key);
        }
        self.actions.get_mut(key)
    }

    fn taken(&mut self, claim: &ActionClaim, now: u64) -> Option<ClaimOutcome> {
        let entry = self.live(claim.key(), now)?;
        match entry.told(now) {
            Some(state) => Some(ClaimOutcome::Taken { digest: entry.digest, state }),
            None if entry.token == claim.token() => Some(ClaimOutcome::Lost),
            None => None,
        }
    }

    fn has_room(&self, claim: &ActionClaim, capacity: usize, share: usize) -> bool {
        let (assistant, _) = claim.assistant_limit();
        let (total, _) = claim.total_limit();
        if self.actions.len() >= capacity || self.shares.get(&assistant).is_some_and(|taken| *taken >= share) {
            return false;
        }
        let missing = || [assistant, total].iter().filter(|key| !self.limits.contains_key(key)).count();
        self.limits.len() + 2 <= capacity || self.limits.len() + missing() <= capacity + 1
    }

    /// Charges both limits, or neither.
    fn charge(&mut self, claim: &ActionClaim, now: u64) -> bool {
        let charged = |(key, limit): (LimitKey, ActionLimit)| {
            let paid = self.limits.get(&key).copied().unwrap_or_default();
            Some((key, limit.charge(LimitClock { now, paid })?))
        };
        match (charged(claim.assistant_limit()), charged(claim.total_limit())) {
            (Some(assistant), Some(total)) => {
                self.limits.extend([assistant, total]);
                true
            }
            _ => false,
        }
    }

    fn insert(&mut self, claim: &ActionClaim, now: u64) {
        let (assistant, _) = claim.assistant_limit();
        let entry = Entry {
            token: claim.token(),
            digest: *claim.digest(),
            state: EntryState::Claimed,
            until: now.saturating_add(micros(claim.lease())),
            remembered: micros(claim.remembered()),
            assistant,
            note: claim.note().to_vec(),
        };
        // What can have stood here is a tombstone, which takes nobody's share.
        self.actions.insert(*claim.key(), entry);
        *self.shares.entry(assistant).or_default() += 1;
    }

    /// Leaves a tombstone. It belongs to nobody's share, and ends soon.
    fn bury(&mut self, key: ActionKey, token: ClaimToken, now: u64) {
        let entry = Entry {
            token,
            digest: [0; 32],
            state: EntryState::Tombstone,
            until: now.saturating_add(micros(Duration::from_secs(60))),
            remembered: 0,
            assistant: LimitKey::new([0; 32]),
            note: Vec::new(),
        };
        self.actions.insert(key, entry);
    }

    fn remove(&mut self, key: &ActionKey) {
        let Some(entry) = self.actions.remove(key) else { return };
        if !matches!(entry.state, EntryState::Tombstone)
            && let Some(count) = self.shares.get_mut(&entry.assistant)
        {
            *count -= 1;
            if *count == 0 {
                self.shares.remove(&entry.assistant);
            }
        }
    }

    fn clear_out(&mut self, now: u64) {
        self.cleared = now;
        let over = self.actions.iter().filter(|(_, entry)| entry.is_over(now)).map(|(key, _)| *key);
        for key in over.collect::<Vec<_>>() {
            self.remove(&key);
        }
        self.limits.retain(|_, paid| *paid > now);
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("capacity", &self.0.capacity).finish_non_exhaustive()
    }
}

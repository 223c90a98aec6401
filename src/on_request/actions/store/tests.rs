//! The store of one process, by a clock that tests move.

mod model;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{
    AbandonOutcome, ActionClaim, ActionKey, ActionLimit, ActionState, ActionStore, ClaimOutcome, ClaimToken, LimitKey,
    MemoryStore, StoreError, suite,
};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);
const AMPLE: ActionLimit = ActionLimit::new(1_000_000, MINUTE);

/// A store and the clock it goes by.
struct Moved {
    store: MemoryStore,
    now: Arc<AtomicU64>,
}

impl Moved {
    fn with_capacity(entries: usize) -> Self {
        let now = Arc::new(AtomicU64::new(1_000_000_000));
        let clock = Arc::clone(&now);
        let store = MemoryStore::new()
            .with_capacity(entries)
            .with_clock(move || Duration::from_micros(clock.load(Ordering::SeqCst)));
        Self { store, now }
    }

    fn new() -> Self {
        Self::with_capacity(1_000)
    }

    fn pass(&self, time: Duration) {
        self.now.fetch_add(u64::try_from(time.as_micros()).unwrap(), Ordering::SeqCst);
    }

    fn claim(&self, claim: &ActionClaim) -> ClaimOutcome {
        at_once(self.store.claim(claim))
    }

    fn start(&self, claim: &ActionClaim, allowed: Duration) -> bool {
        at_once(self.store.start(claim.key(), claim.token(), allowed))
    }

    fn complete(&self, claim: &ActionClaim) -> bool {
        at_once(self.store.complete(claim.key(), claim.token(), b"booked"))
    }

    fn abandon(&self, claim: &ActionClaim) -> AbandonOutcome {
        at_once(self.store.abandon(claim.key(), claim.token()))
    }

    fn state(&self, claim: &ActionClaim) -> Option<ActionState> {
        at_once(self.store.state(claim.key()))
    }

    fn take_overdue(&self, most: usize) -> Vec<Vec<u8>> {
        at_once(self.store.take_overdue(most))
    }
}

/// What a store of this process answers, which never waits.
fn at_once<T>(answer: impl Future<Output = Result<T, StoreError>>) -> T {
    tokio_test::block_on(answer).unwrap()
}

fn hash(kind: u8, number: usize) -> [u8; 32] {
    let mut hash = [kind; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    hash
}

/// A claim of the action of a number, by an assistant.
fn claim(assistant: usize, number: usize) -> ActionClaim {
    ActionClaim::new(ActionKey::new(hash(1, number)), ClaimToken::random())
        .with_digest(hash(2, number))
        .with_limits((LimitKey::new(hash(3, assistant)), AMPLE), (LimitKey::new(hash(4, 0)), AMPLE))
        .with_note(number.to_string().into_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_of_one_process_meets_the_contract() {
    suite::run(Arc::new(MemoryStore::new())).await;
}

#[test]
fn a_claim_is_free_at_the_end_of_its_lease_and_not_before() {
    let moved = Moved::new();
    let first = claim(1, 1);
    assert_eq!(moved.claim(&first), ClaimOutcome::Claimed);
    moved.pass(SECOND * 15 - Duration::from_micros(1));
    let second = claim(1, 1);
    assert!(matches!(moved.claim(&second), ClaimOutcome::Taken { state: ActionState::Claimed, .. }));
    moved.pass(Duration::from_micros(1));
    assert!(!moved.start(&first, MINUTE));
    assert_eq!(moved.claim(&second), ClaimOutcome::Claimed);
}

#[test]
fn what_was_started_is_unknown_at_the_end_of_its_time_and_for_as_long_as_it_is_remembered() {
    let moved = Moved::new();
    let late = claim(1, 1);
    assert_eq!(moved.claim(&late), ClaimOutcome::Claimed);
    assert!(moved.start(&late, MINUTE));
    moved.pass(MINUTE - Duration::from_micros(1));
    assert_eq!((moved.state(&late), moved.take_overdue(9)), (Some(ActionState::Started), Vec::new()));
    moved.pass(Duration::from_micros(1));
    assert_eq!(moved.state(&late), Some(ActionState::Unknown));
    moved.pass(DAY - Duration::from_micros(1));
    assert_eq!(moved.take_overdue(9), [b"1".to_vec()], "nothing ran meanwhile, and it is still told");
    assert_eq!((moved.take_overdue(9), moved.state(&late)), (Vec::new(), Some(ActionState::Unknown)));
    moved.pass(Duration::from_micros(1));
    assert_eq!(moved.state(&late), None, "it is remembered from the end of its time, not from when it was told");
}

#[test]
fn what_is_completed_late_is_remembered_from_then_on() {
    let moved = Moved::new();
    let late = claim(1, 1);
    assert_eq!(moved.claim(&late), ClaimOutcome::Claimed);
    assert!(moved.start(&late, MINUTE));
    moved.pass(DAY);
    assert_eq!(moved.take_overdue(9).len(), 1);
    assert!(moved.complete(&late));
    moved.pass(DAY - Duration::from_micros(1));
    assert!(moved.complete(&late), "it is told again that it is done, which makes it no younger");
    assert_eq!(moved.state(&late), Some(ActionState::Done(b"booked".to_vec())));
    moved.pass(Duration::from_micros(1));
    assert_eq!(moved.state(&late), None);
}

#[test]
fn a_tombstone_ends_after_the_lease_it_is_for() {
    let moved = Moved::new();
    let lost = claim(1, 1);
    assert_eq!(moved.abandon(&lost), AbandonOutcome::Freed);
    moved.pass(lost.lease());
    assert_eq!(moved.claim(&lost), ClaimOutcome::Lost);
    moved.pass(MINUTE * 10);
    assert_eq!(moved.claim(&lost), ClaimOutcome::Claimed);
}

#[test]
fn three_are_claimed_in_a_row_the_fourth_is_refused_and_one_more_after_a_third_of_the_period() {
    let moved = Moved::new();
    let three = ActionLimit::new(3, MINUTE);
    let keys = (LimitKey::new(hash(3, 1)), LimitKey::new(hash(4, 0)));
    let next = |number| moved.claim(&claim(1, number).with_limits((keys.0, three), (keys.1, AMPLE)));
    assert_eq!([1, 2, 3].map(next), [const { ClaimOutcome::Claimed }; 3]);
    assert_eq!(next(4), ClaimOutcome::Limited);
    moved.pass(MINUTE / 3 - Duration::from_micros(1));
    assert_eq!(next(4), ClaimOutcome::Limited);
    moved.pass(Duration::from_micros(1));
    assert_eq!([4, 5].map(next), [ClaimOutcome::Claimed, ClaimOutcome::Limited]);
}

#[test]
fn a_full_store_is_full_and_forgets_nothing_for_a_newcomer() {
    let moved = Moved::with_capacity(50);
    // 20 assistants, so that no share is used up.
    let held = (0..50).map(|number| claim(number % 20, number)).collect::<Vec<_>>();
    for claim in &held {
        assert_eq!(moved.claim(claim), ClaimOutcome::Claimed);
        assert!(moved.start(claim, MINUTE) && moved.complete(claim));
    }
    for number in 50..2_000 {
        assert_eq!(moved.claim(&claim(number, number)), ClaimOutcome::Full);
    }
    for claim in &held {
        assert_eq!(moved.state(claim), Some(ActionState::Done(b"booked".to_vec())), "nothing is evicted");
    }
    moved.pass(DAY);
    assert_eq!(moved.claim(&claim(1, 60)), ClaimOutcome::Claimed, "what has ended makes room");
}

#[test]
fn one_assistant_fills_its_tenth_and_leaves_room_for_the_others() {
    let moved = Moved::with_capacity(100);
    let outcomes = (0..30).map(|number| moved.claim(&claim(1, number))).collect::<Vec<_>>();
    assert!(outcomes[..10].iter().all(|outcome| *outcome == ClaimOutcome::Claimed));
    assert!(outcomes[10..].iter().all(|outcome| *outcome == ClaimOutcome::Full));
    assert_eq!(moved.claim(&claim(2, 30)), ClaimOutcome::Claimed);
    let freed = claim(1, 40);
    moved.pass(SECOND * 15);
    assert_eq!(moved.claim(&freed), ClaimOutcome::Claimed, "its share frees with its leases");
    assert_eq!(moved.abandon(&freed), AbandonOutcome::Freed);
}

#[test]
fn a_full_store_charges_no_limit() {
    let moved = Moved::with_capacity(10);
    let one = ActionLimit::new(1, DAY);
    let limited = |number| {
        claim(number, number).with_limits((LimitKey::new(hash(3, number)), AMPLE), (LimitKey::new(hash(4, 7)), one))
    };
    for number in 0..10 {
        assert_eq!(moved.claim(&claim(number, number)), ClaimOutcome::Claimed);
    }
    assert_eq!(moved.claim(&limited(20)), ClaimOutcome::Full);
    moved.pass(MINUTE);
    assert_eq!([21, 22].map(|number| moved.claim(&limited(number))), [ClaimOutcome::Claimed, ClaimOutcome::Limited]);
}

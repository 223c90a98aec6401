//! Who may change what.

use std::time::Duration;

use super::{SharedStore, Sound, again, claim_at_once, new_claim, taken};
use crate::on_request::actions::store::{AbandonOutcome, ActionState, ClaimOutcome};

const MINUTE: Duration = Duration::from_secs(60);

/// Of 50 claims of one action at once exactly one is claimed; the others are told of it.
///
/// # Panics
///
/// Where that is not so.
pub async fn one_of_many_parallel_claims_is_claimed(store: &SharedStore) {
    let first = new_claim();
    let outcomes = claim_at_once(store, (0..50).map(|_| again(&first)).collect()).await;
    let claimed = outcomes.iter().filter(|outcome| **outcome == ClaimOutcome::Claimed).count();
    let told = outcomes.iter().filter(|outcome| **outcome == taken(&first, ActionState::Claimed)).count();
    assert_eq!((claimed, told), (1, 49), "one of 50 parallel claims is claimed: {outcomes:?}");
}

/// A claim goes through *started* to *done*, by its token only; a duplicate gets the first digest
/// and the first reply, whatever its bytes are.
///
/// # Panics
///
/// Where that is not so.
pub async fn what_is_done_is_answered_again(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let long = (0..=255).cycle().take(100_000).collect::<Vec<u8>>();
    for reply in [b"booked \0\r\n\xff".to_vec(), Vec::new(), long] {
        let claim = new_claim();
        let other = again(&claim);
        assert_eq!(store.state(&claim).await, None, "what nobody claimed has no state");
        assert!(!store.start(&claim, MINUTE).await, "what nobody claimed does not start");
        store.hold(&claim).await;
        assert_eq!(store.state(&claim).await, Some(ActionState::Claimed));
        assert!(!store.complete(&claim, b"early").await, "what is not started is not completed");
        assert!(!store.start(&other, MINUTE).await, "another's claim does not start");

        assert!(store.start(&claim, MINUTE).await, "what is claimed can be started");
        assert!(!store.start(&claim, MINUTE).await, "it starts once");
        assert!(!store.start(&other, MINUTE).await, "another's action does not start");
        assert_eq!(store.state(&claim).await, Some(ActionState::Started));
        assert_eq!(store.claim(&other).await, taken(&claim, ActionState::Started));
        assert!(!store.complete(&other, b"another's").await, "another's action is not completed");

        assert!(store.complete(&claim, &reply).await, "what is started can be completed");
        assert!(!store.start(&claim, MINUTE).await, "what is done does not start");
        store.complete(&claim, b"the second time").await;
        assert_eq!(store.abandon(&claim).await, AbandonOutcome::Settled, "what is done stays done");
        let done = ActionState::Done(reply);
        assert_eq!(store.state(&claim).await, Some(done.clone()));
        let other_digest = again(&claim).with_digest([7; 32]);
        assert_eq!(store.claim(&other_digest).await, taken(&claim, done.clone()), "the first digest is told");
        assert_eq!(store.claim(&claim).await, taken(&claim, done), "also to the token that did it");
    }
}

/// What is only claimed is free again once its token gives up, and not by another's.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_claim_is_freed_by_its_token_only(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let claim = new_claim();
    let other = again(&claim);
    store.hold(&claim).await;
    assert_eq!(store.abandon(&other).await, AbandonOutcome::Settled, "another's claim is not freed");
    assert_eq!(store.state(&claim).await, Some(ActionState::Claimed));
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Freed);
    assert_eq!(store.state(&claim).await, None);
    assert!(!store.start(&claim, MINUTE).await, "what is freed does not start");

    let next = again(&claim);
    store.begin(&next, MINUTE).await;
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Settled, "the token of the first claim is worth nothing");
    assert!(!store.complete(&claim, b"").await, "the token of the first claim is worth nothing");
    assert_eq!(store.state(&next).await, Some(ActionState::Started));
}

/// What is started and given up is *unknown*, is told so once, and can still be completed.
///
/// # Panics
///
/// Where that is not so.
pub async fn what_is_started_becomes_unknown(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let claim = new_claim();
    let other = again(&claim);
    store.begin(&claim, MINUTE).await;
    assert_eq!(store.abandon(&other).await, AbandonOutcome::Settled, "another's action is not given up");
    assert_eq!(store.state(&claim).await, Some(ActionState::Started));
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Unknown);
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Settled, "it is told once");
    assert_eq!(store.claim(&other).await, taken(&claim, ActionState::Unknown), "unknown is never claimed again");
    assert!(!store.start(&claim, MINUTE).await, "unknown is never started again");
    let notes = store.take_overdue(1_000).await;
    assert!(notes.iter().all(|note| note != claim.note()), "what was given up is not overdue as well");

    assert!(store.complete(&claim, b"after all").await, "what is unknown can be completed");
    assert_eq!(store.state(&claim).await, Some(ActionState::Done(b"after all".to_vec())));
}

/// A claim that arrives after its own abandon holds nothing; another claim is not kept out.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_claim_after_its_abandon_is_lost(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let claim = new_claim();
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Freed);
    assert_eq!(store.state(&claim).await, None, "a tombstone is no entry");
    assert_eq!(store.claim(&claim).await, ClaimOutcome::Lost);
    assert!(!store.start(&claim, MINUTE).await, "what is lost does not start");
    let next = again(&claim);
    store.begin(&next, MINUTE).await;
    assert_eq!(store.claim(&claim).await, taken(&next, ActionState::Started));
}

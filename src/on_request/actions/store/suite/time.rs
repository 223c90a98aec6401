//! What time ends.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{OVER, SHORT, SharedStore, Sound, again, new_claim, taken, told};
use crate::on_request::actions::store::{AbandonOutcome, ActionState};

const MINUTE: Duration = Duration::from_secs(60);
/// More than a store that nobody else uses can hold.
const MOST_NOTES: usize = 1_000;

/// A claim whose lease is over cannot be started, and is free.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_claim_ends_with_its_lease(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let claim = new_claim().with_lease(SHORT);
    store.hold(&claim).await;
    tokio::time::sleep(OVER).await;
    assert!(!store.start(&claim, MINUTE).await, "what is started after the lease is done by nobody");
    assert_eq!(store.state(&claim).await, None, "a lease that is over leaves nothing");

    let next = again(&claim).with_lease(MINUTE);
    store.begin(&next, MINUTE).await;
    assert_eq!(store.abandon(&claim).await, AbandonOutcome::Settled, "the next claim is not the first one's");
    tokio::time::sleep(SHORT * 2).await;
    assert_eq!(store.state(&next).await, Some(ActionState::Started), "no lease ends what is started");
}

/// What is not completed in the time allowed is *unknown*: not claimed again, and completed late.
///
/// # Panics
///
/// Where that is not so.
pub async fn what_takes_too_long_is_unknown(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let (late, given_up) = (new_claim(), new_claim());
    store.begin(&late, SHORT).await;
    store.begin(&given_up, SHORT).await;
    tokio::time::sleep(OVER).await;
    for claim in [&late, &given_up] {
        assert_eq!(store.state(claim).await, Some(ActionState::Unknown));
        assert_eq!(store.claim(&again(claim)).await, taken(claim, ActionState::Unknown), "unknown is not run again");
        assert!(!store.start(claim, MINUTE).await, "unknown is not started again");
    }
    assert!(store.complete(&late, b"late").await, "what comes late is recorded");
    assert_eq!(store.state(&late).await, Some(ActionState::Done(b"late".to_vec())));

    let outcome = store.abandon(&given_up).await;
    let notes = store.take_overdue(1_000).await;
    assert!(notes.iter().all(|note| note != late.note()), "what was completed is not overdue");
    let noted = notes.iter().filter(|note| *note == given_up.note()).count();
    let told = usize::from(outcome == AbandonOutcome::Unknown) + noted;
    assert_eq!(told, 1, "it is told once that it is unknown: {outcome:?} and {noted} notes");
    assert_eq!(store.state(&given_up).await, Some(ActionState::Unknown), "its entry stays unknown");
}

/// What is done is told until its time is over, and forgotten then.
///
/// # Panics
///
/// Where that is not so.
pub async fn what_is_remembered_is_forgotten_in_time(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let (short, long) = (new_claim().with_remembered(SHORT), new_claim());
    for claim in [&short, &long] {
        store.begin(claim, MINUTE).await;
        assert!(store.complete(claim, b"").await, "what is started can be completed");
    }
    tokio::time::sleep(OVER).await;
    assert_eq!(store.state(&short).await, None, "it is forgotten");
    store.hold(&again(&short)).await;
    assert_eq!(store.state(&long).await, Some(ActionState::Done(Vec::new())), "it is remembered");
}

/// The longest durations there are overflow nothing, and the shortest end at once.
///
/// # Panics
///
/// Where that is not so.
pub async fn durations_without_end_are_kept(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let claim = new_claim().with_lease(Duration::MAX).with_remembered(Duration::MAX);
    store.begin(&claim, Duration::MAX).await;
    assert_eq!(store.state(&claim).await, Some(ActionState::Started));
    assert!(store.complete(&claim, b"at last").await, "what is started can be completed");
    assert_eq!(store.state(&claim).await, Some(ActionState::Done(b"at last".to_vec())));

    let at_once = new_claim().with_lease(Duration::ZERO);
    store.hold(&at_once).await;
    assert!(!store.start(&at_once, MINUTE).await, "no lease holds nothing");
}

/// The note of what has become unknown in time is given out once, to one of many callers at once,
/// and no more notes at a time than were asked for.
///
/// # Panics
///
/// Where that is not so.
pub async fn notes_are_given_out_once(store: &SharedStore) {
    let sound = Sound(store.as_ref());
    let (mut claims, running) = (Vec::new(), new_claim());
    for _ in 0..20 {
        let claim = new_claim();
        sound.begin(&claim, SHORT).await;
        claims.push(claim);
    }
    sound.begin(&running, MINUTE).await;
    tokio::time::sleep(OVER).await;

    assert_eq!(sound.take_overdue(0).await, Vec::<Vec<u8>>::new(), "none were asked for");
    let takers = (0..8).map(|_| {
        let store = Arc::clone(store);
        tokio::spawn(async move {
            let mut taken = Vec::new();
            loop {
                let notes = told("take_overdue", store.take_overdue(3).await);
                assert!(notes.len() <= 3, "three were asked for");
                if notes.is_empty() {
                    return taken;
                }
                taken.extend(notes);
                assert!(taken.len() < MOST_NOTES, "notes are given out again and again");
            }
        })
    });
    let mut notes = Vec::new();
    for taker in takers.collect::<Vec<_>>() {
        notes.extend(taker.await.unwrap_or_else(|error| panic!("notes were not given out: {error}")));
    }
    let expected = claims.iter().map(|claim| claim.note().to_vec()).collect::<BTreeSet<_>>();
    let ours = notes.iter().filter(|note| expected.contains(*note)).collect::<Vec<_>>();
    assert_eq!(ours.len(), 20, "each note is given out once");
    assert_eq!(ours.into_iter().collect::<BTreeSet<_>>().len(), 20, "and every one");
    assert!(notes.iter().all(|note| note != running.note()), "what is still running is not overdue");
    for claim in &claims {
        assert_eq!(sound.state(claim).await, Some(ActionState::Unknown), "its entry stays unknown");
        assert_eq!(sound.abandon(claim).await, AbandonOutcome::Settled, "it was told");
    }
}

//! How often an action is claimed.

use std::time::Duration;

use super::{AMPLE, OVER, SharedStore, Sound, again, claim_at_once, new_claim, random_hash, taken};
use crate::on_request::actions::store::{ActionClaim, ActionLimit, ActionState, ClaimOutcome, LimitKey};

const HOUR: Duration = Duration::from_secs(3_600);
const THREE_AN_HOUR: ActionLimit = ActionLimit::new(3, HOUR);

fn limit_key() -> LimitKey {
    LimitKey::new(random_hash())
}

fn under(assistant: (LimitKey, ActionLimit), total: (LimitKey, ActionLimit)) -> ActionClaim {
    new_claim().with_limits(assistant, total)
}

/// Three in a row are claimed under a limit of three and the fourth is not, for the limit of an
/// assistant as for that in total; a limit of nothing allows nothing.
///
/// # Panics
///
/// Where that is not so.
pub async fn the_call_after_the_last_is_limited(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let (assistant, total) = (limit_key(), limit_key());
    let claims = [
        || under((limit_key(), AMPLE), (limit_key(), ActionLimit::NOTHING)),
        || under((limit_key(), ActionLimit::NOTHING), (limit_key(), AMPLE)),
    ];
    for claim in claims {
        assert_eq!(store.claim(&claim()).await, ClaimOutcome::Limited, "a limit of nothing allows nothing");
    }
    for call in 1..=5 {
        let expected = if call <= 3 { ClaimOutcome::Claimed } else { ClaimOutcome::Limited };
        let of_assistant = under((assistant, THREE_AN_HOUR), (limit_key(), AMPLE));
        assert_eq!(store.claim(&of_assistant).await, expected, "call {call} of an assistant with three");
        let in_total = under((limit_key(), AMPLE), (total, THREE_AN_HOUR));
        assert_eq!(store.claim(&in_total).await, expected, "call {call} of three in total");
        assert_eq!(store.state(&in_total).await.is_some(), call <= 3, "what is limited leaves no entry");
    }
}

/// Where one limit refuses, the other is not charged.
///
/// # Panics
///
/// Where that is not so.
pub async fn limits_are_charged_together_or_not_at_all(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let one = ActionLimit::new(1, HOUR);
    let two = ActionLimit::new(2, HOUR);
    let (total, busy, second, third) = (limit_key(), limit_key(), limit_key(), limit_key());
    store.hold(&under((busy, one), (total, two))).await;
    for _ in 0..5 {
        let refused = under((busy, one), (total, two));
        assert_eq!(store.claim(&refused).await, ClaimOutcome::Limited);
    }
    let outcome = store.claim(&under((second, one), (total, two))).await;
    assert_eq!(outcome, ClaimOutcome::Claimed, "what an assistant's limit refused is not charged in total");
    assert_eq!(store.claim(&under((third, one), (total, two))).await, ClaimOutcome::Limited, "two in total");
    let outcome = store.claim(&under((third, one), (limit_key(), two))).await;
    assert_eq!(outcome, ClaimOutcome::Claimed, "what the total refused is not charged to the assistant");
}

/// Where a limit is used up, a duplicate is still told of the entry, and charged nothing.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_duplicate_is_told_before_a_limit(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let (assistant, total) = ((limit_key(), ActionLimit::new(2, HOUR)), (limit_key(), AMPLE));
    let claim = under(assistant, total);
    store.begin(&claim, HOUR).await;
    for _ in 0..5 {
        assert_eq!(store.claim(&again(&claim)).await, taken(&claim, ActionState::Started));
    }
    store.hold(&under(assistant, total)).await;
    assert_eq!(store.claim(&under(assistant, total)).await, ClaimOutcome::Limited, "the limit is used up");
    assert!(store.complete(&claim, b"booked").await, "a limit does not keep what is started from its end");
    let done = taken(&claim, ActionState::Done(b"booked".to_vec()));
    assert_eq!(store.claim(&again(&claim)).await, done, "a duplicate gets its reply at the limit");
}

/// 300 new ids after the last allowed call, and none of them is claimed.
///
/// # Panics
///
/// Where that is not so.
pub async fn a_flood_of_fresh_ids_resets_no_limit(store: &SharedStore) {
    let (assistant, total) = ((limit_key(), ActionLimit::new(1, HOUR)), (limit_key(), AMPLE));
    Sound(store.as_ref()).hold(&under(assistant, total)).await;
    let flood = claim_at_once(store, (0..300).map(|_| under(assistant, total)).collect()).await;
    assert!(flood.iter().all(|outcome| *outcome == ClaimOutcome::Limited), "a flood resets no limit");
}

/// Of 30 different actions at once, exactly the ten of a limit are claimed.
///
/// # Panics
///
/// Where that is not so.
pub async fn limits_hold_in_parallel(store: &SharedStore) {
    let total = (limit_key(), ActionLimit::new(10, HOUR));
    let outcomes = claim_at_once(store, (0..30).map(|_| under((limit_key(), AMPLE), total)).collect()).await;
    let claimed = outcomes.iter().filter(|outcome| **outcome == ClaimOutcome::Claimed).count();
    let limited = outcomes.iter().filter(|outcome| **outcome == ClaimOutcome::Limited).count();
    assert_eq!((claimed, limited), (10, 20), "ten of 30 parallel claims: {outcomes:?}");
}

/// After its time, a limit that was used up allows one again.
///
/// # Panics
///
/// Where that is not so.
pub async fn limits_free_up_again(store: &SharedStore) {
    let store = Sound(store.as_ref());
    let limits = ((limit_key(), ActionLimit::new(2, OVER)), (limit_key(), AMPLE));
    for _ in 0..3 {
        store.claim(&under(limits.0, limits.1)).await;
    }
    tokio::time::sleep(OVER).await;
    store.hold(&under(limits.0, limits.1)).await;
}

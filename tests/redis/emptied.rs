//! A store that was emptied refers until everything would have been forgotten.

use std::time::Duration;

use tower_a2a_extensions::on_request::actions::store::{
    ActionClaim, ActionLimit, ActionState, ActionStore, ClaimOutcome, RedisStore,
};

use crate::server::RedisServer;
use crate::{claim, complete, start};

const SHORT: Duration = Duration::from_millis(600);

/// A claim that is forgotten soon, whose limits are as well.
fn brief(number: usize) -> ActionClaim {
    let claim = claim(number).with_remembered(SHORT);
    let limit = ActionLimit::new(1_000, Duration::from_millis(1));
    let (assistant, total) = (claim.assistant_limit().0, claim.total_limit().0);
    claim.with_limits((assistant, limit), (total, limit))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_emptied_store_refers_for_as_long_as_it_would_have_remembered() {
    let Some(server) = RedisServer::start() else { return };
    let stores = [server.store(), server.store()];
    let (held, done) = (brief(1), brief(2));
    for (store, claim) in stores.iter().zip([&held, &done]) {
        assert_eq!(store.claim(claim).await.unwrap(), ClaimOutcome::Claimed);
    }
    assert!(start(&stores[1], &done).await.unwrap() && complete(&stores[1], &done, b"booked").await.unwrap());

    server.ask(&["FLUSHALL"]);
    assert!(!start(&stores[0], &held).await.unwrap(), "what was claimed before does not start");
    assert_eq!(stores[0].state(done.key()).await.unwrap(), None);
    // One that knows nothing of it, and one for which an empty store is a new one.
    let others = [RedisStore::new(&server.url(), "chapel").unwrap(), server.store()];
    for store in others.iter().chain(&stores).chain(&stores) {
        assert_eq!(store.claim(&brief(2)).await.unwrap(), ClaimOutcome::Emptied);
        assert_eq!(store.claim(&claim(3)).await.unwrap(), ClaimOutcome::Emptied);
    }
    tokio::time::sleep(SHORT).await;
    for (number, store) in stores.iter().chain(&others).enumerate() {
        let first = brief(10 + number);
        assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
        assert!(start(store, &first).await.unwrap());
        // What is remembered for a day is referred for a day.
        assert_eq!(store.claim(&claim(20 + number)).await.unwrap(), ClaimOutcome::Emptied);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_store_refers_unless_it_is_said_to_start_empty() {
    let Some(server) = RedisServer::start() else { return };
    let careful = RedisStore::new(&server.url(), "careful").unwrap();
    assert_eq!(careful.claim(&claim(1)).await.unwrap(), ClaimOutcome::Emptied);
    let later = RedisStore::new(&server.url(), "careful").unwrap().starts_empty(true);
    assert_eq!(later.claim(&claim(1)).await.unwrap(), ClaimOutcome::Emptied, "it was noted as emptied");
    assert_eq!(server.store().claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    let joins = RedisStore::new(&server.url(), "chapel").unwrap();
    assert_eq!(joins.claim(&claim(2)).await.unwrap(), ClaimOutcome::Claimed, "it is no empty store any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_an_emptied_store_for_a_new_one_is_corrected() {
    let Some(server) = RedisServer::start() else { return };
    let knows = server.store();
    assert_eq!(knows.claim(&brief(1)).await.unwrap(), ClaimOutcome::Claimed);
    server.ask(&["FLUSHALL"]);
    let restarted = server.store();
    assert_eq!(restarted.claim(&brief(2)).await.unwrap(), ClaimOutcome::Claimed, "it cannot know");
    assert_eq!(knows.claim(&brief(1)).await.unwrap(), ClaimOutcome::Emptied);
    assert_eq!(restarted.claim(&brief(3)).await.unwrap(), ClaimOutcome::Emptied);
    tokio::time::sleep(SHORT).await;
    assert_eq!(knows.claim(&brief(1)).await.unwrap(), ClaimOutcome::Claimed);
    assert_eq!(restarted.claim(&brief(3)).await.unwrap(), ClaimOutcome::Claimed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_went_back_to_an_older_copy_refers() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    assert_eq!(store.claim(&brief(1)).await.unwrap(), ClaimOutcome::Claimed);
    let generation = "{chapel}:generation";
    let began = server.ask(&["HGET", generation, "began"]).parse::<u64>().unwrap();
    server.ask(&[
        "HSET",
        generation,
        "id",
        "an older one",
        "began",
        &(began - 86_400_000_000).to_string(),
        "kind",
        "emptied",
    ]);
    assert_eq!(store.claim(&brief(2)).await.unwrap(), ClaimOutcome::Emptied);
    assert_eq!(server.store().claim(&brief(2)).await.unwrap(), ClaimOutcome::Emptied);
    tokio::time::sleep(SHORT).await;
    assert_eq!(store.claim(&brief(2)).await.unwrap(), ClaimOutcome::Claimed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_that_lasts_longer_than_what_is_remembered_is_waited_for() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let weekly = ActionLimit::new(1, Duration::from_secs(7 * 86_400));
    let limited = |number| {
        let claim = brief(number);
        let (assistant, total) = (claim.assistant_limit(), claim.total_limit().0);
        claim.with_limits(assistant, (total, weekly))
    };
    assert_eq!(store.claim(&limited(1)).await.unwrap(), ClaimOutcome::Claimed);
    server.ask(&["FLUSHALL"]);
    assert_eq!(store.claim(&limited(2)).await.unwrap(), ClaimOutcome::Emptied);
    tokio::time::sleep(SHORT).await;
    assert_eq!(store.claim(&limited(2)).await.unwrap(), ClaimOutcome::Emptied, "the limit was lost as well");
    assert_eq!(store.claim(&brief(2)).await.unwrap(), ClaimOutcome::Claimed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_duplicate_is_told_while_the_store_refers() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let done = claim(1);
    store.claim(&done).await.unwrap();
    assert!(start(&store, &done).await.unwrap() && complete(&store, &done, b"booked").await.unwrap());
    server.ask(&["DEL", "{chapel}:generation"]);
    assert_eq!(store.claim(&claim(2)).await.unwrap(), ClaimOutcome::Emptied);
    let told = ClaimOutcome::Taken { digest: *done.digest(), state: ActionState::Done(b"booked".to_vec()) };
    assert_eq!(store.claim(&claim(1)).await.unwrap(), told);
}

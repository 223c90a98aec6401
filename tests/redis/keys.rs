//! No key stays for ever, and a damaged one is no permission.

use std::time::Duration;

use tower_a2a_extensions::on_request::actions::store::{
    AbandonOutcome, ActionClaim, ActionLimit, ActionState, ActionStore, ClaimOutcome, LimitKey, RedisStore,
};

use crate::server::RedisServer;
use crate::{MINUTE, claim, complete, hash, start};

const HOURLY: ActionLimit = ActionLimit::new(100, Duration::from_secs(3_600));

/// A claim under limits whose keys stay for longer than a test takes.
fn hourly(number: usize) -> ActionClaim {
    claim(number).with_limits((LimitKey::new(hash(3, 7)), HOURLY), (LimitKey::new(hash(4, 7)), HOURLY))
}

/// One action in every state, an overdue one and a tombstone.
async fn fill(store: &RedisStore) {
    for number in 0..5 {
        let claim = hourly(number);
        assert_eq!(store.claim(&claim).await.unwrap(), ClaimOutcome::Claimed);
        if number > 0 {
            let allowed = if number == 4 { Duration::ZERO } else { MINUTE };
            assert!(store.start(claim.key(), claim.token(), allowed).await.unwrap());
        }
        if number == 2 {
            assert!(complete(store, &claim, b"booked").await.unwrap());
        }
        if number == 3 {
            assert_eq!(store.abandon(claim.key(), claim.token()).await.unwrap(), AbandonOutcome::Unknown);
        }
    }
    let late = claim(5);
    assert_eq!(store.abandon(late.key(), late.token()).await.unwrap(), AbandonOutcome::Freed);
}

fn endless(server: &RedisServer) -> Vec<String> {
    server.ends().into_iter().filter(|(_, left)| *left == -1).map(|(key, _)| key).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn e7_every_key_ends_also_where_connections_are_killed_between_the_steps() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    fill(&store).await;
    // 5 entries, 1 tombstone, 2 limits, overdue, notes, generation.
    assert_eq!(server.keys().len(), 11, "{:?}", server.keys());
    assert_eq!(endless(&server), Vec::<String>::new());

    let held = hourly(9);
    assert_eq!(store.claim(&held).await.unwrap(), ClaimOutcome::Claimed);
    server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(endless(&server), Vec::<String>::new());
    let started = crate::start(&store, &held).await;
    println!("started after the connection was killed: {started:?}");
    server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
    assert_eq!(endless(&server), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn e7_a_key_that_lost_its_end_gets_one() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let once = ActionLimit::new(1, MINUTE);
    let used_up = || claim(8).with_limits((LimitKey::new(hash(3, 8)), once), (LimitKey::new(hash(4, 7)), HOURLY));
    fill(&store).await;
    let first = used_up();
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &first).await.unwrap());
    for key in server.keys() {
        server.ask(&["PERSIST", &key]);
    }
    assert_eq!(endless(&server).len(), server.keys().len());

    for number in [0, 1, 2, 3, 4, 8] {
        assert!(matches!(store.claim(&claim(number)).await.unwrap(), ClaimOutcome::Taken { .. }));
    }
    let other = claim(10).with_limits(first.assistant_limit(), first.total_limit());
    assert_eq!(store.claim(&other).await.unwrap(), ClaimOutcome::Limited);
    assert_eq!(store.claim(&hourly(11)).await.unwrap(), ClaimOutcome::Claimed);
    store.take_overdue(1).await.unwrap();
    let left = endless(&server);
    // A tombstone is asked for by its own claim alone, which it keeps out.
    assert!(left.iter().all(|key| key.contains(":lost:")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_damaged_is_an_error_and_no_permission() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let first = hourly(1);
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    let of = |kind: &str| server.keys().into_iter().filter(|key| key.contains(kind)).collect::<Vec<_>>();
    let (entry, limits) = (of(":action:"), of(":limit:"));

    server.ask(&["HDEL", &entry[0], "until"]);
    assert!(store.claim(&hourly(1)).await.is_err());
    assert!(!start(&store, &first).await.unwrap());
    server.ask(&["DEL", &entry[0]]);
    server.ask(&["SET", &entry[0], "a text"]);
    assert!(store.claim(&hourly(1)).await.is_err());
    assert!(start(&store, &first).await.is_err());
    assert!(store.state(first.key()).await.is_err());

    server.ask(&["SET", &limits[0], "no number"]);
    assert!(store.claim(&hourly(2)).await.is_err());
    server.ask(&["DEL", &limits[0]]);
    assert_eq!(store.claim(&hourly(2)).await.unwrap(), ClaimOutcome::Claimed);
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_outlive_what_they_tell_of() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let forgotten = claim(1).with_remembered(Duration::from_millis(50));
    assert_eq!(store.claim(&forgotten).await.unwrap(), ClaimOutcome::Claimed);
    assert!(store.start(forgotten.key(), forgotten.token(), Duration::from_millis(50)).await.unwrap());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(server.keys().iter().all(|key| !key.contains(":action:")), "{:?}", server.keys());
    assert_eq!(store.take_overdue(9).await.unwrap(), [b"note 1".to_vec()]);
    assert_eq!(store.take_overdue(9).await.unwrap(), Vec::<Vec<u8>>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_prefixes_know_nothing_of_each_other() {
    let Some(server) = RedisServer::start_cluster() else { return };
    let chapel = server.store();
    let mosque = RedisStore::new(&server.url(), "mosque:{}").err().map(|error| error.to_string());
    assert!(mosque.unwrap().contains("prefix"));
    let other = RedisStore::new(&server.url(), "mosque:1").unwrap().starts_empty(true);
    let first = claim(1);
    assert_eq!(chapel.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert_eq!(other.state(first.key()).await.unwrap(), None);
    assert_eq!(other.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&chapel, &first).await.unwrap());
    assert_eq!(other.state(first.key()).await.unwrap(), Some(ActionState::Claimed));
    let slots = |tag: &str| {
        let keys = server.keys().into_iter().filter(|key| key.starts_with(tag));
        keys.map(|key| server.ask(&["CLUSTER", "KEYSLOT", &key])).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!((slots("{chapel}").len(), slots("{mosque:1}").len()), (1, 1), "one slot for each operator");
}

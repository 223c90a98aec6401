//! The contract, on one server, in a cluster, and over several processes' stores.

use tower_a2a_extensions::on_request::actions::store::{
    ActionLimit, ActionState, ActionStore, ClaimOutcome, LimitKey, RedisStore, suite,
};

use crate::server::RedisServer;
use crate::{AMPLE, MINUTE, claim, complete, hash, shared, start};

#[tokio::test(flavor = "multi_thread")]
async fn the_store_meets_the_contract_on_one_server() {
    let Some(server) = RedisServer::start() else { return };
    suite::run(shared(server.store())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn e13_the_store_meets_the_contract_in_a_cluster() {
    let Some(server) = RedisServer::start_cluster() else { return };
    suite::run(shared(server.store())).await;
}

/// Claims at once over three stores, each with a connection of its own.
async fn outcomes_over_three_stores(server: &RedisServer, claims: Vec<[usize; 2]>) -> Vec<ClaimOutcome> {
    let stores = [(); 3].map(|()| server.store());
    let total = ActionLimit::new(10, MINUTE * 60);
    let calls = claims.into_iter().enumerate().map(|(call, [number, assistant])| {
        let store = stores[call % 3].clone();
        let claim =
            claim(number).with_limits((LimitKey::new(hash(3, assistant)), AMPLE), (LimitKey::new(hash(4, 1)), total));
        tokio::spawn(async move { store.claim(&claim).await.unwrap() })
    });
    let mut outcomes = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        outcomes.push(call.await.unwrap());
    }
    outcomes
}

fn count(outcomes: &[ClaimOutcome], wanted: impl Fn(&ClaimOutcome) -> bool) -> usize {
    outcomes.iter().filter(|outcome| wanted(outcome)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn e3_one_of_150_claims_over_three_stores_is_claimed() {
    let Some(server) = RedisServer::start() else { return };
    let outcomes = outcomes_over_three_stores(&server, vec![[1, 1]; 150]).await;
    assert_eq!(count(&outcomes, |outcome| *outcome == ClaimOutcome::Claimed), 1);
    let is_taken = |outcome: &ClaimOutcome| matches!(outcome, ClaimOutcome::Taken { state: ActionState::Claimed, .. });
    assert_eq!(count(&outcomes, is_taken), 149);
}

#[tokio::test(flavor = "multi_thread")]
async fn e11_a_limit_of_ten_is_ten_over_three_stores() {
    let Some(server) = RedisServer::start() else { return };
    let outcomes = outcomes_over_three_stores(&server, (0..150).map(|number| [number, number]).collect()).await;
    assert_eq!(count(&outcomes, |outcome| *outcome == ClaimOutcome::Claimed), 10);
    assert_eq!(count(&outcomes, |outcome| *outcome == ClaimOutcome::Limited), 140);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_and_a_start_are_one_round_trip_each() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    store.connect().await.unwrap();
    let first = claim(1);
    let watch = server.watch();
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &first).await.unwrap());
    let seen = watch.end();
    assert!(seen.len() == 2 && seen.iter().all(|line| line.to_uppercase().contains("\"EVALSHA\"")), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn e8_no_time_of_a_replica_is_sent() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    store.connect().await.unwrap();
    let watch = server.watch();
    let first = claim(1);
    store.claim(&first).await.unwrap();
    start(&store, &first).await.unwrap();
    complete(&store, &first, b"booked").await.unwrap();
    store.abandon(first.key(), first.token()).await.unwrap();
    store.take_overdue(9).await.unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
    for line in watch.end() {
        let (_, command) = line.split_once("] ").unwrap();
        let words = command.split(['"', ' ']).filter_map(|word| word.parse::<u128>().ok());
        for number in words {
            assert!(now.abs_diff(number) > 86_400_000_000, "{number} is a time: {command}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_that_the_server_forgot_are_sent_again() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    store.connect().await.unwrap();
    assert_eq!(server.ask(&["SCRIPT", "FLUSH"]), "OK");
    let first = claim(1);
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &first).await.unwrap());
    assert!(complete(&store, &first, b"booked").await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn e13_a_node_without_the_keys_leads_to_the_one_that_has_them() {
    let (Some(full), Some(empty)) =
        (RedisServer::start_cluster(), RedisServer::start_with(&["--cluster-enabled", "yes"]))
    else {
        return;
    };
    assert_eq!(empty.ask(&["CLUSTER", "MEET", "127.0.0.1", &full.port.to_string()]), "OK");
    empty.until("it knows the other", || empty.ask(&["CLUSTER", "INFO"]).contains("cluster_state:ok"));
    let store = RedisStore::new(&empty.url(), "chapel").unwrap().starts_empty(true);
    let first = claim(1);
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &first).await.unwrap());
    assert!(!full.keys().is_empty());
}

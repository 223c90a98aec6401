//! Servers that are gone, hang, are slow or read-only: nothing is claimed, soon, and it is over by
//! itself.

use std::time::{Duration, Instant};

use tower_a2a_extensions::on_request::actions::store::{ActionState, ActionStore, ClaimOutcome, RedisStore};

use crate::proxy::SlowProxy;
use crate::server::RedisServer;
use crate::{BOUND, claim, complete, reason, recovered, refused_in_time, start};

#[tokio::test(flavor = "multi_thread")]
async fn e9_a_killed_server_claims_nothing_and_a_restarted_one_goes_on() {
    let Some(mut server) = RedisServer::start_durable() else { return };
    let store = server.store();
    let done = claim(1);
    assert_eq!(store.claim(&done).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &done).await.unwrap() && complete(&store, &done, b"booked").await.unwrap());
    server.kill();
    refused_in_time(&store, "killed").await;
    assert!(start(&store, &claim(2)).await.is_err());
    server.restart();
    recovered(&store, 3, "restarted").await;
    assert_eq!(store.state(done.key()).await.unwrap(), Some(ActionState::Done(b"booked".to_vec())));
}

#[tokio::test(flavor = "multi_thread")]
async fn e9_a_server_that_lost_all_by_its_restart_refers() {
    let Some(mut server) = RedisServer::start() else { return };
    let store = server.store();
    assert_eq!(store.claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    server.kill();
    server.restart();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(store.claim(&claim(1)).await.unwrap(), ClaimOutcome::Emptied);
}

#[tokio::test(flavor = "multi_thread")]
async fn e9_a_hanging_server_holds_nobody_and_is_not_stormed() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    assert_eq!(store.claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    let before = server.info("total_connections_received");
    server.hang();
    let mut longest = Duration::ZERO;
    for _ in 0..3 {
        longest = longest.max(refused_in_time(&store, "hanging").await);
    }
    server.go_on();
    recovered(&store, 3, "goes on").await;
    let connections = server.info("total_connections_received") - before;
    println!("150 calls while it hung made {connections} connections, and those of the test");
    assert!(connections < 20, "{connections}");
}

#[tokio::test(flavor = "multi_thread")]
async fn e9_a_server_two_seconds_slow_claims_nothing_and_late_answers_are_nobodys() {
    let Some(server) = RedisServer::start() else { return };
    let proxy = SlowProxy::start(server.port).await;
    let url = format!("redis://127.0.0.1:{}/", proxy.port);
    let store = RedisStore::new(&url, "chapel").unwrap().starts_empty(true);
    let done = (0..20).map(claim).collect::<Vec<_>>();
    for (number, claim) in done.iter().enumerate() {
        assert_eq!(store.claim(claim).await.unwrap(), ClaimOutcome::Claimed);
        assert!(start(&store, claim).await.unwrap());
        assert!(complete(&store, claim, number.to_string().as_bytes()).await.unwrap());
    }
    proxy.delay_answers(Duration::from_secs(2));
    refused_in_time(&store, "2 s slow").await;
    proxy.delay_answers(Duration::from_millis(50));
    // Answers of before arrive among those of now.
    let deadline = Instant::now() + Duration::from_secs(3);
    let mut answered = 0;
    while Instant::now() < deadline {
        for (number, claim) in done.iter().enumerate() {
            if let Ok(state) = store.state(claim.key()).await {
                assert_eq!(state, Some(ActionState::Done(number.to_string().into())));
                answered += 1;
            }
        }
    }
    println!("{answered} answers while late ones arrived, each one's own");
    assert!(answered > 10);
    recovered(&store, 500, "fast again").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_timed_out_leaves_the_connection_to_nobody() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    let first = claim(1);
    assert_eq!(store.claim(&first).await.unwrap(), ClaimOutcome::Claimed);
    server.hang();
    let started = Instant::now();
    assert!(reason(start(&store, &first).await).contains("in time"));
    assert!(started.elapsed() < BOUND, "{:?}", started.elapsed());
    server.go_on();
    recovered(&store, 2, "goes on").await;
    // The start arrived after all, and nobody does it: it is not claimed a second time.
    let ClaimOutcome::Taken { state, .. } = store.claim(&claim(1)).await.unwrap() else { panic!("it is held") };
    assert!(matches!(state, ActionState::Started | ActionState::Claimed), "{state:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn e14_a_read_only_server_claims_nothing_until_it_is_primary_again() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    assert_eq!(store.claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    let held = claim(2);
    assert_eq!(store.claim(&held).await.unwrap(), ClaimOutcome::Claimed);
    assert_eq!(server.ask(&["REPLICAOF", "127.0.0.1", "1"]), "OK");
    assert!(reason(start(&store, &held).await).contains("replica"));
    let before = server.info("total_connections_received");
    for _ in 0..200 {
        assert!(store.claim(&claim(3)).await.is_err());
    }
    let connections = server.info("total_connections_received") - before;
    assert!(connections < 10, "200 calls made {connections} connections");
    refused_in_time(&store, "read-only").await;
    assert_eq!(server.ask(&["REPLICAOF", "NO", "ONE"]), "OK");
    recovered(&store, 3, "primary again").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn e14_the_promoted_replica_is_found() {
    let (Some(mut old), Some(new)) = (RedisServer::start(), RedisServer::start()) else { return };
    new.ask(&["REPLICAOF", "127.0.0.1", &old.port.to_string()]);
    new.until("it follows", || new.ask(&["INFO", "replication"]).contains("master_link_status:up"));
    // The replica is named first: it is never the one that is used.
    let store = RedisStore::new(&new.url(), "chapel").unwrap().with_node(&old.url()).unwrap().starts_empty(true);
    let done = claim(1);
    assert_eq!(store.claim(&done).await.unwrap(), ClaimOutcome::Claimed);
    assert!(start(&store, &done).await.unwrap() && complete(&store, &done, b"booked").await.unwrap());
    assert_eq!(old.ask(&["WAIT", "1", "2000"]), "1");
    // It would follow whatever server gets the port next, and lose all.
    new.ask(&["REPLICAOF", "127.0.0.1", "1"]);
    old.kill();
    assert!(store.claim(&claim(2)).await.is_err(), "a replica is no primary");
    new.ask(&["REPLICAOF", "NO", "ONE"]);
    recovered(&store, 3, "promoted").await;
    assert_eq!(store.state(done.key()).await.unwrap(), Some(ActionState::Done(b"booked".to_vec())));
}

#[tokio::test(flavor = "multi_thread")]
async fn e14_a_demoted_primary_is_left() {
    let (Some(old), Some(new)) = (RedisServer::start(), RedisServer::start()) else { return };
    new.ask(&["REPLICAOF", "127.0.0.1", &old.port.to_string()]);
    new.until("it follows", || new.ask(&["INFO", "replication"]).contains("master_link_status:up"));
    let store = RedisStore::new(&old.url(), "chapel").unwrap().with_node(&new.url()).unwrap().starts_empty(true);
    let held = claim(1);
    assert_eq!(store.claim(&held).await.unwrap(), ClaimOutcome::Claimed);
    assert_eq!(old.ask(&["WAIT", "1", "2000"]), "1");
    new.ask(&["REPLICAOF", "NO", "ONE"]);
    old.ask(&["REPLICAOF", "127.0.0.1", &new.port.to_string()]);
    // The old one refuses to write, and the new one is asked.
    assert!(start(&store, &held).await.unwrap());
    assert_eq!(store.state(held.key()).await.unwrap(), Some(ActionState::Started));
    assert!(new.keys().iter().any(|key| key.ends_with(":overdue")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_primary_that_hangs_does_not_keep_it_from_the_next() {
    let (Some(old), Some(new)) = (RedisServer::start(), RedisServer::start()) else { return };
    let store = RedisStore::new(&old.url(), "chapel").unwrap().with_node(&new.url()).unwrap().starts_empty(true);
    assert_eq!(store.claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    old.hang();
    refused_in_time(&store, "the first of two hangs").await;
    let started = Instant::now();
    // The other one is empty, and is not the store that was known.
    while store.claim(&claim(1)).await.ok() != Some(ClaimOutcome::Emptied) {
        assert!(started.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!("the next is used after {:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_was_closed_while_idle_fails_no_call() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    for number in 0..20 {
        assert_eq!(store.claim(&claim(number)).await.unwrap(), ClaimOutcome::Claimed);
        server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[test]
fn a_store_outlives_the_runtime_it_connected_on_and_needs_one() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    for number in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(recovered(&store, number, "on another runtime"));
    }
}

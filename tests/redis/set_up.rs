//! What a server must be like, and what is told of it.

use tower_a2a_extensions::on_request::actions::store::{ActionStore, ClaimOutcome, RedisStore};

use crate::server::RedisServer;
use crate::{claim, reason, recovered};

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_evicts_is_refused_until_it_does_not() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    for policy in ["allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random"] {
        server.ask(&["CONFIG", "SET", "maxmemory-policy", policy]);
        server.ask(&["CLIENT", "KILL", "TYPE", "normal"]);
        let started = std::time::Instant::now();
        let refused = loop {
            let reason = reason(store.claim(&claim(1)).await);
            if reason.contains(policy) || started.elapsed().as_secs() > 3 {
                break reason;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        };
        assert!(refused.contains(policy) && refused.contains("noeviction"), "{refused}");
        assert!(reason(store.connect().await).contains("noeviction"));
    }
    assert!(server.keys().is_empty());
    server.ask(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    recovered(&store, 1, "noeviction again").await;
    assert_eq!(store.eviction_policy().as_deref(), Some("noeviction"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_may_not_be_read_is_noted() {
    let Some(server) = RedisServer::start() else { return };
    server.ask(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    let user = |name: &str, rights: &[&str]| {
        let command = [&["ACL", "SETUSER", name, "on", ">secret-word", "~{chapel}*", "+@all"], rights].concat();
        assert_eq!(server.ask(&command), "OK");
        let url = format!("redis://{name}:secret-word@127.0.0.1:{}/", server.port);
        RedisStore::new(&url, "chapel").unwrap().starts_empty(true)
    };
    // INFO tells it where CONFIG is forbidden.
    let refused = reason(user("informed", &["-config"]).claim(&claim(1)).await);
    assert!(refused.contains("allkeys-lru"), "{refused}");
    let blind = user("blind", &["-config", "-info"]);
    assert_eq!(blind.eviction_policy(), None);
    assert_eq!(blind.claim(&claim(1)).await.unwrap(), ClaimOutcome::Claimed);
    assert_eq!(blind.eviction_policy(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_in_no_text() {
    let Some(server) = RedisServer::start() else { return };
    let url = format!("redis://nobody:secret-word@127.0.0.1:{}/", server.port);
    let store = RedisStore::new(&url, "chapel").unwrap();
    let error = store.claim(&claim(1)).await.unwrap_err();
    let wrong = RedisStore::new("redis://:secret-word@[half/0", "chapel").unwrap_err();
    for text in [format!("{store:?}"), format!("{error:?}"), format!("{wrong:?} {wrong}"), reason(Err::<(), _>(error))]
    {
        assert!(!text.contains("secret-word"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_memory_left_claims_nothing() {
    let Some(server) = RedisServer::start() else { return };
    let store = server.store();
    store.connect().await.unwrap();
    let before = server.info("total_connections_received");
    server.ask(&["CONFIG", "SET", "maxmemory", "1"]);
    for number in 0..20 {
        let refused = reason(store.claim(&claim(number)).await);
        assert!(refused.contains("OOM"), "{refused}");
    }
    assert!(server.keys().is_empty());
    // Each `ask` is one.
    assert!(server.info("total_connections_received") - before < 10, "none of them made it connect anew");
    server.ask(&["CONFIG", "SET", "maxmemory", "0"]);
    recovered(&store, 1, "memory again").await;
}

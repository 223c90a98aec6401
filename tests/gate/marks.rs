//! What was given once, read again by every caller in every way.

use axum::extract::State;
use axum::{Json, Router};
use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::on_request::MarkKey;
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequest};

use crate::store::*;
use crate::support::*;

#[tokio::test]
async fn or_5_4_what_a_was_given_is_kept_for_a_in_every_later_reply_and_for_nobody_else() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    give(&app, Some("a")).await;
    for other in [Some("b"), None] {
        assert_eq!(told(&app, other).await, [""; 0], "{other:?}");
        let listed = call(&app, other, true, "ListTasks", json!({})).await.json();
        assert_eq!(listed["result"]["tasks"][1]["artifacts"][0]["parts"][0]["text"], "for all", "lists still work");
    }
    assert_eq!(told(&app, Some("a")).await, ALL);
    for (method, params) in ways().into_iter().filter(|(method, _)| !["SubscribeToTask", "chunks"].contains(method)) {
        only_the_price_is_marked(&call(&app, Some("a"), true, method, params).await);
    }
}

#[tokio::test]
async fn every_chunk_of_what_was_given_is_marked_or_withheld_alike() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    give(&app, Some("a")).await;
    let chunks = |reply: Reply| reply.text().matches("\"artifactUpdate\"").count();
    let own = call(&app, Some("a"), true, "chunks", json!({})).await;
    assert_eq!((own.text().matches(SECRET).count(), own.text().matches("given-on-opt-in").count()), (2, 2));
    let others = call(&app, Some("b"), true, "chunks", json!({})).await;
    assert_eq!((others.text().matches(ADDRESS).count(), chunks(others)), (2, 2));
}

#[tokio::test]
async fn what_nobody_known_was_given_is_kept_by_id_and_withheld_in_lists() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    give(&app, None).await;
    assert_eq!(told(&app, None).await, ["GetTask", "CancelTask", "SubscribeToTask", "chunks", "SendMessage"]);
    assert_eq!(told(&app, Some("b")).await, [""; 0]);
    let odd = json!({"jsonrpc": "2.0", "id": 1, "result": {"task": store.task()}}).to_string();
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(OnRequest::new().information("service-pricing"));
    let odd = TestApp::answering(layer.build().unwrap(), "application/json", odd);
    assert!(call(&odd, None, true, "GetTask", json!({"id": "t-1"})).await.tells());
    assert!(!call(&odd, None, true, "ListTasks", json!({})).await.tells(), "a list, whatever it looks like");
    let rest =
        Request::get("/a2a/rest/tasks/t-1").header("a2a-version", "1.0").body(axum::body::Body::empty()).unwrap();
    let array = async |store: State<Store>| ([("cache-control", "public")], Json(json!([store.task()])));
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(OnRequest::new().information("service-pricing"));
    let router = Router::new().fallback(array).with_state(store).layer(layer.build().unwrap());
    let reply = TestApp { router, calls: Default::default() }.send(rest).await;
    assert!(!reply.tells() && reply.text().contains(ADDRESS), "an array of tasks is a list: {}", reply.text());
    assert_eq!(reply.headers["cache-control"], "public, no-store");
}

#[tokio::test]
async fn or_5_3_a_card_that_closes_the_skill_withholds_it_from_a_too_and_lists_still_work() {
    let store = Store::default();
    let key = || OnRequest::new().mark_key([3; 32]);
    give(&process(&store, opened_card(), key()), Some("a")).await;
    let closed = process(&store, card(), key());
    for who in [Some("a"), Some("b"), None] {
        assert_eq!(told(&closed, who).await, [""; 0], "{who:?}");
    }
    assert_eq!(told(&process(&store, opened_card(), key()), Some("a")).await, ALL, "opened again");

    let mut public = opened_card();
    public["capabilities"]["extensions"][0]["params"]["skills"].as_array_mut().unwrap().remove(0);
    let layer = A2aExtensionsLayer::builder(public).extension(key()).build().unwrap();
    let app =
        TestApp { router: Router::new().fallback(agent).with_state(store).layer(layer), calls: Default::default() };
    let reply = call(&app, Some("b"), true, "GetTask", json!({"id": "t-1"})).await;
    assert!(reply.tells() && !reply.text().contains("given-on-opt-in"), "not listed is public: {}", reply.text());
}

#[tokio::test]
async fn replicas_with_one_key_know_each_others_marks_and_a_restart_with_another_does_not() {
    let store = Store::default();
    let bytes = [8; 40];
    give(&process(&store, opened_card(), OnRequest::new().mark_key(MarkKey::new(bytes).unwrap())), Some("a")).await;
    let replica = process(&store, opened_card(), OnRequest::new().mark_key(MarkKey::new(bytes).unwrap()));
    assert_eq!(told(&replica, Some("a")).await, ALL);
    assert_eq!(told(&replica, Some("b")).await, [""; 0]);
    // A restart with a random key: this process's own is not the one above.
    for other in [OnRequest::new(), OnRequest::new().mark_key([9; 32])] {
        assert_eq!(told(&process(&store, opened_card(), other), Some("a")).await, [""; 0]);
    }
}

#[tokio::test]
async fn what_is_given_after_the_task_was_returned_is_kept_when_it_is_polled() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    let mut params = asking();
    params["configuration"] = json!({"returnImmediately": true});
    let first = call(&app, Some("a"), true, "SendMessage", params).await;
    assert!(!first.tells() && !first.text().contains("given-on-opt-in"), "{}", first.text());
    while store.task()["artifacts"].is_null() {
        tokio::task::yield_now().await;
    }
    assert_eq!(told(&app, Some("a")).await, ALL);
    only_the_price_is_marked(&call(&app, Some("a"), true, "GetTask", json!({"id": "t-1"})).await);
    assert_eq!(told(&app, Some("b")).await, [""; 0]);
}

#[tokio::test]
async fn a20_one_context_of_two_callers_shares_nothing() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    give(&app, Some("a")).await;
    let stored = store.task()["artifacts"][1]["metadata"][URI]["givenTo"].clone();
    give(&app, Some("b")).await;
    assert_ne!(store.task()["artifacts"][1]["metadata"][URI]["givenTo"], stored);
    assert_eq!(told(&app, Some("a")).await, [""; 0], "the task is b's now");
}

#[tokio::test]
async fn a_mark_that_another_put_into_the_store_is_withheld() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    give(&app, Some("a")).await;
    let right = store.task();
    for given_to in [json!(null), json!(""), json!("0".repeat(32)), json!([]), json!(7)] {
        let mut task = right.clone();
        task["artifacts"][1]["metadata"][URI]["givenTo"] = given_to;
        store.keep(task);
        assert_eq!(told(&app, Some("a")).await, [""; 0]);
    }
    let text = right.to_string().replacen("\"givenTo\"", "\"givenTo\":\"0\",\"givenTo\"", 1);
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(OnRequest::new().information("service-pricing"));
    let twice = TestApp::answering(layer.build().unwrap(), "application/json", text);
    let reply = call(&twice, Some("a"), true, "GetTask", json!({"id": "t-1"})).await;
    assert!(!reply.tells(), "a member that is there twice: {}", reply.text());
}

#[tokio::test]
async fn only_replies_with_something_given_or_withheld_and_streams_are_not_cached() {
    let store = Store::default();
    let app = process(&store, opened_card(), OnRequest::new());
    store.keep(working());
    let reply = call(&app, Some("a"), true, "GetTask", json!({"id": "t-1"})).await;
    assert_eq!(reply.headers.get("cache-control"), None);
    let stream = call(&app, Some("a"), true, "SubscribeToTask", json!({"id": "t-1"})).await;
    assert_eq!(stream.headers["cache-control"], "max-age=60, no-store");

    // Another app's stream keeps what it says.
    let events = async || ([("content-type", "text/event-stream"), ("cache-control", "max-age=5")], "data: {}\n\n");
    let router = Router::new().route("/files/log", axum::routing::get(events));
    let layer = A2aExtensionsLayer::new(card()).unwrap();
    let beside = TestApp { router: router.layer(layer), calls: Default::default() };
    let reply = beside.send(Request::get("/files/log").body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(reply.headers["cache-control"], "max-age=5");
}

/// Nobody is told the price by a layer for `card`, whatever they read.
async fn nobody_is_told(store: &Store, card: Value, on_request: OnRequest) {
    let layer = A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap();
    let router = Router::new().fallback(agent).with_state(store.clone()).layer(layer);
    let app = TestApp { router, calls: Default::default() };
    for who in [Some("b"), None] {
        for (method, params) in ways() {
            let reply = call(&app, who, false, method, params).await;
            assert!(!reply.tells(), "{method}: {}", reply.text());
        }
    }
}

#[tokio::test]
async fn a_skill_that_needs_sign_in_now_or_is_gone_withholds_what_was_given() {
    let store = Store::default();
    let key = || OnRequest::new().mark_key([3; 32]);
    give(&process(&store, opened_card(), key()), Some("a")).await;
    let mut sign_in = opened_card();
    sign_in["capabilities"]["extensions"][0]["params"]["skills"].as_array_mut().unwrap().remove(0);
    let mut gone = sign_in.clone();
    sign_in["skills"][1]["securityRequirements"] = json!([{"schemes": {"portal": {"list": []}}}]);
    gone["skills"].as_array_mut().unwrap().remove(1);
    nobody_is_told(&store, sign_in, key()).await;
    nobody_is_told(&store, gone, key()).await;
}

#[tokio::test]
async fn a_mark_of_the_guard_that_a_store_has_changed_is_withheld() {
    let store = Store::default();
    let key = || OnRequest::new().mark_key([3; 32]).information("service-pricing").allow_anonymous(true);
    give(&process(&store, opened_card(), OnRequest::new().mark_key([3; 32])), Some("a")).await;
    let right = store.task();
    let mark = right["artifacts"][1]["metadata"][URI].clone();
    let with = |member: &str, value: Value| {
        let mut mark = mark.clone();
        mark[member] = value;
        mark
    };
    let changed = [
        with("status", json!(7)),
        with("status", json!("Given-On-Opt-In")),
        with("status", json!("on-request")),
        with("skillId", json!("Service-Pricing")),
        json!([mark]),
        json!(mark.to_string()),
    ];
    for mark in changed {
        let mut task = right.clone();
        task["artifacts"][1]["metadata"][URI] = mark;
        store.keep(task);
        nobody_is_told(&store, opened_card(), key()).await;
    }
}

#[tokio::test]
async fn a_payload_is_for_nobody_who_is_known_though_anonymous_callers_are_served() {
    let store = Store::default();
    give(&process(&store, opened_card(), OnRequest::new()), None).await;
    let on_request = OnRequest::new().information("service-pricing");
    let filter = A2aExtensionsLayer::builder(opened_card()).extension(on_request).build().unwrap().filter();
    let stored = tower_a2a_extensions::StoredActivation::from_iter([URI]);
    for call in [filter.call_for(&stored), tower_a2a_extensions::A2aCall::detached()] {
        let sent = filter.stamp(json!({"task": store.task()}).to_string(), &call).unwrap();
        let sent = String::from_utf8(sent.to_vec()).unwrap();
        assert!(!sent.contains(SECRET) && !sent.contains("givenTo") && sent.contains(ADDRESS), "{sent}");
    }
}

//! An action that was done in a call in which the guard has refused before.

use axum::body::Body;
use http::{Request, StatusCode};

use crate::support::{ADDRESS, FAILS, Harbour, ONLY_ASKS, PROBES, http_json, json_rpc, message};

fn with(mut request: Request<Body>, headers: &[&'static str]) -> Request<Body> {
    for header in headers {
        request.headers_mut().insert(*header, "1".parse().unwrap());
    }
    request
}

#[tokio::test]
async fn or_5_7_what_was_done_is_not_said_to_be_refused() {
    let harbour = Harbour::booking();
    for id in ["m-1", "m-1", "m-2"] {
        let text = harbour.send(with(json_rpc(&message(id)), &[PROBES])).await.text();
        assert!(text.contains("Booked for Tuesday at ten."), "{text}");
        assert!(!text.contains("action-referred") && !text.contains(ADDRESS) && !text.contains("not done"), "{text}");
    }
    assert_eq!(harbour.booked(), 2);
}

#[tokio::test]
async fn an_error_after_an_action_that_was_done_is_no_referral() {
    let harbour = Harbour::booking();
    let reply = harbour.send(with(http_json(&message("m-1")), &[PROBES, FAILS])).await;
    assert_eq!((reply.status, harbour.booked()), (StatusCode::INTERNAL_SERVER_ERROR, 1));
    assert!(!reply.text().contains("not done"), "{}", reply.text());
}

#[tokio::test]
async fn an_action_that_may_have_been_done_is_not_said_to_be_refused() {
    let harbour = Harbour::booking();
    assert!(harbour.send(json_rpc(&message("m-1"))).await.text().contains("Booked"));
    let mut other = message("m-1");
    other["parts"][0]["text"] = "Please book two".into();
    let text = harbour.send(with(json_rpc(&other), &[PROBES])).await.text();
    assert!(text.contains("cannot be said here") && !text.contains("action-referred"), "{text}");
    assert!(!text.contains("not done"), "{text}");
}

#[tokio::test]
async fn or_5_7_who_asks_to_be_told_of_a_done_action_is_not_told_that_it_was_not_done() {
    let harbour = Harbour::booking();
    assert!(harbour.send(json_rpc(&message("m-1"))).await.text().contains("Booked"));
    let text = harbour.send(with(json_rpc(&message("m-1")), &[PROBES, ONLY_ASKS])).await.text();
    assert!(text.contains("cannot be said here") && text.contains(ADDRESS), "{text}");
    assert!(!text.contains("action-referred") && !text.contains("not done"), "{text}");
    let text = harbour.send(with(json_rpc(&message("m-2")), &[PROBES, ONLY_ASKS])).await.text();
    assert!(text.contains("action-referred") && text.contains("not done"), "{text}");
}

//! Twins of one call in several bindings are one action, and limits count them together.

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::Value;

use crate::support::{ADDRESS, Harbour, URI, http_json, json_rpc, message, old_json_rpc};

type Send = fn(&Value) -> Request<Body>;

fn bindings() -> Vec<(&'static str, Send)> {
    #[cfg_attr(not(feature = "grpc"), expect(unused_mut, reason = "one more with the feature"))]
    let mut bindings: Vec<(&'static str, Send)> =
        vec![("JSON-RPC", json_rpc), ("HTTP+JSON", http_json), ("JSON-RPC 0.3", old_json_rpc)];
    #[cfg(feature = "grpc")]
    bindings.push(("gRPC", crate::support::grpc));
    bindings
}

#[tokio::test]
async fn e2_twins_in_every_binding_are_one_action() {
    let harbour = Harbour::booking();
    for (name, send) in bindings() {
        let reply = harbour.send(send(&message("m-1"))).await;
        assert_eq!(reply.status, StatusCode::OK, "{name}");
        assert!(reply.text().contains("Booked for Tuesday at ten."), "{name}: {}", reply.text());
        assert!(!reply.text().contains(ADDRESS), "{name}");
        assert_eq!(harbour.booked(), 1, "{name}");
    }
    harbour.actions.settled().await;
    assert_eq!(*harbour.told.lock().unwrap(), ["starting", "done"]);
}

#[tokio::test]
async fn or_5_6_c_one_limit_holds_over_all_bindings_and_a_refusal_is_a_referral_in_each() {
    let harbour = Harbour::booking();
    for (index, send) in [json_rpc as Send, http_json, json_rpc].into_iter().enumerate() {
        let reply = harbour.send(send(&message(&format!("m-{index}")))).await;
        assert!(reply.text().contains("Booked"));
    }
    for (name, send) in bindings() {
        let reply = harbour.send(send(&message(name))).await;
        assert_eq!(reply.status, StatusCode::OK, "e16: never a 429, {name}");
        assert!(reply.trailers.get("grpc-status").is_none_or(|status| status == "0"), "{name}");
        let text = reply.text();
        assert!(
            text.contains("not done") && text.contains(ADDRESS) && text.contains("action-referred"),
            "{name}: {text}"
        );
        assert!(
            reply.headers.get_all("a2a-extensions").iter().any(|echo| echo == URI) || name.contains("0.3"),
            "{name}"
        );
    }
    assert_eq!(harbour.booked(), 3);
    let starting = harbour.told.lock().unwrap().iter().filter(|event| **event == "starting").count();
    assert_eq!(starting, 3);
}

#[tokio::test]
async fn or_5_7_the_gate_refers_a_recognised_booking_for_nobody_before_the_agent_runs() {
    let harbour = Harbour::booking();
    let mut nobodys = message("m-1");
    nobodys.as_object_mut().unwrap().remove("metadata");
    nobodys["parts"].as_array_mut().unwrap().truncate(1);
    for (name, send) in bindings() {
        let reply = harbour.send(send(&nobodys)).await;
        assert!(reply.text().contains("action-referred"), "{name}: {}", reply.text());
    }
    assert_eq!((harbour.booked(), harbour.told.lock().unwrap().len()), (0, 0));
}

#[tokio::test]
async fn e2_other_words_under_the_same_id_are_referred_in_every_binding() {
    let harbour = Harbour::booking();
    assert!(harbour.send(json_rpc(&message("m-1"))).await.text().contains("Booked"));
    let mut other = message("m-1");
    other["parts"][1]["data"]["people"] = serde_json::json!(3);
    for (name, send) in bindings() {
        let reply = harbour.send(send(&other)).await;
        let text = reply.text();
        assert!(text.contains("cannot be said here") && text.contains(ADDRESS), "{name}: {text}");
    }
    assert_eq!(harbour.booked(), 1);
}

#[tokio::test]
async fn e2_the_tenant_in_the_path_is_a_part_of_what_is_asked_for() {
    let at = |path: &str, tenant: Option<&str>| {
        let mut body = serde_json::json!({"message": message("m-1")});
        if let Some(tenant) = tenant {
            body["tenant"] = tenant.into();
        }
        let (mut parts, _) = http_json(&message("m-1")).into_parts();
        parts.uri = path.parse().unwrap();
        Request::from_parts(parts, Body::from(body.to_string()))
    };
    let harbour = Harbour::booking();
    assert!(harbour.send(at("/a2a/alpha/message:send", None)).await.text().contains("Booked"));
    for (path, tenant, is_the_same) in [
        ("/a2a/alpha/message:send", None, true),
        ("/a2a/%61lpha/message:send", None, true),
        ("/a2a/alpha/message:send", Some("alpha"), true),
        ("/a2a/message:send", Some("alpha"), true),
        ("/a2a/message:send", None, false),
        ("/a2a/beta/message:send", None, false),
        ("/a2a/alpha/message:send", Some("beta"), false),
    ] {
        let text = harbour.send(at(path, tenant)).await.text();
        assert_eq!(text.contains("Booked"), is_the_same, "{path} {tenant:?}: {text}");
        assert_eq!(
            text.contains("cannot be said here") && text.contains(ADDRESS),
            !is_the_same,
            "{path} {tenant:?}: {text}"
        );
    }
    assert_eq!(harbour.booked(), 1);
}

//! An agent of 0.3 that asks the guard: what it gives and refers, and what is withheld later.

use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{A2aExtensionsLayer, CallFacts, Held, OnRequest, OnRequestGuard};

use crate::support::*;

static PRICE: Held<&str> = Held::new("service-pricing", SECRET);

fn on_request() -> OnRequest {
    OnRequest::new()
        .information("service-pricing")
        .held(&PRICE)
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)))
}

fn task(wire: Wire) -> Value {
    match wire {
        Wire::JsonRpc => json!({"kind": "task", "id": "t-1", "contextId": "c-1", "status": {"state": "submitted"}}),
        Wire::HttpJson => json!({"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_SUBMITTED"}}),
    }
}

/// Answers every message with a task that ends in the price, or in a referral.
async fn answer(wire: Wire, guard: OnRequestGuard) -> Value {
    let mut task = task(wire);
    match guard.open(&PRICE).await {
        Ok(price) => {
            task["status"]["state"] =
                if wire == Wire::JsonRpc { json!("completed") } else { json!("TASK_STATE_COMPLETED") };
            task["artifacts"] = json!([price.artifact(|price| json!([{"text": price}, {"data": {"price": price}}]))]);
            task
        }
        Err(referral) => referral.into_task(task),
    }
}

fn app() -> App {
    let layer = A2aExtensionsLayer::builder(card()).extension(on_request()).build().unwrap();
    let rpc = async |guard: OnRequestGuard| {
        Json(json!({"jsonrpc": "2.0", "id": 7, "result": answer(Wire::JsonRpc, guard).await}))
    };
    let rest = async |guard: OnRequestGuard| Json(json!({"task": answer(Wire::HttpJson, guard).await}));
    let routes =
        Router::new().route("/rpc", axum::routing::post(rpc)).route("/rest/v1/message:send", axum::routing::post(rest));
    App::of(routes.layer(layer))
}

fn of_person(wire: Wire, text: &str) -> Value {
    let mut message = wire.message(text);
    message["metadata"] = json!({ON_REQUEST: {"actingFor": "family-7"}});
    message
}

#[tokio::test]
async fn or_5_4_what_is_given_is_an_artifact_in_the_callers_spelling() {
    let app = app();
    for wire in Wire::ALL {
        for text in [QUESTION, "and the second one?"] {
            let request = with(wire.request(Ask::Send, &of_person(wire, text)), "x-assistant", "acme");
            let reply = app.send(with(request, "x-a2a-extensions", ON_REQUEST)).await;
            let payload = wire.payloads(&reply)[0].clone();
            let task = if wire == Wire::JsonRpc { &payload } else { &payload["task"] };
            let artifact = &task["artifacts"][0];
            let parts = match wire {
                Wire::JsonRpc => {
                    json!([{"kind": "text", "text": SECRET}, {"kind": "data", "data": {"price": SECRET}}])
                }
                Wire::HttpJson => json!([{"text": SECRET}, {"data": {"data": {"price": SECRET}}}]),
            };
            assert_eq!(artifact["parts"], parts, "{wire:?}");
            let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS});
            assert_eq!(artifact["metadata"], json!({ON_REQUEST: mark}), "{wire:?}");
            assert_eq!(artifact["extensions"], json!([ON_REQUEST]));
        }
    }
}

#[tokio::test]
async fn or_5_3_a_task_that_refers_ends_in_the_callers_spelling() {
    let app = app();
    for wire in Wire::ALL {
        for active in [true, false] {
            let request = wire.request(Ask::Send, &wire.message("and the second one?"));
            let request = if active { with(request, "x-a2a-extensions", ON_REQUEST) } else { request };
            let reply = app.send(request).await;
            assert!(!reply.tells(), "{wire:?}");
            let payload = wire.payloads(&reply)[0].clone();
            let task = if wire == Wire::JsonRpc { &payload } else { &payload["task"] };
            let (state, role, parts) = match wire {
                Wire::JsonRpc => ("completed", "agent", "parts"),
                Wire::HttpJson => ("TASK_STATE_COMPLETED", "ROLE_AGENT", "content"),
            };
            let message = &task["status"]["message"];
            assert_eq!((&task["status"]["state"], &message["role"]), (&json!(state), &json!(role)), "{wire:?}");
            let part = &message[parts][0];
            assert!(part["text"].as_str().is_some_and(|text| text.contains(ADDRESS)), "{wire:?}: {message}");
            let kinds = (wire == Wire::JsonRpc).then(|| (json!("message"), json!("text")));
            assert_eq!((message["kind"].clone(), part["kind"].clone()), kinds.unwrap_or_default(), "{wire:?}");
            assert_eq!(message["metadata"][ON_REQUEST]["status"] == "on-request", active, "{wire:?}: {message}");
            assert_eq!(reply.text().contains(ON_REQUEST), active, "{wire:?}");
        }
    }
}

/// A stored task of this binding with an artifact that was given to `acme`.
async fn stored(wire: Wire) -> Value {
    let keep = std::sync::Arc::new(std::sync::Mutex::new(Value::Null));
    let kept = std::sync::Arc::clone(&keep);
    let agent = async move |guard: OnRequestGuard| -> Response {
        *kept.lock().unwrap() = answer(wire, guard).await;
        Json(json!({})).into_response()
    };
    let layer = A2aExtensionsLayer::builder(card()).extension(marked()).build().unwrap();
    let app = App::of(Router::new().fallback(agent).layer(layer));
    let request = wire.request(Ask::Send, &of_person(wire, "and the second one?"));
    app.send(with(request, "x-assistant", "acme")).await;
    let task = keep.lock().unwrap().clone();
    assert!(task["artifacts"][0].to_string().contains(SECRET), "{task}");
    task
}

fn marked() -> OnRequest {
    on_request().mark_key(tower_a2a_extensions::on_request::MarkKey::new([7; 32]).unwrap())
}

#[tokio::test]
async fn what_was_given_stays_in_later_replies_for_who_got_it_and_is_withheld_from_others() {
    for wire in Wire::ALL {
        let task = stored(wire).await;
        for ask in [Ask::Get, Ask::Cancel, Ask::List, Ask::Resubscribe] {
            let payload = match (wire, ask) {
                (Wire::JsonRpc, Ask::List) => continue,
                (Wire::HttpJson, Ask::List) => json!([task]),
                (Wire::HttpJson, Ask::Resubscribe) => json!({"task": task}),
                _ => task.clone(),
            };
            let (kind, body) = wire.reply(ask, &[payload]);
            let layer = A2aExtensionsLayer::builder(card()).extension(marked()).build().unwrap();
            let agent = async move |_: Request<axum::body::Body>| ([("content-type", kind)], body.clone());
            let app = App::of(Router::new().fallback(agent).layer(layer));
            for (who, tells) in [("acme", true), ("other", false)] {
                let request = with(wire.request(ask, &Value::Null), "x-assistant", who);
                let reply = app.send(request).await;
                assert_eq!(reply.tells(), tells, "{wire:?} {ask:?} {who}: {}", reply.text());
                assert!(!reply.text().contains("givenTo"), "{}", reply.text());
                if tells {
                    continue;
                }
                let payload = wire.payloads(&reply)[0].clone();
                let shown = [&payload, &payload["task"], &payload[0]].into_iter().find(|task| task["id"] == "t-1");
                let artifact = &shown.unwrap_or_else(|| panic!("{payload}"))["artifacts"][0];
                let [part] = &artifact["parts"].as_array().unwrap()[..] else { panic!("one Part: {artifact}") };
                assert!(part["text"].as_str().unwrap().contains("not given here"), "{wire:?} {ask:?}: {artifact}");
                let status = &shown.unwrap()["status"]["message"];
                assert!(status.to_string().contains(ADDRESS), "{wire:?} {ask:?}: {status}");
                assert_eq!(part.get("kind").is_some(), wire == Wire::JsonRpc, "{wire:?} {ask:?}: {part}");
            }
        }
    }
}

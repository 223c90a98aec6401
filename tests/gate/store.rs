//! An agent with one store for all callers, as SDKs ship them, in which every caller may get, list,
//! watch, cancel and continue every task.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::{A2aExtensionsLayer, CallFacts, Held, OnRequest, OnRequestGuard, Referral};

use crate::support::*;

static PRICE: Held<&str> = Held::new("service-pricing", SECRET);

/// The store of an agent, which survives its processes.
#[derive(Clone, Default)]
pub(crate) struct Store(Arc<Mutex<Option<Value>>>);

impl Store {
    pub(crate) fn keep(&self, task: Value) {
        *self.0.lock().unwrap() = Some(task);
    }

    pub(crate) fn task(&self) -> Value {
        self.0.lock().unwrap().clone().unwrap()
    }
}

pub(crate) fn working() -> Value {
    json!({"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_WORKING"}})
}

/// One artifact that is given, which the agent marks, and one that is for everybody.
pub(crate) async fn work(guard: &OnRequestGuard) -> Result<Value, Referral> {
    let price = guard.open(&PRICE).await?;
    let mut task = working();
    task["status"]["state"] = json!("TASK_STATE_COMPLETED");
    let hours = json!({"artifactId": "hours", "parts": [{"text": "nine to five"}]});
    task["artifacts"] = json!([hours, price.artifact(|price| json!([{"text": price}]))]);
    Ok(task)
}

pub(crate) async fn agent(
    State(store): State<Store>,
    guard: OnRequestGuard,
    Json(call): Json<Value>,
) -> Result<Response, Referral> {
    let reply = |result: Value| Json(json!({"jsonrpc": "2.0", "id": 1, "result": result})).into_response();
    let stream = |results: Vec<Value>| {
        let event = |result: Value| format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        let events = results.into_iter().map(event).collect::<String>();
        ([("content-type", "text/event-stream"), ("cache-control", "max-age=60")], events).into_response()
    };
    let params = &call["params"];
    Ok(match call["method"].as_str().unwrap() {
        "SendMessage" if params["message"]["taskId"].is_string() => reply(json!({"task": store.task()})),
        "SendMessage" if params["configuration"]["returnImmediately"] == true => {
            store.keep(working());
            tokio::spawn(async move { store.keep(work(&guard).await.unwrap()) });
            reply(json!({"task": working()}))
        }
        "SendMessage" => {
            store.keep(work(&guard).await?);
            reply(json!({"task": store.task()}))
        }
        "GetTask" | "CancelTask" => reply(store.task()),
        "ListTasks" => reply(
            json!({"tasks": [store.task(), {"id": "t-2", "status": {"state": "TASK_STATE_WORKING"}, "artifacts": [{"artifactId": "other", "parts": [{"text": "for all"}]}]}], "totalSize": 2}),
        ),
        "SubscribeToTask" => stream(vec![json!({"task": store.task()})]),
        "chunks" => {
            let task = store.task();
            let mut artifact = task["artifacts"][1].clone();
            let update = |artifact: &Value| json!({"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "artifact": artifact}});
            let mut events = vec![json!({"task": working()}), update(&artifact)];
            artifact.as_object_mut().unwrap().retain(|name, _| name != "metadata" && name != "extensions");
            events.push(update(&artifact));
            stream(events)
        }
        other => panic!("{other}"),
    })
}

/// A process of the agent.
pub(crate) fn process(store: &Store, card: Value, on_request: OnRequest) -> TestApp {
    let on_request = on_request
        .information("service-pricing")
        .allow_anonymous(true)
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)));
    let layer = A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap();
    let router = Router::new().fallback(agent).with_state(store.clone()).layer(layer);
    TestApp { router, calls: Default::default() }
}

/// A call of an assistant, or of nobody known.
pub(crate) async fn call(app: &TestApp, who: Option<&str>, active: bool, method: &str, params: Value) -> Reply {
    let mut request =
        post("/a2a/v1", &[], json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string());
    if let Some(who) = who {
        request.headers_mut().insert("x-assistant", who.parse().unwrap());
    }
    if active {
        request.headers_mut().insert("a2a-extensions", URI.parse().unwrap());
    }
    let reply = app.send(request).await;
    assert!(!reply.text().contains("givenTo"), "{method}: {}", reply.text());
    reply
}

pub(crate) fn asking() -> Value {
    let mut question = message("and the second one?");
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    json!({"message": question})
}

pub(crate) async fn give(app: &TestApp, who: Option<&str>) {
    let reply = call(app, who, true, "SendMessage", asking()).await;
    assert!(reply.tells(), "{}", reply.text());
    only_the_price_is_marked(&reply);
}

pub(crate) fn only_the_price_is_marked(reply: &Reply) {
    let text = reply.text();
    let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS});
    let found = ["/result/task/artifacts", "/result/artifacts", "/result/tasks/0/artifacts"];
    let reply = reply.json();
    let artifacts = found.iter().find_map(|place| reply.pointer(place)).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(artifacts[0].get("metadata"), None, "{text}");
    assert_eq!(
        (&artifacts[1]["metadata"], &artifacts[1]["extensions"]),
        (&json!({URI: mark}), &json!([URI])),
        "{text}"
    );
}

/// Every way to read a task that is there already.
pub(crate) fn ways() -> Vec<(&'static str, Value)> {
    let mut on = message("and the second one?");
    on["taskId"] = json!("t-1");
    let mut on_for_a_person = on.clone();
    on_for_a_person["metadata"] = json!({URI: {"actingFor": "ref-2"}});
    vec![
        ("GetTask", json!({"id": "t-1"})),
        ("CancelTask", json!({"id": "t-1"})),
        ("ListTasks", json!({"includeArtifacts": true})),
        ("SubscribeToTask", json!({"id": "t-1"})),
        ("chunks", json!({"id": "t-1"})),
        ("SendMessage", json!({"message": on})),
        ("SendMessage", json!({"message": on_for_a_person})),
    ]
}

/// Reads in every way, active and not, and says which of them told the price.
pub(crate) async fn told(app: &TestApp, who: Option<&str>) -> Vec<&'static str> {
    let mut told = Vec::new();
    for (method, params) in ways() {
        for active in [true, false] {
            let reply = call(app, who, active, method, params.clone()).await;
            assert_eq!((reply.status.as_u16(), reply.text().contains("\"error\"")), (200, false), "{}", reply.text());
            assert!(reply.tells() || reply.text().contains(ADDRESS), "{method}: {}", reply.text());
            assert!(reply.text().contains("nine to five") || method == "chunks", "the other artifact stays");
            let caching = reply.headers["cache-control"].to_str().unwrap();
            assert!(["no-store", "max-age=60, no-store"].contains(&caching), "{method}: {caching}");
            assert_eq!(reply.text().contains("given-on-opt-in"), reply.tells() && active, "{method}");
            if reply.tells() {
                told.push(method);
            }
        }
    }
    told.dedup();
    told
}

pub(crate) const ALL: [&str; 6] = ["GetTask", "CancelTask", "ListTasks", "SubscribeToTask", "chunks", "SendMessage"];

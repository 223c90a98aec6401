//! An opened card: what is given, to whom, and that nothing hangs (OR-5.4).

use std::time::Duration;

use axum::routing::post as axum_post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::time::Instant;
use tower_a2a_extensions::on_request::{Caller, Policy, SkillCall, Verdict};
use tower_a2a_extensions::{A2aExtensionsLayer, BoxError, CallFacts, Held, OnRequest, OnRequestGuard, Referral};

use crate::support::*;

static PRICE: Held<&str> = Held::new("service-pricing", SECRET);

async fn agent(guard: OnRequestGuard) -> Result<Json<Value>, Referral> {
    let price = guard.open(&PRICE).await?;
    let artifact = price.artifact(|price| json!([{"text": price}]));
    let status = json!({"state": "TASK_STATE_COMPLETED"});
    Ok(Json(
        json!({"jsonrpc": "2.0", "id": 1, "result": {"task": {"id": "t", "status": status, "artifacts": [artifact]}}}),
    ))
}

fn app(on_request: OnRequest) -> TestApp {
    let on_request = on_request
        .information("service-pricing")
        .held(&PRICE)
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)));
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(on_request);
    let layer = layer.decision_timeout(Duration::from_secs(2)).build().unwrap();
    TestApp { router: Router::new().route("/a2a/v1", axum_post(agent)).layer(layer), calls: Default::default() }
}

/// The question, recognised by the gate or only by the agent, from an assistant that names a person.
async fn ask(app: &TestApp, text: &str, headers: &[(&str, &str)]) -> Reply {
    let mut question = message(text);
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    let headers = [&[("a2a-extensions", URI), ("x-assistant", "acme")], headers].concat();
    app.send(post("/a2a/v1", &headers, rpc("SendMessage", &question).to_string())).await
}

#[tokio::test]
async fn or_5_4_a_known_assistant_gets_an_artifact_that_says_so() {
    let app = app(OnRequest::new());
    for text in [QUESTION, "and the second one?"] {
        let reply = ask(&app, text, &[]).await;
        let artifact = &reply.json()["result"]["task"]["artifacts"][0];
        assert_eq!(artifact["parts"][0]["text"], SECRET);
        assert_eq!(artifact["extensions"], json!([URI]));
        let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS});
        assert_eq!(artifact["metadata"], json!({URI: mark}));
        assert_eq!(reply.headers["a2a-extensions"], URI);
    }
}

/// A policy that does what a policy should not.
#[derive(Clone, Copy, Debug)]
enum Conduct {
    Refuse,
    Fail,
    Panic,
    PanicLater,
    Hang,
}

impl Policy for Conduct {
    async fn decide(&self, _call: &SkillCall) -> Result<Verdict, BoxError> {
        match self {
            Self::Refuse => Ok(Verdict::Refer),
            Self::Fail => Err("the database said: password=hunter2".into()),
            Self::Panic => panic!("at once"),
            Self::PanicLater => {
                tokio::task::yield_now().await;
                panic!("later")
            }
            Self::Hang => std::future::pending().await,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b34_f3_a_policy_that_refuses_fails_panics_or_hangs_refers_within_the_time() {
    for conduct in [Conduct::Refuse, Conduct::Fail, Conduct::Panic, Conduct::PanicLater, Conduct::Hang] {
        for text in [QUESTION, "and the second one?"] {
            let started = Instant::now();
            let reply = ask(&app(OnRequest::new().policy(conduct)), text, &[]).await;
            assert!(!reply.tells() && !reply.text().contains("hunter2"), "{conduct:?}");
            assert_eq!(reply.json()["result"]["message"]["metadata"][URI]["status"], "on-request", "{conduct:?}");
            assert!(started.elapsed() <= Duration::from_secs(2), "{conduct:?}");
        }
    }
}

#[tokio::test]
async fn or_5_4_nobody_known_or_nobody_named_is_referred() {
    let app = app(OnRequest::new());
    let mut anonymous = message(QUESTION);
    anonymous["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &anonymous).to_string())).await;
    assert!(!reply.tells() && reply.text().contains(ADDRESS));
    for reference in
        [json!("  "), json!("\u{200b}\u{3164}"), json!(7), json!(null), json!({}), json!("x".repeat(1 << 20))]
    {
        let mut question = message(QUESTION);
        question["metadata"] = json!({URI: {"actingFor": reference}});
        let reply =
            app.send(post("/a2a/v1", &[("x-assistant", "acme")], rpc("SendMessage", &question).to_string())).await;
        assert!(!reply.tells() && reply.text().contains(ADDRESS));
    }
}

#[tokio::test]
async fn or_5_6_no_action_is_carried_out_while_its_conditions_cannot_be_shown() {
    static BOOKING: Held<&str> = Held::new("arrangement-booking", SECRET);
    let book = async |guard: OnRequestGuard| -> Result<String, Referral> {
        Ok((*guard.open(&BOOKING).await?.value()).to_owned())
    };
    let layer =
        A2aExtensionsLayer::builder(opened_card()).extension(OnRequest::new().allow_anonymous(true)).build().unwrap();
    let app =
        TestApp { router: Router::new().route("/a2a/v1", axum_post(book)).layer(layer), calls: Default::default() };
    for text in ["please book a meeting", "put me down for Tuesday"] {
        let reply = ask(&app, text, &[]).await;
        assert!(!reply.tells());
        assert_eq!(reply.json()["result"]["message"]["metadata"][URI]["status"], "action-referred");
    }
}

#[tokio::test]
async fn a_permit_and_its_value_end_with_their_call() {
    let layer = A2aExtensionsLayer::builder(opened_card());
    let layer = layer.extension(OnRequest::new().information("service-pricing")).build().unwrap();
    let calls = layer.calls();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let executor = axum_post(async move |headers: http::HeaderMap| {
        // An SDK executor in a spawned task sees only a map of headers.
        let params = headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()));
        let params = params.collect::<std::collections::HashMap<_, _>>();
        let call = calls.from_headers(&params);
        let found = call.is_some();
        let guard = call.and_then(|call| OnRequestGuard::of(&call));
        let given = tokio::spawn(async move { guard.unwrap().open(&PRICE).await.is_ok() }).await.unwrap();
        sender.send((params["a2a-call-key"].clone(), found, given)).unwrap();
        "{}"
    });
    let app =
        TestApp { router: Router::new().route("/a2a/v1", executor).layer(layer.clone()), calls: Default::default() };
    ask(&app, "and the second one?", &[("a2a-call-key", "forged")]).await;
    let (key, found, given) = receiver.recv().await.unwrap();
    assert!(found && given && key != "forged" && key.len() == 32);
    let stale = std::collections::HashMap::from([("a2a-call-key".to_owned(), key)]);
    assert!(layer.calls().from_headers(&stale).is_none(), "the call has ended");
}

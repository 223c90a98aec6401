use serde_json::{Value, json};

use super::support::*;
use crate::binding::IncomingMessage;
use crate::extension::Gate;
use crate::on_request::{Caller, OnRequest};

async fn gives(message: Value, request: Option<Value>) -> bool {
    call(opened()).message_with(&message, request.as_ref()).build().gate().await == Gate::Pass
}

fn asking(own: Value) -> Value {
    let mut message = message("What does the open one cost?");
    message["metadata"] = json!({URI: own});
    message
}

#[tokio::test]
async fn or_5_4_an_assistant_that_names_a_person_is_given() {
    for reference in ["a reference", " x ", "7", "\u{3b1}", "\u{3164}x", &"x".repeat(256)] {
        assert!(gives(asking(json!({"actingFor": reference})), None).await, "{reference}");
    }
    let padded = format!("{}x", " ".repeat(1000));
    assert!(gives(asking(json!({"actingFor": padded})), None).await);
}

#[tokio::test]
async fn or_5_4_what_names_nobody_is_referred() {
    let mute = [
        json!(""),
        json!("  \t"),
        json!("..."),
        json!("\u{200b}\u{200d}"),
        json!("\u{115f}\u{1160}\u{3164}\u{ffa0}"),
        json!("\u{1f600}"),
        json!(7),
        json!(true),
        json!(null),
        json!(["x"]),
        json!({"name": "x"}),
        json!("x".repeat(257)),
        json!("x".repeat(1 << 20)),
        json!("\u{e4}".repeat(129)),
    ];
    for reference in mute {
        assert!(!gives(asking(json!({"actingFor": reference})), None).await, "{reference}");
    }
    for own in
        [json!({}), json!("actingFor"), json!(7), json!(null), json!([{"actingFor": "x"}]), json!({"actingfor": "x"})]
    {
        assert!(!gives(asking(own.clone()), None).await, "{own}");
    }
    assert!(!gives(message("What does the open one cost?"), None).await);
}

#[tokio::test]
async fn a16_the_assertion_is_read_in_both_places() {
    let open = || message("What does the open one cost?");
    assert!(gives(open(), Some(json!({URI: {"actingFor": "x"}}))).await);
    assert!(gives(asking(json!({"actingFor": "x"})), Some(json!({URI: {"actingFor": " x"}}))).await);
    assert!(gives(asking(json!({"skillId": "open"})), Some(json!({URI: {"actingFor": "x"}}))).await);
}

#[tokio::test]
async fn or_5_4_two_different_persons_are_none() {
    let own = || asking(json!({"actingFor": "x"}));
    assert!(!gives(own(), Some(json!({URI: {"actingFor": "y"}}))).await);
    assert!(!gives(own(), Some(json!({URI: {"actingFor": 7}}))).await, "one of them is malformed");
    assert!(gives(own(), Some(json!({URI: "not an object"}))).await, "malformed metadata counts as absent");
}

#[tokio::test]
async fn only_our_key_asserts_and_an_alias_is_one_if_configured() {
    let mut foreign = message("What does the open one cost?");
    foreign["metadata"] = json!({"https://example.com/on-request/v2": {"actingFor": "x"}});
    assert!(!gives(foreign.clone(), None).await);

    let alias = crate::ExtensionUri::from_static("https://example.com/on-request/v2");
    let renamed = call(opened().alias(alias)).message(&foreign).build();
    assert_eq!(renamed.gate().await, Gate::Pass);
}

#[tokio::test]
async fn or_5_5_the_callers_identity_outweighs_its_own_word() {
    let known = |acting| opened().caller(Caller::assistant("a").acting_for_a_person(acting));
    let says_so = assistants_message("What does the open one cost?");
    let silent = message("What does the open one cost?");
    assert!(call(known(false)).message(&says_so).build().referral().await.is_some());
    assert!(call(known(true)).message(&silent).build().referral().await.is_none());
}

#[tokio::test]
async fn or_5_5_another_assertion_replaces_the_default() {
    let says_so = assistants_message("What does the open one cost?");
    let never = |_: &IncomingMessage| false;
    assert!(call(opened().assertion(never)).message(&says_so).build().referral().await.is_some());
    let panics = |_: &IncomingMessage| -> bool { panic!("assertion") };
    let broken = call(opened().assertion(panics)).message(&says_so).build();
    assert!(broken.referral().await.is_some());
    assert_eq!(broken.observed.take(), ["open: identification-panicked"]);
}

#[tokio::test]
async fn b32_an_unknown_caller_is_referred_where_callers_are_identified() {
    let says_so = assistants_message("What does the open one cost?");
    let nobody = |on_request: OnRequest| call(on_request.caller(|_: &crate::CallFacts<'_>| None)).message(&says_so);

    let unknown = nobody(opened()).build();
    assert!(unknown.referral().await.is_some());
    assert_eq!(unknown.observed.take(), ["open: not-identified"]);

    assert!(nobody(opened().allow_anonymous(true)).build().referral().await.is_none());
    assert!(call(opened()).message(&says_so).build().referral().await.is_none(), "without `.caller` its word suffices");
}

#[tokio::test]
async fn b34_an_identification_that_panics_refers() {
    let says_so = assistants_message("What does the open one cost?");
    let panics = |_: &crate::CallFacts<'_>| -> Option<Caller> { panic!("identify") };
    let broken = call(opened().caller(panics).allow_anonymous(true)).message(&says_so).build();
    assert!(broken.referral().await.is_some());
    assert_eq!(broken.observed.take(), ["open: identification-panicked"]);
}

#[tokio::test]
async fn the_caller_is_read_from_the_auth_layers_data() {
    #[derive(Clone)]
    struct Claims(&'static str);

    let identify = |facts: &crate::CallFacts<'_>| Some(Caller::assistant(facts.extensions().get::<Claims>()?.0));
    let mut request = http::Request::new(());
    request.extensions_mut().insert(Claims("assistant-7"));
    let known = call(opened().caller(identify)).request(request);
    assert!(known.message(&assistants_message("What does the open one cost?")).build().referral().await.is_none());
}

#[tokio::test]
async fn the_message_is_searched_for_an_assertion_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    static READ: AtomicUsize = AtomicUsize::new(0);
    let counting = |_: &IncomingMessage| {
        READ.fetch_add(1, Ordering::Relaxed);
        true
    };
    let all = OnRequest::new().assertion(counting).unresolved(crate::on_request::Unresolved::Refer);
    assert!(call(all).message(&message("anything")).build().referral().await.is_some());
    assert_eq!(READ.load(Ordering::Relaxed), 1);
}

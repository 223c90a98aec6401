use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::support::*;
use crate::binding::IncomingMessage;
use crate::extension::Gate;
use crate::on_request::*;

async fn referred(on_request: OnRequest, text: &str) -> Option<(String, String)> {
    let call = call(on_request).message(&message(text)).build();
    call.referral().await.map(|(status, skill, _)| (status, skill))
}

fn pair(status: &str, skill: &str) -> Option<(String, String)> {
    Some((status.to_owned(), skill.to_owned()))
}

#[tokio::test]
async fn or_5_3_the_cards_example_is_referred() {
    assert_eq!(referred(OnRequest::new(), "what does it COST").await, pair("on-request", "closed"));
    assert_eq!(referred(OnRequest::new(), "What does it cost?").await, pair("on-request", "closed"));
}

#[tokio::test]
async fn or_5_3_the_text_says_who_gives_it_and_where_to_ask() {
    let call = call(OnRequest::new()).message(&message("What does it cost?")).build();
    let (_, _, text) = call.referral().await.unwrap();
    assert_eq!(text, format!("Example Chapel gives this to the person who asks. You can ask here: {ENTRY}"));
    assert_eq!(call.observed.take(), ["closed: not-opened"]);
}

#[tokio::test]
async fn or_5_7_an_action_is_referred_and_the_text_says_it_is_not_done() {
    for (text, skill) in [("Book it for me.", "booking"), ("Book the closed one.", "closed-booking")] {
        let call = call(OnRequest::new()).message(&assistants_message(text)).build();
        let (status, named, text) = call.referral().await.unwrap();
        assert_eq!((status.as_str(), named.as_str()), ("action-referred", skill));
        assert!(text.starts_with("This was not done"), "{text}");
    }
}

#[tokio::test]
async fn or_5_2_or_5_9_public_and_sign_in_skills_reach_the_agent() {
    for text in ["When are you open?", "Has my file arrived?"] {
        assert_eq!(referred(OnRequest::new(), text).await, None);
    }
}

#[tokio::test]
async fn or_5_4_an_opened_skill_reaches_the_agent_only_when_all_agree() {
    let asks = assistants_message("What does the open one cost?");
    assert_eq!(call(opened()).message(&asks).build().gate().await, Gate::Pass);
    for on_request in [OnRequest::new(), opened().policy(Verdict::Refer)] {
        assert!(call(on_request).message(&asks).build().referral().await.is_some());
    }
    assert_eq!(referred(opened(), "What does the open one cost?").await, pair("on-request", "open"));
}

#[tokio::test]
async fn an_opened_skill_without_a_kind_is_referred_as_information() {
    let call = call(OnRequest::new()).message(&assistants_message("What is unstated?")).build();
    assert_eq!(call.referral().await.map(|(status, ..)| status), Some("on-request".to_owned()));
    assert_eq!(call.observed.take(), ["unstated: kind-unstated"]);
}

#[tokio::test]
async fn unresolved_text_reaches_the_agent_by_default() {
    assert_eq!(referred(opened(), "how much, roughly?").await, None);
}

#[tokio::test]
async fn unresolved_text_is_referred_where_that_is_configured() {
    let careful = || opened().unresolved(Unresolved::Refer);
    assert_eq!(referred(careful(), "how much, roughly?").await, pair("action-referred", "closed-booking"));
    assert_eq!(referred(careful(), "When are you open?").await, None, "a public example is resolved");
    let keyword = |message: &IncomingMessage| message.text().contains("o'clock").then_some("hours");
    assert_eq!(referred(careful().resolver(keyword), "eight o'clock?").await, None);
}

#[tokio::test]
async fn a_callers_skill_id_adds_and_never_clears() {
    let mut asks = message("how much, roughly?");
    asks["metadata"] = json!({URI: {"skillId": "closed"}});
    assert!(call(OnRequest::new()).message(&asks).build().referral().await.is_some());

    for public in ["hours", "portal", "unknown"] {
        let mut clears = message("What does it cost?");
        clears["metadata"] = json!({URI: {"skillId": public}});
        assert!(call(OnRequest::new()).message(&clears).build().referral().await.is_some(), "{public}");
        clears["parts"] = json!([{"text": "how much, roughly?"}]);
        let careful = OnRequest::new().unresolved(Unresolved::Refer);
        assert!(call(careful).message(&clears).build().referral().await.is_some(), "{public}");
    }
}

#[tokio::test]
async fn a_public_example_does_not_clear_what_stands_beside_it() {
    let mut asks = message("When are you open?");
    asks["parts"] = json!([{"text": "When are you open?"}, {"data": {"ask": "price"}}]);
    let careful = OnRequest::new().unresolved(Unresolved::Refer);
    assert!(call(careful).message(&asks).build().referral().await.is_some());

    asks["parts"] = json!([{"text": "When are you open?"}, {"text": "What does it cost?"}]);
    assert!(call(OnRequest::new()).message(&asks).build().referral().await.is_some());
}

#[tokio::test]
async fn a16_a_skill_id_in_the_requests_metadata_counts() {
    let request = json!({URI: {"skillId": "closed"}});
    let call = call(OnRequest::new()).message_with(&message("?"), Some(&request)).build();
    assert!(call.referral().await.is_some());
}

#[tokio::test]
async fn all_resolvers_run_and_the_most_restricted_skill_wins() {
    let public = |_: &IncomingMessage| "hours";
    let open = |_: &IncomingMessage| vec!["open", "no such skill"];
    let closed = |_: &IncomingMessage| SkillIds::from("closed");
    let asks = assistants_message("anything");
    let resolved = call(opened().resolver(public).resolver(open.and_also(closed))).message(&asks).build();
    assert_eq!(resolved.referral().await.map(|(_, skill, _)| skill), Some("closed".to_owned()));
    assert_eq!(resolved.observed.take(), ["closed: not-opened", "open: given"]);
}

#[tokio::test]
async fn several_referred_skills_have_one_mark_and_all_addresses() {
    let several = |_: &IncomingMessage| ["open", "closed", "closed-booking"];
    let call = call(OnRequest::new().resolver(several)).message(&message("anything")).build();
    let (status, skill, text) = call.referral().await.unwrap();
    assert_eq!((status.as_str(), skill.as_str()), ("action-referred", "closed-booking"));
    for part in ["Closed prices", "Open prices", "https://ask.example.com/open", ENTRY] {
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn b34_a_resolver_that_panics_fails_or_hangs_makes_the_message_referred() {
    struct Hangs;

    impl SkillResolver for Hangs {
        async fn resolve(&self, _: &IncomingMessage) -> SkillIds {
            pending().await
        }
    }

    let panics = |_: &IncomingMessage| -> SkillIds { panic!("resolver") };
    let fails = |_: &IncomingMessage| Err::<&str, _>("down");
    let asks = assistants_message("anything");
    for on_request in [opened().resolver(panics), opened().resolver(fails), opened().resolver(Hangs)] {
        let call = call(on_request).message(&asks).build();
        assert!(call.referral().await.is_some());
        assert!(call.observed.take().iter().all(|line| line.ends_with(": resolver-failed")));
    }
}

#[tokio::test]
async fn a_policy_is_asked_once_for_each_call_and_skill() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = with_state(Arc::clone(&asked), async |asked: Arc<AtomicUsize>, _: SkillCall| {
        asked.fetch_add(1, Ordering::Relaxed);
        Verdict::Give
    });
    let call = call(opened().policy(counting)).message(&assistants_message("What does the open one cost?")).build();
    assert_eq!(call.gate().await, Gate::Pass);
    let guard = OnRequestGuard::of(&call.call).unwrap();
    assert!(guard.disclose("open").await.is_ok());
    assert!(guard.disclose("open").await.is_ok());
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a20_nothing_is_kept_between_calls() {
    let by_caller = |call: SkillCall| match call.caller().id() {
        Some("first") => Verdict::Give,
        _ => Verdict::Refer,
    };
    for (name, wanted) in [("first", true), ("second", false), ("first", true)] {
        let on_request = opened().policy(by_caller).caller(Caller::assistant(name));
        let mut asks = assistants_message("What does the open one cost?");
        asks["contextId"] = json!("one context");
        let call = call(on_request).message(&asks).build();
        assert_eq!(call.gate().await == Gate::Pass, wanted, "{name}");
    }
}

#[tokio::test]
async fn or_6_2_a_wording_that_forgets_the_address_panics_or_is_silent_is_mended() {
    let forgets = |_: &ReferralFacts<'_>| "Ask us.".to_owned();
    let panics = |_: &ReferralFacts<'_>| -> String { panic!("wording") };
    let silent = |_: &ReferralFacts<'_>| " ".to_owned();
    let near = |_: &ReferralFacts<'_>| format!("{ENTRY}/elsewhere");
    let text = async |on_request: OnRequest| {
        call(on_request).message(&message("What does it cost?")).build().referral().await.unwrap().2
    };
    let default = text(OnRequest::new()).await;
    assert_eq!(text(OnRequest::new().wording(forgets)).await, format!("Ask us. {ENTRY}"));
    assert_eq!(text(OnRequest::new().wording(near)).await, format!("{ENTRY}/elsewhere {ENTRY}"));
    assert_eq!(text(OnRequest::new().wording(panics)).await, default);
    assert_eq!(text(OnRequest::new().wording(silent)).await, default);
}

#[tokio::test]
async fn a_wording_sees_skill_operator_and_language() {
    let wording = |facts: &ReferralFacts<'_>| {
        let language = facts.accept_language().unwrap_or("none");
        format!("{:?} {:?} {language}", facts.skill_name(), facts.organization())
    };
    let request = http::Request::builder().header("accept-language", "de-DE, de;q=0.9").body(()).unwrap();
    let call = call(OnRequest::new().wording(wording)).request(request).message(&message("What does it cost?"));
    let (_, _, text) = call.build().referral().await.unwrap();
    assert_eq!(text, format!("Some(\"Closed prices\") Some(\"Example Chapel\") de-DE, de;q=0.9 {ENTRY}"));
}

#[tokio::test]
async fn an_unbound_extension_lets_nothing_through() {
    let call = call(OnRequest::new()).message(&message("anything")).build();
    let unbound = OnRequest::new();
    let gate = crate::MessageGate::decide(&unbound, call.call.message().unwrap(), &call.call).await;
    assert!(matches!(gate, Gate::Refuse(_)));
}

/// A resolver that fails for every message.
fn failing() -> impl SkillResolver {
    |_: &IncomingMessage| Err::<&str, _>("the model is down")
}

#[tokio::test]
async fn or_5_2_where_a_resolver_failed_only_a_public_example_and_nothing_beside_it_is_cleared() {
    let with = |on_request: OnRequest, message: serde_json::Value| async move {
        call(on_request).message(&message).build().referral().await.map(|(_, skill, _)| skill)
    };
    let parts = |parts: serde_json::Value| json!({"messageId": "m", "role": "ROLE_USER", "parts": parts});
    for unresolved in [Unresolved::RunGuarded, Unresolved::Refer] {
        let on_request = || OnRequest::new().resolver(failing()).unresolved(unresolved);
        assert_eq!(with(on_request(), message("WHEN are you open")).await, None);
        // Another resolver's answer is not all that may be asked for.
        let hours = |_: &IncomingMessage| Some("hours");
        assert!(with(on_request().resolver(hours), message("about your hours")).await.is_some());
        for not_alone in [
            parts(json!([{"text": "When are you open?"}, {"data": {"q": 1}}])),
            parts(json!([{"text": "When are you open?"}, {"text": "And what is it?"}])),
            message("Has my file arrived?"),
            message("about your hours"),
        ] {
            assert!(with(on_request(), not_alone.clone()).await.is_some(), "{not_alone}");
        }
        // The caller's own word adds a skill, and clears none.
        for (text, named, cleared) in [
            ("about your hours", "hours", false),
            ("When are you open?", "closed", false),
            ("When are you open?", "hours", true),
        ] {
            let mut asks = message(text);
            asks["metadata"] = json!({URI: {"skillId": named}});
            assert_eq!(with(on_request(), asks).await.is_none(), cleared, "{text} {named}");
        }
    }
}

#[tokio::test]
async fn or_5_2_under_refer_an_example_or_a_configured_resolver_clears_a_message() {
    let refer = || OnRequest::new().unresolved(Unresolved::Refer);
    let hours = |_: &IncomingMessage| Some("hours");
    assert!(referred(refer(), "about your hours").await.is_some());
    assert_eq!(referred(refer().resolver(hours), "about your hours").await, None);
    assert_eq!(referred(refer(), "When are you open?").await, None);
    assert_eq!(referred(refer(), "Has my file arrived?").await, None);
}

use serde_json::json;

use super::support::*;
use crate::binding::{Binding, ProtocolVersion};
use crate::call::A2aCall;
use crate::on_request::*;

static OPEN: Held<&str> = Held::new("open", "the open price");
static CLOSED: Held<&str> = Held::new("closed", "the closed price");
static HOURS: Held<&str> = Held::new("hours", "nine to five");
static BOOKING: Held<&str> = Held::new("booking", "the slot");
static PORTAL: Held<&str> = Held::new("portal", "the file");
static ELSEWHERE: Held<&str> = Held::new("elsewhere", "nowhere");

fn guarded(on_request: OnRequest, message: &serde_json::Value) -> (TestCall, OnRequestGuard) {
    let call = call(on_request).message(message).build();
    let guard = OnRequestGuard::of(&call.call).unwrap();
    (call, guard)
}

/// The mark of the opened skill, with the private hash that stands in the object.
fn given_mark(object: &serde_json::Value) -> serde_json::Value {
    let given_to = object["metadata"][URI]["givenTo"].as_str().unwrap();
    assert!(given_to.len() == 32 && given_to.bytes().all(|byte| byte.is_ascii_hexdigit()), "{given_to}");
    json!({
        "status": "given-on-opt-in", "skillId": "open",
        "personEntry": "https://ask.example.com/open", "givenTo": given_to,
    })
}

#[tokio::test]
async fn or_5_4_an_opened_value_is_told_to_who_acts_for_a_person() {
    let (_call, guard) = guarded(opened(), &assistants_message("how much, roughly?"));
    let price = guard.open(&OPEN).await.unwrap();
    assert_eq!(*price.value(), "the open price");

    let artifact = price.artifact(|price| json!([{"text": price}]));
    assert_eq!(artifact["parts"], json!([{"text": "the open price"}]));
    assert_eq!(artifact["extensions"], json!([URI]));
    assert_eq!(artifact["metadata"], json!({URI: given_mark(&artifact)}));
    assert!(artifact["artifactId"].is_string());
}

#[tokio::test]
async fn or_5_3_or_5_4_or_5_7_everything_else_is_referred() {
    let cases = [
        (opened(), assistants_message("?"), &CLOSED, ReplyStatus::OnRequest),
        (opened(), message("?"), &OPEN, ReplyStatus::OnRequest),
        (OnRequest::new(), assistants_message("?"), &OPEN, ReplyStatus::OnRequest),
        (opened().policy(Verdict::Refer), assistants_message("?"), &OPEN, ReplyStatus::OnRequest),
        (opened(), assistants_message("?"), &BOOKING, ReplyStatus::ActionReferred),
    ];
    for (on_request, message, held, status) in cases {
        let (_call, guard) = guarded(on_request, &message);
        let referral = guard.open(held).await.unwrap_err();
        assert_eq!((referral.status(), referral.skill()), (Some(status), Some(held.skill())));
        assert!(referral.text().contains(referral.person_entry().unwrap()));
    }
}

#[tokio::test]
async fn or_5_2_a_public_value_opens_without_a_mark() {
    let (_call, guard) = guarded(OnRequest::new(), &message("?"));
    let hours = guard.open(&HOURS).await.unwrap();
    let artifact = hours.artifact(|hours| json!(*hours));
    assert_eq!(artifact["parts"], json!([{"text": "nine to five"}]));
    assert_eq!((artifact.get("metadata"), artifact.get("extensions")), (None, None));
}

#[tokio::test]
async fn or_5_9_sign_in_and_unknown_skills_get_a_referral_without_an_address() {
    let (call, guard) = guarded(opened(), &assistants_message("?"));
    for held in [&PORTAL, &ELSEWHERE] {
        let referral = guard.open(held).await.unwrap_err();
        assert_eq!((referral.skill(), referral.person_entry(), referral.status()), (None, None, None));
        assert!(!referral.text().contains("https://"));
        assert_eq!(call.observed.take(), [format!("{}: unknown-skill", held.skill())]);
    }
}

#[tokio::test]
async fn a_permit_opens_its_own_skill_only() {
    let (_call, guard) = guarded(opened(), &assistants_message("?"));
    let permit = guard.disclose("open").await.unwrap();
    assert_eq!(OPEN.open(&permit).unwrap(), &"the open price");
    let referral = CLOSED.open(&permit).unwrap_err();
    assert_eq!(referral.skill(), Some("closed"));
    assert_eq!(ELSEWHERE.open(&permit).unwrap_err().skill(), None);

    let public = guard.disclose("hours").await.unwrap();
    assert!(OPEN.open(&public).is_err());
}

#[tokio::test]
async fn a24_an_artifact_is_in_the_callers_version() {
    let old = call(opened()).spoken(Binding::JsonRpc, ProtocolVersion::V0_3).message(&assistants_message("?")).build();
    let guard = OnRequestGuard::of(&old.call).unwrap();
    let artifact = guard.open(&OPEN).await.unwrap().artifact(|price| json!([{"text": price}]));
    assert_eq!(artifact["parts"], json!([{"kind": "text", "text": "the open price"}]));
}

#[tokio::test]
async fn a_permit_marks_what_the_agent_made() {
    let (_call, guard) = guarded(opened(), &assistants_message("?"));
    let permit = guard.disclose("open").await.unwrap();
    let mut artifact = json!({"artifactId": "a", "metadata": {"own": 1}, "extensions": ["https://x.example/y"]});
    for _ in 0..2 {
        permit.mark(&mut artifact);
        assert_eq!(artifact["metadata"], json!({"own": 1, URI: given_mark(&artifact)}));
        assert_eq!(artifact["extensions"], json!(["https://x.example/y", URI]));
    }
    for odd in [json!("text"), json!(null), json!([1])] {
        let mut marked = odd.clone();
        permit.mark(&mut marked);
        assert_eq!(marked, odd);
    }
    let mut nulls = json!({"metadata": null, "extensions": null});
    permit.mark(&mut nulls);
    assert_eq!(nulls, json!({"metadata": {URI: given_mark(&nulls)}, "extensions": [URI]}));
}

#[tokio::test(start_paused = true)]
async fn b34_the_guard_does_not_wait_for_a_policy_that_hangs() {
    let hangs = async |_: SkillCall| {
        std::future::pending::<()>().await;
        Verdict::Give
    };
    let (call, guard) = guarded(opened().policy(hangs), &assistants_message("?"));
    let mut abandoned = tokio_test::task::spawn(guard.disclose("open"));
    assert!(abandoned.poll().is_pending());

    // The first question is not polled any more, and must not keep the second one.
    let started = tokio::time::Instant::now();
    assert_eq!(guard.open(&OPEN).await.unwrap_err().skill(), Some("open"));
    assert_eq!(started.elapsed().as_secs(), 5);
    assert_eq!(call.observed.take(), ["open: timed-out"]);
}

#[test]
fn a_call_without_the_extension_has_no_guard() {
    assert!(OnRequestGuard::of(&A2aCall::detached()).is_none());
}

#[tokio::test]
async fn nothing_shows_a_held_value() {
    let (_call, guard) = guarded(opened(), &assistants_message("secret words"));
    let disclosed = guard.open(&OPEN).await.unwrap();
    let shown = format!("{OPEN:?} {guard:?} {disclosed:?} {:?}", disclosed.permit());
    assert!(!shown.contains("price") && !shown.contains("secret"), "{shown}");
}

#[test]
fn what_handlers_hold_crosses_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<OnRequestGuard>();
    check::<DisclosurePermit>();
    check::<Referral>();
    check::<BoundOnRequest>();
    check::<OnRequest>();
    assert!(size_of::<Referral>() <= size_of::<usize>(), "small enough for a handler's error");
}

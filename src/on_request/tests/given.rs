//! Marks that say to whom something was given, read in later calls.

use serde_json::{Value, json};

use super::support::*;
use crate::call::CallFacts;
use crate::extension::{A2aExtension, ObjectKind, OutgoingObject, Stamp};
use crate::on_request::*;

const KEY: [u8; 32] = [5; 32];

/// Callers are who their header says; whoever has none is anonymous.
fn replica(key: [u8; 32]) -> OnRequest {
    opened()
        .allow_anonymous(true)
        .mark_key(key)
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)))
}

fn request(assistant: Option<&str>) -> http::Request<()> {
    let request = http::Request::builder();
    match assistant {
        Some(name) => request.header("x-assistant", name).body(()).unwrap(),
        None => request.body(()).unwrap(),
    }
}

/// A call that reads: no message, no permit.
fn reading(on_request: OnRequest, assistant: Option<&str>) -> TestCall {
    call(on_request).request(request(assistant)).build()
}

/// The mark of what this caller was given, as the agent stores it.
async fn stored_mark(on_request: OnRequest, assistant: Option<&str>) -> Value {
    let live = call(on_request).message(&assistants_message("?")).request(request(assistant)).build();
    let permit = OnRequestGuard::of(&live.call).unwrap().disclose("open").await.unwrap();
    let mut artifact = json!({});
    permit.mark(&mut artifact);
    artifact["metadata"][URI].clone()
}

fn artifact(mark: &Value, active: bool) -> OutgoingObject<'static> {
    OutgoingObject::new(ObjectKind::Artifact, active).with_id("a-1").with_metadata(URI, mark.clone())
}

fn stamped(call: &TestCall, object: &OutgoingObject<'_>) -> Stamp {
    call.on_request.stamp(object, &call.call)
}

fn kept() -> Stamp {
    let mark = json!({"status": "given-on-opt-in", "skillId": "open", "personEntry": "https://ask.example.com/open"});
    Stamp::set(mark).and(Stamp::remove())
}

fn is_withheld(call: &TestCall, object: &OutgoingObject<'_>) -> bool {
    let stamp = stamped(call, object);
    assert_eq!(stamp.forbid, None, "never an error");
    assert!(!call.call.may_be_cached(|| false), "what was given or withheld is not cached");
    stamp.withhold.is_some_and(|text| text.contains("https://ask.example.com/"))
}

#[tokio::test]
async fn what_one_assistant_was_given_stays_for_it_and_for_nobody_else() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    for listed in [false, true] {
        let object = |active| if listed { artifact(&mark, active).with_list() } else { artifact(&mark, active) };
        assert_eq!(stamped(&reading(replica(KEY), Some("a")), &object(true)), kept());
        assert_eq!(stamped(&reading(replica(KEY), Some("a")), &object(false)), Stamp::remove());
        for other in [Some("b"), Some("A"), None] {
            for active in [true, false] {
                assert!(is_withheld(&reading(replica(KEY), other), &object(active)), "{other:?} {active} {listed}");
            }
        }
    }
}

#[tokio::test]
async fn what_an_anonymous_caller_was_given_stays_by_id_and_not_in_lists() {
    let mark = stored_mark(replica(KEY), None).await;
    assert_eq!(stamped(&reading(replica(KEY), None), &artifact(&mark, true)), kept());
    assert!(is_withheld(&reading(replica(KEY), None), &artifact(&mark, true).with_list()));
    for assistant in ["a", "", "anonymous"] {
        let call = reading(replica(KEY), Some(assistant));
        // A blank id is no id.
        let object = artifact(&mark, true).with_list();
        assert!(is_withheld(&call, &object), "{assistant:?}");
    }
    assert!(is_withheld(&reading(replica(KEY), Some("anonymous")), &artifact(&mark, true)));
    let only_known = replica(KEY).allow_anonymous(false);
    assert!(is_withheld(&reading(only_known, None), &artifact(&mark, true)), "nothing is given to them any more");
}

#[tokio::test]
async fn without_identification_everybody_is_anonymous() {
    let mark = stored_mark(opened().mark_key(KEY), None).await;
    assert_eq!(stamped(&reading(opened().mark_key(KEY), None), &artifact(&mark, true)), kept());
    assert!(is_withheld(&reading(opened().mark_key(KEY), None), &artifact(&mark, true).with_list()));
}

#[tokio::test]
async fn a_caller_whose_identification_panics_reads_nothing_that_was_given() {
    let panics = opened().mark_key(KEY).allow_anonymous(true).caller(|_: &CallFacts<'_>| panic!("who?"));
    for giver in [Some("a"), None] {
        let mark = stored_mark(replica(KEY), giver).await;
        assert!(is_withheld(&reading(panics.clone(), None), &artifact(&mark, true)), "{giver:?}");
    }
}

#[tokio::test]
async fn replicas_share_a_key_and_a_restart_with_another_forgets() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    assert_eq!(stamped(&reading(replica(KEY), Some("a")), &artifact(&mark, true)), kept());
    assert!(is_withheld(&reading(replica([6; 32]), Some("a")), &artifact(&mark, true)));
    let unset = opened().allow_anonymous(true).caller(Caller::assistant("a"));
    assert!(is_withheld(&reading(unset, None), &artifact(&mark, true)), "the random key of this process");
}

#[tokio::test]
async fn or_5_3_what_is_closed_again_is_withheld_also_from_who_got_it() {
    let mut closed = stored_mark(replica(KEY), Some("a")).await;
    let unstated = reading(OnRequest::new().mark_key(KEY).caller(Caller::assistant("a")), None);
    assert!(is_withheld(&unstated, &artifact(&closed, true)), "nothing states what it is now");
    let reader = replica(KEY);
    let signed = MarkKey::from(KEY).given_to(&Caller::assistant("a"), &"closed".into()).unwrap();
    closed["skillId"] = json!("closed");
    closed["givenTo"] = json!(signed);
    for message in [false, true] {
        let call = super::support::call(reader.clone()).request(request(Some("a")));
        let call = if message { call.message(&assistants_message("?")).build() } else { call.build() };
        assert!(is_withheld(&call, &artifact(&closed, true)), "a live reply too: {message}");
    }
}

#[tokio::test]
async fn or_5_2_a_skill_that_is_no_longer_listed_loses_its_mark_and_keeps_its_content() {
    let mut mark = stored_mark(replica(KEY), Some("a")).await;
    for reader in [Some("a"), Some("b"), None] {
        mark["skillId"] = json!("hours");
        assert_eq!(stamped(&reading(replica(KEY), reader), &artifact(&mark, true)), Stamp::remove(), "it is public");
        mark["skillId"] = json!("no longer on the card");
        assert!(stamped(&reading(replica(KEY), reader), &artifact(&mark, true)).withhold.is_some());
    }
}

#[tokio::test]
async fn a_mark_that_was_tampered_with_is_withheld_even_where_this_call_holds_a_permit() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    let right = mark["givenTo"].as_str().unwrap();
    let odd = [
        json!(null),
        json!(1),
        json!({}),
        json!([right]),
        json!(""),
        json!(right[..16]),
        json!(format!("{right}00")),
        json!(right.to_uppercase()),
        json!("f".repeat(32)),
    ];
    for given_to in odd {
        let mut mark = mark.clone();
        mark["givenTo"] = given_to;
        assert!(is_withheld(&reading(replica(KEY), Some("a")), &artifact(&mark, true)), "{mark}");
        let live = call(replica(KEY)).message(&assistants_message("?")).request(request(Some("a"))).build();
        let _permit = OnRequestGuard::of(&live.call).unwrap().disclose("open").await.unwrap();
        assert!(is_withheld(&live, &artifact(&mark, true)), "{mark}");
    }
}

#[tokio::test]
async fn or_6_1_private_members_of_a_mark_do_not_leave() {
    let mut mark = stored_mark(replica(KEY), Some("a")).await;
    mark["note"] = json!("kept");
    let stamp = stamped(&reading(replica(KEY), Some("a")), &artifact(&mark, true));
    let (_, value) = stamp.set.first().unwrap();
    assert_eq!((value.get("givenTo"), value.get("note")), (None, Some(&json!("kept"))));

    let mut referred = mark.clone();
    referred["status"] = json!("on-request");
    let message = OutgoingObject::new(ObjectKind::Message, true).with_metadata(URI, referred);
    assert!(is_withheld(&reading(replica(KEY), Some("b")), &message), "the guard wrote no such status");
    for odd in [json!({"givenTo": "x"}), json!({"givenTo": "x", "status": "given-on-opt-in", "skillId": 1})] {
        assert!(stamped(&reading(replica(KEY), Some("a")), &artifact(&odd, true)).withhold.is_some());
    }
}

#[tokio::test]
async fn two_artifacts_of_which_one_was_given_and_all_chunks_of_it() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    let plain = |id| OutgoingObject::new(ObjectKind::Artifact, true).with_id(id);
    let call = reading(replica(KEY), Some("a"));
    assert_eq!(stamped(&call, &artifact(&mark, true)), kept());
    assert_eq!(stamped(&call, &plain("a-2")), Stamp::remove());
    assert_eq!(stamped(&call, &plain("a-1")), kept(), "a later chunk of the first");

    let call = reading(replica(KEY), Some("b"));
    assert!(is_withheld(&call, &artifact(&mark, true)));
    assert_eq!(stamped(&call, &plain("a-2")), Stamp::remove());
    assert!(is_withheld(&call, &plain("a-1")), "a later chunk of the first");
    for status in ["on-request", "unknown"] {
        let referral = json!({"status": status, "skillId": "closed"});
        assert!(is_withheld(&call, &artifact(&referral, true)), "whatever it is marked as");
    }
}

#[tokio::test]
async fn in_a_list_artifacts_of_other_tasks_that_are_named_alike_stay() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    for (reader, first) in [(Some("b"), "a-1"), (Some("a"), "a-1"), (Some("b"), "")] {
        let call = reading(replica(KEY), reader);
        let mut marked = OutgoingObject::new(ObjectKind::Artifact, true).with_metadata(URI, mark.clone()).with_list();
        if !first.is_empty() {
            marked = marked.with_id(first);
        }
        assert_eq!(is_withheld(&call, &marked), reader == Some("b"));
        let other = OutgoingObject::new(ObjectKind::Artifact, true).with_id("a-1").with_list();
        assert_eq!(stamped(&call, &other), Stamp::remove());
    }
}

#[tokio::test]
async fn strict_is_no_error_for_a_list() {
    let mark = stored_mark(replica(KEY), Some("a")).await;
    let strict = || call(replica(KEY)).request(request(Some("a"))).strict().build();
    let message = || OutgoingObject::new(ObjectKind::StatusMessage, true).with_metadata(URI, mark.clone());
    assert!(stamped(&strict(), &message()).forbid.is_some(), "what was given stands on an Artifact");
    assert_eq!(stamped(&strict(), &message().with_list()), kept());
    let call = strict();
    assert_eq!(stamped(&call, &artifact(&mark, true)), kept());
    assert_eq!(call.observed.take(), [""; 0]);
}

#[tokio::test]
async fn every_withheld_artifact_is_told_of_without_saying_who() {
    let mark = stored_mark(replica(KEY), Some("assistant-a")).await;
    let call = reading(replica(KEY), Some("assistant-b"));
    assert!(is_withheld(&call, &artifact(&mark, true)));
    let told = call.observed.take();
    assert_eq!(told.len(), 1);
    assert!(!told.concat().contains("assistant-") && !told.concat().contains(mark["givenTo"].as_str().unwrap()));
}

#[tokio::test]
async fn what_is_withheld_from_a_payload_is_told_of_as_such() {
    let mark = stored_mark(replica(KEY), None).await;
    let payload = call(replica(KEY)).nobodys().build();
    assert!(is_withheld(&payload, &artifact(&mark, true)));
    assert_eq!(payload.observed.take(), ["noticed: what was given was withheld: a payload has no caller"]);
}

#[tokio::test]
async fn an_unmarked_reply_and_a_referral_may_be_cached_as_the_agent_says() {
    let call = reading(replica(KEY), Some("a"));
    drop(stamped(&call, &OutgoingObject::new(ObjectKind::Artifact, true)));
    let referral = json!({"status": "on-request", "skillId": "closed"});
    drop(stamped(&call, &OutgoingObject::new(ObjectKind::Message, true).with_metadata(URI, referral)));
    assert!(call.call.may_be_cached(|| false));
    assert!(!call.call.may_be_cached(|| true), "a stream's head leaves before anybody knows");
}

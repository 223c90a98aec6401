use serde_json::{Value, json};

use super::support::*;
use crate::extension::{A2aExtension, ObjectKind, OutgoingObject, Stamp};
use crate::on_request::*;

const KINDS: [ObjectKind; 4] =
    [ObjectKind::Message, ObjectKind::StatusMessage, ObjectKind::HistoryMessage, ObjectKind::Artifact];

fn mark(status: &str, skill: &str) -> Value {
    json!({"status": status, "skillId": skill, "personEntry": "https://elsewhere.example/"})
}

fn right_mark(status: &str, skill: &str, entry: &str) -> Value {
    json!({"status": status, "skillId": skill, "personEntry": entry})
}

fn stamped(call: &TestCall, object: &OutgoingObject<'_>) -> Stamp {
    call.on_request.stamp(object, &call.call)
}

fn live() -> TestCall {
    call(opened()).message(&assistants_message("how much, roughly?")).build()
}

#[test]
fn or_6_1_or_5_1_an_unmarked_reply_stays_unmarked() {
    for kind in KINDS {
        for active in [true, false] {
            assert_eq!(stamped(&live(), &OutgoingObject::new(kind, active)), Stamp::remove());
        }
    }
}

#[test]
fn or_6_1_a_referral_keeps_its_mark_only_where_activated() {
    for kind in [ObjectKind::Message, ObjectKind::StatusMessage, ObjectKind::HistoryMessage] {
        let object = |active| OutgoingObject::new(kind, active).with_metadata(URI, mark("on-request", "closed"));
        let right = right_mark("on-request", "closed", ENTRY);
        assert_eq!(stamped(&live(), &object(true)), Stamp::set(right).and(Stamp::remove()));
        assert_eq!(stamped(&live(), &object(false)), Stamp::remove());
    }
}

#[test]
fn or_5_3_what_says_it_gave_a_closed_skill_is_stopped_active_or_not() {
    for kind in KINDS {
        for active in [true, false] {
            for skill in ["closed", "closed-booking"] {
                let object = OutgoingObject::new(kind, active).with_metadata(URI, mark("given-on-opt-in", skill));
                assert!(stamped(&live(), &object).forbid.is_some(), "{kind:?} {active}");
            }
        }
    }
}

#[test]
fn or_5_3_a_stored_task_is_withheld_and_not_an_error() {
    let reading = call(opened()).build();
    let object = OutgoingObject::new(ObjectKind::Artifact, true).with_metadata(URI, mark("given-on-opt-in", "closed"));
    let stamp = stamped(&reading, &object);
    assert_eq!(stamp.forbid, None);
    assert!(stamp.withhold.is_some_and(|text| text.contains(ENTRY)));
}

#[tokio::test]
async fn or_5_4_what_was_given_goes_out_only_with_this_calls_permit() {
    for active in [true, false] {
        let call = live();
        let given = right_mark("given-on-opt-in", "open", "https://ask.example.com/open");
        let object = OutgoingObject::new(ObjectKind::Artifact, active)
            .with_id("a-1")
            .with_metadata(URI, mark("given-on-opt-in", "open"));

        let withheld = stamped(&call, &object).withhold;
        assert!(withheld.is_some_and(|text| text.contains("https://ask.example.com/open")), "{active}");

        let _permit = OnRequestGuard::of(&call.call).unwrap().disclose("open").await.unwrap();
        let wanted = if active { Stamp::set(given).and(Stamp::remove()) } else { Stamp::remove() };
        assert_eq!(stamped(&call, &object), wanted);
    }
}

#[tokio::test]
async fn a17_another_call_has_no_permit_for_what_this_one_was_given() {
    let first = live();
    let _permit = OnRequestGuard::of(&first.call).unwrap().disclose("open").await.unwrap();
    let object = OutgoingObject::new(ObjectKind::Artifact, true).with_metadata(URI, mark("given-on-opt-in", "open"));
    assert!(stamped(&call(opened()).build(), &object).withhold.is_some());
}

#[tokio::test]
async fn or_6_1_unmarked_artifacts_are_marked_once_a_permit_is_used() {
    let call = live();
    let given = right_mark("given-on-opt-in", "open", "https://ask.example.com/open");
    let artifact = |active| OutgoingObject::new(ObjectKind::Artifact, active).with_id("a-1");
    assert_eq!(stamped(&call, &artifact(true)), Stamp::remove(), "no permit yet");

    let _permit = OnRequestGuard::of(&call.call).unwrap().disclose("open").await.unwrap();
    assert_eq!(stamped(&call, &artifact(true)), Stamp::set(given.clone()).and(Stamp::remove()));
    assert_eq!(stamped(&call, &artifact(false)), Stamp::remove());
    for kind in [ObjectKind::Message, ObjectKind::StatusMessage, ObjectKind::HistoryMessage] {
        assert_eq!(stamped(&call, &OutgoingObject::new(kind, true)), Stamp::remove(), "given stands on Artifacts only");
    }
    let beside = OutgoingObject::new(ObjectKind::Artifact, true).with_id("a-2").with_marked_sibling(URI);
    assert_eq!(stamped(&call, &beside), Stamp::remove());

    let marked = OutgoingObject::new(ObjectKind::Artifact, true).with_id("a-3").with_metadata(URI, given.clone());
    assert_eq!(stamped(&call, &marked), Stamp::set(given.clone()).and(Stamp::remove()));
    let next = OutgoingObject::new(ObjectKind::Artifact, true).with_id("a-4");
    assert_eq!(stamped(&call, &next), Stamp::remove(), "from here on the agent marks");
    for chunk in ["a-1", "a-3"] {
        let chunk = OutgoingObject::new(ObjectKind::Artifact, true).with_id(chunk);
        assert_eq!(stamped(&call, &chunk), Stamp::set(given.clone()).and(Stamp::remove()), "chunks are alike");
    }
}

#[tokio::test]
async fn an_artifact_that_is_marked_only_on_its_way_out_is_told_of_once_for_each_call() {
    const LATE: &str = "noticed: an artifact was marked only on its way out: store what `artifact(..)` returns";
    let call = live();
    let unmarked = |id| OutgoingObject::new(ObjectKind::Artifact, false).with_id(id);
    drop(stamped(&call, &unmarked("a-0")));
    assert_eq!(call.observed.take(), [""; 0], "no permit yet");
    let _permit = OnRequestGuard::of(&call.call).unwrap().disclose("open").await.unwrap();
    for id in ["a-1", "a-1", "a-2"] {
        drop(stamped(&call, &unmarked(id)));
    }
    assert_eq!(call.observed.take(), ["open: given", LATE]);

    let call = live();
    let mut artifact = json!({});
    OnRequestGuard::of(&call.call).unwrap().disclose("open").await.unwrap().mark(&mut artifact);
    let marked = unmarked("a-1").with_metadata(URI, artifact["metadata"][URI].clone());
    for object in [marked, unmarked("a-1"), unmarked("a-2")] {
        drop(stamped(&call, &object));
    }
    assert_eq!(call.observed.take(), ["open: given"], "the agent marks, and a later chunk needs no mark of its own");
}

#[tokio::test]
async fn or_6_1_what_the_gate_gave_is_marked() {
    let call = call(opened()).message(&assistants_message("What does the open one cost?")).build();
    assert_eq!(call.gate().await, crate::Gate::Pass);
    let given = right_mark("given-on-opt-in", "open", "https://ask.example.com/open");
    let artifact = OutgoingObject::new(ObjectKind::Artifact, true);
    assert_eq!(stamped(&call, &artifact), Stamp::set(given).and(Stamp::remove()));
}

#[tokio::test]
async fn or_5_2_a_public_permit_marks_nothing() {
    let call = live();
    let _permit = OnRequestGuard::of(&call.call).unwrap().disclose("hours").await.unwrap();
    assert_eq!(stamped(&call, &OutgoingObject::new(ObjectKind::Artifact, true)), Stamp::remove());
}

#[test]
fn or_6_1_marks_that_mean_nothing_are_removed_and_told_of() {
    let odd = [
        json!(null),
        json!("given-on-opt-in"),
        json!({}),
        json!({"status": "on-request"}),
        json!({"status": 1, "skillId": "closed"}),
        mark("on-request", "hours"),
        mark("on-request", "unknown"),
        mark("given-on-opt-in", "portal"),
        mark("given", "closed"),
    ];
    for mark in odd {
        let call = live();
        let object = OutgoingObject::new(ObjectKind::Message, true).with_metadata(URI, mark.clone());
        assert_eq!(stamped(&call, &object), Stamp::remove(), "{mark}");
        assert_eq!(call.observed.take().len(), 1, "{mark}");
    }
}

#[test]
fn or_6_2_the_wrong_place_state_or_text_is_told_of_and_an_error_under_strict() {
    let message = |kind| OutgoingObject::new(kind, true);
    let cases = [
        message(ObjectKind::Artifact).with_metadata(URI, mark("on-request", "closed")),
        message(ObjectKind::Message).with_metadata(URI, mark("action-referred", "closed")),
        message(ObjectKind::Message).with_metadata(URI, mark("on-request", "booking")),
        message(ObjectKind::Message).with_text("Ask us.").with_metadata(URI, mark("on-request", "closed")),
        message(ObjectKind::StatusMessage)
            .with_task_state("TASK_STATE_REJECTED")
            .with_metadata(URI, mark("on-request", "closed")),
        message(ObjectKind::StatusMessage)
            .with_task_state("completed")
            .with_metadata(URI, mark("action-referred", "booking")),
    ];
    for object in cases {
        let call = live();
        assert!(!stamped(&call, &object).set.is_empty(), "{object:?}");
        assert_eq!(call.observed.take().len(), 1, "{object:?}");
        let strict = super::support::call(opened()).message(&assistants_message("?")).strict().build();
        assert!(stamped(&strict, &object).forbid.is_some(), "{object:?}");
    }
    let right = [
        message(ObjectKind::Message)
            .with_text(format!("Ask here: {ENTRY}."))
            .with_metadata(URI, mark("on-request", "closed")),
        message(ObjectKind::StatusMessage)
            .with_task_state("completed")
            .with_metadata(URI, mark("on-request", "closed")),
        message(ObjectKind::StatusMessage)
            .with_task_state("TASK_STATE_REJECTED")
            .with_metadata(URI, mark("action-referred", "booking")),
        message(ObjectKind::HistoryMessage)
            .with_task_state("TASK_STATE_FAILED")
            .with_metadata(URI, mark("on-request", "closed")),
    ];
    for object in right {
        let call = live();
        assert!(!stamped(&call, &object).set.is_empty(), "{object:?}");
        assert_eq!(call.observed.take(), [""; 0], "{object:?}");
    }
}

#[test]
fn or_5_8_a_deferred_action_that_is_called_done_is_corrected() {
    for status in ["given-on-opt-in", "done-on-opt-in"] {
        for state in ["TASK_STATE_COMPLETED", "completed"] {
            for active in [true, false] {
                let object = OutgoingObject::new(ObjectKind::StatusMessage, active)
                    .with_task_state(state)
                    .with_metadata(URI, mark(status, "later"));
                let text = stamped(&live(), &object).withhold.unwrap();
                assert!(text.starts_with("This is not finished: staff of Example Chapel"), "{text}");
                assert!(text.contains(ENTRY), "{text}");
                let strict = super::support::call(opened()).message(&assistants_message("?")).strict().build();
                assert!(stamped(&strict, &object).forbid.is_some(), "an error under `strict`");
            }
        }
    }
}

#[test]
fn an_aliased_client_gets_its_own_spelling() {
    let alias = crate::ExtensionUri::from_static("https://example.com/on-request/v2");
    let call = call(opened().alias(alias.clone())).message(&message("?")).build();
    let mut object = OutgoingObject::new(ObjectKind::Message, true).with_metadata(URI, mark("on-request", "closed"));
    object.set_asked(true, Some(&alias));
    let right = right_mark("on-request", "closed", ENTRY);
    assert_eq!(stamped(&call, &object), Stamp::set_key(alias, right).and(Stamp::remove()));
    let keys = call.on_request.metadata_keys();
    assert_eq!(keys, [URI, "https://example.com/on-request/v2"]);
}

#[test]
fn or_5_3_two_marks_are_both_judged() {
    let alias = crate::ExtensionUri::from_static("https://example.com/on-request/v2");
    let call = call(opened().alias(alias.clone())).message(&message("?")).build();
    let object = OutgoingObject::new(ObjectKind::Message, true)
        .with_metadata(URI, mark("on-request", "closed"))
        .with_metadata(alias.as_str().to_owned(), mark("given-on-opt-in", "closed"));
    assert!(stamped(&call, &object).forbid.is_some());
}

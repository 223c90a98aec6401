//! The page's values, and what contradicts itself.

mod properties;

use serde_json::{Value, json};

use super::*;
use crate::converse::outcome::InvocationOutcome;

/// The object under the URI in the page's reply.
fn page_example() -> Value {
    json!({
        "author": "agent",
        "answerCoverage": {
            "availability": "assessed",
            "coverage": "answered",
            "reason": "sufficient_evidence",
            "originatingTurnId": "c3…",
            "originatingRequestId": "c3…"
        },
        "ownership": {"state": "ai_owned", "suppressed": false},
        "citations": [{"documentId": "0c8e…", "chunkId": "5d21…", "title": "Returns policy"}]
    })
}

fn assessed() -> AnswerCoverage {
    AnswerCoverage::assessed(Coverage::Answered, CoverageReason::SufficientEvidence)
}

#[test]
fn the_pages_reply_is_built_and_read_field_by_field() {
    let coverage = assessed().with_originating_turn_id("c3…").with_originating_request_id("c3…");
    let built = Envelope::builder(Author::Agent)
        .answer_coverage(coverage)
        .ownership(Ownership::ai_owned())
        .citation(Citation::new("0c8e…", "5d21…", "Returns policy"))
        .build()
        .unwrap();
    assert_eq!(built.to_value(), page_example());

    let read = Envelope::from_value(&page_example()).unwrap();
    assert_eq!(read, built);
    assert_eq!(read.author(), Some(&Author::Agent));
    let coverage = read.answer_coverage().unwrap();
    assert_eq!(coverage.availability(), &CoverageAvailability::Assessed);
    assert_eq!(coverage.coverage(), Some(&Coverage::Answered));
    assert_eq!(coverage.reason(), Some(&CoverageReason::SufficientEvidence));
    assert_eq!((coverage.originating_turn_id(), coverage.originating_request_id()), (Some("c3…"), Some("c3…")));
    let ownership = read.ownership().unwrap();
    assert_eq!((ownership.state(), ownership.is_suppressed()), (&OwnershipState::AiOwned, false));
    let [citation] = read.citations() else { panic!("{read:?}") };
    assert_eq!(citation.document_id(), "0c8e…");
    assert_eq!((citation.chunk_id(), citation.title()), (Some("5d21…"), Some("Returns policy")));
    assert_eq!(citation.source_url(), None);
    assert_eq!((read.routine(), read.invocation()), (None, None));
}

#[test]
fn every_field_of_a_routine_and_its_call_is_written_as_the_page_names_it() {
    let routine = Routine::new("Book a table", RoutineStatus::WaitingForInput)
        .with_tool_name("book_table")
        .with_pending_input(PendingInput::required("date", "string", "The day."))
        .with_pending_input(PendingInput::optional("highChair", "boolean", "For a child."));
    let built = Envelope::builder(Author::Human)
        .routine(routine)
        .invocation(Invocation::new("book_table", InvocationOutcome::Reentered))
        .ownership(Ownership::human_owned())
        .citation(Citation::new("d", "c", "t").with_source_url("https://example.com/d"))
        .build()
        .unwrap();
    let written = json!({
        "author": "human",
        "answerCoverage": {"availability": "not_recorded"},
        "ownership": {"state": "human_owned", "suppressed": false},
        "routine": {
            "toolName": "book_table", "name": "Book a table", "status": "waiting_for_input",
            "pendingInput": [
                {"key": "date", "type": "string", "required": true, "description": "The day."},
                {"key": "highChair", "type": "boolean", "required": false, "description": "For a child."}
            ]
        },
        "invocation": {"toolName": "book_table", "outcome": "reentered"},
        "citations": [{"documentId": "d", "chunkId": "c", "title": "t", "sourceUrl": "https://example.com/d"}]
    });
    assert_eq!(built.to_value(), written);
    assert_eq!(Envelope::from_value(&written).unwrap(), built);
    assert_eq!(serde_json::to_value(&built).unwrap(), written);
}

/// Every word is read as its variant and written as it was read; others are `Other`.
fn words<W: for<'a> From<&'a str> + std::fmt::Debug + std::fmt::Display>(page: &[&str]) {
    for word in page {
        let read = W::from(word);
        assert_eq!(read.to_string(), *word);
        assert!(!format!("{read:?}").starts_with("Other"), "{word}");
    }
    for word in ["", "AGENT", "agent ", "assessed\u{0}", "sometime"] {
        let read = W::from(word);
        assert_eq!((read.to_string(), format!("{read:?}")), (word.to_owned(), format!("Other({word:?})")));
    }
}

#[test]
fn every_value_of_the_page_round_trips() {
    words::<Author>(&["agent", "human"]);
    words::<CoverageAvailability>(&["assessed", "not_recorded", "failed", "invalid"]);
    words::<Coverage>(&["answered", "partial", "unanswered", "unclear"]);
    words::<CoverageReason>(&[
        "sufficient_evidence",
        "insufficient_evidence",
        "conflicting_evidence",
        "ambiguous_request",
        "intentional_scope_boundary",
    ]);
    words::<OwnershipState>(&["ai_owned", "human_owned"]);
    words::<RoutineStatus>(&["active", "waiting_for_input", "waiting_for_approval", "completed", "abandoned"]);
    words::<InvocationOutcome>(&["started", "reentered", "declined", "not_started", "unknown_tool"]);
}

fn refusal(builder: EnvelopeBuilder) -> EnvelopeError {
    let error = builder.build().unwrap_err();
    assert!(!error.to_string().is_empty());
    error
}

#[test]
fn a_turn_is_suppressed_only_while_a_person_owns_the_conversation() {
    let owned = |ownership| Envelope::builder(Author::Agent).ownership(ownership);
    let silent = Ownership::ai_owned().with_suppressed(true);
    assert_eq!(refusal(owned(silent)), EnvelopeError::SuppressedWhileAiOwned);
    let citing = owned(Ownership::human_owned().with_suppressed(true)).citation(Citation::new("d", "c", "t"));
    assert_eq!(refusal(citing.clone()), EnvelopeError::SuppressedWithCitations);
    citing.without_citations().build().unwrap();
    for possible in [
        Ownership::human_owned().with_suppressed(true),
        Ownership::human_owned(),
        Ownership::ai_owned(),
        Ownership::new("shared".into()).with_suppressed(true),
    ] {
        owned(possible).build().unwrap();
    }
}

#[test]
fn there_is_a_verdict_exactly_where_it_was_assessed() {
    use CoverageAvailability::{Assessed, Failed, Invalid, NotRecorded};
    let covered = |coverage| Envelope::builder(Author::Agent).answer_coverage(coverage);
    for availability in [NotRecorded, Failed, Invalid] {
        let without = AnswerCoverage::new(availability);
        covered(without.clone().with_originating_turn_id("t")).build().unwrap();
        let with_verdict = without.clone().with_coverage(Coverage::Unclear);
        assert_eq!(refusal(covered(with_verdict)), EnvelopeError::VerdictWithoutAssessment);
        let with_reason = without.with_reason(CoverageReason::AmbiguousRequest);
        assert_eq!(refusal(covered(with_reason)), EnvelopeError::VerdictWithoutAssessment);
    }
    assert_eq!(refusal(covered(AnswerCoverage::new(Assessed))), EnvelopeError::AssessedWithoutVerdict);
    covered(AnswerCoverage::new(Assessed).with_coverage(Coverage::Partial)).build().unwrap();
    covered(AnswerCoverage::new("estimated".into()).with_coverage(Coverage::Partial)).build().unwrap();
}

#[test]
fn a_reason_that_says_the_opposite_of_its_coverage_is_odd() {
    let covered = |coverage: &str, reason: &str| {
        Envelope::builder(Author::Agent).answer_coverage(AnswerCoverage::assessed(coverage.into(), reason.into()))
    };
    for (coverage, reason) in [("answered", "insufficient_evidence"), ("unanswered", "sufficient_evidence")] {
        let odd = covered(coverage, reason).build().unwrap();
        assert_eq!(odd.oddities(), [EnvelopeOddity::ReasonAgainstCoverage]);
    }
    for (coverage, reason) in [
        ("answered", "intentional_scope_boundary"),
        ("partial", "sufficient_evidence"),
        ("unclear", "ambiguous_request"),
        ("unanswered", "a_new_reason"),
    ] {
        assert_eq!(covered(coverage, reason).build().unwrap().oddities(), []);
    }
}

#[test]
fn a_routine_that_has_ended_and_waits_is_odd() {
    let slot = || PendingInput::required("date", "string", "The day.");
    let waiting = |status: &str| {
        Envelope::builder(Author::Agent).routine(Routine::new("Book", status.into()).with_pending_input(slot()))
    };
    for ended in ["completed", "abandoned"] {
        assert_eq!(waiting(ended).build().unwrap().oddities(), [EnvelopeOddity::PendingInputAfterEnd]);
        Envelope::builder(Author::Agent).routine(Routine::new("Book", ended.into())).build().unwrap();
    }
    for running in ["active", "waiting_for_input", "waiting_for_approval", "paused"] {
        waiting(running).build().unwrap();
    }
}

#[test]
fn a_slot_is_pending_once() {
    let slot = |key: &str| PendingInput::optional(key, "string", "");
    let routine = Routine::new("Book", RoutineStatus::Active).with_pending_input(slot("b"));
    let routine = routine.with_pending_input(slot("a")).with_pending_input(slot("c"));
    Envelope::builder(Author::Agent).routine(routine.clone()).build().unwrap();
    let twice = Envelope::builder(Author::Agent).routine(routine.with_pending_input(slot("b")));
    assert_eq!(refusal(twice), EnvelopeError::PendingInputTwice { key: "b".to_owned() });
}

#[test]
fn a_call_that_started_touched_a_routine_and_an_unknown_tool_has_none() {
    let called = |outcome: &str| {
        Envelope::builder(Author::Agent).invocation(Invocation::new("book_table", InvocationOutcome::from(outcome)))
    };
    let routine = || Routine::new("Book", RoutineStatus::Active);
    for outcome in ["started", "reentered"] {
        assert_eq!(called(outcome).build().unwrap().oddities(), [EnvelopeOddity::StartedWithoutRoutine]);
        called(outcome).routine(routine()).build().unwrap();
        called(outcome).routine(routine().with_tool_name("book_table")).build().unwrap();
        let another = called(outcome).routine(routine().with_tool_name("cancel_table"));
        assert_eq!(refusal(another.clone()), EnvelopeError::StartedAnotherRoutine);
        another.without_routine().without_invocation().build().unwrap();
    }
    for outcome in ["declined", "not_started", "unknown_tool", "postponed"] {
        called(outcome).build().unwrap();
        called(outcome).routine(routine()).build().unwrap();
    }
    let of_that_name = called("unknown_tool").routine(routine().with_tool_name("book_table"));
    assert_eq!(refusal(of_that_name), EnvelopeError::RoutineOfUnknownTool);
}

#[test]
fn an_envelope_that_goes_on_keeps_what_a_newer_peer_said() {
    let read =
        Envelope::from_value(&json!({"author": "agent", "mood": 1, "ownership": {"state": "ai_owned", "by": "x"}}));
    let changed = read.unwrap().into_builder().author(Author::Human).build().unwrap();
    let written = json!({"author": "human", "mood": 1, "ownership": {"state": "ai_owned", "by": "x"}});
    assert_eq!(changed.to_value(), written);
}

#[test]
fn what_cannot_be_read_is_named_by_its_place_and_not_repeated() {
    let cases = [(json!("secret"), ""), (json!({"author": ["secret"]}), "/author")];
    for (value, pointer) in cases {
        let error = Envelope::from_value(&value).unwrap_err();
        assert_eq!(error.pointer(), pointer, "{value}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error}");
    }
}

#[test]
fn a_part_that_cannot_be_read_costs_no_other_and_is_written_as_it_was() {
    let cases = [
        (json!({"author": "agent", "answerCoverage": "secret"}), "/answerCoverage"),
        (json!({"author": "agent", "answerCoverage": {"coverage": "answered"}}), "/answerCoverage/availability"),
        (
            json!({"author": "agent", "ownership": {"state": "ai_owned", "suppressed": "secret"}}),
            "/ownership/suppressed",
        ),
        (json!({"author": "agent", "routine": {"name": "secret"}}), "/routine/status"),
        (json!({"author": "agent", "routine": {"status": "active", "pendingInput": {}}}), "/routine/pendingInput"),
        (
            json!({"author": "agent", "routine": {"status": "active", "pendingInput": [{"key": "a"}, {"key": 1}]}}),
            "/routine/pendingInput/1/key",
        ),
        (json!({"author": "agent", "invocation": {"toolName": "secret"}}), "/invocation/outcome"),
        (json!({"author": "agent", "citations": [{"title": "secret"}]}), "/citations/0/documentId"),
    ];
    for (mut value, pointer) in cases {
        value["mood"] = json!("calm");
        let read = Envelope::from_value(&value).unwrap();
        let [fault] = read.faults() else { panic!("{value}: {:?}", read.faults()) };
        assert_eq!(fault.pointer(), pointer, "{value}");
        assert!(!format!("{fault} {fault:?}").contains("secret"), "{fault}");
        assert_eq!((read.author(), read.to_value()), (Some(&Author::Agent), value));
    }
}

#[test]
fn null_is_read_as_not_there() {
    let read = Envelope::from_value(&json!({"author": "agent", "routine": null, "citations": null})).unwrap();
    assert_eq!(read.to_value(), json!({"author": "agent"}));
    assert_eq!((read.routine(), read.citations()), (None, &[] as &[Citation]));
}

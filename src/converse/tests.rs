//! Which envelope an object carries, without a server.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::envelope::{Author, Citation, Envelope, Ownership, PendingInput, Routine, RoutineStatus};
use super::slot::MAX_ENVELOPES;
use super::{CONVERSE_URI, Converse, ConverseReply, EnvelopeLimitError};
use crate::call::{A2aCall, CallSetup};
use crate::extension::{A2aExtension, ObjectKind, OutgoingObject, Stamp};
use crate::negotiation::Activation;
use crate::observer::{ExtensionsEvent, ExtensionsObserver};

const ALL_KINDS: [ObjectKind; 4] =
    [ObjectKind::Message, ObjectKind::StatusMessage, ObjectKind::HistoryMessage, ObjectKind::Artifact];

/// An envelope that can be told from others.
fn owned_by(owner: &str) -> Envelope {
    Envelope::builder(Author::Agent).ownership(Ownership::new(owner.into())).build().unwrap()
}

fn stamped(object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    Converse::new().stamp(object, call)
}

fn object(kind: ObjectKind) -> OutgoingObject<'static> {
    OutgoingObject::new(kind, true).with_id("o-1")
}

fn fallback() -> Stamp {
    Stamp::set(json!({"author": "agent", "answerCoverage": {"availability": "not_recorded"}, "citations": []}))
}

/// Nobody knows who wrote a message of the history that says nothing of it.
fn past() -> Stamp {
    Stamp::set(json!({"answerCoverage": {"availability": "not_recorded"}}))
}

#[test]
fn where_none_was_handed_over_the_agent_wrote_it_and_nothing_was_recorded() {
    for kind in ALL_KINDS {
        let expected = if kind == ObjectKind::HistoryMessage { past() } else { fallback() };
        assert_eq!(stamped(&object(kind), &A2aCall::detached()), expected);
    }
    let converse = Converse::default().fallback(owned_by("ai_owned"));
    let stamp = converse.stamp(&object(ObjectKind::Message), &A2aCall::detached());
    assert_eq!(stamp, Stamp::set(owned_by("ai_owned").to_value()));
}

#[test]
fn while_inactive_nothing_leaves_whatever_is_set() {
    let call = A2aCall::detached();
    let reply = ConverseReply::of(&call);
    reply.set(owned_by("reply"));
    reply.set_for("o-1", owned_by("id")).unwrap();
    for kind in ALL_KINDS {
        let object = OutgoingObject::new(kind, false).with_id("o-1");
        assert_eq!(stamped(&object, &call), Stamp::remove());
        let own = object.with_metadata(CONVERSE_URI, owned_by("own").to_value());
        assert_eq!(stamped(&own, &call), Stamp::remove());
    }
}

#[test]
fn by_id_comes_before_the_agents_own_and_that_before_the_replys() {
    let own = owned_by("own").to_value();
    for kind in ALL_KINDS {
        let call = A2aCall::detached();
        let (plain, marked) = (object(kind), object(kind).with_metadata(CONVERSE_URI, own.clone()));
        assert_eq!(stamped(&marked, &call), Stamp::set(own.clone()));
        let reply = ConverseReply::of(&call);
        reply.set(owned_by("reply"));
        let of_reply = Stamp::set(owned_by("reply").to_value());
        let expected = if kind == ObjectKind::HistoryMessage { past() } else { of_reply };
        assert_eq!(stamped(&plain, &call), expected, "{kind:?}");
        assert_eq!(stamped(&marked, &call), Stamp::set(own.clone()));
        reply.set_for("o-1", owned_by("id")).unwrap();
        assert_eq!(stamped(&marked, &call), Stamp::set(owned_by("id").to_value()));
        let other = plain.clone().with_id("o-2");
        assert_eq!(stamped(&other, &call), expected);
        reply.remove_for("o-1");
        assert_eq!(stamped(&plain, &call), expected);
    }
}

#[test]
fn what_is_set_later_replaces_what_was_set() {
    let call = A2aCall::detached();
    for owner in ["ai_owned", "human_owned"] {
        ConverseReply::of(&call).set(owned_by(owner));
        assert_eq!(stamped(&object(ObjectKind::Message), &call), Stamp::set(owned_by(owner).to_value()));
    }
}

#[test]
fn an_own_envelope_leaves_as_it_was_written() {
    let own = json!({"author": "agent", "citations": null, "mood": {"deep": [1]}});
    let object = object(ObjectKind::Artifact).with_metadata(CONVERSE_URI, own.clone());
    assert_eq!(stamped(&object, &A2aCall::detached()), Stamp::set(own));
}

#[test]
fn a_persons_words_stay_a_persons_whatever_is_wrong_with_their_envelope() {
    let own = json!({"author": "human", "citations": [{"title": "without an id"}]});
    let (call, noticed) = watched();
    let object = object(ObjectKind::Message).with_metadata(CONVERSE_URI, own.clone());
    assert_eq!(stamped(&object, &call), Stamp::set(own));
    assert!(noticed.0.lock().unwrap()[0].contains("/citations/0/documentId"));
}

#[test]
fn what_is_withheld_carries_the_fallback() {
    let call = A2aCall::detached();
    let reply = ConverseReply::of(&call);
    reply.set(owned_by("reply"));
    reply.set_for("o-1", owned_by("id")).unwrap();
    let own = object(ObjectKind::Artifact).with_metadata(CONVERSE_URI, owned_by("own").to_value());
    assert_eq!(stamped(&own.with_content_withheld(), &call), fallback());
}

#[test]
fn where_something_was_refused_the_replys_envelope_says_only_who_wrote_it() {
    let call = A2aCall::detached();
    let reply = ConverseReply::of(&call);
    let telling = Envelope::builder(Author::Human)
        .ownership(Ownership::human_owned())
        .citation(Citation::new("prices", "p-1", "four thousand"))
        .build()
        .unwrap();
    reply.set(telling.clone());
    reply.set_for("o-2", telling.clone()).unwrap();
    call.note_refusal();
    let bare = json!({
        "author": "human",
        "answerCoverage": {"availability": "not_recorded"},
        "ownership": {"state": "human_owned", "suppressed": false},
        "citations": [],
    });
    assert_eq!(stamped(&object(ObjectKind::Message), &call), Stamp::set(bare));
    let by_id = OutgoingObject::new(ObjectKind::Artifact, true).with_id("o-2");
    assert_eq!(stamped(&by_id, &call), Stamp::set(telling.to_value()), "the agent's word about this one");
}

#[test]
fn a_call_keeps_so_many_envelopes_by_id_and_no_more() {
    let call = A2aCall::detached();
    let reply = ConverseReply::of(&call);
    for id in 0..MAX_ENVELOPES {
        reply.set_for(id.to_string(), owned_by("first")).unwrap();
    }
    assert_eq!(reply.set_for("one more", owned_by("first")), Err(EnvelopeLimitError));
    reply.set_for("0", owned_by("second")).unwrap();
    let known = OutgoingObject::new(ObjectKind::Message, true).with_id("0");
    assert_eq!(stamped(&known, &call), Stamp::set(owned_by("second").to_value()));
    reply.remove_for("1");
    reply.set_for("one more", owned_by("first")).unwrap();
}

#[derive(Default)]
struct Noticed(Mutex<Vec<String>>);

impl ExtensionsObserver for Arc<Noticed> {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        if let ExtensionsEvent::Noticed { extension, what } = event {
            assert_eq!(**extension, CONVERSE_URI);
            self.0.lock().unwrap().push(what.to_string());
        }
    }
}

fn watched() -> (A2aCall, Arc<Noticed>) {
    let noticed = Arc::new(Noticed::default());
    let setup = CallSetup { observer: Some(Arc::new(Arc::clone(&noticed))), ..CallSetup::default() };
    (A2aCall::new(Arc::new(setup), Activation::default()), noticed)
}

fn routine(status: RoutineStatus) -> Routine {
    Routine::new("Book a table", status)
}

fn with_routine(routine: Routine) -> Envelope {
    Envelope::builder(Author::Agent).routine(routine).build().unwrap()
}

/// How many findings come of a task in this state with this envelope, asked about twice.
fn findings(state: &str, kind: ObjectKind, envelope: Envelope) -> usize {
    let (call, noticed) = watched();
    ConverseReply::of(&call).set(envelope);
    let object = object(kind).with_task_state(state.to_owned());
    drop((stamped(&object, &call), stamped(&object, &call)));
    let noticed = noticed.0.lock().unwrap();
    assert!(noticed.iter().all(|what| what.contains("pendingInput")), "{noticed:?}");
    noticed.len()
}

#[test]
fn a_task_that_waits_for_input_of_a_routine_without_pending_input_is_a_finding() {
    let empty = || with_routine(routine(RoutineStatus::WaitingForInput));
    for state in ["TASK_STATE_INPUT_REQUIRED", "input-required"] {
        assert_eq!(findings(state, ObjectKind::StatusMessage, empty()), 1, "once for each call");
        assert_eq!(findings(state, ObjectKind::Artifact, empty()), 1);
        assert_eq!(findings(state, ObjectKind::HistoryMessage, empty()), 0);
        let slot = PendingInput::required("date", "string", "The day.");
        let asking = with_routine(routine(RoutineStatus::WaitingForInput).with_pending_input(slot));
        assert_eq!(findings(state, ObjectKind::StatusMessage, asking), 0);
        assert_eq!(findings(state, ObjectKind::StatusMessage, owned_by("ai_owned")), 0, "it is for no routine");
        let ended = with_routine(routine(RoutineStatus::Completed));
        assert_eq!(findings(state, ObjectKind::StatusMessage, ended), 0, "it is for something else");
    }
    for state in ["TASK_STATE_WORKING", "working", "INPUT_REQUIRED", ""] {
        assert_eq!(findings(state, ObjectKind::StatusMessage, empty()), 0, "{state}");
    }
}

#[test]
fn an_own_envelope_of_a_waiting_task_is_looked_at_too() {
    let own = with_routine(routine(RoutineStatus::Active)).to_value();
    for (kind, count) in [(ObjectKind::StatusMessage, 1), (ObjectKind::Artifact, 0)] {
        let (call, noticed) = watched();
        let object = object(kind).with_task_state("TASK_STATE_INPUT_REQUIRED").with_metadata(CONVERSE_URI, own.clone());
        drop(stamped(&object, &call));
        assert_eq!(noticed.0.lock().unwrap().len(), count, "{kind:?}");
    }
}

#[test]
fn an_own_envelope_that_cannot_be_read_is_replaced_and_a_finding() {
    let unreadable = [
        object(ObjectKind::Message).with_metadata(CONVERSE_URI, Value::from("secret")),
        object(ObjectKind::Message).with_metadata(CONVERSE_URI, json!({"author": 7, "x": "secret"})),
        object(ObjectKind::Message).with_unreadable(CONVERSE_URI),
    ];
    for object in unreadable {
        let (call, noticed) = watched();
        assert_eq!(stamped(&object, &call), fallback());
        ConverseReply::of(&call).set(owned_by("reply"));
        assert_eq!(stamped(&object, &call), Stamp::set(owned_by("reply").to_value()));
        let noticed = noticed.0.lock().unwrap();
        assert!(noticed.len() == 1 && noticed[0].contains("replaced"), "{noticed:?}");
        assert!(!noticed[0].contains("secret"), "{noticed:?}");
    }
}

#[test]
fn what_a_routine_of_the_card_waits_for_is_described_as_in_the_card() {
    use crate::converse::{
        ConverseDeclaration, ConverseTool, McpEndpoint, PendingInput, Routine, RoutineStatus, Slot, SlotType,
    };

    let slot = |key: &str| Slot::required(key, SlotType::Integer).with_description("How many come.");
    let tool = ConverseTool::new("book_table", "Books.").with_slot(slot("partySize")).with_slot(slot("chairs"));
    let declared = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a")).with_tool(tool);
    let pending = |key: &str, said: &str| PendingInput::required(key, "integer", said);
    let routine = Routine::new("Book", RoutineStatus::WaitingForInput).with_tool_name("book_table");
    let routine = routine.with_pending_input(pending("partySize", "")).with_pending_input(pending("chairs", "Chairs."));
    let routine = routine.with_pending_input(pending("unknown", ""));
    let mut envelope = Envelope::builder(Author::Agent).routine(routine).build().unwrap();
    envelope.describe_slots(&declared);
    let said = envelope.routine().unwrap().pending_input().iter().map(|slot| slot.description().unwrap_or("-"));
    assert_eq!(said.collect::<Vec<_>>(), ["How many come.", "Chairs.", ""]);
}

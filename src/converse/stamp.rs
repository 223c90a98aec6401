//! Which envelope an outgoing object carries.

use std::sync::Arc;

use serde_json::{Value, json};

use super::CONVERSE_URI;
use super::envelope::Envelope;
use super::slot::{ConverseSlot, ReadyEnvelope, waits_for_nothing};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::observer::ExtensionsEvent;

/// Where an object's envelope comes from.
enum ChosenEnvelope<'a> {
    /// Handed over for this object.
    ById(Arc<ReadyEnvelope>),
    /// Written by the agent: the value as it stands there.
    Own {
        value: &'a Value,
        waits_for_nothing: bool,
    },
    /// Handed over for the reply.
    OfReply(Arc<ReadyEnvelope>),
    /// The same, where something was withheld.
    OfReplyBare(Arc<ReadyEnvelope>),
    /// A message of the history, of which nobody knows who wrote it.
    OfPast,
    Fallback,
}

pub(super) fn stamp(fallback: &Value, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    if !object.is_active() {
        return Stamp::remove();
    }
    if object.kind() == ObjectKind::Enclosing {
        // No envelope belongs there; one of the agent's must not tell of what this caller was refused.
        return if call.has_withheld() { Stamp::remove() } else { Stamp::keep() };
    }
    let slot = call.slot::<ConverseSlot>();
    let chosen = choose(&slot, object, call);
    if object.kind() != ObjectKind::HistoryMessage {
        check_task_state(&chosen, &slot, object, call);
    }
    Stamp::set(match chosen {
        ChosenEnvelope::ById(ready) | ChosenEnvelope::OfReply(ready) => ready.value.clone(),
        ChosenEnvelope::OfReplyBare(ready) => {
            Envelope::from_value(&ready.value).map_or_else(|_| fallback.clone(), |envelope| envelope.bare().to_value())
        }
        ChosenEnvelope::Own { value, .. } => value.clone(),
        ChosenEnvelope::OfPast => json!({"answerCoverage": {"availability": "not_recorded"}}),
        ChosenEnvelope::Fallback => fallback.clone(),
    })
}

fn choose<'a>(slot: &ConverseSlot, object: &'a OutgoingObject<'_>, call: &A2aCall) -> ChosenEnvelope<'a> {
    if object.is_withheld() {
        // Any other envelope may tell of the content that is gone, such as what it cites.
        return ChosenEnvelope::Fallback;
    }
    if let Some(ready) = object.id().and_then(|id| find(slot, call, |slot| slot.of_object(id))) {
        return ChosenEnvelope::ById(ready);
    }
    if let Some(own) = own_envelope(slot, object, call) {
        return own;
    }
    if object.kind() == ObjectKind::HistoryMessage {
        return ChosenEnvelope::OfPast;
    }
    match find(slot, call, ConverseSlot::of_reply) {
        // It must not tell of what this caller was refused.
        Some(ready) if call.has_withheld() => ChosenEnvelope::OfReplyBare(ready),
        Some(ready) => ChosenEnvelope::OfReply(ready),
        None => ChosenEnvelope::Fallback,
    }
}

/// What was handed over to this call, or to the one that another layer further in made of the same
/// request: it is the one that the handler sees.
fn find<T>(slot: &ConverseSlot, call: &A2aCall, of: impl Fn(&ConverseSlot) -> Option<T>) -> Option<T> {
    of(slot).or_else(|| of(&call.inner()?.slot::<ConverseSlot>()))
}

fn own_envelope<'a>(slot: &ConverseSlot, object: &'a OutgoingObject<'_>, call: &A2aCall) -> Option<ChosenEnvelope<'a>> {
    let key = CONVERSE_URI;
    let written = object.metadata(key.as_str());
    let read = written.map(|value| (value, Envelope::from_value(value)));
    let unreadable = match read {
        Some((_, Ok(own))) if own.author().is_none() && object.kind() != ObjectKind::HistoryMessage => {
            "it has no `author`".to_owned()
        }
        Some((value, Ok(own))) => {
            if let Some(fault) = own.faults().first().filter(|_| slot.is_first_unreadable()) {
                let what = format!("an envelope that the agent wrote leaves as it is, and is not right: {fault}");
                call.observe(&ExtensionsEvent::noticed(&CONVERSE_URI, what));
            }
            return Some(ChosenEnvelope::Own { value, waits_for_nothing: waits_for_nothing(&own) });
        }
        Some((_, Err(error))) => error.to_string(),
        None if object.is_unreadable(key.as_str()) => "it is no JSON, or names a member twice".to_owned(),
        None => return None,
    };
    if slot.is_first_unreadable() {
        let what = format!("an envelope that the agent wrote was replaced: {unreadable}");
        call.observe(&ExtensionsEvent::noticed(&CONVERSE_URI, what));
    }
    None
}

/// While a task waits for input for a routine, `pendingInput` is what it waits for.
fn check_task_state(chosen: &ChosenEnvelope<'_>, slot: &ConverseSlot, object: &OutgoingObject<'_>, call: &A2aCall) {
    if !object.task_state().is_some_and(is_input_required) {
        return;
    }
    let is_missing = match chosen {
        // What an artifact says of its own turn need not be true of the task as it is now.
        ChosenEnvelope::ById(_) | ChosenEnvelope::Own { .. } if object.kind() == ObjectKind::Artifact => false,
        ChosenEnvelope::ById(ready) | ChosenEnvelope::OfReply(ready) => ready.waits_for_nothing,
        ChosenEnvelope::Own { waits_for_nothing, .. } => *waits_for_nothing,
        ChosenEnvelope::OfReplyBare(_) | ChosenEnvelope::OfPast | ChosenEnvelope::Fallback => false,
    };
    if is_missing && slot.is_first_missing_input() {
        let what = "a task waits for input for a routine, and its envelope has no pendingInput";
        call.observe(&ExtensionsEvent::noticed(&CONVERSE_URI, what));
    }
}

/// As 1.0, 0.3's HTTP+JSON and gRPC have it, and 0.3's JSON-RPC.
fn is_input_required(state: &str) -> bool {
    matches!(state, "TASK_STATE_INPUT_REQUIRED" | "input-required")
}

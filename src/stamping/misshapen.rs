//! Replies whose shape a client of this call cannot read: the agent's fault, and seldom seen by whoever
//! runs it.

use super::DocumentRules;
use super::names::ManagedNames;
use super::places::{PayloadShape, ReplyPlaces, find_places};
use crate::binding::{Binding, Operation, ProtocolVersion};
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;

/// Looks at the shape of a document that is read for no other reason: only the first of a call, or all
/// where a fault is an error. Given is a fault that stops it.
pub(super) fn misshapen_document(
    json: &[u8],
    names: &ManagedNames,
    call: &A2aCall,
    rules: DocumentRules,
) -> Option<String> {
    let is_told = call.is_strict() || call.setup().observer.is_some() && !call.has_seen_shape();
    if !is_told || judged_operation(call, rules).is_none() {
        return None;
    }
    find_places(json, names).ok().and_then(|places| misshapen(&places, call, rules))
}

/// Looks at the shape of a reply. A fault is told once for each call; given is one that stops it.
pub(super) fn misshapen(places: &ReplyPlaces<'_>, call: &A2aCall, rules: DocumentRules) -> Option<String> {
    let what = fault(places, call, judged_operation(call, rules)?);
    let is_first = call.see_shape(what.is_some());
    let what = what?;
    if is_first {
        call.observe(&ExtensionsEvent::Misshapen { what: what.into() });
    }
    call.is_strict().then(|| what.to_owned())
}

/// The operation, where its reply holds Messages or Artifacts. A page of tasks is not lost over one.
fn judged_operation(call: &A2aCall, rules: DocumentRules) -> Option<Operation> {
    use Operation as O;
    let operation = call.reading().filter(|_| rules.operation && rules.adding)?.operation?;
    let is_judged =
        matches!(operation, O::SendMessage | O::SendStreamingMessage | O::SubscribeToTask | O::GetTask | O::CancelTask);
    is_judged.then_some(operation)
}

fn fault(places: &ReplyPlaces<'_>, call: &A2aCall, operation: Operation) -> Option<&'static str> {
    let target = call.reply_target();
    if places.has_odd_object {
        return Some("a Message has a role that A2A does not know, or Parts that are no array");
    }
    let is_of_task = matches!(operation, Operation::GetTask | Operation::CancelTask);
    let is_bare = target.binding == Binding::JsonRpc && target.version == ProtocolVersion::V0_3;
    match places.shape? {
        PayloadShape::Unknown => Some("the reply is no Task, no Message and no event"),
        PayloadShape::Bare if !is_of_task && !is_bare => {
            Some("the reply is a bare Message, Task or event, not an object with it under its name")
        }
        PayloadShape::Wrapped if !is_of_task && is_bare => {
            Some("the reply of A2A 0.3 is the Message, Task or event itself, not an object with it under a name")
        }
        _ => None,
    }
}

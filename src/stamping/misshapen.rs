//! Replies whose shape a client of this call cannot read: the agent's fault, and seldom seen by whoever
//! runs it.

use super::places::{PayloadShape, ReplyPlaces, find_places};
use super::{DocumentRules, ReplyStamper};
use crate::binding::{Binding, Operation, ProtocolVersion};
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;

impl ReplyStamper {
    /// Whether the shape of the reply is looked at for its own sake, though nothing may have to be
    /// changed: only of the first document of a call, or of all where a fault is an error.
    pub(super) fn wants_shape(&self, call: &A2aCall, rules: DocumentRules) -> bool {
        let reads = rules.operation && rules.adding && judged_operation(call).is_some();
        reads && (call.is_strict() || call.setup().observer.is_some() && !call.has_seen_shape())
    }

    /// The fault in the shape of a document that is not read for any other reason.
    pub(super) fn misshapen_document(&self, json: &[u8], call: &A2aCall) -> Option<String> {
        find_places(json, &self.0.names).ok().and_then(|places| self.misshapen(&places, call))
    }

    /// Looks at the shape of a reply. A fault is told once for each call; given is one that stops it.
    pub(super) fn misshapen(&self, places: &ReplyPlaces<'_>, call: &A2aCall) -> Option<String> {
        let what = fault(places, call);
        let is_first = call.see_shape(what.is_some());
        let what = what?;
        if is_first {
            call.observe(&ExtensionsEvent::Misshapen { what: what.into() });
        }
        call.is_strict().then(|| what.to_owned())
    }
}

/// The operation, where its reply holds Messages or Artifacts. A page of tasks is not lost over one.
fn judged_operation(call: &A2aCall) -> Option<Operation> {
    use Operation as O;
    let operation = call.reading()?.operation?;
    let is_judged =
        matches!(operation, O::SendMessage | O::SendStreamingMessage | O::SubscribeToTask | O::GetTask | O::CancelTask);
    is_judged.then_some(operation)
}

fn fault(places: &ReplyPlaces<'_>, call: &A2aCall) -> Option<&'static str> {
    let operation = judged_operation(call)?;
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

//! What stamping and judging ask of an outgoing object alike.

use serde_json::Value;

use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::deciding::caller::Caller;
use crate::on_request::deciding::rules::rules;
use crate::on_request::declared::declaration::OnRequestSkill;

/// Writes under the spelling the client used, and nowhere else.
pub(in crate::on_request) fn set(bound: &BoundOnRequest, object: &OutgoingObject<'_>, value: Value) -> Stamp {
    let spelled = object.requested_uri().filter(|uri| bound.keys().iter().any(|key| key == uri.as_str()));
    let set = match spelled.filter(|uri| uri.as_str() != bound.key()) {
        Some(uri) => Stamp::set_key(uri.clone(), value),
        None => Stamp::set(value),
    };
    set.and(Stamp::remove())
}

/// Whether another object of the reply may be of the same artifact. Those of a list are whole, and
/// two tasks may name theirs alike. What a Task or event says may be of any.
pub(in crate::on_request) fn has_chunks(object: &OutgoingObject<'_>) -> bool {
    matches!(object.kind(), ObjectKind::Artifact | ObjectKind::Enclosing) && !object.in_list()
}

/// Whether the skill's information may be given to anybody, as card and configuration are now.
pub(in crate::on_request) fn is_open(skill: &OnRequestSkill) -> bool {
    rules(skill, &Caller::anonymous().acting_for_a_person(true)).is_ok()
}

//! The object under our URI in `metadata` (On Request §6.1), written and read.

use serde_json::{Map, Value, json};

use crate::binding::FinalState;
use crate::on_request::declared::declaration::OnRequestSkill;

/// What a reply says of an on-request skill (§6.1).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ReplyStatus {
    /// Information was referred.
    OnRequest,
    /// An action was not carried out, and the person is referred.
    ActionReferred,
    /// Information was given to an assistant (OR-5.4).
    GivenOnOptIn,
}

impl ReplyStatus {
    /// As it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OnRequest => "on-request",
            Self::ActionReferred => "action-referred",
            Self::GivenOnOptIn => "given-on-opt-in",
        }
    }

    pub(in crate::on_request) fn read(word: &str) -> Option<Self> {
        [Self::OnRequest, Self::ActionReferred, Self::GivenOnOptIn].into_iter().find(|status| status.as_str() == word)
    }

    /// How a skill is referred.
    pub(in crate::on_request) fn of_referral(skill: &OnRequestSkill) -> Self {
        if skill.is_action() { Self::ActionReferred } else { Self::OnRequest }
    }

    /// The state that a task ends in with such a reply (§6.2).
    pub(in crate::on_request) fn task_state(self) -> FinalState {
        match self {
            Self::OnRequest | Self::GivenOnOptIn => FinalState::Completed,
            Self::ActionReferred => FinalState::Rejected,
        }
    }
}

/// Whether a task in this state goes on.
pub(in crate::on_request) fn is_running(state: &str) -> bool {
    const ENDED: [&str; 9] = [
        "TASK_STATE_COMPLETED",
        "TASK_STATE_FAILED",
        "TASK_STATE_CANCELED",
        "TASK_STATE_CANCELLED",
        "TASK_STATE_REJECTED",
        "completed",
        "failed",
        "canceled",
        "rejected",
    ];
    !ENDED.contains(&state)
}

/// The object itself, with the card's address.
pub(in crate::on_request) fn mark_value(status: ReplyStatus, skill: &OnRequestSkill) -> Value {
    json!({"status": status.as_str(), "skillId": skill.id().as_str(), "personEntry": skill.person_entry()})
}

/// The private member of a mark: who got the information, for later replies.
pub(in crate::on_request) const GIVEN_TO: &str = "givenTo";

/// The mark of what is given, as it stands in the agent's store and never leaves. Without a
/// `given_to` a later reply withholds what carries it.
pub(in crate::on_request) fn given_mark(skill: &OnRequestSkill, given_to: Option<String>) -> Value {
    let mut mark = mark_value(ReplyStatus::GivenOnOptIn, skill);
    if let (Some(members), Some(given_to)) = (mark.as_object_mut(), given_to) {
        members.insert(GIVEN_TO.into(), given_to.into());
    }
    mark
}

/// A mark that is already there. What the specification does not name is kept.
pub(in crate::on_request) struct Mark<'a> {
    pub(in crate::on_request) status: &'a str,
    pub(in crate::on_request) skill: &'a str,
    members: &'a Map<String, Value>,
}

impl<'a> Mark<'a> {
    /// `None` where it is no object with both required members.
    pub(in crate::on_request) fn read(value: &'a Value) -> Option<Self> {
        let members = value.as_object()?;
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        Some(Self { status: text("status")?, skill: text("skillId")?, members })
    }

    /// What it says of who got the information, whatever that is.
    pub(in crate::on_request) fn given_to(&self) -> Option<&'a Value> {
        self.members.get(GIVEN_TO)
    }

    /// The same mark as it may leave: the card's address, and nothing private.
    pub(in crate::on_request) fn corrected(&self, skill: &OnRequestSkill) -> Value {
        let mut members = self.members.clone();
        members.remove(GIVEN_TO);
        members.insert("personEntry".into(), skill.person_entry().into());
        members.into()
    }
}

/// Writes a mark into an object that the agent makes: its `metadata`, and the URI in `extensions`.
/// What is no object is left alone.
pub(in crate::on_request) fn write_mark(object: &mut Value, key: &str, value: Value) {
    let Some(members) = object.as_object_mut() else { return };
    let metadata = members.entry("metadata").or_insert(Value::Null);
    if metadata.is_null() {
        *metadata = Map::new().into();
    }
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert(key.into(), value);
    }
    let extensions = members.entry("extensions").or_insert(Value::Null);
    if extensions.is_null() {
        *extensions = Value::Array(Vec::new());
    }
    if let Some(listed) = extensions.as_array_mut().filter(|listed| !listed.iter().any(|uri| uri == key)) {
        listed.push(key.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_runs_until_a_state_that_ends_it() {
        for running in
            ["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "submitted", "auth-required", "of a newer version"]
        {
            assert!(is_running(running), "{running}");
        }
        for ended in ["TASK_STATE_COMPLETED", "TASK_STATE_CANCELLED", "rejected", "failed"] {
            assert!(!is_running(ended), "{ended}");
        }
    }
}

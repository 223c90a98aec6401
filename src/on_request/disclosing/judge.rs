//! What a mark that the agent wrote is worth: who reads it, and what the card says now.

use serde_json::Value;

use super::mark::{GIVEN_TO, Mark, ReplyStatus, is_running};
use super::outgoing::{has_chunks, is_open};
use super::refusals::RefusalSlot;
use super::slot::OnRequestSlot;
use crate::binding::FinalState;
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject};
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::person_entry::names_address;
use crate::on_request::declared::wording::unfinished_text;

/// What is done about a mark that the agent wrote.
pub(in crate::on_request) enum MarkJudgement<'a> {
    Keep(Value),
    Remove,
    /// The object is withheld, for this skill where its mark names one.
    Withhold(Option<&'a OnRequestSkill>),
    /// This text leaves in the object's place.
    Replace(String),
    Forbid(&'static str),
}

/// Judges the marks of one object.
pub(in crate::on_request) struct Judge<'a> {
    pub(in crate::on_request) bound: &'a BoundOnRequest,
    pub(in crate::on_request) object: &'a OutgoingObject<'a>,
    pub(in crate::on_request) call: &'a A2aCall,
}

impl<'a> Judge<'a> {
    pub(in crate::on_request) fn judge(&self, value: &Value) -> MarkJudgement<'a> {
        // A mark of the guard's that was changed since says nothing that could be trusted.
        let is_guards = value.to_string().contains(GIVEN_TO);
        let Some(mark) = Mark::read(value) else {
            return self.drop_mark(is_guards, "a mark that cannot be read was removed");
        };
        let Some(skill) = self.bound.catalog().on_request(mark.skill) else {
            let is_public = self.bound.catalog().is_public(mark.skill);
            return self.drop_mark(is_guards && !is_public, "a mark for a skill that is not on request was removed");
        };
        match ReplyStatus::read(mark.status) {
            Some(ReplyStatus::GivenOnOptIn) => self.judge_given(&mark, skill),
            _ if is_guards => self.withhold_referring(skill, "an artifact was withheld: its mark was changed"),
            Some(status) => self.judge_referral(&mark, status, skill),
            None => match self.unfinished(skill) {
                Some(corrected) => corrected,
                None => self.remove("a mark with an unknown status was removed"),
            },
        }
    }

    /// Removes a mark, or withholds its object where the guard wrote it.
    fn drop_mark(&self, withhold: bool, what: &'static str) -> MarkJudgement<'a> {
        if !withhold {
            return self.remove(what);
        }
        self.bound.notice(self.call, "an object was withheld: its mark was changed, or its skill is no longer given");
        if has_chunks(self.object) {
            self.call.slot::<OnRequestSlot>().withheld(self.object.id(), None);
        }
        MarkJudgement::Withhold(None)
    }

    fn judge_given(&self, mark: &Mark<'_>, skill: &'a OnRequestSkill) -> MarkJudgement<'a> {
        if let Some(given_to) = mark.given_to() {
            return self.judge_signed(mark, skill, given_to);
        }
        if !skill.assistant_access() {
            // A page of stored tasks is not lost over one of them.
            return match self.call.message() {
                Some(_) => MarkJudgement::Forbid("the agent says it gave what the card does not open (OR-5.3)"),
                None => self.withhold_referring(skill, "an artifact of a skill that is not opened was withheld"),
            };
        }
        if let Some(corrected) = self.unfinished(skill) {
            return corrected;
        }
        if !self.call.slot::<OnRequestSlot>().is_permitted(skill.id()) {
            return self.withhold_referring(skill, "an artifact was withheld: this call holds no permit for it");
        }
        self.keep_given(mark, skill)
    }

    /// A mark that the guard wrote, in this call or an earlier one: what counts is who reads it,
    /// and what the card says now. That alone is never an error: the agent did as it was told then.
    fn judge_signed(&self, mark: &Mark<'_>, skill: &'a OnRequestSkill, given_to: &Value) -> MarkJudgement<'a> {
        if let Some(corrected) = self.unfinished(skill) {
            return corrected;
        }
        if !is_open(skill) {
            return self.withhold_referring(skill, "what was given was withheld: the skill is not opened any more");
        }
        let names_caller = |given_to| self.bound.is_given_to(self.call, skill.id(), given_to, self.object.in_list());
        if !given_to.as_str().is_some_and(names_caller) {
            let what = match self.call.is_nobodys() {
                true => "what was given was withheld: a payload has no caller",
                false => "what was given was withheld: this caller is not known as who got it",
            };
            return self.withhold_referring(skill, what);
        }
        self.keep_given(mark, skill)
    }

    fn keep_given(&self, mark: &Mark<'_>, skill: &'a OnRequestSkill) -> MarkJudgement<'a> {
        self.call.forbid_caching();
        let fault = if self.object.kind() == ObjectKind::Enclosing {
            Some("what was given stands on an Artifact, not beside one (§6.2)")
        } else if self.object.kind() != ObjectKind::Artifact {
            Some("what was given stands on an Artifact, not on a Message (§6.2)")
        } else {
            if has_chunks(self.object) {
                self.call.slot::<OnRequestSlot>().agent_marked(self.object.id(), skill.id());
            }
            self.state_fault(FinalState::Completed)
        };
        self.keep(fault, mark.corrected(skill))
    }

    fn judge_referral(&self, mark: &Mark<'_>, status: ReplyStatus, skill: &'a OnRequestSkill) -> MarkJudgement<'a> {
        let told = self.object.text().is_none_or(|text| names_address(text, skill.person_entry()));
        let fault = if self.object.kind() == ObjectKind::Enclosing {
            Some("a referral stands on a Message, not beside one (§6.2)")
        } else if self.object.kind() == ObjectKind::Artifact {
            Some("a referral stands on a Message, not on an Artifact (§6.2)")
        } else if status != ReplyStatus::of_referral(skill) {
            Some("information is `on-request`, an action is `action-referred` (§6.1)")
        } else if !told {
            Some("the text of a referral lacks the address (OR-6.2)")
        } else {
            self.state_fault(status.task_state())
        };
        self.keep(fault, mark.corrected(skill))
    }

    /// Odd marks stay and are told of; under `strict` they stop the reply, unless it is a list: one
    /// stored task would take all others with it.
    fn keep(&self, fault: Option<&'static str>, value: Value) -> MarkJudgement<'a> {
        if self.call.message().is_some() && self.object.kind() != ObjectKind::HistoryMessage {
            self.call.slot::<RefusalSlot>().note_mark();
            self.call.keep_errors();
        }
        match fault {
            None => MarkJudgement::Keep(value),
            Some(what) => {
                self.bound.notice(self.call, what);
                if self.is_strict() { MarkJudgement::Forbid(what) } else { MarkJudgement::Keep(value) }
            }
        }
    }

    /// What is wrong with the task's state, if it is final. History is of the past.
    fn state_fault(&self, wanted: FinalState) -> Option<&'static str> {
        let state = self.object.task_state().filter(|_| self.object.kind() != ObjectKind::HistoryMessage)?;
        (!wanted.is(state) && !is_running(state)).then_some("the task ended in another state than §6.2 names")
    }

    fn is_strict(&self) -> bool {
        self.call.is_strict() && !self.object.in_list()
    }

    /// What comes of a deferred action that is called done (OR-5.8): another text, and under
    /// `strict` an error.
    fn unfinished(&self, skill: &'a OnRequestSkill) -> Option<MarkJudgement<'a>> {
        let completed = self.object.task_state().is_some_and(|state| FinalState::Completed.is(state));
        let text = unfinished_text(self.bound.catalog(), skill).filter(|_| completed)?;
        self.bound.notice(self.call, "a reply that calls a deferred action done was corrected (OR-5.8)");
        Some(match self.is_strict() {
            true => MarkJudgement::Forbid("the agent calls a deferred action done (OR-5.8)"),
            false => MarkJudgement::Replace(text),
        })
    }

    fn remove(&self, what: &'static str) -> MarkJudgement<'a> {
        self.bound.notice(self.call, what);
        MarkJudgement::Remove
    }

    fn withhold_referring(&self, skill: &'a OnRequestSkill, what: &'static str) -> MarkJudgement<'a> {
        self.bound.notice(self.call, what);
        if has_chunks(self.object) {
            self.call.slot::<OnRequestSlot>().withheld(self.object.id(), Some(skill.id().clone()));
        }
        MarkJudgement::Withhold(Some(skill))
    }
}

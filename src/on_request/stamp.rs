//! What outgoing objects carry, and what must not leave (OR-5.1, OR-5.3, OR-5.8, §6).

use serde_json::Value;

use super::bound::BoundOnRequest;
use super::caller::Caller;
use super::declaration::OnRequestSkill;
use super::mark::{FinalState, GIVEN_TO, Mark, ReplyStatus, is_running, mark_value};
use super::person_entry::names_address;
use super::rules::rules;
use super::skill::SkillId;
use super::slot::OnRequestSlot;
use super::wording::{unavailable_text, unfinished_text};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};

/// What is done about a mark that the agent wrote.
enum MarkJudgement {
    Keep(Value),
    Remove,
    Withhold(String),
    Forbid(&'static str),
}

pub(super) fn stamp(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    let stamp = stamp_object(bound, object, call);
    if stamp.withhold.is_some() {
        // Somebody else may get the same reply whole.
        call.forbid_caching();
    }
    stamp
}

fn stamp_object(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    if object.is_withheld() {
        // By another extension, or for what stands beside it: no mark is true of that text.
        return Stamp::remove();
    }
    let marks = bound.keys().iter().flat_map(|key| object.metadata_values(key));
    if bound.keys().iter().any(|key| object.is_unreadable(key)) {
        bound.notice(call, "an object was withheld: its mark cannot be read");
        if has_chunks(object) {
            call.slot::<OnRequestSlot>().withheld(object.id(), None);
        }
        return Stamp::withhold(unavailable_text());
    }
    let mut kept = None;
    let mut marked = false;
    for mark in marks {
        marked = true;
        // Judged before it is asked whether the client activated anything (OR-5.1).
        match (Judge { bound, object, call }).judge(mark) {
            MarkJudgement::Keep(value) => kept = kept.or(Some(value)),
            MarkJudgement::Remove => {}
            MarkJudgement::Withhold(text) => return Stamp::withhold(text),
            MarkJudgement::Forbid(why) => return Stamp::forbid(why),
        }
    }
    if object.kind() == ObjectKind::Enclosing {
        // No mark belongs there, and nothing that is unmarked there is ours to judge.
        return Stamp::remove();
    }
    if let Some(corrected) = bound.unfinished(object, call, kept.as_ref()) {
        return corrected;
    }
    // Only a mark of its own that gives it lets a chunk go where another was withheld.
    let is_given =
        kept.as_ref().is_some_and(|mark| mark.get("status") == Some(&ReplyStatus::GivenOnOptIn.as_str().into()));
    if !is_given && let Some(text) = withheld_before(bound, object, call) {
        return Stamp::withhold(text);
    }
    let value = if marked { kept } else { permit_mark(bound, object, call) };
    match value.filter(|_| object.is_active()) {
        Some(value) => set(bound, object, value),
        None => Stamp::remove(),
    }
}

/// Writes under the spelling the client used, and nowhere else.
fn set(bound: &BoundOnRequest, object: &OutgoingObject<'_>, value: Value) -> Stamp {
    let spelled = object.requested_uri().filter(|uri| bound.keys().iter().any(|key| key == uri.as_str()));
    let set = match spelled.filter(|uri| uri.as_str() != bound.key()) {
        Some(uri) => Stamp::set_key(uri.clone(), value),
        None => Stamp::set(value),
    };
    set.and(Stamp::remove())
}

/// What is said instead of an artifact of which an earlier chunk was withheld.
fn withheld_before(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Option<String> {
    if object.kind() != ObjectKind::Artifact {
        return None;
    }
    let skill = call.slot::<OnRequestSlot>().withheld_for(object.id())?;
    let skill = skill.and_then(|skill| bound.catalog().on_request(skill.as_str()));
    Some(skill.map_or_else(|| unavailable_text().to_owned(), |skill| bound.referral_text(call, &[skill])))
}

/// Whether another object of the reply may be of the same artifact. Those of a list are whole, and
/// two tasks may name theirs alike. What a Task or event says may be of any.
fn has_chunks(object: &OutgoingObject<'_>) -> bool {
    matches!(object.kind(), ObjectKind::Artifact | ObjectKind::Enclosing) && !object.in_list()
}

/// Whether the skill's information may be given to anybody, as card and configuration are now.
fn is_open(skill: &OnRequestSkill) -> bool {
    rules(skill, &Caller::anonymous().acting_for_a_person(true)).is_ok()
}

/// The mark of an artifact that the agent left unmarked though a permit was used.
fn permit_mark(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Option<Value> {
    if object.kind() != ObjectKind::Artifact {
        return None;
    }
    let sibling = bound.keys().iter().any(|key| object.has_marked_sibling(key));
    let slot = call.slot::<OnRequestSlot>();
    let skill: SkillId = slot.mark_for(object.id(), sibling)?;
    let skill = bound.catalog().on_request(skill.as_str())?;
    call.forbid_caching();
    if slot.is_first_late_mark() {
        bound.notice(call, "an artifact was marked only on its way out: store what `artifact(..)` returns");
    }
    Some(mark_value(ReplyStatus::GivenOnOptIn, skill))
}

struct Judge<'a> {
    bound: &'a BoundOnRequest,
    object: &'a OutgoingObject<'a>,
    call: &'a A2aCall,
}

impl Judge<'_> {
    fn judge(&self, value: &Value) -> MarkJudgement {
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
    fn drop_mark(&self, withhold: bool, what: &'static str) -> MarkJudgement {
        if !withhold {
            return self.remove(what);
        }
        self.bound.notice(self.call, "an object was withheld: its mark was changed, or its skill is no longer given");
        if has_chunks(self.object) {
            self.call.slot::<OnRequestSlot>().withheld(self.object.id(), None);
        }
        MarkJudgement::Withhold(unavailable_text().to_owned())
    }

    fn judge_given(&self, mark: &Mark<'_>, skill: &OnRequestSkill) -> MarkJudgement {
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
    fn judge_signed(&self, mark: &Mark<'_>, skill: &OnRequestSkill, given_to: &Value) -> MarkJudgement {
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

    fn keep_given(&self, mark: &Mark<'_>, skill: &OnRequestSkill) -> MarkJudgement {
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

    fn judge_referral(&self, mark: &Mark<'_>, status: ReplyStatus, skill: &OnRequestSkill) -> MarkJudgement {
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
    fn keep(&self, fault: Option<&'static str>, value: Value) -> MarkJudgement {
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
    fn unfinished(&self, skill: &OnRequestSkill) -> Option<MarkJudgement> {
        let completed = self.object.task_state().is_some_and(|state| FinalState::Completed.is(state));
        let text = unfinished_text(self.bound.catalog(), skill).filter(|_| completed)?;
        self.bound.notice(self.call, "a reply that calls a deferred action done was corrected (OR-5.8)");
        Some(match self.is_strict() {
            true => MarkJudgement::Forbid("the agent calls a deferred action done (OR-5.8)"),
            false => MarkJudgement::Withhold(text),
        })
    }

    fn remove(&self, what: &'static str) -> MarkJudgement {
        self.bound.notice(self.call, what);
        MarkJudgement::Remove
    }

    fn withhold_referring(&self, skill: &OnRequestSkill, what: &'static str) -> MarkJudgement {
        self.bound.notice(self.call, what);
        if has_chunks(self.object) {
            self.call.slot::<OnRequestSlot>().withheld(self.object.id(), Some(skill.id().clone()));
        }
        MarkJudgement::Withhold(self.bound.referral_text(self.call, &[skill]))
    }
}

//! What leaves where something was refused or withheld: the referral, in its place (§6.2).

use super::mark::{ReplyStatus, is_running, mark_value};
use super::outgoing::set;
use super::refusals::RefusalSlot;
use super::slot::WithheldFor;
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::person_entry::names_address;
use crate::on_request::declared::wording::unavailable_text;

/// What an artifact says whose task says the rest.
const SEE_STATUS: &str = "This is not given here. The status of this task says more.";

/// One object of a reply and its call.
pub(in crate::on_request) struct Referring<'a> {
    pub(in crate::on_request) bound: &'a BoundOnRequest,
    pub(in crate::on_request) object: &'a OutgoingObject<'a>,
    pub(in crate::on_request) call: &'a A2aCall,
}

impl Referring<'_> {
    /// What leaves instead of an object that is withheld. Where its task has ended, the task's status
    /// refers, and the artifact only says so. Elsewhere the object does, and later chunks of it are empty.
    pub(in crate::on_request) fn withhold(&self, skill: Option<&OnRequestSkill>) -> Stamp {
        let (object, document) = (self.object, self.call.document());
        let refusals = self.call.slot::<RefusalSlot>();
        let id = skill.map(|skill| skill.id().clone());
        match object.kind() {
            ObjectKind::Artifact if self.has_ended() => {
                refusals.withhold_in_task(document, object.task_id(), id);
                Stamp::withhold(SEE_STATUS)
            }
            ObjectKind::Artifact if !object.in_list() && refusals.is_told(document, object.id()) => Stamp::withhold(""),
            ObjectKind::Enclosing => {
                refusals.seal(id);
                Stamp::withhold(self.text(skill))
            }
            ObjectKind::StatusMessage if !self.has_ended() => Stamp::withhold(self.text(skill)),
            ObjectKind::HistoryMessage => Stamp::withhold(self.text(skill)),
            _ => self.refer(skill),
        }
    }

    /// What stands for all of a Task or event that is withheld, or for what another extension withholds.
    pub(in crate::on_request) fn stand_in(&self) -> Stamp {
        let sealed = self.call.slot::<RefusalSlot>().take_sealed().filter(|_| self.object.id().is_none());
        let is_place = self.object.kind() == ObjectKind::Artifact || self.has_ended();
        let skill = sealed.and_then(|skill| self.bound.catalog().on_request(skill.as_str())).filter(|_| is_place);
        skill.map_or_else(Stamp::remove, |skill| self.mark(skill))
    }

    /// The final status of a task of which an artifact was withheld in the same document: it may hold the
    /// value, too.
    pub(in crate::on_request) fn status_of_withheld(&self) -> Option<Stamp> {
        if self.object.kind() != ObjectKind::StatusMessage || !self.has_ended() {
            return None;
        }
        let task = self.object.task_id();
        let withheld: WithheldFor = self.call.slot::<RefusalSlot>().withheld_in_task(self.call.document(), task)?;
        let skill = withheld.and_then(|skill| self.bound.catalog().on_request(skill.as_str()));
        let suffix = skill.map_or("withheld", |skill| skill.id().as_str());
        Some(self.refer(skill).with_id_suffix(suffix))
    }

    /// The agent's own words after the guard has refused: while the extension is active they carry the
    /// mark, and they always name the address (OR-6.1, OR-6.2).
    pub(in crate::on_request) fn own_words(&self) -> Option<Stamp> {
        let is_place = match self.object.kind() {
            ObjectKind::Message => true,
            ObjectKind::StatusMessage => self.has_ended(),
            ObjectKind::HistoryMessage | ObjectKind::Artifact | ObjectKind::Enclosing => false,
        };
        if !is_place || self.object.in_list() || self.has_marked_sibling() {
            return None;
        }
        let mut refused = self.call.slot::<RefusalSlot>().to_refer();
        // As a gate has it: the mark names what is closed before what is opened, and actions first.
        refused.sort_by_key(|skill| (skill.assistant_access(), !skill.is_action()));
        let first = refused.first()?;
        self.call.keep_errors();
        if self.object.is_absent() {
            let text = self.bound.referral_text(self.call, &refused.iter().collect::<Vec<_>>());
            return Some(Stamp::withhold(text).and(self.mark(first)).with_id_suffix(first.id().as_str()));
        }
        let words = self.object.text().unwrap_or_default();
        let lacking = refused.iter().filter(|skill| !names_address(words, skill.person_entry())).collect::<Vec<_>>();
        let stamp = self.mark(first);
        Some(match lacking.is_empty() {
            true => stamp,
            false => stamp.and(Stamp::add_text(self.bound.referral_text(self.call, &lacking))),
        })
    }

    /// The referral as the object's only content.
    fn refer(&self, skill: Option<&OnRequestSkill>) -> Stamp {
        let stamp = Stamp::withhold(self.text(skill));
        skill.map_or_else(|| stamp.clone(), |skill| stamp.clone().and(self.mark(skill)))
    }

    fn mark(&self, skill: &OnRequestSkill) -> Stamp {
        match self.object.is_active() {
            true => set(self.bound, self.object, mark_value(ReplyStatus::of_referral(skill), skill)),
            false => Stamp::remove(),
        }
    }

    fn text(&self, skill: Option<&OnRequestSkill>) -> String {
        skill.map_or_else(|| unavailable_text().to_owned(), |skill| self.bound.referral_text(self.call, &[skill]))
    }

    fn has_ended(&self) -> bool {
        self.object.task_state().is_some_and(|state| !is_running(state))
    }

    fn has_marked_sibling(&self) -> bool {
        self.bound.keys().iter().any(|key| self.object.has_marked_sibling(key))
    }
}

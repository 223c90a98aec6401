//! What was refused or withheld in a call, for what is said about it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::slot::WithheldFor;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;

/// How many artifacts of one call are remembered by id.
const MAX_ARTIFACTS: usize = 256;

/// The refusals of one call.
#[derive(Debug, Default)]
pub(in crate::on_request) struct RefusalSlot(Mutex<Refusals>);

#[derive(Debug, Default)]
struct Refusals {
    /// What the guard refused, in order.
    skills: Vec<OnRequestSkill>,
    /// Actions that were done, or may have been.
    performed: Vec<SkillId>,
    /// The message asks for a public skill, too.
    asks_public: bool,
    /// The agent has marked an object itself.
    has_mark: bool,
    /// The document that `tasks` is about.
    document: u64,
    /// The tasks of it of which an artifact was withheld.
    tasks: HashMap<String, WithheldFor>,
    /// Artifacts that were withheld, each with the document that said so.
    told: Vec<(String, u64)>,
    /// For what the Task or event is withheld that is asked about next.
    sealed: WithheldFor,
}

impl RefusalSlot {
    pub(in crate::on_request) fn refuse(&self, skill: &OnRequestSkill) {
        let mut refusals = self.lock();
        if refusals.performed.contains(skill.id()) || refusals.skills.iter().any(|known| known.id() == skill.id()) {
            return;
        }
        refusals.skills.push(skill.clone());
    }

    /// The action was done in this call, or may have been: nothing says any more that it was refused.
    pub(in crate::on_request) fn perform(&self, skill: &SkillId) {
        let mut refusals = self.lock();
        refusals.skills.retain(|known| known.id() != skill);
        if !refusals.performed.contains(skill) {
            refusals.performed.push(skill.clone());
        }
    }

    pub(in crate::on_request) fn note_public(&self) {
        self.lock().asks_public = true;
    }

    pub(in crate::on_request) fn note_mark(&self) {
        self.lock().has_mark = true;
    }

    /// What the agent's own words must refer: nothing where it marks objects itself, and nothing where it
    /// may only have asked the guard on the way to a public answer.
    pub(in crate::on_request) fn to_refer(&self) -> Vec<OnRequestSkill> {
        let refusals = self.lock();
        if refusals.has_mark || refusals.asks_public { Vec::new() } else { refusals.skills.clone() }
    }

    pub(in crate::on_request) fn asks_public(&self) -> bool {
        self.lock().asks_public
    }

    /// An artifact of a task that has ended was withheld.
    pub(in crate::on_request) fn withhold_in_task(&self, document: u64, task: Option<&str>, skill: WithheldFor) {
        let mut refusals = self.lock();
        if refusals.document != document {
            refusals.document = document;
            refusals.tasks.clear();
        }
        refusals.tasks.entry(task.unwrap_or_default().to_owned()).or_insert(skill);
    }

    /// For what an artifact of this task was withheld in this document.
    pub(in crate::on_request) fn withheld_in_task(&self, document: u64, task: Option<&str>) -> Option<WithheldFor> {
        let refusals = self.lock();
        let is_current = refusals.document == document;
        refusals.tasks.get(task.unwrap_or_default()).filter(|_| is_current).cloned()
    }

    /// Whether an earlier document has said already that this artifact is withheld.
    pub(in crate::on_request) fn is_told(&self, document: u64, artifact: Option<&str>) -> bool {
        let Some(id) = artifact else { return false };
        let mut refusals = self.lock();
        match refusals.told.iter().find(|(known, _)| known == id) {
            Some((_, first)) => *first != document,
            None => {
                if refusals.told.len() < MAX_ARTIFACTS {
                    refusals.told.push((id.to_owned(), document));
                }
                false
            }
        }
    }

    /// All of a Task or event is withheld; what stands for it is asked about next.
    pub(in crate::on_request) fn seal(&self, skill: WithheldFor) {
        self.lock().sealed = skill;
    }

    pub(in crate::on_request) fn take_sealed(&self) -> Option<SkillId> {
        self.lock().sealed.take()
    }

    fn lock(&self) -> MutexGuard<'_, Refusals> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! What gate, guard and stamp of one call share.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tokio::sync::OnceCell;

use crate::on_request::deciding::caller::Caller;
use crate::on_request::deciding::decision::Decision;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;

/// How many artifacts of one call are remembered by id.
const MAX_ARTIFACTS: usize = 256;

type DecisionCell = Arc<OnceCell<Decision>>;

/// One call's state.
#[derive(Debug, Default)]
pub(in crate::on_request) struct OnRequestSlot {
    /// Who asks. Set before the body is read.
    pub(in crate::on_request) caller: OnceLock<Caller>,
    /// The same with what its message says about a person.
    pub(in crate::on_request) asking: OnceLock<Caller>,
    pub(in crate::on_request) accept_language: OnceLock<String>,
    decisions: Mutex<Vec<(SkillId, DecisionCell)>>,
    given: Mutex<GivenSkills>,
    /// The actions that were started in this call, or whose reply was repeated in it.
    performed: Mutex<Vec<OnRequestSkill>>,
}

/// The skill for which something was withheld, where its mark could be read.
pub(in crate::on_request) type WithheldFor = Option<SkillId>;

/// Whether an unmarked artifact is marked on its way out.
pub(in crate::on_request) enum LateMark {
    Of(SkillId),
    /// A permit was used, and this is not the only artifact that it could be of.
    OneOfSeveral,
    None,
}

/// What this call may carry.
#[derive(Debug, Default)]
struct GivenSkills {
    /// Every skill that gate or guard gave.
    permitted: Vec<SkillId>,
    /// The skill that unmarked artifacts are marked with.
    current: Option<SkillId>,
    /// The agent marks its artifacts itself.
    agent_marks: bool,
    /// An artifact was marked that the agent had left unmarked.
    late_marks: bool,
    /// The id of that artifact, if it has one: no other is marked so.
    late_artifact: Option<Option<String>>,
    /// The observer was told that what a permit gave carries no mark.
    told_unmarked: bool,
    /// Artifacts that carry a mark, so that their later chunks carry it too.
    artifacts: Vec<(String, SkillId)>,
    /// Artifacts that were withheld, so that their later chunks are too.
    withheld: Vec<(String, WithheldFor)>,
    /// More were withheld than can be remembered, or one without an id: then every later chunk
    /// without a mark may be of one of them.
    forgotten: Option<WithheldFor>,
}

impl OnRequestSlot {
    /// The place of the decision about one on-request skill of the card.
    pub(in crate::on_request) fn decision(&self, skill: &SkillId) -> DecisionCell {
        let mut decisions = self.decisions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, cell)) = decisions.iter().find(|(id, _)| id == skill) {
            return Arc::clone(cell);
        }
        let cell = DecisionCell::default();
        decisions.push((skill.clone(), Arc::clone(&cell)));
        cell
    }

    pub(in crate::on_request) fn caller(&self) -> Caller {
        self.caller.get().cloned().unwrap_or_default()
    }

    /// Remembers a permit. Unmarked artifacts are marked with `skill` from now on.
    pub(in crate::on_request) fn permit(&self, skill: &SkillId) {
        let mut given = self.given();
        if !given.permitted.contains(skill) {
            given.permitted.push(skill.clone());
        }
        given.current = Some(skill.clone());
    }

    /// Remembers that an action is carried out, or was.
    pub(in crate::on_request) fn perform(&self, skill: &OnRequestSkill) {
        let mut performed = self.performed.lock().unwrap_or_else(PoisonError::into_inner);
        if !performed.contains(skill) {
            performed.push(skill.clone());
        }
    }

    /// The actions of this call.
    pub(in crate::on_request) fn performed(&self) -> Vec<OnRequestSkill> {
        self.performed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(in crate::on_request) fn is_permitted(&self, skill: &SkillId) -> bool {
        self.given().permitted.contains(skill)
    }

    /// The agent has marked an artifact itself.
    pub(in crate::on_request) fn agent_marked(&self, artifact: Option<&str>, skill: &SkillId) {
        let mut given = self.given();
        given.agent_marks = true;
        given.remember(artifact, skill);
    }

    /// An artifact was withheld.
    pub(in crate::on_request) fn withheld(&self, artifact: Option<&str>, skill: WithheldFor) {
        let mut given = self.given();
        match artifact {
            Some(id) if given.withheld.iter().any(|(known, _)| known == id) => {}
            Some(id) if given.withheld.len() < MAX_ARTIFACTS => given.withheld.push((id.to_owned(), skill)),
            _ => given.forgotten = Some(skill),
        }
    }

    /// For what an unmarked artifact is withheld, as a chunk of one that was.
    pub(in crate::on_request) fn withheld_for(&self, artifact: Option<&str>) -> Option<WithheldFor> {
        let given = self.given();
        // One without an id may be of any.
        let known = given.withheld.iter().find(|(known, _)| artifact.is_none_or(|id| id == known));
        known.map(|(_, skill)| skill.clone()).or_else(|| given.forgotten.clone())
    }

    /// Whether an unmarked artifact, one of `count` in its document, is to be marked, and with which skill.
    pub(in crate::on_request) fn mark_for(
        &self,
        artifact: Option<&str>,
        has_marked_sibling: bool,
        count: usize,
    ) -> LateMark {
        let mut given = self.given();
        let known = artifact.and_then(|id| given.artifacts.iter().find(|(known, _)| known == id));
        if let Some((_, skill)) = known {
            return LateMark::Of(skill.clone());
        }
        if has_marked_sibling || given.agent_marks {
            return LateMark::None;
        }
        let Some(skill) = given.current.clone() else { return LateMark::None };
        let is_another = given.late_artifact.as_ref().is_some_and(|late| late.as_deref() != artifact);
        if count > 1 || is_another {
            return LateMark::OneOfSeveral;
        }
        given.late_artifact = Some(artifact.map(str::to_owned));
        given.remember(artifact, &skill);
        LateMark::Of(skill)
    }

    /// Whether a permit was used and nothing is marked for it; said once for each call.
    pub(in crate::on_request) fn is_first_unmarked(&self) -> bool {
        let mut given = self.given();
        let is_unmarked = given.current.is_some() && !given.agent_marks && given.late_artifact.is_none();
        is_unmarked && !std::mem::replace(&mut given.told_unmarked, true)
    }

    /// Whether the agent leaves its artifacts unmarked; said once for each call.
    pub(in crate::on_request) fn is_first_late_mark(&self) -> bool {
        let mut given = self.given();
        !given.agent_marks && !std::mem::replace(&mut given.late_marks, true)
    }

    fn given(&self) -> std::sync::MutexGuard<'_, GivenSkills> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GivenSkills {
    fn remember(&mut self, artifact: Option<&str>, skill: &SkillId) {
        let Some(id) = artifact else { return };
        if self.artifacts.len() < MAX_ARTIFACTS && !self.artifacts.iter().any(|(known, _)| known == id) {
            self.artifacts.push((id.to_owned(), skill.clone()));
        }
    }
}

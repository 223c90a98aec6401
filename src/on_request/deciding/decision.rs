//! What was decided about one skill of one call.

use super::policy::Verdict;
use super::rules::Reason;
use crate::on_request::declared::skill::SkillId;

/// What was decided about one skill of one call, and why.
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub struct Decision {
    skill: SkillId,
    reason: Reason,
}

impl Decision {
    pub(in crate::on_request) fn new(skill: SkillId, reason: Reason) -> Self {
        Self { skill, reason }
    }

    /// The skill's id.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.skill.as_str()
    }

    /// Why. For the operator, never for the caller.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Whether it may be given. A public skill may; one that needs sign-in is for the agent, and
    /// the guard gives nothing for it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.reason.gives() { Verdict::Give } else { Verdict::Refer }
    }

    /// Whether it may be given.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.reason.gives()
    }
}

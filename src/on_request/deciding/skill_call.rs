//! What a policy is asked about.

use std::fmt;
use std::sync::Arc;

use super::caller::Caller;
use crate::binding::IncomingMessage;
use crate::on_request::declared::skill::SkillId;

/// One question to a policy: this caller asks for this skill. A clone is a pointer.
///
/// ```
/// use tower_a2a_extensions::on_request::{Caller, SkillCall};
///
/// let call = SkillCall::new("service-pricing", Caller::assistant("assistant-7"));
/// assert_eq!(call.skill(), "service-pricing");
/// assert!(call.message().is_none());
/// ```
#[derive(Clone)]
pub struct SkillCall(Arc<SkillCallParts>);

#[derive(Clone)]
struct SkillCallParts {
    skill: SkillId,
    caller: Caller,
    message: Option<IncomingMessage>,
}

impl SkillCall {
    /// A question without a message. This and [`with_message`](Self::with_message) are all that a
    /// test of a policy needs.
    #[must_use]
    pub fn new(skill: impl Into<SkillId>, caller: Caller) -> Self {
        Self(Arc::new(SkillCallParts { skill: skill.into(), caller, message: None }))
    }

    /// Adds the message that asks.
    #[must_use]
    pub fn with_message(self, message: IncomingMessage) -> Self {
        let mut parts = Arc::unwrap_or_clone(self.0);
        parts.message = Some(message);
        Self(Arc::new(parts))
    }

    pub(in crate::on_request) fn with_caller(&self, caller: Caller) -> Self {
        Self(Arc::new(SkillCallParts { caller, ..self.0.as_ref().clone() }))
    }

    /// The skill's id.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.0.skill.as_str()
    }

    pub(in crate::on_request) fn skill_id(&self) -> &SkillId {
        &self.0.skill
    }

    /// Who asks.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The message that asks, if there is one.
    #[must_use]
    pub fn message(&self) -> Option<&IncomingMessage> {
        self.0.message.as_ref()
    }
}

/// Shows the skill, neither the message nor the claims.
impl fmt::Debug for SkillCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkillCall")
            .field("skill", &self.0.skill)
            .field("caller", &self.0.caller)
            .finish_non_exhaustive()
    }
}

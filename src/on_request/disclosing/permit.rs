//! The proof that something may be disclosed.

use std::fmt;

use super::mark::{given_mark, write_mark};
use super::referral::Referral;
use crate::binding::ReplyTarget;
use crate::call::A2aCall;
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;

/// Proof that this call may disclose one skill. Only the guard creates it, and it has no clone.
///
/// What is given goes out as an Artifact, [marked](Self::mark). Keep a permit within its call: it
/// opens for whoever holds it, and nothing asks again whose it was.
#[must_use]
pub struct DisclosurePermit {
    skill: SkillId,
    /// `None` for a public skill, which carries no mark.
    on_request: Option<OnRequestSkill>,
    bound: BoundOnRequest,
    call: A2aCall,
}

impl DisclosurePermit {
    pub(in crate::on_request) fn new(
        skill: SkillId,
        on_request: Option<OnRequestSkill>,
        bound: &BoundOnRequest,
        call: &A2aCall,
    ) -> Self {
        Self { skill, on_request, bound: bound.clone(), call: call.clone() }
    }

    /// The skill it is for.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.skill.as_str()
    }

    /// Marks the Artifact that carries the information (§6.2): `metadata` under our URI, and the
    /// URI in `extensions`. The layer takes both out for callers that did not activate the
    /// extension. What belongs to a public skill stays unmarked.
    ///
    /// Store the Artifact as it is marked here. The mark says by a private hash who got it
    /// ([`MarkKey`](crate::on_request::MarkKey)), so that later replies give it to the same assistant and
    /// withhold it from others. What is stored without this mark is not known again: to the layer
    /// it is an Artifact like any other, and so is what only the layer marked on its way out.
    pub fn mark(&self, artifact: &mut serde_json::Value) {
        if let Some(skill) = &self.on_request {
            let given_to = self.bound.given_to(&self.call, skill.id());
            write_mark(artifact, self.bound.key(), given_mark(skill, given_to));
        }
    }

    /// What to answer where this permit is for another skill.
    pub(in crate::on_request) fn refer(&self, skill: &str) -> Referral {
        Referral::of_id(&self.bound, &self.call, skill)
    }

    pub(in crate::on_request) fn reply_target(&self) -> ReplyTarget {
        self.call.reply_target()
    }
}

impl fmt::Debug for DisclosurePermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DisclosurePermit").field("skill", &self.skill).finish_non_exhaustive()
    }
}

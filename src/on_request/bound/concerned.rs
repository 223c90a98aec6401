//! Which on-request skills a message concerns: what examples, resolvers and the caller say, united.

use super::BoundOnRequest;
use crate::binding::IncomingMessage;
use crate::deadline::Deadline;
use crate::on_request::deciding::assertion::named_skills;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillIds;
use crate::on_request::settings::Unresolved;
use crate::shield::Shielded;

/// The on-request skills that a message concerns.
pub(in crate::on_request) struct ConcernedSkills<'a> {
    pub(in crate::on_request) skills: Vec<&'a OnRequestSkill>,
    /// A resolver failed: none of them is given.
    pub(in crate::on_request) failed: bool,
}

/// What has been found out about a message so far.
pub(in crate::on_request) struct FoundSkills {
    ids: SkillIds,
    /// The whole message is one example of the card.
    is_example: bool,
    /// The same, and only of public skills.
    is_public_example: bool,
    /// A configured resolver knows what the message is about. The caller's own word never counts.
    is_resolved: bool,
    /// It asks for a public skill, too, as examples or a configured resolver have it.
    pub(in crate::on_request) asks_public: bool,
}

impl BoundOnRequest {
    /// What the caller and the card's examples say of a message.
    pub(in crate::on_request) fn find_shipped(&self, message: &IncomingMessage) -> FoundSkills {
        let examples = self.0.examples.find(message);
        let is_example = self.0.examples.is_exactly_one(message);
        FoundSkills {
            is_public_example: is_example && examples.iter().all(|id| self.0.catalog.is_public(id.as_str())),
            asks_public: self.holds_public(&examples),
            ids: named_skills(message, &self.0.keys).union(examples),
            is_example,
            is_resolved: false,
        }
    }

    /// What the configured resolvers say in addition.
    pub(in crate::on_request) async fn find_configured(
        &self,
        mut found: FoundSkills,
        message: &IncomingMessage,
        deadline: &mut Deadline,
    ) -> FoundSkills {
        for resolver in &self.0.settings.resolvers {
            let ids = match deadline.run(Shielded::new(resolver.resolve_erased(message))).await {
                Ok(Ok(ids)) => ids,
                Ok(Err(_)) | Err(_) => SkillIds::failed(),
            };
            found.is_resolved |= ids.iter().any(|id| self.0.catalog.entry(id.as_str()).is_some());
            found.asks_public |= self.holds_public(&ids);
            found.ids = found.ids.union(ids);
        }
        found
    }

    fn holds_public(&self, ids: &SkillIds) -> bool {
        ids.iter().any(|id| self.0.catalog.is_public(id.as_str()))
    }

    pub(in crate::on_request) fn has_resolvers(&self) -> bool {
        !self.0.settings.resolvers.is_empty()
    }

    pub(in crate::on_request) fn concerned(&self, found: &FoundSkills) -> ConcernedSkills<'_> {
        let failed = found.ids.is_failed();
        // Where a resolver failed, what the others say is not all that may be asked for.
        let all = match (failed, self.0.settings.unresolved) {
            (true, _) => !found.is_public_example,
            (false, Unresolved::Refer) => !found.is_example && !found.is_resolved,
            (false, Unresolved::RunGuarded) => false,
        };
        let skills = self.skills().filter(|skill| all || found.ids.contains(skill.id().as_str())).collect();
        ConcernedSkills { skills, failed }
    }
}

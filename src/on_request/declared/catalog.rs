//! The skills of one card, sorted by what On Request says of each.

use std::collections::BTreeMap;

use super::declaration::{OnRequestDeclaration, OnRequestSkill, SkillKind};
use super::skill::SkillId;
use crate::card::AgentCard;

/// What a skill of the card is.
#[derive(Clone, Debug)]
pub(in crate::on_request) enum CatalogEntry {
    Public,
    SignIn,
    OnRequest(Box<OnRequestSkill>),
}

/// The skills of one card.
#[derive(Clone, Debug, Default)]
pub(in crate::on_request) struct SkillCatalog {
    entries: BTreeMap<SkillId, CatalogEntry>,
    /// The on-request ids in the order of the declaration.
    on_request: Vec<SkillId>,
    names: BTreeMap<SkillId, String>,
    organization: Option<String>,
}

impl SkillCatalog {
    pub(in crate::on_request) fn new(
        card: &AgentCard,
        params: &OnRequestDeclaration,
        kinds: &BTreeMap<SkillId, SkillKind>,
    ) -> Self {
        let mut catalog = Self { organization: card.organization().map(str::to_owned), ..Self::default() };
        for skill in card.skills() {
            let Some(id) = skill.id().map(SkillId::from) else { continue };
            if let Some(name) = skill.name().filter(|name| !name.trim().is_empty()) {
                catalog.names.entry(id.clone()).or_insert_with(|| name.to_owned());
            }
            // Two skills with one id: the more restricted counts.
            let entry = catalog.entries.entry(id).or_insert(CatalogEntry::Public);
            if skill.needs_sign_in() {
                *entry = CatalogEntry::SignIn;
            }
        }
        for skill in params.skills() {
            let kind = kinds.get(skill.id()).copied();
            let skill = kind.map_or_else(|| skill.clone(), |kind| skill.clone().with_kind(kind));
            catalog.list(skill);
        }
        catalog
    }

    /// A second entry for an id only restricts the first further; the build fails anyway.
    fn list(&mut self, skill: OnRequestSkill) {
        let id = skill.id().clone();
        if let Some(CatalogEntry::OnRequest(first)) = self.entries.get_mut(&id) {
            let open = first.assistant_access() && skill.assistant_access();
            **first = first.as_ref().clone().with_assistant_access(open);
            return;
        }
        self.on_request.push(id.clone());
        self.entries.insert(id, CatalogEntry::OnRequest(Box::new(skill)));
    }

    pub(in crate::on_request) fn entry(&self, id: &str) -> Option<&CatalogEntry> {
        self.entries.get(id)
    }

    pub(in crate::on_request) fn on_request(&self, id: &str) -> Option<&OnRequestSkill> {
        match self.entries.get(id)? {
            CatalogEntry::OnRequest(skill) => Some(skill),
            CatalogEntry::Public | CatalogEntry::SignIn => None,
        }
    }

    pub(in crate::on_request) fn is_public(&self, id: &str) -> bool {
        matches!(self.entries.get(id), Some(CatalogEntry::Public))
    }

    /// All on-request skills, in the order of the declaration.
    pub(in crate::on_request) fn all_on_request(&self) -> impl Iterator<Item = &OnRequestSkill> {
        self.on_request.iter().filter_map(|id| self.on_request(id.as_str()))
    }

    pub(in crate::on_request) fn name(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    pub(in crate::on_request) fn organization(&self) -> Option<&str> {
        self.organization.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_skills_or_entries_with_one_id_the_more_restricted_counts() {
        let card = r#"{"skills": [
            {"id": "a"}, {"id": "a", "securityRequirements": [{}]}, {"id": "b"}, {"id": "b"}, {"name": "no id"}
        ]}"#;
        let open = |access| OnRequestSkill::new("b", "https://ask.example.com/").with_assistant_access(access);
        let params = OnRequestDeclaration::new().with_skill(open(true)).with_skill(open(false));
        let catalog = SkillCatalog::new(&AgentCard::from_json(card).unwrap(), &params, &BTreeMap::new());
        assert!(matches!(catalog.entry("a"), Some(CatalogEntry::SignIn)));
        assert_eq!(catalog.all_on_request().map(OnRequestSkill::assistant_access).collect::<Vec<_>>(), [false]);
        assert!(catalog.entry("c").is_none());
    }
}

//! What an operator configures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::actions::{ActionTerms, Actions, OpenedAction};
use super::deciding::assertion::PersonAssertion;
use super::deciding::caller::IdentifyCaller;
use super::deciding::mark_key::MarkKey;
use super::deciding::policy::{AnyPolicy, Verdict};
use super::declared::declaration::SkillKind;
use super::declared::skill::{ErasedResolver, SkillId};
use super::declared::wording::SafeWording;
use crate::uri::ExtensionUri;

/// What happens to a message that no resolver knows.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Unresolved {
    /// The agent gets it, and asks the [guard](super::OnRequestGuard).
    #[default]
    RunGuarded,
    /// It counts as asking for every on-request skill of the card.
    Refer,
}

#[derive(Clone)]
pub(super) struct OnRequestSettings {
    pub(super) policy: AnyPolicy,
    pub(super) resolvers: Vec<Arc<dyn ErasedResolver>>,
    pub(super) unresolved: Unresolved,
    pub(super) identify: Option<Arc<dyn IdentifyCaller>>,
    pub(super) assertion: Option<Arc<dyn PersonAssertion>>,
    pub(super) allow_anonymous: bool,
    pub(super) wording: SafeWording,
    pub(super) kinds: BTreeMap<SkillId, SkillKind>,
    /// Skills that were configured as both kinds.
    pub(super) contradictions: BTreeSet<SkillId>,
    /// The skills of values that the agent holds.
    pub(super) held: Vec<SkillId>,
    pub(super) terms: BTreeMap<SkillId, ActionTerms>,
    pub(super) actions: Option<Actions>,
    pub(super) origins: Vec<String>,
    /// Rules whose warnings and notes are left out.
    pub(super) silenced: BTreeSet<String>,
    /// Without one it is the process's own.
    pub(super) mark_key: Option<MarkKey>,
    pub(super) aliases: Vec<ExtensionUri>,
}

impl Default for OnRequestSettings {
    fn default() -> Self {
        Self {
            policy: AnyPolicy::new(Verdict::Give),
            resolvers: Vec::new(),
            unresolved: Unresolved::default(),
            identify: None,
            assertion: None,
            allow_anonymous: false,
            wording: SafeWording::default(),
            kinds: BTreeMap::new(),
            contradictions: BTreeSet::new(),
            held: Vec::new(),
            terms: BTreeMap::new(),
            actions: None,
            origins: Vec::new(),
            silenced: BTreeSet::new(),
            mark_key: None,
            aliases: Vec::new(),
        }
    }
}

impl OnRequestSettings {
    /// What is configured for an action that the card opens at `pointer`.
    pub(super) fn opened_action<'a>(&'a self, id: &'a str, pointer: &'a str) -> OpenedAction<'a> {
        let (terms, actions) = (self.terms.get(id), self.actions.as_ref());
        OpenedAction { id, pointer, terms, actions, identifies_callers: self.identify.is_some() }
    }

    /// If one skill gets two kinds, it is an action.
    pub(super) fn set_kind(&mut self, skill: SkillId, kind: SkillKind) {
        match self.kinds.get(&skill) {
            Some(known) if *known != kind => {
                self.contradictions.insert(skill.clone());
                self.kinds.insert(skill, SkillKind::Action);
            }
            _ => drop(self.kinds.insert(skill, kind)),
        }
    }
}

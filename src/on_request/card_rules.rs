//! The rules of §3 over a card: everything that is found, with rule and place.

use std::collections::BTreeMap;

use serde_json::Value;

use super::actions::OpenedAction;
use super::declaration::{Completion, SkillKind};
use super::person_entry::{check_person_entry, host, origin};
use super::settings::OnRequestSettings;
use crate::card::{AgentCard, DeclaredExtension};
use crate::findings::{Finding, Findings, Severity};

const MAX_ENTRIES: usize = 200;
const MAX_ID: usize = 128;

/// One card, ready to be checked.
pub(super) struct CardRules<'a> {
    card: &'a AgentCard,
    declared: &'a DeclaredExtension<'a>,
    settings: &'a OnRequestSettings,
}

/// One entry of `params.skills`.
struct ListedEntry<'a> {
    rules: &'a CardRules<'a>,
    value: &'a Value,
    pointer: String,
    id: Option<&'a str>,
}

impl<'a> CardRules<'a> {
    pub(super) fn new(
        card: &'a AgentCard,
        declared: &'a DeclaredExtension<'a>,
        settings: &'a OnRequestSettings,
    ) -> Self {
        Self { card, declared, settings }
    }

    pub(super) fn check(&self, findings: &mut Findings) {
        self.is_not_required(findings);
        self.is_configured_well(findings);
        let Some(entries) = self.entries(findings) else { return };
        let mut seen = BTreeMap::new();
        for (index, value) in entries.iter().enumerate().take(MAX_ENTRIES) {
            let pointer = format!("{}/params/skills/{index}", self.declared.pointer());
            if !value.is_object() {
                findings.error("OR-3.2", pointer, "an entry is an object");
                continue;
            }
            let id = value.get("id").and_then(Value::as_str);
            if let Some(first) = id.and_then(|id| seen.insert(id, index)) {
                findings.error("OR-3.3", format!("{pointer}/id"), format!("entry {first} has the same id"));
            }
            ListedEntry { rules: self, value, pointer, id }.check(findings);
        }
    }

    fn is_not_required(&self, findings: &mut Findings) {
        if self.declared.as_value().get("required").is_some_and(|required| *required != Value::Bool(false)) {
            let finding = Finding::new(
                Severity::Error,
                "OR-3.1",
                format!("{}/required", self.declared.pointer()),
                "the extension must not be required, so that every client gets a usable reply",
            );
            findings.push(finding.with_help("write `\"required\": false`, or leave it out"));
        }
    }

    fn entries(&self, findings: &mut Findings) -> Option<&'a [Value]> {
        let pointer = self.declared.pointer();
        let params = self.declared.params().filter(|params| params.is_object());
        let Some(params) = params else {
            findings.error("OR-3.2", format!("{pointer}/params"), "`params` must be an object with `skills`");
            return None;
        };
        let pointer = format!("{pointer}/params/skills");
        let Some(entries) = params.get("skills").and_then(Value::as_array) else {
            findings.error("OR-3.2", pointer, "`skills` must be an array with one entry per on-request skill");
            return None;
        };
        if entries.is_empty() || entries.len() > MAX_ENTRIES {
            let found = entries.len();
            findings.error("OR-3.2", pointer, format!("`skills` has 1 to {MAX_ENTRIES} entries, not {found}"));
        }
        Some(entries)
    }

    fn is_configured_well(&self, findings: &mut Findings) {
        for id in &self.settings.contradictions {
            let what = format!("`{id}` is configured as information and as an action; it is treated as an action");
            findings.error("configuration", "", what);
        }
        for id in self.settings.kinds.keys().filter(|id| self.card.skill(id.as_str()).is_none()) {
            findings.warning("configuration", "/skills", format!("the configuration names `{id}`, the card does not"));
        }
        for id in self.settings.held.iter().filter(|id| !self.lists(id.as_str())) {
            let what = format!("a value is held for `{id}`, which the card does not list: it could never be given");
            findings.error("configuration", self.declared.pointer(), what);
        }
        for id in self.settings.terms.keys().filter(|id| self.card.skill(id.as_str()).is_some()) {
            if !self.lists(id.as_str()) {
                let what = format!("`{id}` has terms, but the card does not list it: none of them would hold");
                findings.error("configuration", self.declared.pointer(), what);
            }
        }
        for named in self.settings.origins.iter().filter(|named| !is_origin(named)) {
            findings.error("configuration", "", format!("`{named}` is no origin such as `https://ask.example.com`"));
        }
    }
}

impl CardRules<'_> {
    fn lists(&self, id: &str) -> bool {
        let entries = self.declared.params().and_then(|params| params.get("skills")).and_then(Value::as_array);
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.get("id").is_some_and(|listed| listed == id)))
    }
}

impl ListedEntry<'_> {
    /// Every rule about a single entry.
    fn check(&self, findings: &mut Findings) {
        self.names_a_skill(findings);
        self.has_a_person_entry(findings);
        self.opens_with_a_boolean(findings);
        self.completes_as_known(findings);
        self.needs_no_sign_in(findings);
        self.says_what_it_opens(findings);
        self.has_terms(findings);
    }

    /// OR-5.6, for an action that is opened.
    fn has_terms(&self, findings: &mut Findings) {
        let is_opened = self.value.get("assistantAccess") == Some(&Value::Bool(true));
        let Some(id) = self.id.filter(|_| is_opened && self.is_action()) else { return };
        let settings = self.rules.settings;
        let opened = OpenedAction {
            id,
            pointer: self.pointer.clone(),
            terms: settings.terms.get(id),
            actions: settings.actions.as_ref(),
            identifies_callers: settings.identify.is_some(),
        };
        opened.check(findings);
    }

    fn at(&self, member: &str) -> String {
        format!("{}/{member}", self.pointer)
    }

    fn configured(&self) -> Option<SkillKind> {
        self.rules.settings.kinds.get(self.id?).copied()
    }

    fn is_action(&self) -> bool {
        self.value.get("completion").is_some() || self.configured() == Some(SkillKind::Action)
    }

    fn names_a_skill(&self, findings: &mut Findings) {
        match self.id {
            None => findings.error("OR-3.3", self.at("id"), "an entry needs `id`, a string"),
            Some(id) if id.is_empty() || id.chars().count() > MAX_ID => {
                findings.error("OR-3.3", self.at("id"), format!("an id has 1 to {MAX_ID} characters"));
            }
            Some(id) if self.rules.card.skill(id).is_none() => {
                let what = format!("the card has no skill with the id `{id}`");
                let finding = Finding::new(Severity::Error, "OR-3.3", self.at("id"), what);
                let ids = self.rules.card.skills().filter_map(|skill| skill.id()).collect::<Vec<_>>().join("`, `");
                findings.push(finding.with_help(format!("the skills of the card are `{ids}`")));
            }
            Some(_) => {}
        }
    }

    fn has_a_person_entry(&self, findings: &mut Findings) {
        let Some(entry) = self.value.get("personEntry").and_then(Value::as_str) else {
            findings.error("OR-3.4", self.at("personEntry"), "an entry needs `personEntry`, where a person can ask");
            return;
        };
        match check_person_entry(entry, self.is_action()) {
            Err(fault) => findings.error(fault.rule, self.at("personEntry"), format!("`{entry}`: {}", fault.why)),
            Ok(()) => self.is_on_an_own_origin(entry, findings),
        }
    }

    /// Whether the operator controls the origin can only be known where it says so.
    fn is_on_an_own_origin(&self, entry: &str, findings: &mut Findings) {
        let Some(entry_origin) = origin(entry) else { return };
        let own = &self.rules.settings.origins;
        if !own.is_empty() {
            if !own.iter().any(|named| origin(named).is_some_and(|named| named == entry_origin)) {
                let what = format!("`{entry_origin}` is none of the configured operator origins");
                findings.error("OR-3.4", self.at("personEntry"), what);
            }
            return;
        }
        let provider = self.rules.card.as_value().pointer("/provider/url").and_then(Value::as_str).and_then(host);
        let (Some(provider), Some(entry_host)) = (provider, host(entry)) else { return };
        if !is_within(&entry_host, &provider) {
            let what = format!("`{entry_host}` does not belong to `{provider}` by its name");
            let finding = Finding::new(Severity::Warning, "OR-3.4", self.at("personEntry"), what);
            findings.push(finding.with_help("name the origins that the operator controls with `operator_origin`"));
        }
    }

    fn opens_with_a_boolean(&self, findings: &mut Findings) {
        if self.value.get("assistantAccess").is_some_and(|access| !access.is_boolean()) {
            findings.error("OR-3.5", self.at("assistantAccess"), "`assistantAccess` is true or false");
        }
    }

    fn completes_as_known(&self, findings: &mut Findings) {
        let Some(completion) = self.value.get("completion") else { return };
        if Completion::read(completion).is_none() {
            let what = "`completion` is `in-conversation` or `deferred`";
            findings.error("OR-3.6", self.at("completion"), what);
        }
        if self.configured() == Some(SkillKind::Information) {
            let what = "configured as information, but with `completion` it is an action, and treated as one";
            findings.warning("OR-3.6", self.at("completion"), what);
        }
    }

    fn needs_no_sign_in(&self, findings: &mut Findings) {
        let Some(id) = self.id else { return };
        for skill in self.rules.card.skills().filter(|skill| skill.id() == Some(id) && skill.needs_sign_in()) {
            let what = format!("`{id}` is listed as on request, so it cannot need sign-in");
            findings.error("OR-3.7", skill.pointer(), what);
        }
    }

    fn says_what_it_opens(&self, findings: &mut Findings) {
        if self.value.get("assistantAccess") != Some(&Value::Bool(true)) {
            return;
        }
        let what = "opened: until it is defined how an assistant shows that it acts for a person, its word is accepted";
        findings.note("OR-5.5", self.at("assistantAccess"), what);
        if self.rules.settings.identify.is_none() && self.configured() == Some(SkillKind::Information) {
            let what = "opened, and nobody is identified: whoever writes `actingFor` is given it";
            let finding = Finding::new(Severity::Warning, "OR-5.4", self.at("assistantAccess"), what);
            findings.push(finding.with_help("say with `.caller(..)` who asks, and limit it with `.policy(..)`"));
        }
        if !self.is_action() && self.configured().is_none() {
            let id = self.id.unwrap_or_default();
            let what = "opened, but neither card nor configuration says whether it is an action: it is referred";
            let finding = Finding::new(Severity::Warning, "OR-3.6", self.pointer.clone(), what);
            findings.push(finding.with_help(format!("configure `.information({id:?})` or `.action({id:?})`")));
        }
    }
}

fn is_origin(named: &str) -> bool {
    check_person_entry(named, true).is_ok() && named.matches('/').count() == 2
}

/// Whether `host` is `provider`'s host or one below its domain.
fn is_within(host: &str, provider: &str) -> bool {
    let domain = provider.strip_prefix("www.").unwrap_or(provider);
    host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests;

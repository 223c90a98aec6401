//! The rules of §3 over a card: everything that is found, with rule and place.

mod action_words;
mod checker;
mod circumstances;
mod completion;
mod configuration;
mod declarations;
mod duplicates;
mod explain;
mod options;
mod own_origin;
mod people;
mod person_entry;
mod place;
mod reading;
mod shape;
mod sign_in;
mod similar;
mod skill_texts;
mod teller;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

pub use self::checker::{CardChecker, check_card};
pub use self::circumstances::CIRCUMSTANCE_WORDS;
use self::circumstances::PathWords;
use self::configuration::check_origins;
pub(crate) use self::declarations::{misplaced_extensions, near_miss};
pub use self::explain::{CARD_RULES, explain_rule};
use self::options::CardOptions;
use self::own_origin::OwnHosts;
use self::place::token;
use self::similar::most_similar;
use super::declaration::SkillKind;
use crate::card::{AgentCard, CardSkill, DeclaredExtension};
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::settings::OnRequestSettings;

const MAX_ENTRIES: usize = 200;
const MAX_ID: usize = 128;
/// So many skills of one id are looked at.
const MAX_OF_ONE_ID: usize = 10;
/// So many members of an entry are compared with the known ones.
const MAX_MEMBERS: usize = 50;
/// So many ids of the card are listed in a help.
const MAX_SUGGESTED: usize = 10;

/// One card, ready to be checked.
pub(in crate::on_request) struct CardRules<'a> {
    card: &'a AgentCard,
    declared: &'a DeclaredExtension<'a>,
    settings: &'a OnRequestSettings,
    options: CardOptions,
    own_hosts: OwnHosts,
    path_words: PathWords,
    skills: Vec<CardSkill<'a>>,
    by_id: HashMap<&'a str, Vec<usize>>,
    known_ids: OnceCell<String>,
    /// A layer is built: what the configuration leaves open is said too.
    in_layer: bool,
}

/// One entry of `params.skills`.
struct ListedEntry<'a> {
    rules: &'a CardRules<'a>,
    value: &'a Value,
    pointer: String,
    id: Option<&'a str>,
}

impl<'a> CardRules<'a> {
    /// As a layer is built: the configuration counts too.
    pub(in crate::on_request) fn new(
        card: &'a AgentCard,
        declared: &'a DeclaredExtension<'a>,
        settings: &'a OnRequestSettings,
    ) -> Self {
        let options = CardOptions { origins: settings.origins.clone(), ..CardOptions::default() };
        Self { in_layer: true, ..Self::with_options(card, declared, settings, options) }
    }

    fn with_options(
        card: &'a AgentCard,
        declared: &'a DeclaredExtension<'a>,
        settings: &'a OnRequestSettings,
        options: CardOptions,
    ) -> Self {
        let skills = card.skills().collect::<Vec<_>>();
        let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, skill) in skills.iter().enumerate() {
            if let Some(id) = skill.id() {
                by_id.entry(id).or_default().push(index);
            }
        }
        Self {
            card,
            declared,
            settings,
            path_words: PathWords::new(&options.path_words),
            options,
            own_hosts: OwnHosts::of(card),
            skills,
            by_id,
            known_ids: OnceCell::new(),
            in_layer: false,
        }
    }

    /// Every rule, each finding with its place in the card's source.
    pub(in crate::on_request) fn check(&self, findings: &mut Findings) {
        let mut found = Findings::default();
        self.is_configured_well(&mut found);
        check_origins(&self.options.origins, &mut found);
        self.find(&mut found);
        let silenced = &self.settings.silenced;
        found.retain(|finding| finding.severity == Severity::Error || !silenced.contains(&*finding.rule));
        let source = self.card.source().as_bytes();
        place::place(source, 0, &mut found);
        duplicates::find_duplicates(source, 0, &mut found);
        findings.extend(found);
    }

    /// The rules about the card alone. A span is a range of the decoded text, until it is placed.
    fn find(&self, findings: &mut Findings) {
        self.is_not_required(findings);
        self.is_described_in_words(findings);
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
                let finding = Finding::new(
                    Severity::Error,
                    "OR-3.3",
                    format!("{pointer}/id"),
                    format!("entry {first} has the same id"),
                );
                findings.push(finding.with_help("keep one entry for a skill; the second is not read"));
                seen.insert(id.unwrap_or_default(), first);
                continue;
            }
            ListedEntry { rules: self, value, pointer, id }.check(findings);
        }
        let meant = |id: &&'a str| if self.by_id.contains_key(id) { None } else { self.meant(id) };
        let meant = seen.keys().filter_map(meant).collect::<Vec<_>>();
        let listed = seen.into_keys().chain(meant).collect::<HashSet<_>>();
        let telephones = skill_texts::telephone_digits(entries.iter().take(MAX_ENTRIES));
        skill_texts::detect_values(&self.skills, &listed, &telephones, &self.options.detectors, findings);
        self.explains_sign_in(findings);
        people::reaches_people(&self.skills, findings);
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

    fn is_described_in_words(&self, findings: &mut Findings) {
        if self.declared.as_value().get("description").is_some_and(|words| !words.is_string()) {
            let pointer = format!("{}/description", self.declared.pointer());
            findings.error("schema", pointer, "`description` must be a string");
        }
    }

    fn entries(&self, findings: &mut Findings) -> Option<&'a [Value]> {
        let pointer = self.declared.pointer();
        let params = self.declared.params().filter(|params| params.is_object());
        let Some(params) = params else {
            let what = "`params` must be an object with `skills`";
            let finding = Finding::new(Severity::Error, "OR-3.2", format!("{pointer}/params"), what);
            findings.push(finding.with_help("write `\"params\": {\"skills\": [{\"id\": …, \"personEntry\": …}]}`"));
            return None;
        };
        let pointer = format!("{pointer}/params/skills");
        let Some(entries) = params.get("skills").and_then(Value::as_array) else {
            findings.error("OR-3.2", pointer, "`skills` must be an array with one entry per on-request skill");
            return None;
        };
        if entries.is_empty() || entries.len() > MAX_ENTRIES {
            let found = entries.len();
            let what = format!("`skills` has 1 to {MAX_ENTRIES} entries, not {found}");
            let help =
                "without any on-request skill take the whole declaration out; more than the first are not checked";
            findings.push(Finding::new(Severity::Error, "schema", pointer, what).with_help(help));
        }
        Some(entries)
    }
}

impl CardRules<'_> {
    /// The skill that a mistyped id most probably means.
    fn meant(&self, id: &str) -> Option<&str> {
        most_similar(id, self.skills.iter().filter_map(CardSkill::id))
    }

    /// What to do about an entry that names no skill. To take it out is the last thing to say: it
    /// may be all that keeps a skill from being public.
    fn help_for_unknown(&self, id: &str) -> String {
        if let Some(meant) = self.meant(id) {
            return format!("did you mean {}?", quoted(meant));
        }
        let known = self.known_ids.get_or_init(|| {
            let ids = self.skills.iter().filter_map(CardSkill::id);
            let shown = ids.clone().take(MAX_SUGGESTED).map(quoted).collect::<Vec<_>>().join(", ");
            match ids.count() {
                0 => "the card has no skills".to_owned(),
                count if count > MAX_SUGGESTED => {
                    format!("the skills of the card are {shown} and {} more", count - MAX_SUGGESTED)
                }
                _ => format!("the skills of the card are {shown}"),
            }
        });
        format!("{known}; write the id of the skill that is told on request, or add the skill")
    }

    fn lists(&self, id: &str) -> bool {
        let entries = self.declared.params().and_then(|params| params.get("skills")).and_then(Value::as_array);
        entries.is_some_and(|entries| entries.iter().any(|entry| entry.get("id").is_some_and(|listed| listed == id)))
    }
}

impl ListedEntry<'_> {
    /// Every rule about a single entry.
    fn check(&self, findings: &mut Findings) {
        self.misspells_no_member(findings);
        self.names_a_skill(findings);
        self.has_a_person_entry(findings);
        self.opens_with_a_boolean(findings);
        self.completes_as_known(findings);
        self.needs_no_sign_in(findings);
        self.says_what_it_opens(findings);
        self.sounds_like_information(findings);
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

    /// The skills of the card that it names; more than one where the card has an id twice, which is
    /// told elsewhere.
    fn skills(&self) -> impl Iterator<Item = &CardSkill<'_>> {
        let indexes = self.id.and_then(|id| self.rules.by_id.get(id)).map(Vec::as_slice).unwrap_or_default();
        indexes.iter().take(MAX_OF_ONE_ID).filter_map(|index| self.rules.skills.get(*index))
    }

    fn names_a_skill(&self, findings: &mut Findings) {
        match self.id {
            None => findings.error("OR-3.3", self.at("id"), "an entry needs `id`, the id of a skill of the card"),
            Some(id) if id.is_empty() || id.chars().count() > MAX_ID => {
                findings.error("schema", self.at("id"), format!("an id has 1 to {MAX_ID} characters"));
            }
            Some(id) if !self.rules.by_id.contains_key(id) => {
                let what = format!("the card has no skill with the id {}", quoted(id));
                let finding = Finding::new(Severity::Error, "OR-3.3", self.at("id"), what);
                findings.push(finding.with_help(self.rules.help_for_unknown(id)));
            }
            // A check of the whole card says so by itself.
            Some(id) if self.rules.in_layer && self.rules.by_id.get(id).is_some_and(|skills| skills.len() > 1) => {
                let what = format!("the card has more than one skill with the id {}", quoted(id));
                findings.error("OR-3.3", self.at("id"), what);
            }
            Some(_) => {}
        }
    }

    /// Members that nobody knows may stand there (D10); one that is almost a known one has no effect.
    fn misspells_no_member(&self, findings: &mut Findings) {
        let known = ["id", "personEntry", "assistantAccess", "completion"];
        for name in self.value.as_object().into_iter().flat_map(serde_json::Map::keys).take(MAX_MEMBERS) {
            let Some(meant) = most_similar(name, known).filter(|meant| meant != name) else { continue };
            let finding = Finding::new(
                Severity::Warning,
                "schema",
                self.at(&token(name)),
                format!("{} is no member of an entry, and has no effect", quoted(name)),
            );
            findings.push(finding.with_help(format!("did you mean `{meant}`?")));
        }
    }

    fn opens_with_a_boolean(&self, findings: &mut Findings) {
        if self.value.get("assistantAccess").is_some_and(|access| !access.is_boolean()) {
            let what = "`assistantAccess` is true or false";
            let finding = Finding::new(Severity::Error, "OR-3.5", self.at("assistantAccess"), what);
            findings.push(finding.with_help("write `false`, or leave it out, unless the operator opts in"));
        }
    }

    fn says_what_it_opens(&self, findings: &mut Findings) {
        if self.value.get("assistantAccess") != Some(&Value::Bool(true)) {
            return;
        }
        let what = "opened to assistants: whoever calls and says that it acts for a person is believed, until it is \
                    defined how that is shown";
        let help = "nothing to do where that is meant; with `false` the person is always referred to the address";
        findings.push(Finding::new(Severity::Note, "OR-5.5", self.at("assistantAccess"), what).with_help(help));
        if self.rules.settings.identify.is_none() && self.configured() == Some(SkillKind::Information) {
            let what = "opened, and nobody is identified: whoever writes `actingFor` is given it";
            let finding = Finding::new(Severity::Warning, "OR-5.4", self.at("assistantAccess"), what);
            findings.push(finding.with_help("say with `.caller(..)` who asks, and limit it with `.policy(..)`"));
        }
        if let Some(id) = self.id.filter(|_| self.rules.in_layer && self.is_action()) {
            let is_own = |domain: &str| self.rules.own_hosts.is_operators_domain(domain, &self.rules.options.origins);
            let action = self.rules.settings.opened_action(id, &self.pointer);
            action.check(findings);
            action.check_domain(is_own, self.rules.own_hosts.provider_host(), findings);
        }
        if self.rules.in_layer && !self.is_action() && self.configured().is_none() {
            let id = self.id.unwrap_or_default();
            let what = "opened, but neither card nor configuration says whether it is an action: it is referred";
            let finding = Finding::new(Severity::Warning, "OR-3.6", self.pointer.clone(), what);
            let help = format!("configure `.information({id:?})` or `.action(ActionTerms::new({id:?})..)`");
            findings.push(finding.with_help(help));
        }
    }
}

#[cfg(test)]
mod tests;

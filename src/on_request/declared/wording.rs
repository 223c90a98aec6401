//! What a referral says in words (OR-5.3, OR-5.7, OR-6.2).

use std::fmt;
use std::sync::Arc;

use super::catalog::SkillCatalog;
use super::declaration::{Completion, OnRequestSkill};
use super::person_entry::names_address;
use crate::shield::shielded;

/// What a [`Wording`] can build its text from. Nothing in it is about the caller but the language
/// it asked for.
#[derive(Clone, Copy, Debug)]
pub struct ReferralFacts<'a> {
    skill: &'a OnRequestSkill,
    skill_name: Option<&'a str>,
    organization: Option<&'a str>,
    accept_language: Option<&'a str>,
}

impl<'a> ReferralFacts<'a> {
    /// Facts for a test of a wording.
    #[must_use]
    pub fn new(skill: &'a OnRequestSkill) -> Self {
        Self { skill, skill_name: None, organization: None, accept_language: None }
    }

    /// Sets the operator's name.
    #[must_use]
    pub fn with_organization(mut self, name: &'a str) -> Self {
        self.organization = Some(name);
        self
    }

    /// Sets the languages the client asked for.
    #[must_use]
    pub fn with_accept_language(mut self, languages: &'a str) -> Self {
        self.accept_language = Some(languages);
        self
    }

    /// The skill that is referred.
    #[must_use]
    pub fn skill(&self) -> &'a OnRequestSkill {
        self.skill
    }

    /// Its name in the card.
    #[must_use]
    pub fn skill_name(&self) -> Option<&'a str> {
        self.skill_name
    }

    /// The operator's name (`provider.organization`).
    #[must_use]
    pub fn organization(&self) -> Option<&'a str> {
        self.organization
    }

    /// Where the person asks. A text without it gets it appended.
    #[must_use]
    pub fn person_entry(&self) -> &'a str {
        self.skill.person_entry()
    }

    /// Whether an action was not carried out. The text must say so.
    #[must_use]
    pub fn is_action(&self) -> bool {
        self.skill.is_action()
    }

    /// The request's `Accept-Language`, as it came.
    #[must_use]
    pub fn accept_language(&self) -> Option<&'a str> {
        self.accept_language
    }
}

/// The text of a referral.
///
/// A closure returns a `String`, or an `Option<String>` where the default text is good enough for
/// some skills or languages. One that panics or says nothing gets the default. The address is
/// appended where it is forgotten.
///
/// OR-5.3 forbids a text that denies what was asked for ("there is no such thing"). The layer cannot
/// see that in words of your own: say that the operator has it and gives it to the person.
///
/// ```
/// use tower_a2a_extensions::on_request::{OnRequest, OnRequestSkill, ReferralFacts, Wording};
///
/// let german = |facts: &ReferralFacts<'_>| {
///     let german = facts.accept_language().is_some_and(|languages| languages.starts_with("de"));
///     (german && !facts.is_action()).then(|| {
///         format!("Das sagen wir Ihnen gern im Gespräch: {}", facts.person_entry())
///     })
/// };
/// let pricing = OnRequestSkill::new("service-pricing", "https://ask.example.com/talk");
/// assert!(german.text(&ReferralFacts::new(&pricing).with_accept_language("de-DE")).is_some());
/// assert!(german.text(&ReferralFacts::new(&pricing)).is_none());
/// let on_request = OnRequest::new().wording(german);
/// ```
pub trait Wording: Send + Sync + 'static {
    /// The text, or `None` for the default.
    fn text(&self, facts: &ReferralFacts<'_>) -> Option<String>;
}

impl<F, S> Wording for F
where
    F: Fn(&ReferralFacts<'_>) -> S + Send + Sync + 'static,
    S: Into<Option<String>>,
{
    fn text(&self, facts: &ReferralFacts<'_>) -> Option<String> {
        self(facts).into()
    }
}

impl<W: Wording + ?Sized> Wording for Arc<W> {
    fn text(&self, facts: &ReferralFacts<'_>) -> Option<String> {
        self.as_ref().text(facts)
    }
}

/// The configured wording, or none, with everything that must be true of the text.
#[derive(Clone, Default)]
pub(in crate::on_request) struct SafeWording(pub(in crate::on_request) Option<Arc<dyn Wording>>);

impl fmt::Debug for SafeWording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SafeWording").field(&self.0.is_some()).finish()
    }
}

impl SafeWording {
    /// One text for all skills that are referred; the first is the one the mark names.
    pub(in crate::on_request) fn referral(
        &self,
        catalog: &SkillCatalog,
        skills: &[&OnRequestSkill],
        accept_language: Option<&str>,
    ) -> String {
        let Some((first, others)) = skills.split_first() else { return unavailable_text().to_owned() };
        let facts = ReferralFacts {
            skill: first,
            skill_name: catalog.name(first.id().as_str()),
            organization: catalog.organization(),
            accept_language,
        };
        let own = self.0.as_ref().and_then(|wording| shielded(|| wording.text(&facts)).ok().flatten());
        let mut text = own.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| default_text(&facts));
        if !names_address(&text, facts.person_entry()) {
            text.push(' ');
            text.push_str(facts.person_entry());
        }
        for skill in others {
            text.push_str(&further_text(catalog, skill));
        }
        text
    }
}

fn default_text(facts: &ReferralFacts<'_>) -> String {
    let entry = facts.person_entry();
    let operator = facts.organization().unwrap_or("The operator of this agent");
    if facts.is_action() {
        format!(
            "This was not done on this request: {operator} does it for the person who asks. The person can do it here: {entry}"
        )
    } else {
        format!("{operator} gives this to the person who asks. You can ask here: {entry}")
    }
}

fn further_text(catalog: &SkillCatalog, skill: &OnRequestSkill) -> String {
    let name = catalog.name(skill.id().as_str()).unwrap_or(skill.id().as_str());
    let entry = skill.person_entry();
    if skill.is_action() {
        format!("\nAlso not done: {name}. The person can do it here: {entry}")
    } else {
        format!("\nAlso given to the person who asks: {name}. You can ask here: {entry}")
    }
}

/// For what the card does not offer here at all.
pub(in crate::on_request) fn unavailable_text() -> &'static str {
    "This is not available here."
}

/// Where nobody can say here whether an action was done: it claims neither.
pub(in crate::on_request) fn in_doubt_text(catalog: &SkillCatalog, skill: &OnRequestSkill) -> String {
    let operator = catalog.organization().unwrap_or("The operator of this agent");
    let entry = skill.person_entry();
    format!(
        "It cannot be said here whether this has been done; do not send this again. {operator} knows. The person can ask here: {entry}"
    )
}

/// The same of a skill for which the card names no address.
pub(in crate::on_request) fn in_doubt_without_address() -> &'static str {
    "It cannot be said here whether this has been done; do not send this again."
}

/// For a reply that calls a deferred action done (OR-5.8).
pub(in crate::on_request) fn unfinished_text(catalog: &SkillCatalog, skill: &OnRequestSkill) -> Option<String> {
    (skill.completion() == Some(Completion::Deferred)).then(|| {
        let operator = catalog.organization().unwrap_or("the operator of this agent");
        let entry = skill.person_entry();
        format!("This is not finished: staff of {operator} complete it later. The person can ask here: {entry}")
    })
}

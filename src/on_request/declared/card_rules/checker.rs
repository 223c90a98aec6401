//! The check of a whole card, from its source.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::CardRules;
use super::configuration::check_origins;
use super::declarations::check_declarations;
use super::explain::find_rule;
use super::options::CardOptions;
use super::place::place;
use super::reading::read_card;
use super::shape::check_shape;
use super::skill_texts::find_values;
use crate::card::{AgentCard, interface_findings};
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::settings::OnRequestSettings;
use crate::values::ValueDetector;

/// Checks the source of an Agent Card by the rules of On Request §3, with the defaults.
///
/// ```
/// use tower_a2a_extensions::on_request::check_card;
///
/// let card = r#"{
///   "name": "Example Memorial Chapel assistant",
///   "skills": [{"id": "service-pricing", "name": "Service costs"}],
///   "capabilities": {"extensions": [{
///     "uri": "https://agent-capability.org/ext/on-request/v1",
///     "params": {"skills": [{"id": "service-prising", "personEntry": "https://ask.example.com/talk"}]}
///   }]}
/// }"#;
/// let findings = check_card(card);
/// let error = findings.iter().find(|finding| finding.rule == "OR-3.3").unwrap();
/// assert_eq!(error.pointer, "/capabilities/extensions/0/params/skills/0/id");
/// assert_eq!(&card[error.span.clone().unwrap()], "\"service-prising\"");
/// ```
#[must_use]
pub fn check_card(source: impl AsRef<[u8]>) -> Findings {
    CardChecker::new().check(source)
}

/// Checks Agent Cards by the rules of On Request §3.
///
/// A finding has the rule, how grave it is, its JSON pointer and its bytes in the source, and says
/// what to write instead. All are found at once, in the order of the source; of thousands of one
/// kind a count remains. Nothing is fetched: whether somebody answers at an address is not known.
///
/// ```
/// use tower_a2a_extensions::on_request::CardChecker;
///
/// let card = r#"{"name": "Chapel", "description": "Answers.", "version": "1", "supportedInterfaces": [
///     {"url": "https://chapel.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
///   ], "skills": [
///     {"id": "pricing", "name": "Costs", "description": "From 45 dollars."}
///   ], "provider": {"organization": "Chapel", "url": "https://chapel.example"}, "capabilities": {"extensions": [{
///     "uri": "https://agent-capability.org/ext/on-request/v1",
///     "params": {"skills": [{"id": "pricing", "personEntry": "https://booking.example.net/chapel"}]}
///   }]}}"#;
/// let rules = |checker: CardChecker| {
///     checker.check(card).iter().map(|finding| finding.rule.to_string()).collect::<Vec<_>>()
/// };
/// assert_eq!(rules(CardChecker::new()), ["OR-5.10", "OR-3.9", "OR-3.4"]);
/// let ours = CardChecker::new().operator_origin("https://booking.example.net").silence("OR-5.10");
/// assert_eq!(rules(ours), ["OR-3.9"]);
/// ```
#[derive(Clone)]
#[must_use]
pub struct CardChecker {
    options: CardOptions,
    silenced: BTreeSet<Cow<'static, str>>,
    others: Vec<OtherCheck>,
}

/// A check of another extension.
type OtherCheck = Arc<dyn Fn(&AgentCard, &mut Findings) + Send + Sync>;

impl Default for CardChecker {
    fn default() -> Self {
        Self::new()
    }
}

impl CardChecker {
    /// The defaults: the card alone says what is the operator's.
    pub fn new() -> Self {
        let options = CardOptions { by_registrable_domain: true, ..CardOptions::default() };
        Self { options, silenced: BTreeSet::new(), others: Vec::new() }
    }

    /// Names an origin that the operator controls beside the hosts of the card's provider and
    /// interfaces, for example `https://booking.example.net` (OR-3.4).
    pub fn operator_origin(mut self, origin: impl Into<String>) -> Self {
        self.options.origins.push(origin.into());
        self
    }

    /// Names a value that is told on request only: where it stands as a whole word or figure in any
    /// text of the card, that is an error (OR-3.9). Case, and the kind of space and hyphen, do not
    /// count; all else does, so name `£1200` and `£1,200` both. It is not repeated in any message.
    pub fn value(mut self, value: impl Into<String>) -> Self {
        self.options.values.push(value.into());
        self
    }

    /// Replaces the [words](super::CIRCUMSTANCE_WORDS) that are looked for in the path of an
    /// address (OR-3.8).
    pub fn path_words<W: Into<Cow<'static, str>>>(mut self, words: impl IntoIterator<Item = W>) -> Self {
        self.options.path_words = words.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a detector of values (OR-3.9).
    pub fn detector(mut self, detector: impl ValueDetector) -> Self {
        self.options.detectors.push(Arc::new(detector));
        self
    }

    /// Takes all detectors away, the [common ones](crate::on_request::CommonValue) too, to replace them.
    pub fn no_detectors(mut self) -> Self {
        self.options.detectors.clear();
        self
    }

    /// Adds a check of what another extension asks of the card. Its findings get their places in the
    /// source and their order like all others; those of rules that are none of
    /// [`CARD_RULES`](super::CARD_RULES) cannot be [silenced](Self::silence).
    ///
    /// ```
    /// use tower_a2a_extensions::converse;
    /// use tower_a2a_extensions::on_request::CardChecker;
    ///
    /// let card = r#"{"capabilities": {"extensions": [{
    ///     "uri": "https://docs.radioso.ai/reference/a2a-converse-extension/v1",
    ///     "required": true,
    ///     "params": {
    ///       "mcp": {"url": "https://mcp.example.com/a", "serverCardUrl": "https://mcp.example.com/a/card"},
    ///       "tools": []
    ///     }
    ///   }]}}"#;
    /// let findings = CardChecker::new().also(converse::check_card).check(card);
    /// let error = findings.iter().find(|finding| finding.rule == "converse").unwrap();
    /// assert_eq!(&card[error.span.clone().unwrap()], "true");
    /// ```
    pub fn also(mut self, check: impl Fn(&AgentCard, &mut Findings) + Send + Sync + 'static) -> Self {
        self.others.push(Arc::new(check));
        self
    }

    /// Leaves out warnings and notes of a rule, one of [`CARD_RULES`](super::CARD_RULES) in any
    /// case, such as `OR-5.10`. Errors stay.
    pub fn silence(mut self, rule: impl Into<Cow<'static, str>>) -> Self {
        let rule = rule.into();
        let known = find_rule(&rule).map(|(id, _)| Cow::Borrowed(*id));
        self.silenced.insert(known.unwrap_or(rule));
        self
    }

    /// What is wrong with what the checker was told, with the rule `configuration`: an origin that
    /// is none, an empty value, a rule that does not exist. [`check`](Self::check) finds it too.
    ///
    /// ```
    /// use tower_a2a_extensions::on_request::CardChecker;
    ///
    /// let unset = String::new(); // a variable of the environment that nobody set
    /// assert!(CardChecker::new().value(unset).check_configuration().has_errors());
    /// assert!(CardChecker::new().silence("or-5.10").check_configuration().is_empty());
    /// ```
    #[must_use]
    pub fn check_configuration(&self) -> Findings {
        let mut findings = Findings::default();
        check_origins(&self.options.origins, &mut findings);
        if self.options.values.iter().any(|value| value.trim().is_empty()) {
            let finding = Finding::new(Severity::Error, "configuration", "", "a value to look for is empty");
            findings.push(finding.with_help("is the variable set that it comes from?"));
        }
        if self.options.path_words.iter().any(|word| word.trim().is_empty()) {
            findings.error("configuration", "", "a word to look for in paths is empty");
        }
        for rule in self.silenced.iter().filter(|rule| find_rule(rule).is_none()) {
            let what = format!("{} is to be silenced, and no rule has this id", quoted(rule));
            findings.error("configuration", "", what);
        }
        findings
    }

    /// Checks the source of a card: UTF-8 JSON, as it is in the file.
    #[must_use]
    pub fn check(&self, source: impl AsRef<[u8]>) -> Findings {
        let mut findings = self.check_configuration();
        if let Some(read) = read_card(source.as_ref(), &mut findings) {
            let mut found = Findings::default();
            check_shape(&read.card, &mut found);
            found.extend(interface_findings(&read.card));
            // A check without a layer has no configuration.
            let settings = OnRequestSettings::default();
            if let Some(declared) = check_declarations(&read.card, &mut found) {
                CardRules::with_options(&read.card, &declared, &settings, self.options.clone()).find(&mut found);
            }
            find_values(&read.card, &self.options.values, &mut found);
            self.others.iter().for_each(|check| check(&read.card, &mut found));
            place(read.text.as_bytes(), read.offset, &mut found);
            findings.extend(found);
        }
        findings.retain(|finding| finding.severity == Severity::Error || !self.silenced.contains(&finding.rule));
        findings.sort_by_place();
        findings
    }
}

impl std::fmt::Debug for CardChecker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardChecker")
            .field("origins", &self.options.origins)
            .field("values", &self.options.values.len())
            .field("detectors", &self.options.detectors.len())
            .field("silenced", &self.silenced)
            .field("others", &self.others.len())
            .finish_non_exhaustive()
    }
}

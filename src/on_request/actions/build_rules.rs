//! What must be configured before an opened action builds (OR-5.6).

use super::config::Actions;
use super::terms::ActionTerms;
use crate::findings::{Finding, Findings, Severity};

/// What is configured for one opened action.
pub(in crate::on_request) struct OpenedAction<'a> {
    pub(in crate::on_request) id: &'a str,
    /// The entry of the card that opens it.
    pub(in crate::on_request) pointer: &'a str,
    pub(in crate::on_request) terms: Option<&'a ActionTerms>,
    pub(in crate::on_request) actions: Option<&'a Actions>,
    pub(in crate::on_request) identifies_callers: bool,
}

impl OpenedAction<'_> {
    pub(in crate::on_request) fn check(&self, findings: &mut Findings) {
        let id = self.id;
        match (self.terms, self.actions) {
            (None, None) => {
                let what = format!("`{id}` is an opened action without terms: it is always referred");
                let finding = Finding::new(Severity::Note, "OR-5.6", self.pointer, what);
                findings.push(finding.with_help("configure `.actions(..)` and `.action(ActionTerms::new(..)..)`"));
            }
            (None, Some(_)) => self.error(findings, &format!("`{id}` is an opened action, and has no terms"), ""),
            (Some(terms), actions) => self.check_terms(terms, actions, findings),
        }
    }

    fn check_terms(&self, terms: &ActionTerms, actions: Option<&Actions>, findings: &mut Findings) {
        let id = self.id;
        for missing in terms.missing() {
            self.error(findings, &format!("the terms of the opened action `{id}` do not say"), missing);
        }
        match actions {
            None => self.error(findings, &format!("`{id}` is opened, and `.actions(..)` is not configured"), ""),
            Some(actions) => {
                for missing in actions.missing() {
                    self.error(findings, &format!("`{id}` is opened, and the actions lack"), missing);
                }
            }
        }
        if terms.cannot_be_undone().is_some() && actions.is_some_and(|actions| !actions.can_confirm()) {
            let what = format!("`{id}` cannot be undone and nobody can confirm it: it is always referred");
            findings.push(Finding::new(Severity::Warning, "OR-5.6", self.pointer, what));
        }
        if !terms.allows_anonymous() && !self.identifies_callers {
            let what = format!("nobody is identified, so `{id}` is always referred");
            let finding = Finding::new(Severity::Warning, "OR-5.6", self.pointer, what);
            findings.push(finding.with_help("say with `.caller(..)` who asks"));
        }
    }

    /// OR-5.6 (a) is about the operator: whoever else is attested, say the platform, is not it.
    pub(in crate::on_request) fn check_domain(
        &self,
        is_own: impl Fn(&str) -> bool,
        provider: Option<&str>,
        findings: &mut Findings,
    ) {
        let Some(domain) = self.actions.map(Actions::domain).filter(|domain| !domain.trim().is_empty()) else { return };
        if self.terms.is_none() || is_own(domain) {
            return;
        }
        let provider =
            provider.map_or_else(|| "names none that can be read".to_owned(), |host| format!("has `{host}`"));
        let what =
            format!("`{domain}` is attested, which is not the operator's: `provider.url` of the card {provider}");
        let finding = Finding::new(Severity::Error, "OR-5.6", "/provider/url", what);
        findings.push(
            finding.with_help("attest the domain of `provider.url`, or name the other with `.operator_origin(..)`"),
        );
    }

    fn error(&self, findings: &mut Findings, what: &str, missing: &str) {
        let what = if missing.is_empty() { what.to_owned() } else { format!("{what} {missing}") };
        let finding = Finding::new(Severity::Error, "OR-5.6", self.pointer, what);
        findings.push(finding.with_help("give it terms, or close it with `assistantAccess: false`"));
    }
}

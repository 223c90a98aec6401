//! What the operator configures beside a card, against the card.

use super::CardRules;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::declared::person_entry::check_person_entry;

impl CardRules<'_> {
    pub(super) fn is_configured_well(&self, findings: &mut Findings) {
        for id in &self.settings.contradictions {
            let id = quoted(id.as_str());
            let what = format!("{id} is configured as information and as an action; it is treated as an action");
            findings.error("configuration", "", what);
        }
        for id in self.settings.kinds.keys().filter(|id| self.card.skill(id.as_str()).is_none()) {
            let what = format!("the configuration names {}, the card does not", quoted(id.as_str()));
            let finding = Finding::new(Severity::Warning, "configuration", "/skills", what);
            findings.push(match self.meant(id.as_str()) {
                Some(meant) => finding.with_help(format!("did you mean {}?", quoted(meant))),
                None => finding,
            });
        }
        for id in self.settings.held.iter().filter(|id| !self.lists(id.as_str())) {
            let id = quoted(id.as_str());
            let what = format!("a value is held for {id}, which the card does not list: it could never be given");
            findings.error("configuration", self.declared.pointer(), what);
        }
        let is_unlisted = |id: &str| self.card.skill(id).is_some() && !self.lists(id);
        for id in self.settings.terms.keys().filter(|id| is_unlisted(id.as_str())) {
            let id = quoted(id.as_str());
            let what = format!("{id} has terms, but the card does not list it: none of them would hold");
            findings.error("configuration", self.declared.pointer(), what);
        }
    }
}

/// Whether the origins that the operator names are origins.
pub(super) fn check_origins(origins: &[String], findings: &mut Findings) {
    for named in origins.iter().filter(|named| !is_origin(named)) {
        let what = format!("{} is no origin", quoted(named));
        let help =
            "an origin is scheme, host and port alone, such as `https://ask.example.com`, without a slash behind";
        findings.push(Finding::new(Severity::Error, "configuration", "", what).with_help(help));
    }
}

fn is_origin(named: &str) -> bool {
    check_person_entry(named, true).is_ok() && named.matches('/').count() == 2
}

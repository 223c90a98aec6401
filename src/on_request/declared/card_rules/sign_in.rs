//! Sign-in: of a listed skill (OR-3.7), and of the whole card.

use serde_json::Value;

use super::{CardRules, ListedEntry};
use crate::card::SIGN_IN;
use crate::findings::{Finding, Findings, Severity, quoted};

impl CardRules<'_> {
    /// Sign-in for the whole card is A2A's own, and stands beside what is on request.
    pub(super) fn explains_sign_in(&self, findings: &mut Findings) {
        for member in SIGN_IN {
            let value = self.card.as_value().get(member);
            if value.and_then(Value::as_array).is_some_and(|requirements| !requirements.is_empty()) {
                let what = "this asks every client to authenticate; it makes no listed skill one with sign-in, and who \
                            signs in is told nothing more";
                findings.note("OR-3.7", format!("/{member}"), what);
            }
        }
    }
}

impl ListedEntry<'_> {
    pub(super) fn needs_no_sign_in(&self, findings: &mut Findings) {
        for skill in self.skills().filter(|skill| skill.needs_sign_in()) {
            for member in SIGN_IN {
                let value = skill.as_value().get(member);
                if value.is_none_or(|value| value.is_null() || value.as_array().is_some_and(Vec::is_empty)) {
                    continue;
                }
                let id = quoted(self.id.unwrap_or_default());
                let what = format!("{id} is listed as on request, so it cannot need sign-in");
                let pointer = format!("{}/{member}", skill.pointer());
                let finding = Finding::new(Severity::Error, "OR-3.7", pointer, what);
                findings.push(finding.with_help(format!("take `{member}` out here, or the entry out of the list")));
            }
        }
    }
}

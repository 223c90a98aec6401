//! Findings of one kind, up to a number: a card is as long as its author wants.

use std::borrow::Cow;

use crate::findings::{Finding, Findings, Severity};

/// So many are told one by one.
const MAX_TOLD: usize = 500;

/// Tells findings of one rule; of what is over a number, how many.
pub(super) struct Teller<'f> {
    rule: &'static str,
    /// The rule of the last that was told.
    told: Cow<'static, str>,
    pointer: &'static str,
    count: usize,
    gravest: Severity,
    findings: &'f mut Findings,
}

impl<'f> Teller<'f> {
    /// The rule, and the place that is named for what is only counted.
    pub(super) fn new(rule: &'static str, pointer: &'static str, findings: &'f mut Findings) -> Self {
        Self { rule, told: rule.into(), pointer, count: 0, gravest: Severity::Note, findings }
    }

    pub(super) fn tell(&mut self, severity: Severity, finding: impl FnOnce(&'static str) -> Finding) {
        self.count += 1;
        self.gravest = self.gravest.max(severity);
        if self.count <= MAX_TOLD {
            let finding = finding(self.rule);
            self.told = finding.rule.clone();
            self.findings.push(Finding { severity, ..finding });
        }
    }

    pub(super) fn end(self) {
        let more = self.count.saturating_sub(MAX_TOLD);
        if more > 0 {
            let what = format!("{more} more of these are not listed one by one");
            self.findings.push(Finding::new(self.gravest, self.told, self.pointer, what));
        }
    }
}

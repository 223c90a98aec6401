//! Findings as JSON, one object for each file.

use serde::Serialize;

use crate::CheckedCard;
use crate::place::{positions, span};
use crate::printable;

#[derive(Serialize)]
struct Report<'a> {
    file: &'a str,
    findings: Vec<ReportedFinding<'a>>,
}

#[derive(Serialize)]
struct ReportedFinding<'a> {
    rule: &'a str,
    severity: &'static str,
    pointer: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
    help: Option<&'a str>,
}

pub(crate) fn report(card: &CheckedCard) -> serde_json::Result<String> {
    let starts = card.findings.iter().map(|finding| span(finding, &card.source).start);
    let positions = positions(&card.source, starts);
    let findings = card.findings.iter().map(|finding| {
        let position = positions.get(&span(finding, &card.source).start).copied().unwrap_or_default();
        ReportedFinding {
            rule: &finding.rule,
            severity: finding.severity.as_str(),
            pointer: &finding.pointer,
            line: position.line,
            column: position.column,
            message: &finding.message,
            help: finding.help.as_deref(),
        }
    });
    let report = Report { file: &card.name, findings: findings.collect() };
    serde_json::to_string(&report).map(|json| printable::json(&json))
}

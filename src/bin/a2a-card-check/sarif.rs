//! Findings as SARIF 2.1.0, which code hosts show beside the lines.

use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use tower_a2a_extensions::Finding;
use tower_a2a_extensions::on_request::CARD_RULES;

use crate::CheckedCard;
use crate::place::{positions, span};
use crate::printable;

const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One run over all files. A file that could not be read is no result: it makes the run a failed one, so
/// that a code host does not take what it knew for mended.
pub(crate) fn report(cards: &[CheckedCard], unreadable: &[String]) -> serde_json::Result<String> {
    let rules = CARD_RULES.iter().map(|(id, text)| {
        json!({
            "id": id,
            "shortDescription": {"text": first_sentence(text)},
            "fullDescription": {"text": text},
            "help": {"text": text},
        })
    });
    let driver = json!({
        "name": "a2a-card-check",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.collect::<Vec<_>>(),
    });
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": unreadable.is_empty(),
                "toolExecutionNotifications":
                    unreadable.iter().map(|why| json!({"level": "error", "message": {"text": why}})).collect::<Vec<_>>(),
            }],
            "results": cards.iter().flat_map(results).collect::<Vec<_>>(),
        }],
    });
    serde_json::to_string_pretty(&report).map(|json| printable::json(&json))
}

fn results(card: &CheckedCard) -> Vec<Value> {
    let spans = card.findings.iter().map(|finding| span(finding, &card.source));
    let positions = positions(&card.source, spans.flat_map(|span| [span.start, span.end]));
    let position = |offset: usize| positions.get(&offset).copied().unwrap_or_default();
    let result = |finding: &Finding| {
        let span = span(finding, &card.source);
        let (start, end) = (position(span.start), position(span.end));
        let help = finding.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        let mut result = json!({
            "ruleId": finding.rule,
            "level": finding.severity.as_str(),
            "message": {"text": format!("{}{help}", finding.message)},
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(&card.name)},
                    "region": {
                        "startLine": start.line, "startColumn": start.column,
                        "endLine": end.line, "endColumn": end.column,
                        "byteOffset": span.start, "byteLength": span.end - span.start,
                    },
                },
                "logicalLocations": [{"fullyQualifiedName": finding.pointer}],
            }],
        });
        if let (Some(index), Some(result)) =
            (CARD_RULES.iter().position(|(id, _)| *id == finding.rule), result.as_object_mut())
        {
            result.insert("ruleIndex".to_owned(), index.into());
        }
        result
    };
    card.findings.iter().map(result).collect()
}

/// A relative path stays one: code hosts look for it in the repository.
fn uri(name: &str) -> String {
    if name == "<stdin>" {
        return "stdin".to_owned();
    }
    let name = name.replace('\\', "/");
    let is_absolute = Path::new(&name).is_absolute();
    let path =
        utf8_percent_encode(name.trim_start_matches("./").trim_start_matches(if is_absolute { "" } else { "/" }), PATH)
            .to_string();
    if is_absolute { format!("file://{path}") } else { path }
}

fn first_sentence(text: &str) -> &str {
    text.split_inclusive(". ").next().unwrap_or(text).trim_end()
}

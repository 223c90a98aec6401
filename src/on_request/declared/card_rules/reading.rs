//! From the bytes of a card's source to the card, or to why they are none.

use std::ops::Range;

use serde_json::Value;

use super::duplicates::find_duplicates;
use crate::card::AgentCard;
use crate::findings::{Finding, Findings, Severity};

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A card and the text it was read from.
pub(super) struct CardSource<'a> {
    pub(super) card: AgentCard,
    pub(super) text: &'a str,
    /// How many bytes of the source stand before the text.
    pub(super) offset: usize,
}

/// Reads a card; what hinders it is among the findings.
pub(super) fn read_card<'a>(source: &'a [u8], findings: &mut Findings) -> Option<CardSource<'a>> {
    let text = source.strip_prefix(BOM).unwrap_or(source);
    let offset = source.len() - text.len();
    if offset > 0 {
        let what = "the file starts with a byte order mark, at which a JSON reader may stop";
        push(findings, "json", what, "save it as UTF-8 without byte order mark", 0..offset);
    }
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => {
            let at = offset + error.valid_up_to();
            let help = match source {
                [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, ..] | [_, 0, ..] => "it looks like UTF-16: save it as UTF-8",
                _ => "save it as UTF-8",
            };
            push(findings, "json", "these bytes are no UTF-8, so this is no JSON", help, at..at + 1);
            return None;
        }
    };
    match AgentCard::from_json(text) {
        Ok(card) => {
            find_duplicates(text.as_bytes(), offset, findings);
            Some(CardSource { card, text, offset })
        }
        Err(error) => {
            match serde_json::from_str::<Value>(text) {
                Err(error) => push_syntax(findings, text, offset, &error),
                Ok(_) => {
                    let whole = source.len() - text.trim_start().len()..offset + text.trim_end().len();
                    findings.extend(error.findings.into_iter().map(|finding| finding.with_span(whole.clone())));
                }
            }
            None
        }
    }
}

fn push_syntax(findings: &mut Findings, text: &str, offset: usize, error: &serde_json::Error) {
    let at = offset + position(text, error.line(), error.column());
    let full = error.to_string();
    let what = full.rsplit_once(" at line ").map_or(full.as_str(), |(what, _)| what);
    let help = if what.starts_with("recursion limit") {
        "a card nests less than 128 values in each other"
    } else if what.starts_with("trailing comma") {
        "take the comma out: JSON has none behind the last member"
    } else if what.starts_with("control character") {
        "write line breaks and tabs in a string as `\\n` and `\\t`"
    } else if text.trim().is_empty() {
        "the file is empty: a card is one JSON object"
    } else if what.starts_with("EOF") {
        "the file ends in the middle of the card: something is not closed, or it was cut off"
    } else {
        "JSON has no comments and no single quotes, and a comma between members"
    };
    let end = (at + 1).min(offset + text.len());
    let what = match what {
        "number out of range" => "no double holds this number, so readers make different things of it".to_owned(),
        what => format!("this is no JSON: {what}"),
    };
    push(findings, "json", &what, help, at..end);
}

/// The offset of a line and column as serde counts them: from 1, in bytes. At the end of the text
/// it is the last byte that is no white space.
fn position(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    // A line break in a string counts as the beginning of the next line.
    let at = (before + column).saturating_sub(1);
    let at = at.min(text.trim_end().len().saturating_sub(1));
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

fn push(findings: &mut Findings, rule: &'static str, what: &str, help: &str, span: Range<usize>) {
    findings.push(Finding::new(Severity::Error, rule, "", what).with_help(help).with_span(span));
}

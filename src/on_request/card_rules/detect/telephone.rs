//! Telephone numbers.

use super::hits::Hits;
use super::number::{is_one_of, trailing_word};

/// A run of figures is cut here: a number has 15 digits at most.
const MAX_RUN: usize = 32;
/// A number has so many groups at most.
const MAX_GROUPS: usize = 6;
pub(super) const NUMBERED: [&str; 19] = [
    "account",
    "article",
    "case",
    "file",
    "form",
    "id",
    "invoice",
    "item",
    "model",
    "order",
    "part",
    "policy",
    "ref",
    "reference",
    "room",
    "serial",
    "sku",
    "ticket",
    "version",
];

/// Every run of digits that is grouped like a telephone number.
pub(super) fn telephone_numbers(text: &str, hits: &mut Hits<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(start) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| starts(*byte))) {
        let start = at + start;
        let end = run_end(bytes, start);
        at = end.max(start + 1);
        // Inside a word or a longer figure it is none: an id, an amount.
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"$/.,=_#".contains(byte)) {
            continue;
        }
        if bytes.get(end).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b':') {
            continue;
        }
        let is_one = text.get(start..end).is_some_and(is_telephone_number) && !is_numbered(text, start);
        if is_one && hits.push(start..end).is_break() {
            return;
        }
    }
}

/// Whether the words before say what else is numbered: `order 123-4567`.
fn is_numbered(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end_matches([' ', ':', '#']);
    !text.get(start..).is_some_and(|number| number.starts_with('+')) && is_one_of(trailing_word(before), &NUMBERED)
}

fn starts(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'+' || byte == b'('
}

/// The end of the figures that belong together, without separators at the end.
fn run_end(bytes: &[u8], start: usize) -> usize {
    let belongs = |byte: &u8| byte.is_ascii_digit() || b"+ ()-./".contains(byte);
    let run = bytes.get(start..).unwrap_or_default();
    let length = run.iter().take(MAX_RUN).take_while(|byte| belongs(byte)).count();
    let run = run.get(..length).unwrap_or_default();
    start + run.iter().rposition(u8::is_ascii_digit).map_or(0, |last| last + 1)
}

fn is_telephone_number(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    if !(7..=15).contains(&digits) {
        return false;
    }
    let mut lengths = [0; MAX_GROUPS + 1];
    let groups = run.split(|character: char| !character.is_ascii_digit()).filter(|group| !group.is_empty());
    let count = lengths.iter_mut().zip(groups).map(|(length, group)| *length = group.len()).count();
    let lengths = lengths.get(..count).unwrap_or_default();
    if let Some(national) = run.strip_prefix('+') {
        return !national.contains('+');
    }
    if run.contains('+') {
        return false;
    }
    let is_grouped = lengths.len() > 1 && lengths.len() <= MAX_GROUPS;
    match run.bytes().find(u8::is_ascii_digit) {
        Some(b'0') if run.starts_with("00") => (9..=15).contains(&digits),
        Some(b'0') if !run.contains('.') => is_grouped && (9..=13).contains(&digits) && !is_date_like(lengths),
        _ => matches!(lengths, [3, 3, 4] | [1, 3, 3, 4]) || (lengths == [3, 4] && run.contains('-')),
    }
}

fn is_date_like(lengths: &[usize]) -> bool {
    matches!(lengths, [2, 2, 4, ..] | [4, 2, 2, ..])
}

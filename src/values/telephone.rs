//! Telephone numbers.

use super::hits::Hits;
use super::number::{is_one_of, trailing_word, trim_end};

/// A run of figures is cut here: a number has 15 digits at most.
const MAX_RUN: usize = 32;
/// A number has so many groups at most.
const MAX_GROUPS: usize = 6;
pub(super) const NUMBERED: [&str; 29] = [
    "account",
    "article",
    "case",
    "ean",
    "ein",
    "file",
    "form",
    "id",
    "invoice",
    "isbn",
    "item",
    "licence",
    "license",
    "lot",
    "model",
    "npi",
    "order",
    "part",
    "policy",
    "ref",
    "reference",
    "room",
    "serial",
    "sku",
    "ticket",
    "upc",
    "vat",
    "version",
    "vin",
];

/// The letters in front of a model's number are not more.
const MAX_CODE: usize = 8;
/// What `no. 555-0100` is a number of, where it is one to call.
pub(super) const PHONES: [&str; 23] = [
    "call",
    "cell",
    "contact",
    "emergency",
    "fax",
    "free",
    "handy",
    "helpline",
    "home",
    "hotline",
    "landline",
    "mob",
    "mobile",
    "office",
    "our",
    "ph",
    "phone",
    "tel",
    "telefon",
    "telephone",
    "whatsapp",
    "work",
    "your",
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
        let is_one = !ends_a_model(text, start)
            && text.get(start..end).is_some_and(is_telephone_number)
            && !is_numbered(text, start);
        if is_one && hits.push(start..end).is_break() {
            return;
        }
    }
}

/// Whether the words before say what else is numbered: `order 123-4567`, `part no. 555-1234`.
fn is_numbered(text: &str, start: usize) -> bool {
    if text.get(start..).is_some_and(|number| number.starts_with('+')) {
        return false;
    }
    let before = text.get(..start).unwrap_or_default().trim_end_matches([' ', ':', '#']);
    let word = trailing_word(trim_end(before, &['.'], 1));
    let lead = trim_end(before, &['.'], 1).strip_suffix(word).unwrap_or_default();
    let lead = trailing_word(trim_end(lead, &[' ', '.', '-'], 2));
    match word.to_lowercase().as_str() {
        "no" | "nr" => !is_one_of(lead, &PHONES),
        "number" | "num" => is_one_of(lead, &NUMBERED),
        "ref" => true,
        // A sentence ends: "See our case. 555-0100".
        _ => !before.ends_with('.') && is_one_of(word, &NUMBERED),
    }
}

/// Whether a code goes on here: `XR-450-2000`. A dash may also end a word: `call us-555-0100`.
fn ends_a_model(text: &str, start: usize) -> bool {
    let Some(before) = text.get(..start).and_then(|before| before.strip_suffix('-')) else { return false };
    let code = before.bytes().rev().take(MAX_CODE + 1).take_while(u8::is_ascii_alphanumeric).count();
    let (lead, code) = before.split_at_checked(before.len() - code).unwrap_or_default();
    let is_code = (1..=MAX_CODE).contains(&code.len()) && !code.bytes().any(|byte| byte.is_ascii_lowercase());
    (is_code && !is_one_of(code, &PHONES)) || (!code.is_empty() && is_numbered(text, lead.len()))
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
        // "01.23.45.67.89"
        Some(b'0') if lengths == [2; 5] && run.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()) => true,
        // "(11) 91234-5678"
        _ if run.starts_with('(') && run.contains('-') && matches!(lengths, [2, 4 | 5, 4]) => true,
        // "8 (495) 123-45-67"
        Some(b'8') if run.starts_with("8 (") && lengths == [1, 3, 3, 2, 2] => true,
        Some(b'0') if !run.contains('.') => is_grouped && (9..=13).contains(&digits) && !is_date_like(lengths),
        _ => matches!(lengths, [3, 3, 4] | [1, 3, 3, 4]) || (lengths == [3, 4] && run.contains('-')),
    }
}

fn is_date_like(lengths: &[usize]) -> bool {
    matches!(lengths, [2, 2, 4, ..] | [4, 2, 2, ..])
}

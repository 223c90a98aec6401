//! Percentages.

use std::ops::Range;

use super::hits::Hits;
use super::number::{is_one_of, leading_word, numbers, trim_start};
use super::number_words::spelled_numbers;

pub(super) const WORDS: [&str; 8] =
    ["pct", "percent", "percentage", "percento", "procent", "procento", "prozent", "процентов"];
const TWO_WORDS: [&str; 5] = ["per cent", "per hundred", "por cento", "por ciento", "pour cent"];

/// Every number with a percent sign or word. `100%` alone is a way to say "wholly", and is none;
/// `0%` is one: a rate or a discount can be that.
pub(super) fn percentages(text: &str, hits: &mut Hits<'_>) {
    let figures = numbers(text).filter(|number| !matches!(text.get(number.clone()), Some("100")));
    for number in figures {
        let Some(length) = text.get(number.end..).and_then(percent) else { continue };
        if hits.push(number.start..number.end + length).is_break() {
            return;
        }
    }
    hits.start_again();
    for number in numbers(text).filter(|number| is_behind_its_sign(text, number)) {
        if hits.push(number.start - 1..number.end).is_break() {
            return;
        }
    }
    hits.start_again();
    for number in spelled_numbers(text) {
        let Some(length) = text.get(number.end..).and_then(percent) else { continue };
        let is_whole = text
            .get(number.clone())
            .is_some_and(|words| ["hundred", "one hundred"].iter().any(|whole| words.eq_ignore_ascii_case(whole)));
        if !is_whole && hits.push(number.start..number.end + length).is_break() {
            return;
        }
    }
}

/// `%15`, as Turkish writes it; not `a%20b` of an address, nor `10 %15`.
fn is_behind_its_sign(text: &str, number: &Range<usize>) -> bool {
    let lead = text.get(..number.start).and_then(|before| before.strip_suffix('%'));
    let is_alone = |lead: &str| match lead.strip_suffix(' ') {
        Some(lead) => !lead.ends_with(|last: char| last.is_ascii_digit()),
        None => lead.is_empty() || lead.ends_with(['(', '"', '*', '-']),
    };
    let rest = text.get(number.end..).unwrap_or_default();
    let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '%' | '_' | '='));
    ends && lead.is_some_and(is_alone) && text.get(number.clone()).is_some_and(|written| written != "100")
}

/// How many bytes lead to the end of the sign or word in front of `after`.
fn percent(after: &str) -> Option<usize> {
    let rest = trim_start(after, &[' ', '-', '*', '_'], 3);
    let next = rest.chars().next()?;
    let length = if matches!(next, '%' | '\u{2030}') {
        next.len_utf8()
    } else if !next.is_alphabetic() {
        return None;
    } else {
        let word = leading_word(rest);
        let starts = |both: &&&str| rest.get(..both.len()).is_some_and(|start| start.eq_ignore_ascii_case(both));
        if is_one_of(word, &WORDS) { word.len() } else { TWO_WORDS.iter().find(starts)?.len() }
    };
    Some(after.len() - rest.len() + length)
}

//! Percentages.

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

//! Dates with a time of day.

use std::ops::Range;

use super::calendar::{HALF_DAYS, MONTHS, SINCE};
use super::hits::Hits;
use super::marks::MarkKind;
use super::number::{is_one_of, trailing_word, words};
use super::sentence::joins;
use super::spans::{Span, bounds_hours, is_end_of_range, spans};

/// A date and a time further apart than so many bytes are two things.
const MAX_GAP: usize = 40;

/// Every date that has a time of day beside it. A date before 2000, or with `since`, is history;
/// hours from one time to another, and dates that bound or break them, tell when something is open.
pub(super) fn appointments(text: &str, hits: &mut Hits<'_>) {
    let mut last: Option<Span> = None;
    let mut floor = 0;
    for span in spans(text) {
        let is_date = span.kind == MarkKind::Date;
        if span.kind == MarkKind::Figure || span.range.start < floor || (is_date && is_history(text, &span.range)) {
            continue;
        }
        if span.is_range || (is_date && bounds_hours(text, &span.outer)) {
            floor = span.outer.end;
            last = None;
            continue;
        }
        let beside = last.take().filter(|last| last.kind != span.kind && are_beside(text, last, &span));
        let found = match beside {
            Some(last) => Some(last.range.start..span.range.end),
            None if is_date => with_half_day(text, floor, &span),
            None => None,
        };
        let Some(found) = found else {
            last = Some(span);
            continue;
        };
        floor = found.end.max(span.outer.end);
        if hits.push(found).is_break() {
            return;
        }
    }
}

fn are_beside(text: &str, one: &Span, other: &Span) -> bool {
    other.range.start.saturating_sub(one.range.end) <= MAX_GAP && is_joined(text, one.outer.end, other.outer.start)
}

/// Whether no sentence ends between two places, and neither stands in brackets without the other.
fn is_joined(text: &str, from: usize, to: usize) -> bool {
    let mut open = 0_usize;
    for (at, character) in text.get(from..to).unwrap_or_default().char_indices() {
        let sides = || (text.get(..from + at).unwrap_or_default(), text.get(from + at + 1..).unwrap_or_default());
        match character {
            ';' | '!' | '?' | '。' | '؟' => return false,
            '.' if !matches!(sides(), (before, behind) if joins(before, behind)) => return false,
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

fn is_history(text: &str, date: &Range<usize>) -> bool {
    let written = text.get(date.clone()).unwrap_or_default();
    let mut groups = written.split(|character: char| !character.is_ascii_digit());
    let before = text.get(..date.start).unwrap_or_default();
    let before = before.strip_suffix(' ').unwrap_or(before);
    let month = trailing_word(before);
    let before =
        if is_one_of(month, &MONTHS) { before.get(..before.len() - month.len()).unwrap_or_default() } else { before };
    let word = trailing_word(before.strip_suffix(' ').unwrap_or(before));
    groups.any(|group| group.len() == 4 && group.starts_with('1')) || is_one_of(word, &SINCE)
}

/// A date with `noon` in the words around it.
fn with_half_day(text: &str, floor: usize, date: &Span) -> Option<Range<usize>> {
    let window = |from: usize, to: usize| {
        let from = (from..=to).find(|at| text.is_char_boundary(*at))?;
        let to = (from..=to).rev().find(|at| text.is_char_boundary(*at))?;
        Some((from, text.get(from..to)?))
    };
    let place = |(from, window): (usize, &str), word: Range<usize>| {
        let is_half_day = window.get(word.clone()).is_some_and(|word| is_one_of(word, &HALF_DAYS));
        let word = from + word.start..from + word.end;
        (is_half_day && !is_end_of_range(text, &word)).then_some(word)
    };
    let range = &date.range;
    let before = window(floor.max(range.start.saturating_sub(MAX_GAP)), range.start.max(floor))?;
    if let Some(word) = words(before.1).filter_map(|word| place(before, word)).last()
        && is_joined(text, word.end, date.outer.start)
    {
        return Some(word.start..range.end);
    }
    let behind = window(range.end, (range.end + MAX_GAP).min(text.len()))?;
    let word = words(behind.1).find_map(|word| place(behind, word))?;
    is_joined(text, date.outer.end, word.start).then_some(range.start..word.end)
}

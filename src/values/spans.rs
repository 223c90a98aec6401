//! Marks with the ranges that they make: `9-17 Uhr`, `1 April to 31 October`.

use std::ops::Range;

use super::calendar::{AWAY, BETWEEN, CLOSED, FILLERS, HALF_DAYS};
use super::marks::{Mark, MarkKind, marks};
use super::number::{is_one_of, leading_word, trailing_word, trim_end, trim_start};

/// What stands between the ends of a range is no longer, in bytes.
const MAX_BETWEEN: usize = 16;
/// So many words are passed over between `closed` and a date.
const MAX_FILLERS: usize = 3;
const SPACE: [char; 5] = [' ', ',', ':', '*', '-'];

/// One mark, or several that are one range.
pub(super) struct Span {
    pub(super) kind: MarkKind,
    pub(super) range: Range<usize>,
    pub(super) outer: Range<usize>,
    pub(super) is_range: bool,
}

pub(super) fn spans(text: &str) -> impl Iterator<Item = Span> + '_ {
    let mut all = marks(text).peekable();
    std::iter::from_fn(move || {
        let Mark { kind, range, outer } = all.next()?;
        let mut span = Span { kind, range, outer, is_range: false };
        while let Some(next) = all.next_if(|next| goes_on(text, &span, next)) {
            span.kind = if span.kind == MarkKind::Figure { next.kind } else { span.kind };
            span.range.end = next.range.end;
            span.outer.end = next.outer.end;
            span.is_range = true;
        }
        if span.kind == MarkKind::Time
            && let Some(end) = until_half_day(text, span.outer.end)
        {
            span.outer.end = end;
            span.is_range = true;
        }
        span.is_range |= span.kind == MarkKind::Time && follows_half_day(text, span.outer.start);
        Some(span)
    })
}

fn goes_on(text: &str, span: &Span, next: &Mark) -> bool {
    let is_alike = span.kind == next.kind || span.kind == MarkKind::Figure || next.kind == MarkKind::Figure;
    let between = text.get(span.outer.end..next.outer.start);
    is_alike && between.is_some_and(|between| between.len() <= MAX_BETWEEN && is_one_of(bare(between), &BETWEEN))
}

fn bare(between: &str) -> &str {
    between.trim_matches([' ', '.', '*'])
}

/// `9:00 to noon`: where that ends.
fn until_half_day(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let spaced = trim_start(rest, &[' ', '.'], 2);
    let behind = spaced.strip_prefix(['-', '~']).or_else(|| {
        let word = leading_word(spaced);
        is_one_of(word, &BETWEEN).then(|| spaced.get(word.len()..))?
    })?;
    let word_start = trim_start(behind, &[' '], 1);
    let word = leading_word(word_start);
    is_one_of(word, &HALF_DAYS).then(|| text.len() - word_start.len() + word.len())
}

/// `noon to 3 pm`, in front of the `3`.
fn follows_half_day(text: &str, start: usize) -> bool {
    let before = trim_end(text.get(..start).unwrap_or_default(), &[' '], 1);
    let word = trailing_word(before);
    let lead = before.strip_suffix(['-', '~']);
    let lead = lead.or_else(|| is_one_of(word, &BETWEEN).then(|| before.strip_suffix(word))?);
    lead.is_some_and(|lead| is_one_of(trailing_word(trim_end(lead, &[' '], 1)), &HALF_DAYS))
}

/// Whether `noon` there is where hours begin or end.
pub(super) fn is_end_of_range(text: &str, half_day: &Range<usize>) -> bool {
    let before = trailing_word(trim_end(text.get(..half_day.start).unwrap_or_default(), &[' '], 1));
    let behind = trim_start(text.get(half_day.end..).unwrap_or_default(), &[' '], 1);
    let word = leading_word(behind);
    let rest =
        behind.strip_prefix(['-', '~']).or_else(|| behind.strip_prefix(word).filter(|_| is_one_of(word, &BETWEEN)));
    let is_start = rest.is_some_and(|rest| trim_start(rest, &[' '], 1).starts_with(|c: char| c.is_ascii_digit()));
    is_start || is_one_of(before, &["bis", "till", "to", "until"])
}

/// Whether the words beside a date say that something is closed on it, or begins or ends with it.
pub(super) fn bounds_hours(text: &str, date: &Range<usize>) -> bool {
    let mut before = text.get(..date.start).unwrap_or_default();
    for _ in 0..=MAX_FILLERS {
        before = trim_end(before, &SPACE, 3);
        let word = trailing_word(before);
        if is_one_of(word, &AWAY) {
            return true;
        }
        if !is_one_of(word, &FILLERS) {
            break;
        }
        before = before.strip_suffix(word).unwrap_or_default();
    }
    let mut behind = text.get(date.end..).unwrap_or_default();
    for _ in 0..=MAX_FILLERS {
        behind = trim_start(behind, &SPACE, 3);
        let word = leading_word(behind);
        if is_one_of(word, &CLOSED) || word.contains(['休', '휴']) {
            return true;
        }
        if !is_one_of(word, &FILLERS) {
            break;
        }
        behind = behind.strip_prefix(word).unwrap_or_default();
    }
    false
}

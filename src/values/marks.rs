//! The dates, the times of day and the other short numbers in a text.

use std::ops::Range;

use super::calendar::MONTHS;
use super::number::{is_one_of, leading_word, trailing_word, trim_start};
use super::sentence::starts_sentence;

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum MarkKind {
    Date,
    Time,
    /// A number that the next one may give a meaning to: `9-17 Uhr`.
    Figure,
}

pub(super) struct Mark {
    pub(super) kind: MarkKind,
    /// Its digits, with the unit of a time.
    pub(super) range: Range<usize>,
    /// The same with the month and the year beside a day, and the dot of what is shortened.
    pub(super) outer: Range<usize>,
}

/// Every mark, from front to back.
pub(super) fn marks(text: &str) -> impl Iterator<Item = Mark> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = next_digit(text, at)?;
            let mark = mark_at(text, start);
            at = mark.as_ref().map_or_else(|| start + digits(text, start).max(1), |mark| mark.outer.end);
            if mark.is_some() {
                return mark;
            }
        }
    })
}

fn next_digit(text: &str, from: usize) -> Option<usize> {
    Some(from + text.as_bytes().get(from..)?.iter().position(u8::is_ascii_digit)?)
}

fn digits(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes().get(from..).unwrap_or_default();
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// A number of one to `most` digits at `at`, and where it ends.
fn number(text: &str, at: usize, most: usize) -> Option<(u32, usize)> {
    let count = digits(text, at);
    if count == 0 || count > most {
        return None;
    }
    Some((text.get(at..at + count)?.parse().ok()?, at + count))
}

fn mark_at(text: &str, start: usize) -> Option<Mark> {
    let of = |kind, end, outer| Some(Mark { kind, range: start..end, outer });
    if let Some(end) = date_end(text, start).or_else(|| east_asian_date(text, start)) {
        return of(MarkKind::Date, end, start..end);
    }
    if let Some(end) = time_end(text, start) {
        // The dot of "p.m."
        let is_dotted = text.get(start..end).is_some_and(|time| time.ends_with(['m', 'M']) && time.contains('.'))
            && text.get(end..).is_some_and(|rest| rest.starts_with('.'));
        return of(MarkKind::Time, end, start..end + usize::from(is_dotted));
    }
    let (day, end) = number(text, start, 2)?;
    if let Some(outer) = day_of_month(text, start, end).filter(|_| matches!(day, 1..=31)) {
        return of(MarkKind::Date, end, outer);
    }
    let before = text.get(..start)?.chars().next_back();
    let is_figure = before.is_none_or(|before| before == '.' || (day <= 31 && !before.is_ascii_alphabetic()));
    is_figure.then(|| of(MarkKind::Figure, end, start..end + ordinal(text, end)))?
}

/// `2026-11-30`, `30.11.2026`, `11/30/26`, `30/11`, `30.11.`; never `24/7`.
fn date_end(text: &str, start: usize) -> Option<usize> {
    let byte = |at: usize| text.as_bytes().get(at).copied();
    let (first, at) = number(text, start, 4)?;
    let separator = byte(at).filter(|byte| matches!(byte, b'-' | b'.' | b'/'))?;
    let (second, at) = number(text, at + 1, 2)?;
    let third = (byte(at) == Some(separator)).then(|| number(text, at + 1, 4)).flatten();
    let is_day_and_month = |one: u32, other: u32| matches!((one, other), (1..=31, 1..=12) | (1..=12, 1..=31));
    match third {
        Some((day, end)) if first >= 1000 => (separator != b'.' && is_day_and_month(day, second)).then_some(end),
        Some((_, end)) => is_day_and_month(first, second).then_some(end),
        None if first >= 1000 || !is_day_and_month(first, second) || (first, second) == (24, 7) => None,
        None if separator == b'/' => Some(at),
        None if separator == b'.' && byte(at) == Some(b'.') => Some(at + 1),
        None => None,
    }
}

/// `2026年12月3日`, `12月3日`, `12월 3일`.
fn east_asian_date(text: &str, start: usize) -> Option<usize> {
    let unit = |at: usize, units: [char; 2]| {
        let unit = text.get(at..)?.chars().next().filter(|unit| units.contains(unit))?;
        let end = at + unit.len_utf8();
        Some(end + usize::from(text.as_bytes().get(end) == Some(&b' ')))
    };
    let (first, end) = number(text, start, 4)?;
    let (month, at) = match unit(end, ['年', '년']) {
        Some(at) => number(text, at, 2)?,
        None => (first, end),
    };
    let (day, at) = number(text, unit(at, ['月', '월'])?, 2)?;
    let end = at + text.get(at..)?.chars().next().filter(|unit| matches!(unit, '日' | '일' | '号'))?.len_utf8();
    matches!((day, month), (1..=31, 1..=12)).then_some(end)
}

/// `14:00`, `14.30 Uhr`, `2 pm`, `14h30`.
fn time_end(text: &str, start: usize) -> Option<usize> {
    let (hour, mut at) = number(text, start, 2).filter(|(hour, _)| *hour <= 24)?;
    let mut has_minutes = false;
    if let Some(b':' | b'.' | b'h') = text.as_bytes().get(at)
        && let Some((0..60, end)) = number(text, at + 1, 2)
        && end == at + 3
    {
        has_minutes = text.as_bytes().get(at) != Some(&b'.');
        at = end;
    }
    let rest = text.get(at..)?;
    if let Some(unit) = rest.chars().next().filter(|unit| matches!(unit, '時' | '时' | '点' | '點' | '시')) {
        return (hour < 24).then(|| at + unit.len_utf8());
    }
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let word = leading_word(rest);
    // "24 h" lasts as long.
    if hour == 24 && !has_minutes && word.eq_ignore_ascii_case("h") {
        return None;
    }
    let dotted = ["a.m", "p.m"].iter().any(|half| rest.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(half)));
    if dotted || (hour <= 24 && is_one_of(word, &["am", "h", "o", "pm", "uhr"])) {
        return Some(text.len() - rest.len() + if dotted { 3 } else { word.len() });
    }
    has_minutes.then_some(at)
}

/// `30 November`, `30. November 2026`, `30th of November`, `November 30`: all of it.
fn day_of_month(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let before = text.get(..start)?;
    let before = before.strip_suffix(' ').unwrap_or(before);
    let before = before.strip_suffix('.').unwrap_or(before);
    let month = trailing_word(before);
    let after_day = end + ordinal(text, end);
    if is_one_of(month, &MONTHS) {
        return Some(before.len() - month.len()..year_end(text, after_day));
    }
    let rest = text.get(after_day..)?;
    let rest = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    let rest = ["of ", "de "].iter().find_map(|of| rest.strip_prefix(*of)).unwrap_or(rest);
    let month = leading_word(rest);
    let month_end = text.len() - rest.len() + month.len();
    is_one_of(month, &MONTHS).then(|| start..year_end(text, month_end))
}

/// The bytes of what makes a number the first or second.
fn ordinal(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let endings = ["st", "nd", "rd", "th", "er", ".", "\u{ba}", "\u{b0}"];
    endings.iter().find(|ending| rest.starts_with(**ending)).map_or(0, |ending| ending.len())
}

/// Where a date ends whose day and month end at `at`.
fn year_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    // "3 Dec. at 10:00", but no new sentence.
    let dotted = rest.strip_prefix('.').filter(|behind| behind.starts_with(' ') && !starts_sentence(behind));
    let at = at + usize::from(dotted.is_some());
    let rest = dotted.unwrap_or(rest);
    let year = trim_start(rest, &[',', ' ', '-'], 2);
    let year = ["de ", "del "].iter().find_map(|of| year.strip_prefix(*of)).unwrap_or(year);
    let is_year = (year.starts_with("19") || year.starts_with("20")) && digits(year, 0) == 4;
    if is_year { text.len() - year.len() + 4 } else { at }
}

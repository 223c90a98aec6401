//! Dates with a time of day.

use std::ops::Range;

use super::hits::Hits;
use super::number::{is_one_of, leading_word, trailing_word, words};

/// A date and a time further apart than so many bytes are two things.
const MAX_GAP: usize = 40;

pub(super) const MONTHS: [&str; 57] = [
    "abril",
    "agosto",
    "août",
    "apr",
    "april",
    "aug",
    "august",
    "avril",
    "dec",
    "december",
    "dez",
    "dezember",
    "diciembre",
    "décembre",
    "enero",
    "feb",
    "febrero",
    "februar",
    "february",
    "février",
    "jan",
    "januar",
    "january",
    "janvier",
    "juillet",
    "juin",
    "jul",
    "juli",
    "julio",
    "july",
    "jun",
    "june",
    "juni",
    "junio",
    "mai",
    "mar",
    "march",
    "mars",
    "marzo",
    "may",
    "mayo",
    "märz",
    "nov",
    "november",
    "novembre",
    "noviembre",
    "oct",
    "october",
    "octobre",
    "octubre",
    "okt",
    "oktober",
    "sep",
    "sept",
    "september",
    "septembre",
    "septiembre",
];

/// Words in front of a date from which something has been so.
pub(super) const SINCE: [&str; 7] = ["depuis", "desde", "dès", "established", "founded", "seit", "since"];
const HALF_DAYS: [&str; 3] = ["noon", "midday", "midnight"];

enum Mark {
    Date(Range<usize>),
    Time(Range<usize>),
}

/// Every date that has a time of day beside it. A date before 2000, or with `since`, is history.
pub(super) fn appointments(text: &str, hits: &mut Hits<'_>) {
    let mut last: Option<Mark> = None;
    let mut at = 0;
    let mut floor = 0;
    while let Some(start) = next_digit(text, at) {
        let mark = mark_at(text, start);
        at = match &mark {
            Some(Mark::Date(range) | Mark::Time(range)) => range.end,
            None => start + digits(text, start).max(1),
        };
        let found = match (&last, &mark) {
            (_, None) => continue,
            (_, Some(Mark::Date(date))) if is_history(text, date) => continue,
            (Some(Mark::Date(one)), Some(Mark::Time(other))) | (Some(Mark::Time(one)), Some(Mark::Date(other)))
                if other.start.saturating_sub(one.end) <= MAX_GAP =>
            {
                Some(one.start..other.end)
            }
            (_, Some(Mark::Date(date))) => with_half_day(text, floor, date),
            _ => None,
        };
        let Some(found) = found else {
            last = mark;
            continue;
        };
        last = None;
        at = found.end.max(at);
        floor = at;
        if hits.push(found).is_break() {
            return;
        }
    }
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
fn with_half_day(text: &str, floor: usize, date: &Range<usize>) -> Option<Range<usize>> {
    let window = |from: usize, to: usize| {
        let from = (from..=to).find(|at| text.is_char_boundary(*at))?;
        let to = (from..=to).rev().find(|at| text.is_char_boundary(*at))?;
        Some((from, text.get(from..to)?))
    };
    let is_half_day = |found: &&str| HALF_DAYS.iter().any(|half| found.eq_ignore_ascii_case(half));
    let (from, before) = window(floor.max(date.start.saturating_sub(MAX_GAP)), date.start)?;
    if let Some(word) = words(before).filter(|word| before.get(word.clone()).as_ref().is_some_and(is_half_day)).last() {
        return Some(from + word.start..date.end);
    }
    let (from, behind) = window(date.end, (date.end + MAX_GAP).min(text.len()))?;
    let word = words(behind).find(|word| behind.get(word.clone()).as_ref().is_some_and(is_half_day))?;
    Some(date.start..from + word.end)
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
    if let Some(end) = date_end(text, start).or_else(|| east_asian_date(text, start)) {
        return Some(Mark::Date(start..end));
    }
    if let Some(end) = time_end(text, start) {
        return Some(Mark::Time(start..end));
    }
    let (day, end) = number(text, start, 2)?;
    (matches!(day, 1..=31) && stands_by_a_month(text, start, end)).then_some(Mark::Date(start..end))
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

/// `30 November`, `30. November`, `30th of November`, `November 30`.
fn stands_by_a_month(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let before = before.strip_suffix(' ').unwrap_or(before);
    if is_one_of(trailing_word(before.strip_suffix('.').unwrap_or(before)), &MONTHS) {
        return true;
    }
    let rest = text.get(end..).unwrap_or_default();
    let rest = ["st", "nd", "rd", "th", "."].iter().find_map(|ending| rest.strip_prefix(*ending)).unwrap_or(rest);
    let rest = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    let rest = ["of ", "de "].iter().find_map(|of| rest.strip_prefix(*of)).unwrap_or(rest);
    is_one_of(leading_word(rest), &MONTHS)
}

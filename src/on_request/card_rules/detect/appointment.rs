//! Dates with a time of day.

use std::ops::Range;

use super::number::{is_one_of, leading_word, trailing_word};

/// A date and a time further apart than so many bytes are two things.
const MAX_GAP: usize = 40;

const MONTHS: [&str; 57] = [
    "jan",
    "january",
    "januar",
    "janvier",
    "enero",
    "feb",
    "february",
    "februar",
    "février",
    "febrero",
    "mar",
    "march",
    "märz",
    "mars",
    "marzo",
    "apr",
    "april",
    "avril",
    "abril",
    "may",
    "mai",
    "mayo",
    "jun",
    "june",
    "juni",
    "juin",
    "junio",
    "jul",
    "july",
    "juli",
    "juillet",
    "julio",
    "aug",
    "august",
    "août",
    "agosto",
    "sep",
    "sept",
    "september",
    "septembre",
    "septiembre",
    "oct",
    "october",
    "oktober",
    "octobre",
    "octubre",
    "okt",
    "nov",
    "november",
    "novembre",
    "noviembre",
    "dec",
    "december",
    "dezember",
    "décembre",
    "diciembre",
    "dez",
];

enum Mark {
    Date(Range<usize>),
    Time(Range<usize>),
}

/// Every date that has a time of day beside it.
pub(super) fn appointments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut last: Option<Mark> = None;
    let mut at = 0;
    while let Some(start) = next_digit(text, at) {
        let mark = mark_at(text, start);
        at = match &mark {
            Some(Mark::Date(range) | Mark::Time(range)) => range.end,
            None => start + digits(text, start).max(1),
        };
        let Some(mark) = mark else { continue };
        match (&last, &mark) {
            (Some(Mark::Date(one)), Mark::Time(other)) | (Some(Mark::Time(one)), Mark::Date(other))
                if other.start.saturating_sub(one.end) <= MAX_GAP =>
            {
                found.push(one.start..other.end);
                last = None;
            }
            _ => last = Some(mark),
        }
    }
    found
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
    if let Some(end) = date_end(text, start) {
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
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let word = leading_word(rest);
    let dotted = ["a.m", "p.m"].iter().any(|half| rest.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(half)));
    if dotted || (hour <= 24 && is_one_of(word, &["am", "pm", "uhr", "h", "o"])) {
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

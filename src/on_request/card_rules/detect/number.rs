//! Numbers in a folded text, with the separators of the usual notations.

use std::ops::Range;

/// The longest run of letters that is looked at beside a number, in characters.
const MAX_WORD: usize = 16;

/// Every number, from front to back: `45`, `1,200.50`, `1.200,50`, `1 200`, `1'200.-`.
pub(super) fn numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes.get(at..)?.iter().position(u8::is_ascii_digit)?;
        at = end_of_number(bytes, start);
        Some(start..at)
    })
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let digits = |from: usize| (from..).take_while(|at| is_digit(*at)).count();
    let first = digits(start);
    let mut at = start + first;
    loop {
        match bytes.get(at) {
            Some(b'.' | b',') if is_digit(at + 1) => at += 1 + digits(at + 1),
            Some(b'\'' | b' ') if first <= 3 && grouped_by_three(bytes, at + 1) => at += 4,
            // "45,-" and "45.-"
            Some(b'.' | b',') if bytes.get(at + 1) == Some(&b'-') => return at + 2,
            _ => return at,
        }
    }
}

fn grouped_by_three(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (at..at + 3).all(is_digit) && !is_digit(at + 3)
}

/// The run of letters in front of `text`.
pub(super) fn leading_word(text: &str) -> &str {
    let end = text.char_indices().take(MAX_WORD).find(|(_, character)| !character.is_alphabetic());
    end.map_or_else(
        || text.char_indices().nth(MAX_WORD).map_or(text, |(at, _)| text.get(..at).unwrap_or_default()),
        |(at, _)| text.get(..at).unwrap_or_default(),
    )
}

/// The run of letters at the end of `text`.
pub(super) fn trailing_word(text: &str) -> &str {
    let letters = text.char_indices().rev().take(MAX_WORD).take_while(|(_, character)| character.is_alphabetic());
    letters.last().and_then(|(at, _)| text.get(at..)).unwrap_or_default()
}

/// The words of a text with their places.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(char::is_alphabetic)?;
        let word = text.get(start..)?;
        let length = word.find(|character: char| !character.is_alphabetic()).unwrap_or(word.len());
        at = start + length;
        Some((start, word.get(..length)?))
    })
}

pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    // Longer words are compared with none.
    if word.is_empty() || word.len() > 64 {
        return false;
    }
    if word.is_ascii() {
        return words.iter().any(|listed| listed.eq_ignore_ascii_case(word));
    }
    words.contains(&word.to_lowercase().as_str())
}

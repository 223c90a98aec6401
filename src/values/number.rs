//! Numbers and words in a folded text, with the separators of the usual notations.

use std::ops::Range;

/// The longest run of letters that is looked at beside a number, in characters.
const MAX_WORD: usize = 16;

/// Years that a number of four digits may mean where it does not look like money.
const YEARS: Range<u32> = 2010..2040;

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
            Some(b'.' | b',') if bytes.get(at + 1) == Some(&b'-') && !is_digit(at + 2) => return at + 2,
            _ => return at,
        }
    }
}

fn grouped_by_three(bytes: &[u8], at: usize) -> bool {
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (at..at + 3).all(is_digit) && !is_digit(at + 3)
}

/// What a number looks like.
#[derive(Clone, Copy)]
pub(super) struct Figure {
    /// How many digits stand in front of the first separator. A number in words counts as one.
    pub(super) digits: usize,
    /// Its first digits as a number, if they are few.
    pub(super) whole: Option<u32>,
    /// Its first group is followed by one of three digits.
    pub(super) is_grouped: bool,
    /// It is grouped by three, has two decimals, or ends as in `45,-`.
    pub(super) is_money: bool,
    /// It is written in words.
    pub(super) is_spelled: bool,
}

impl Figure {
    pub(super) const SPELLED: Self =
        Self { digits: 1, whole: None, is_grouped: false, is_money: false, is_spelled: true };

    pub(super) fn read(number: &str) -> Self {
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let last = number.bytes().rev().take_while(u8::is_ascii_digit).count();
        let whole = number.get(..digits).filter(|digits| digits.len() <= 4).and_then(|digits| digits.parse().ok());
        let is_grouped = (1..=3).contains(&digits) && grouped_by_three(number.as_bytes(), digits + 1);
        let is_money = digits < number.len() && matches!(last, 0 | 2 | 3);
        Self { digits, whole, is_grouped, is_money, is_spelled: false }
    }

    /// Whether it may be an amount beside a word that often is none: enough digits, and no year.
    pub(super) fn fits(&self, least_digits: usize) -> bool {
        let is_year = !self.is_money && self.whole.is_some_and(|whole| YEARS.contains(&whole));
        least_digits <= 1 || self.is_money || (self.digits >= least_digits && !is_year)
    }
}

/// The run of letters in front of `text`.
pub(super) fn leading_word(text: &str) -> &str {
    let letters = text.char_indices().take(MAX_WORD).take_while(|(_, character)| character.is_alphabetic());
    let end = letters.last().map_or(0, |(at, last)| at + last.len_utf8());
    text.get(..end).unwrap_or_default()
}

/// The run of letters at the end of `text`.
pub(super) fn trailing_word(text: &str) -> &str {
    let letters = text.char_indices().rev().take(MAX_WORD).take_while(|(_, character)| character.is_alphabetic());
    letters.last().and_then(|(at, _)| text.get(at..)).unwrap_or_default()
}

/// The words of a text with their places.
pub(super) fn words(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(char::is_alphabetic)?;
        let word = text.get(start..)?;
        at = start + word.find(|character: char| !character.is_alphabetic()).unwrap_or(word.len());
        Some(start..at)
    })
}

/// Whether a word, in any case, is in a sorted list of words in lower case.
pub(super) fn is_one_of(word: &str, words: &[&str]) -> bool {
    let lower = || word.chars().flat_map(char::to_lowercase);
    !word.is_empty() && words.binary_search_by(|listed| listed.chars().cmp(lower())).is_ok()
}

/// Takes so many characters at most: what stands further off belongs to something else.
pub(super) fn trim_end<'t>(text: &'t str, between: &[char], most: usize) -> &'t str {
    (0..most).fold(text, |text, _| text.strip_suffix(between).unwrap_or(text))
}

pub(super) fn trim_start<'t>(text: &'t str, between: &[char], most: usize) -> &'t str {
    (0..most).fold(text, |text, _| text.strip_prefix(between).unwrap_or(text))
}

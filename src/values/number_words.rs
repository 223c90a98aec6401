//! Numbers in English words.

use std::ops::Range;

use super::number::{is_one_of, words};

pub(super) const NUMBER_WORDS: [&str; 31] = [
    "eight",
    "eighteen",
    "eighty",
    "eleven",
    "fifteen",
    "fifty",
    "five",
    "forty",
    "four",
    "fourteen",
    "hundred",
    "million",
    "nine",
    "nineteen",
    "ninety",
    "one",
    "seven",
    "seventeen",
    "seventy",
    "six",
    "sixteen",
    "sixty",
    "ten",
    "thirteen",
    "thirty",
    "thousand",
    "three",
    "twelve",
    "twenty",
    "two",
    "zero",
];

/// Every run of number words: `twenty-five`, `one hundred and fifty`. One that goes on after a
/// figure (`2.5 million`) belongs to that.
pub(super) fn spelled_numbers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut all = words(text).peekable();
    std::iter::from_fn(move || {
        loop {
            let first = all.by_ref().find(|word| is_number_word(text, word))?;
            let mut run = first;
            let mut joined = run.end;
            while let Some(word) = all.peek().cloned() {
                let is_number = is_number_word(text, &word);
                let is_and = text.get(word.clone()).is_some_and(|word| word.eq_ignore_ascii_case("and"));
                if !(is_number || is_and) || !matches!(text.get(joined..word.start), Some(" " | "-")) {
                    break;
                }
                joined = word.end;
                if is_number {
                    run.end = word.end;
                }
                all.next();
            }
            let before = text.get(..run.start).unwrap_or_default().trim_end_matches([' ', '-']);
            if !before.ends_with(|before: char| before.is_ascii_digit()) {
                return Some(run);
            }
        }
    })
}

fn is_number_word(text: &str, word: &Range<usize>) -> bool {
    (3..=9).contains(&word.len()) && text.get(word.clone()).is_some_and(|word| is_one_of(word, &NUMBER_WORDS))
}

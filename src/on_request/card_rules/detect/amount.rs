//! Amounts of money, and percentages.

use std::collections::HashSet;
use std::ops::Range;

use super::number::{is_one_of, leading_word, numbers, trailing_word, words};

/// ISO 4217 codes; several of them are words in lower case (`TRY`, `PEN`), so case counts.
const CODES: [&str; 48] = [
    "AED", "ARS", "AUD", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR", "GBP", "HKD",
    "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "MAD", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP",
    "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "VND", "ZAR",
];
/// Codes that are no word in lower case either.
const PLAIN_CODES: [&str; 12] = ["aud", "brl", "chf", "czk", "dkk", "eur", "gbp", "inr", "jpy", "nok", "sek", "usd"];
/// Short names that stand beside figures.
const SHORT_NAMES: [&str; 12] = ["bs", "fr", "ft", "kn", "kr", "kč", "lei", "leu", "rm", "rs", "zł", "лв"];
/// Currencies as words.
const NAMES: [&str; 40] = [
    "buck", "bucks", "cent", "cents", "crowns", "dinars", "dirhams", "dollar", "dollars", "dólares", "euro", "euros",
    "forint", "franc", "francs", "franken", "kronen", "kroner", "kronor", "krona", "krone", "lira", "liras", "livres",
    "pence", "penny", "peso", "pesos", "pfund", "pound", "pounds", "quid", "reais", "rouble", "roubles", "rubles",
    "rupee", "rupees", "yen", "yuan",
];
const MAGNITUDES: [&str; 14] = [
    "bn",
    "hundred",
    "k",
    "m",
    "million",
    "millionen",
    "millions",
    "mio",
    "thousand",
    "tsd",
    "us",
    "canadian",
    "australian",
    "swiss",
];
const NUMBER_WORDS: [&str; 31] = [
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
const PERCENT_WORDS: [&str; 7] = ["pct", "percent", "percento", "procent", "procento", "prozent", "percentage"];

/// Every number beside a currency, and every number word before one.
pub(super) fn amounts(text: &str) -> Vec<Range<usize>> {
    let mut found = numbers(text).filter_map(|number| amount_at(text, number)).collect::<Vec<_>>();
    let ends = found.iter().map(|amount| amount.end).collect::<HashSet<_>>();
    let mut before: Option<(usize, &str)> = None;
    for (at, word) in words(text) {
        if let Some((start, number)) = before
            && is_one_of(word, &NAMES)
            && is_one_of(number, &NUMBER_WORDS)
            && !ends.contains(&(at + word.len()))
        {
            found.push(start..at + word.len());
        }
        before = Some((at, word));
    }
    found
}

fn amount_at(text: &str, number: Range<usize>) -> Option<Range<usize>> {
    let (before, after) = (text.get(..number.start)?, text.get(number.end..)?);
    // A time of day is no figure: "Mo-Fr 9:00".
    let is_minutes =
        |rest: &str| rest.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if is_minutes(after) {
        return None;
    }
    let before = trim_end(before, &[' ', ':', '=', '-', '+', '~', '.']);
    if before.ends_with(is_sign) {
        return Some(before.len().saturating_sub(before.chars().next_back().map_or(0, char::len_utf8))..number.end);
    }
    let word = trailing_word(before);
    if is_currency(word) {
        return Some(before.len() - word.len()..number.end);
    }
    let end = behind(text, number.end)?;
    Some(number.start..end)
}

/// The end of the currency that follows a number which ends at `at`.
fn behind(text: &str, at: usize) -> Option<usize> {
    let mut rest = trim_start(text.get(at..)?, &[' ', '-']);
    for _ in 0..2 {
        if rest.starts_with(is_sign) {
            return Some(text.len() - rest.len() + rest.chars().next().map_or(0, char::len_utf8));
        }
        let word = leading_word(rest);
        if is_currency(word) {
            return Some(text.len() - rest.len() + word.len());
        }
        if !is_one_of(word, &MAGNITUDES) {
            return None;
        }
        rest = trim_start(rest.get(word.len()..)?, &[' ', '-', '.']);
    }
    None
}

/// Every number with a percent sign or word.
pub(super) fn percentages(text: &str) -> Vec<Range<usize>> {
    let percentage = |number: Range<usize>| {
        let rest = trim_start(text.get(number.end..)?, &[' ', '-']);
        let word = leading_word(rest);
        let length = if rest.starts_with(['%', '\u{2030}']) {
            rest.chars().next().map_or(0, char::len_utf8)
        } else if is_one_of(word, &PERCENT_WORDS) {
            word.len()
        } else {
            let both = ["per cent", "pour cent", "por ciento", "per hundred"];
            both.iter().find(|both| rest.get(..both.len()).is_some_and(|start| start.eq_ignore_ascii_case(both)))?.len()
        };
        Some(number.start..text.len() - rest.len() + length)
    };
    numbers(text).filter_map(percentage).collect()
}

fn is_currency(word: &str) -> bool {
    !word.is_empty()
        && (CODES.contains(&word)
            || PLAIN_CODES.contains(&word)
            || is_one_of(word, &SHORT_NAMES)
            || is_one_of(word, &NAMES))
}

fn is_sign(character: char) -> bool {
    matches!(character, '$' | '\u{a2}'..='\u{a5}' | '\u{58f}' | '\u{60b}' | '\u{9f2}' | '\u{9f3}' | '\u{e3f}' | '\u{17db}'
        | '\u{20a0}'..='\u{20cf}' | '\u{fdfc}' | '\u{ffe0}' | '\u{ffe1}' | '\u{ffe5}' | '\u{ffe6}')
}

/// Two characters at most: what stands further off belongs to something else.
fn trim_end<'t>(text: &'t str, between: &[char]) -> &'t str {
    (0..2).fold(text, |text, _| text.strip_suffix(between).unwrap_or(text))
}

fn trim_start<'t>(text: &'t str, between: &[char]) -> &'t str {
    (0..2).fold(text, |text, _| text.strip_prefix(between).unwrap_or(text))
}

//! Where a sentence ends.

use super::calendar::MONTHS;
use super::number::{is_one_of, leading_word, trailing_word, trim_start};

/// What may stand between the end of a sentence and the space behind it.
const CLOSING: [char; 13] = ['"', '\'', ')', ']', '*', '_', '`', '»', '”', '’', '.', '!', '?'];
/// So much white space and opening marks may stand in front of a word, in characters.
const MAX_OPENING: usize = 16;
const TITLES: [&str; 10] = ["dr", "mme", "mr", "mrs", "ms", "nr", "prof", "sr", "sra", "st"];
/// Words that end with a full stop within a sentence.
pub(super) const ABBREVIATIONS: [&str; 89] = [
    "abr", "abs", "approx", "apr", "aprox", "apt", "aug", "av", "ave", "avg", "avr", "bd", "blvd", "bzgl", "bzw", "ca",
    "capt", "cf", "co", "corp", "d", "dec", "dept", "dez", "dic", "dr", "déc", "ene", "env", "etc", "evtl", "excl",
    "exkl", "ext", "feb", "févr", "ggf", "gov", "inc", "incl", "inkl", "jan", "janv", "jr", "juil", "jul", "jun",
    "ltd", "max", "mio", "mlle", "mme", "mr", "mrd", "mrs", "ms", "mt", "mwst", "no", "nov", "nr", "núm", "oct", "okt",
    "p", "pct", "prof", "rd", "resp", "rev", "sep", "sept", "sgt", "sr", "sra", "st", "str", "tel", "tsd", "u", "ud",
    "uds", "usw", "v", "vgl", "vs", "z", "zt", "zzgl",
];

/// Where the sentence ends that holds `from`, and whether that is with a question mark. A line ends
/// a sentence too.
pub(super) fn sentence_end(text: &str, from: usize) -> (usize, bool) {
    let rest = text.get(from..).unwrap_or_default();
    for (at, character) in rest.char_indices() {
        let is_question = matches!(character, '?' | '\u{ff1f}' | '\u{61f}' | '\u{37e}');
        let end = from + at + character.len_utf8();
        if matches!(character, '\n' | '\r' | '。' | '\u{ff01}' | '\u{ff1f}' | '\u{61f}' | '\u{37e}') {
            return (end, is_question);
        }
        if !matches!(character, '.' | '!' | '?') {
            continue;
        }
        let behind = trim_start(text.get(end..).unwrap_or_default(), &CLOSING, 8);
        let is_last = behind.chars().next().is_none_or(char::is_whitespace);
        if is_last && (character != '.' || is_full_stop(text.get(..end - 1).unwrap_or_default(), behind)) {
            return (end, is_question);
        }
    }
    (text.len(), false)
}

/// Whether the full stop between the two ends a sentence: the next word starts one, and the word
/// in front is not shortened.
fn is_full_stop(before: &str, behind: &str) -> bool {
    if behind.chars().take(MAX_OPENING).any(|character| matches!(character, '\n' | '\r')) {
        return true;
    }
    let is_ordinal = before.ends_with(|last: char| last.is_ascii_digit())
        && is_one_of(leading_word(trim_start(behind, &[' ', '\u{a0}'], 1)), &MONTHS);
    starts_sentence(behind) && !is_ordinal && !is_abbreviation(before)
}

/// Whether a full stop within a line stands in a name or a shortened word, and joins what is on
/// both sides: `ca. 10:00`, `Dr. Smith`.
pub(super) fn joins(before: &str, behind: &str) -> bool {
    is_abbreviation(before) && (!starts_sentence(behind) || is_one_of(trailing_word(before), &TITLES))
}

/// Whether nothing follows, or a word with a capital letter, or one of a script without them.
pub(super) fn starts_sentence(behind: &str) -> bool {
    let next = behind.chars().take(MAX_OPENING).find(|character| character.is_alphanumeric());
    next.is_none_or(|next| next.is_alphabetic() && !next.is_lowercase())
}

/// Whether a text ends with a word that is usually followed by a dot, an initial, or `U.S`.
fn is_abbreviation(before: &str) -> bool {
    let word = trailing_word(before);
    if is_one_of(word, &ABBREVIATIONS) {
        return true;
    }
    let mut letters = word.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else { return false };
    let Some(first) = before.strip_suffix(word).and_then(|lead| lead.strip_suffix('.')) else {
        return letter.is_uppercase();
    };
    // A sentence may well end with "5 p.m."
    let is_half_day = letter.eq_ignore_ascii_case(&'m') && first.ends_with(['a', 'p', 'A', 'P']);
    trailing_word(first).chars().count() == 1 && !is_half_day
}

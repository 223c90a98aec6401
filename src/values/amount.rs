//! Amounts of money.

use std::ops::Range;

use super::currency::{ENTITIES, MAGNITUDES, NAMES, NAMES_BEFORE, SHORT_NAMES, east_asian_unit, is_code, is_sign};
use super::hits::Hits;
use super::number::{Figure, is_one_of, leading_word, numbers, trailing_word, trim_end, trim_start, words};
use super::number_words::spelled_numbers;

/// What may stand between a currency and its figure, besides a dot; asterisks are Markdown's.
const BEFORE: [char; 10] = [' ', ':', '=', '-', '+', '~', '*', '_', ')', ']'];
const BEHIND: [char; 6] = [' ', '-', '*', '_', '(', '['];
const MAX_GAP: usize = 4;
/// What follows `20 pound` where it is money; else it weighs.
pub(super) const POUND_IS_MONEY: [&str; 12] =
    ["and", "charge", "deposit", "discount", "each", "fee", "for", "note", "or", "per", "price", "voucher"];

/// What `Rs 485` is the name of where it is no price.
pub(super) const INTERFACES: [&str; 9] =
    ["adapter", "bus", "cable", "connection", "converter", "interface", "line", "port", "serial"];
pub(super) const PARTS_OF_A_BUILDING: [&str; 8] =
    ["block", "building", "campus", "floor", "hall", "level", "tower", "wing"];
pub(super) const OUNCES: [&str; 3] = ["ounce", "ounces", "oz"];

/// Every number beside a currency, in figures and in words.
pub(super) fn amounts(text: &str, hits: &mut Hits<'_>) {
    find(text, numbers(text), false, hits);
    hits.start_again();
    find(text, spelled_numbers(text), true, hits);
    hits.start_again();
    credits(text, hits);
}

/// What is counted like money where a price is spoken of.
const CREDITS: [&str; 4] = ["credit", "credits", "token", "tokens"];
/// Words that speak of a price.
const PRICES: [&str; 14] = [
    "charge", "charged", "charges", "cost", "costs", "fee", "fees", "paid", "pay", "price", "priced", "prices",
    "pricing", "tariff",
];

/// `12 credits`, in a text that speaks of a price.
fn credits(text: &str, hits: &mut Hits<'_>) {
    if !words(text).any(|word| text.get(word).is_some_and(|word| is_one_of(word, &PRICES))) {
        return;
    }
    for number in numbers(text) {
        let after = text.get(number.end..).unwrap_or_default();
        let rest = trim_start(after, &[' '], 1);
        let unit = leading_word(rest);
        if is_one_of(unit, &CREDITS)
            && hits.push(number.start..number.end + after.len() - rest.len() + unit.len()).is_break()
        {
            return;
        }
    }
}

fn find(text: &str, all: impl Iterator<Item = Range<usize>>, is_spelled: bool, hits: &mut Hits<'_>) {
    let mut floor = 0;
    for number in all {
        let Some(amount) = amount_at(text, floor, number, is_spelled) else { continue };
        floor = amount.end;
        if hits.push(amount).is_break() {
            return;
        }
    }
}

fn amount_at(text: &str, floor: usize, number: Range<usize>, is_spelled: bool) -> Option<Range<usize>> {
    let (written, after) = (text.get(number.clone())?, text.get(number.end..)?);
    let figure = if is_spelled { Figure::SPELLED } else { Figure::read(written) };
    // A time of day is no figure: "Mo-Fr 9:00".
    if after.strip_prefix(':').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        return None;
    }
    let before = text.get(floor..number.start)?;
    if let Some(length) = currency_before(before, after, figure) {
        return Some(number.start - length..number.end);
    }
    // "forty-five (45) euros"
    let closed = after.strip_prefix(')').filter(|_| before.ends_with('(')).unwrap_or(after);
    Some(number.start..number.end + after.len() - closed.len() + currency_behind(closed, figure)?)
}

/// How many bytes the currency takes at the end of `before`, with what is between.
fn currency_before(before: &str, after: &str, figure: Figure) -> Option<usize> {
    let spaced = trim_end(before, &BEFORE, MAX_GAP);
    let (trimmed, is_dotted) = spaced.strip_suffix('.').map_or((spaced, false), |rest| (rest, true));
    let gap = before.get(spaced.len()..)?;
    let last = trimmed.chars().next_back().filter(|last| is_sign(*last) || *last == ';' || last.is_alphabetic())?;
    if gap == " - " || (is_dotted && gap.len() > 1) {
        return None;
    }
    let word = if last.is_alphabetic() {
        let word = trailing_word(trimmed);
        let lead = trimmed.get(..trimmed.len() - word.len())?;
        stands_before(word, gap, is_dotted, lead, after, figure).then_some(word)?
    } else if last == ';' {
        ENTITIES.iter().find(|entity| trimmed.ends_with(*entity))?
    } else {
        trimmed.get(trimmed.len() - last.len_utf8()..)?
    };
    let lead = trimmed.get(..trimmed.len() - word.len())?;
    let is_abbreviation = last.is_alphabetic();
    let is_open = (!gap.contains(')') || lead.ends_with('(')) && (!gap.contains(']') || lead.ends_with('['));
    // "$.99"
    let is_fraction = is_sign(last) && gap.is_empty() && figure.digits == 2;
    (is_open && (is_abbreviation || !is_dotted || is_fraction)).then_some(before.len() - lead.len())
}

/// Whether a word in front of a figure makes it an amount.
fn stands_before(word: &str, gap: &str, is_dotted: bool, lead: &str, after: &str, figure: Figure) -> bool {
    match word {
        // Friday has hours, and stands behind another day.
        "Fr" | "fr" => is_dotted && !figure.is_spelled && !lead.ends_with('-') && !are_hours(after, figure),
        "SFr" | "sFr" | "Kr" | "kr" => true,
        "Rs" | "rs" => !gap.contains('-') && !is_one_of(leading_word(trim_start(after, &[' '], 1)), &INTERFACES),
        "Bs" => !gap.contains('-'),
        "Rp" => !figure.is_spelled,
        "RS" => is_dotted,
        "RM" => {
            let is_room = trailing_word(lead.trim_end()).eq_ignore_ascii_case("room");
            let is_money = figure.is_money || (!is_in_a_building(after) && (gap.is_empty() || figure.digits >= 3));
            !is_dotted && !is_room && is_money
        }
        "R" => !is_dotted && figure.is_money && (figure.digits >= 2 || figure.is_grouped),
        // "5 pounds 12 ounces"
        "pounds" if is_one_of(leading_word(trim_start(after, &[' '], 1)), &OUNCES) => false,
        _ if is_dotted => false,
        _ => is_code(word, figure) || (is_one_of(word, &NAMES_BEFORE) && figure.fits(2)),
    }
}

/// `in building 5`, behind the number of a room.
fn is_in_a_building(after: &str) -> bool {
    let mut rest = after;
    (0..3).any(|_| {
        rest = trim_start(rest, &[' ', ','], 2);
        let word = leading_word(rest);
        rest = rest.strip_prefix(word).unwrap_or_default();
        is_one_of(word, &PARTS_OF_A_BUILDING)
    })
}

/// `of coffee`, `3 ounces`, behind pounds.
fn is_weight(behind: &str) -> bool {
    let rest = trim_start(behind, &[' ', ','], 2);
    let ounces = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_ounces = ounces.len() < rest.len() && is_one_of(leading_word(trim_start(ounces, &[' '], 1)), &OUNCES);
    has_ounces || is_one_of(leading_word(rest), &["of"])
}

/// `9.00-17.00`, `9-17`, `9 Uhr`, `9 h`.
fn are_hours(after: &str, figure: Figure) -> bool {
    let rest = after.trim_start();
    let until = rest.strip_prefix('-').map(str::trim_start).or_else(|| rest.strip_prefix("bis "));
    let until = until.map(|until| until.bytes().take_while(u8::is_ascii_digit).count());
    figure.whole.is_some_and(|hour| hour <= 24)
        && (until.is_some_and(|digits| (1..=2).contains(&digits)) || is_one_of(leading_word(rest), &["h", "uhr"]))
}

/// How many bytes lead to the end of the currency in front of `after`.
fn currency_behind(after: &str, figure: Figure) -> Option<usize> {
    let mut rest = trim_start(after, &BEHIND, MAX_GAP);
    if after.starts_with(" - ") {
        return None;
    }
    for _ in 0..3 {
        let next = rest.chars().next()?;
        let to = |length: usize| after.len() - rest.len() + length;
        if is_sign(next) {
            // The sign of the next figure: "room 20 ($5 more)".
            let behind = rest.get(next.len_utf8()..)?;
            return (!behind.starts_with(|c: char| c.is_ascii_digit())).then(|| to(next.len_utf8()));
        }
        if next == '&' {
            return ENTITIES.iter().find(|entity| rest.starts_with(**entity)).map(|entity| to(entity.len()));
        }
        if !next.is_alphabetic() {
            return None;
        }
        if let Some(length) = east_asian_unit(rest, rest.len() == after.len()) {
            return Some(to(length));
        }
        let word = leading_word(rest);
        let behind = rest.get(word.len()..)?;
        if let Some(behind) = behind.strip_prefix(".S.").filter(|_| word == "U") {
            rest = trim_start(behind, &[' ', '-'], 1);
            continue;
        }
        if stands_behind(word, behind, figure) {
            return Some(to(word.len()));
        }
        if !is_one_of(word, &MAGNITUDES) {
            return None;
        }
        rest = trim_start(behind, &[' ', '-', '.'], 2);
    }
    None
}

fn stands_behind(word: &str, behind: &str, figure: Figure) -> bool {
    match word {
        "Ft" => figure.digits >= 3 || figure.is_money,
        "Fr" | "fr" => behind.starts_with('.') && (figure.digits >= 2 || figure.is_money),
        "Rs" | "rs" => !figure.is_spelled,
        "р" => behind.starts_with('.'),
        _ if word.eq_ignore_ascii_case("pound") => {
            let next = leading_word(trim_start(behind, &[' ', '-'], 1));
            next.is_empty() || is_one_of(next, &POUND_IS_MONEY)
        }
        _ if word.eq_ignore_ascii_case("pounds") => !is_weight(behind),
        _ if word.eq_ignore_ascii_case("crowns") => figure.digits >= 2 || figure.is_money,
        _ => is_code(word, figure) || is_one_of(word, &NAMES) || is_one_of(word, &SHORT_NAMES),
    }
}

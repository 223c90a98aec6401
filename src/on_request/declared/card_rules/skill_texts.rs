//! Values in the texts of skills (OR-3.9).

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::place::token;
use super::teller::Teller;
use crate::card::{AgentCard, CardSkill};
use crate::findings::{Finding, Findings, Severity};
use crate::shield::shielded;
use crate::values::{FoldedText, TELEPHONE, ValueDetector};

/// Asks every detector about every text of the listed skills. What it finds has, as its span, the
/// range of the decoded text.
pub(super) fn detect_values(
    skills: &[CardSkill<'_>],
    listed: &HashSet<&str>,
    telephones: &HashSet<String>,
    detectors: &[Arc<dyn ValueDetector>],
    findings: &mut Findings,
) {
    let mut failed = false;
    let mut teller = Teller::new("OR-3.9", "/skills", findings);
    for skill in skills.iter().filter(|skill| skill.id().is_some_and(|id| listed.contains(id))) {
        each_text(skill, &mut |place, text| {
            if place.is_priced && is_figure(text) {
                teller.tell(Severity::Warning, |rule| {
                    let what = "a figure stands under a name of prices, in a skill that is told on request";
                    let finding = Finding::new(Severity::Warning, rule, place.pointer, what);
                    place.with_span(finding.with_help("take it out: a text may ask for the value"), 0..text.len())
                });
                return;
            }
            for detector in detectors {
                let Ok(found) = shielded(|| detector.detect(text)) else {
                    failed = true;
                    continue;
                };
                for one in found {
                    let Some(found) = text.get(one.range.clone()).filter(|found| !found.is_empty()) else {
                        failed = true;
                        continue;
                    };
                    // The number that an entry itself gives is no secret.
                    if one.what == TELEPHONE && telephones.contains(&digits(found)) {
                        continue;
                    }
                    teller.tell(Severity::Warning, |rule| {
                        let what =
                            format!("this looks like {}, in the text of a skill that is told on request", one.what);
                        let help = "take it out: a text may ask for the value, and never holds it";
                        place.with_span(
                            Finding::new(Severity::Warning, rule, place.pointer, what).with_help(help),
                            one.range,
                        )
                    });
                }
            }
        });
    }
    teller.end();
    if failed {
        let what = "a detector of values failed, so not every text was read by it";
        let finding = Finding::new(Severity::Warning, "OR-3.9", "/skills", what);
        let help = "one that was added with `detector(..)` panicked, or gave a range that is empty or not in the text";
        findings.push(finding.with_help(help));
    }
}

/// The digits of every `tel:` address.
pub(super) fn telephone_digits<'a>(entries: impl Iterator<Item = &'a Value>) -> HashSet<String> {
    let addresses = entries.filter_map(|entry| entry.get("personEntry")?.as_str()?.strip_prefix("tel:"));
    addresses.map(digits).filter(|digits| !digits.is_empty()).collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Looks for exact values in every string and number of the card.
pub(super) fn find_values(card: &AgentCard, values: &[String], findings: &mut Findings) {
    let wanted = values.iter().map(|value| FoldedText::lower(value.trim()).as_str().to_owned());
    let wanted = wanted.filter(|value| !value.is_empty()).collect::<Vec<_>>();
    if wanted.is_empty() {
        return;
    }
    let mut teller = Teller::new("OR-3.9", "", findings);
    let whole = TextPlace { pointer: "", is_exact: true, is_priced: false };
    each_string(whole, card.as_value(), &mut |place, text| {
        let folded = FoldedText::lower(text);
        let lower = folded.as_str();
        for value in &wanted {
            for (at, _) in lower.match_indices(value.as_str()).filter(|(at, value)| stands_alone(lower, *at, value)) {
                teller.tell(Severity::Error, |rule| {
                    let what = "here stands a value that is told on request only";
                    let range = folded.original(at..at + value.len());
                    place.with_span(
                        Finding::new(Severity::Error, rule, place.pointer, what).with_help("take it out"),
                        range,
                    )
                });
            }
        }
    });
    teller.end();
}

/// Whether what was found is not only a part of a longer word or figure. `450.00` is 450.
fn stands_alone(text: &str, at: usize, value: &str) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + value.len()..).unwrap_or_default();
    let joins = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(inner), Some(outer)) => {
            inner.is_numeric() && outer.is_numeric() || inner.is_alphabetic() && outer.is_alphabetic()
        }
        _ => false,
    };
    let (first, last) = (value.chars().next(), value.chars().next_back());
    let mut backwards = before.chars().rev();
    let (last_before, beyond) = (backwards.next(), backwards.next());
    let in_figure = first.is_some_and(char::is_numeric)
        && matches!(last_before, Some('.' | ','))
        && beyond.is_some_and(char::is_numeric);
    let goes_on = last.is_some_and(char::is_numeric)
        && after.strip_prefix(['.', ',']).is_some_and(|decimals| {
            let digits = decimals.chars().take_while(|digit| digit.is_numeric()).collect::<String>();
            let is_whole = (1..=2).contains(&digits.chars().count()) && digits.chars().all(|digit| digit == '0');
            !digits.is_empty() && !is_whole
        });
    !joins(first, last_before) && !in_figure && !joins(last, after.chars().next()) && !goes_on
}

/// A longer pointer is not written out: keys are as long as the author of the card wants.
const MAX_POINTER: usize = 1024;

/// Where a text stands.
#[derive(Clone, Copy)]
struct TextPlace<'a> {
    pointer: &'a str,
    /// Else it stands somewhere within the value at the pointer.
    is_exact: bool,
    /// It stands under a name of prices.
    is_priced: bool,
}

impl TextPlace<'_> {
    fn with_span(self, finding: Finding, range: Range<usize>) -> Finding {
        if self.is_exact { finding.with_span(range) } else { finding }
    }
}

/// Members of a skill that say nothing to a person.
const SILENT_MEMBERS: [&str; 5] = ["id", "inputModes", "outputModes", "security", "securityRequirements"];

/// Every text of a skill with its place, in members of any name, type and depth.
fn each_text(skill: &CardSkill<'_>, look: &mut impl FnMut(TextPlace<'_>, &str)) {
    for (member, value) in skill.as_value().as_object().into_iter().flatten() {
        if !SILENT_MEMBERS.contains(&member.as_str()) {
            within(TextPlace { pointer: &skill.pointer(), is_exact: true, is_priced: false }, member, value, look);
        }
    }
}

/// Whether a member's name says that prices stand in it: `unitPrice`, `base_cost`, `Fees`.
fn names_prices(key: &str) -> bool {
    const WORDS: [&str; 7] = ["price", "pricing", "cost", "fee", "charge", "tariff", "amount"];
    let mut words = vec![String::new()];
    for character in key.chars().take(MAX_POINTER) {
        if !character.is_alphabetic() || character.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphabetic()) {
            word.extend(character.to_lowercase());
        }
    }
    words
        .iter()
        .any(|word| WORDS.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|one| WORDS.contains(&one)))
}

/// Whether a text is a figure and nothing else.
fn is_figure(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b','))
}

/// Every string and number within a value. Cards nest less than 128 levels.
fn each_string(place: TextPlace<'_>, value: &Value, look: &mut impl FnMut(TextPlace<'_>, &str)) {
    match value {
        Value::String(text) => look(place, text),
        Value::Number(number) => look(TextPlace { is_exact: false, ..place }, &number.to_string()),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                within(place, &index.to_string(), element, look);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                within(place, key, member, look);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn within(place: TextPlace<'_>, key: &str, value: &Value, look: &mut impl FnMut(TextPlace<'_>, &str)) {
    let is_priced = place.is_priced || names_prices(key);
    if !place.is_exact || place.pointer.len() + key.len() > MAX_POINTER {
        return each_string(TextPlace { is_exact: false, is_priced, ..place }, value, look);
    }
    let pointer = format!("{}/{}", place.pointer, token(key));
    each_string(TextPlace { pointer: &pointer, is_exact: true, is_priced }, value, look);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_9_a_figure_under_a_name_of_prices_is_a_value() {
        for key in ["price", "unitPrice", "prices", "pricing", "base_cost", "Fees", "service-charge", "amount"] {
            assert!(names_prices(key), "{key}");
        }
        for key in ["priced by", "priceless", "coffee table", "tags", "costume", ""] {
            assert!(!names_prices(key), "{key}");
        }
        for (text, is) in
            [("0.005", true), ("1,200", true), ("12", true), ("12 rooms", false), ("", false), ("-", false)]
        {
            assert_eq!(is_figure(text), is, "{text}");
        }
    }

    #[test]
    fn or_3_9_a_value_counts_where_it_stands_alone() {
        for (text, value, alone) in [
            ("it is 45.", "45", true),
            ("45", "45", true),
            ("it is 45, or so", "45", true),
            ("it is 1,45", "45", false),
            ("in 1945", "45", false),
            ("45.5", "45", false),
            ("45.00", "45", true),
            ("45,00 or", "45", true),
            ("45.000", "45", false),
            ("eur45", "45", true),
            ("45eur", "45", true),
            ("suite b", "suite b", true),
            ("suite bc", "suite b", false),
            ("€45", "45", true),
        ] {
            let at = text.find(value).unwrap();
            assert_eq!(stands_alone(text, at, value), alone, "{text}");
        }
    }
}

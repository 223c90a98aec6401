//! Values in the texts of skills (OR-3.9).

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::detect::ValueDetector;
use super::folded::FoldedText;
use crate::card::{AgentCard, CardSkill};
use crate::findings::{Finding, Findings, Severity};
use crate::shield::shielded;

/// So many places are told one by one.
const MAX_TOLD: usize = 500;

/// Tells places in texts, up to a number.
struct Teller<'f> {
    told: usize,
    findings: &'f mut Findings,
}

impl Teller<'_> {
    fn tell(&mut self, severity: Severity, pointer: &str, within: Range<usize>, what: String, help: &str) {
        self.told += 1;
        if self.told <= MAX_TOLD {
            self.findings.push(Finding::new(severity, "OR-3.9", pointer, what).with_help(help).with_span(within));
        }
    }

    fn end(self) {
        if self.told > MAX_TOLD {
            let more = self.told - MAX_TOLD;
            self.findings.warning("OR-3.9", "/skills", format!("{more} more places in texts are not listed"));
        }
    }
}

/// Asks every detector about every text of the listed skills. What it finds has, as its span, the
/// range of the decoded text.
pub(super) fn detect_values(
    skills: &[CardSkill<'_>],
    listed: &HashSet<&str>,
    telephones: &[String],
    detectors: &[Arc<dyn ValueDetector>],
    findings: &mut Findings,
) {
    let mut teller = Teller { told: 0, findings };
    let mut failed = false;
    for skill in skills.iter().filter(|skill| skill.id().is_some_and(|id| listed.contains(id))) {
        each_text(skill, &mut |pointer, text| {
            for detector in detectors {
                let Ok(found) = shielded(|| detector.detect(text)) else {
                    failed = true;
                    continue;
                };
                for one in found {
                    let Some(place) = text.get(one.range.clone()) else { continue };
                    // The number that the entry itself gives is no secret.
                    if !telephones.is_empty() && telephones.contains(&digits(place)) {
                        continue;
                    }
                    let what = format!("this looks like {}, in the text of a skill that is told on request", one.what);
                    let help = "take it out: a text may ask for the value, and never holds it";
                    teller.tell(Severity::Warning, pointer, one.range, what, help);
                }
            }
        });
    }
    if failed {
        teller.findings.warning("OR-3.9", "/skills", "a detector failed, so texts were not read by it");
    }
    teller.end();
}

/// The digits of every `tel:` address.
pub(super) fn telephone_digits<'a>(entries: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let addresses = entries.filter_map(|entry| entry.get("personEntry")?.as_str()?.strip_prefix("tel:"));
    addresses.map(digits).filter(|digits| !digits.is_empty()).collect()
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Looks for exact values in the texts of every skill, and in the descriptions of card and
/// extensions.
pub(super) fn find_values(card: &AgentCard, values: &[String], findings: &mut Findings) {
    let wanted = values.iter().map(|value| FoldedText::new(value.trim()).as_str().to_ascii_lowercase());
    let wanted = wanted.filter(|value| !value.is_empty()).collect::<Vec<_>>();
    if wanted.is_empty() {
        return;
    }
    let mut teller = Teller { told: 0, findings };
    let mut look = |pointer: &str, text: &str| {
        let folded = FoldedText::new(text);
        let lower = folded.as_str().to_ascii_lowercase();
        for value in &wanted {
            for (at, _) in lower.match_indices(value.as_str()).filter(|(at, value)| stands_alone(&lower, *at, value)) {
                let what = "here stands a value that is told on request only";
                let range = folded.original(at..at + value.len());
                teller.tell(Severity::Error, pointer, range, what.to_owned(), "take it out");
            }
        }
    };
    if let Some(text) = card.as_value().get("description").and_then(Value::as_str) {
        look("/description", text);
    }
    for extension in card.extensions() {
        if let Some(text) = extension.as_value().get("description").and_then(Value::as_str) {
            look(&format!("{}/description", extension.pointer()), text);
        }
    }
    card.skills().for_each(|skill| each_text(&skill, &mut look));
    teller.end();
}

/// Whether what was found is not only a part of a longer word or figure.
fn stands_alone(text: &str, at: usize, value: &str) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at + value.len()..).unwrap_or_default();
    let joins = |inner: Option<char>, outer: Option<char>, beyond: Option<char>| {
        let inner_digit = inner.is_some_and(|inner| inner.is_ascii_digit());
        inner.is_some_and(char::is_alphanumeric) && outer.is_some_and(char::is_alphanumeric)
            || inner_digit && matches!(outer, Some('.' | ',')) && beyond.is_some_and(|beyond| beyond.is_ascii_digit())
    };
    let mut backwards = before.chars().rev();
    let mut forwards = after.chars();
    !joins(value.chars().next(), backwards.next(), backwards.next())
        && !joins(value.chars().next_back(), forwards.next(), forwards.next())
}

/// Name, description, tags and examples, each with its pointer.
fn each_text(skill: &CardSkill<'_>, look: &mut impl FnMut(&str, &str)) {
    for member in ["name", "description"] {
        if let Some(text) = skill.as_value().get(member).and_then(Value::as_str) {
            look(&format!("{}/{member}", skill.pointer()), text);
        }
    }
    for member in ["tags", "examples"] {
        let texts = skill.as_value().get(member).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (index, text) in texts.iter().enumerate() {
            if let Some(text) = text.as_str() {
                look(&format!("{}/{member}/{index}", skill.pointer()), text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_9_a_value_counts_where_it_stands_alone() {
        for (text, value, alone) in [
            ("it is 45.", "45", true),
            ("45", "45", true),
            ("it is 45, or so", "45", true),
            ("it is 1,45", "45", false),
            ("in 1945", "45", false),
            ("45.5", "45", false),
            ("suite b", "suite b", true),
            ("suite bc", "suite b", false),
            ("€45", "45", true),
        ] {
            let at = text.find(value).unwrap();
            assert_eq!(stands_alone(text, at, value), alone, "{text}");
        }
    }
}

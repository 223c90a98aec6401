//! Closed entries whose skill sounds like an action (OR-3.6, OR-5.7).

use serde_json::Value;

use super::ListedEntry;
use crate::findings::{Finding, Findings, Severity, quoted};

/// Verbs of doing something in the operator's systems, and the nouns made of them. English only.
const ACTIONS: [&str; 22] = [
    "apply",
    "arrange",
    "book",
    "booking",
    "buy",
    "cancel",
    "cancellation",
    "enrol",
    "enroll",
    "order",
    "pay",
    "purchase",
    "refund",
    "register",
    "registration",
    "renew",
    "reschedule",
    "reservation",
    "reserve",
    "schedule",
    "subscribe",
    "submit",
];
/// A longer text is not searched further.
const MAX_TEXT: usize = 20_000;

impl ListedEntry<'_> {
    /// A closed entry without `completion` is information. Where its words say otherwise, its referral
    /// would say "ask here" of something to be done.
    pub(super) fn sounds_like_information(&self, findings: &mut Findings) {
        let is_opened = self.value.get("assistantAccess") == Some(&Value::Bool(true));
        if is_opened || self.is_action() || self.configured().is_some() {
            return;
        }
        let texts = self.skills().flat_map(|skill| {
            ["id", "name"].into_iter().filter_map(|member| skill.as_value().get(member).and_then(Value::as_str))
        });
        let Some(word) = texts.into_iter().find_map(action_word) else { return };
        let id = self.id.unwrap_or_default();
        let what = format!("without `completion` it is information, and its name says {}", quoted(&word));
        let finding = Finding::new(Severity::Note, "OR-3.6", self.pointer.clone(), what);
        let help = format!("add `completion`, or configure `.action({id:?})` or `.information({id:?})`");
        findings.push(finding.with_help(help));
    }
}

/// The first word of an id or name that names an action. `order-status` and `booking fees` ask about one.
fn action_word(text: &str) -> Option<String> {
    let beginning = text.chars().take(MAX_TEXT).collect::<String>().to_lowercase();
    let words = beginning.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>();
    let (first, last) = (*words.first()?, *words.last()?);
    // A verb begins what is to be done, a noun ends it.
    let word = if ACTIONS.contains(&first) && !is_about(last) { first } else { last };
    ACTIONS.contains(&word).then(|| word.to_owned())
}

/// Whether the word says that something is told.
fn is_about(word: &str) -> bool {
    const TOLD: [&str; 16] = [
        "availability",
        "conditions",
        "cost",
        "costs",
        "details",
        "fee",
        "fees",
        "hours",
        "information",
        "price",
        "prices",
        "pricing",
        "rates",
        "rules",
        "status",
        "terms",
    ];
    TOLD.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_6_a_name_that_does_something_is_told_from_one_that_tells_about_it() {
        for (text, word) in [
            ("arrangement-booking", Some("booking")),
            ("Book an arrangement meeting", Some("book")),
            ("cancel_appointment", Some("cancel")),
            ("Table reservation", Some("reservation")),
            ("pay", Some("pay")),
            ("order-status", None),
            ("Booking fees", None),
            ("service-pricing", None),
            ("bookkeeping", None),
            ("Opening hours", None),
            ("", None),
        ] {
            assert_eq!(action_word(text).as_deref(), word, "{text}");
        }
    }
}

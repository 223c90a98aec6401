//! What looks like a value in a text (OR-3.9).

mod amount;
mod appointment;
mod number;
mod telephone;

use std::borrow::Cow;
use std::ops::Range;

use super::folded::FoldedText;

/// A place in a text that looks like a value.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct DetectedValue {
    /// Where, in bytes of the text.
    pub range: Range<usize>,
    /// What it looks like, for the message: `an amount of money`.
    pub what: Cow<'static, str>,
}

impl DetectedValue {
    /// A place and what it looks like.
    #[must_use]
    pub fn new(range: Range<usize>, what: impl Into<Cow<'static, str>>) -> Self {
        Self { range, what: what.into() }
    }
}

/// Finds what looks like the value of something given on request.
///
/// A closure is one too. It is asked once for every text of a listed skill; one that panics is
/// reported, and finds nothing. Keep it linear: a text may be as long as the card.
///
/// ```
/// use tower_a2a_extensions::on_request::{CardChecker, DetectedValue};
///
/// // Room numbers are told on request here.
/// let rooms = |text: &str| -> Vec<DetectedValue> {
///     text.match_indices("room ").map(|(at, found)| DetectedValue::new(at..at + found.len(), "a room")).collect()
/// };
/// let card = r#"{"skills": [{"id": "where", "description": "It is in room 7."}], "capabilities": {"extensions": [{
///     "uri": "https://agent-capability.org/ext/on-request/v1",
///     "params": {"skills": [{"id": "where", "personEntry": "https://ask.example.com/talk"}]}}]}}"#;
/// let findings = CardChecker::new().detector(rooms).check(card);
/// assert!(findings.iter().any(|finding| finding.rule == "OR-3.9" && finding.message.contains("a room")));
/// ```
pub trait ValueDetector: Send + Sync + 'static {
    /// Every such place.
    fn detect(&self, text: &str) -> Vec<DetectedValue>;
}

impl<F: Fn(&str) -> Vec<DetectedValue> + Send + Sync + 'static> ValueDetector for F {
    fn detect(&self, text: &str) -> Vec<DetectedValue> {
        self(text)
    }
}

/// The detectors that are asked by default.
///
/// ```
/// use tower_a2a_extensions::on_request::{CommonValue, ValueDetector};
///
/// let found = CommonValue::Amount.detect("From EUR 1.234,50 or 45 dollars.");
/// assert_eq!(found.len(), 2);
/// assert!(CommonValue::Amount.detect("What does a cremation cost?").is_empty());
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CommonValue {
    /// A number beside a currency's sign, code or word.
    Amount,
    /// A number and a percent sign or word.
    Percentage,
    /// A date with a time of day. Opening hours have no date.
    Appointment,
    /// A telephone number, international or in a national grouping.
    Telephone,
}

impl CommonValue {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Amount, Self::Percentage, Self::Appointment, Self::Telephone];
}

impl ValueDetector for CommonValue {
    fn detect(&self, text: &str) -> Vec<DetectedValue> {
        let folded = FoldedText::new(text);
        let (ranges, what) = match self {
            Self::Amount => (amount::amounts(folded.as_str()), "an amount of money"),
            Self::Percentage => (amount::percentages(folded.as_str()), "a percentage"),
            Self::Appointment => (appointment::appointments(folded.as_str()), "a date with a time"),
            Self::Telephone => (telephone::telephone_numbers(folded.as_str()), "a telephone number"),
        };
        ranges.into_iter().map(|range| DetectedValue::new(folded.original(range), what)).collect()
    }
}

#[cfg(test)]
mod tests;

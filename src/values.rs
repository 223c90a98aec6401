//! What looks like a value in a text (OR-3.9).

mod amount;
mod appointment;
mod calendar;
mod currency;
mod folded;
mod hits;
mod marks;
mod number;
mod number_words;
mod percentage;
mod sentence;
mod spans;
mod telephone;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use self::folded::FoldedText;
use self::hits::Hits;

/// What a telephone number looks like.
pub(crate) const TELEPHONE: &str = "a telephone number";

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
/// A closure is one too. It is asked once for every text of a listed skill; one that panics, or gives
/// a range that is empty or does not lie between characters of the text, is reported. Keep it linear:
/// a text may be as long as the card.
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
/// They find what is told, and leave out what is only asked: a sentence that ends with a question
/// mark holds no value for them, so `Is it really $45?` passes too. A sentence ends at a line break,
/// at `!` or `?` with white space or nothing behind, and so at `.` where the next word has a capital
/// letter and the one before is not shortened, as in `incl. tax` or `Dr. Smith`. In one text each stops after
/// 10 000 places.
///
/// ```
/// use tower_a2a_extensions::on_request::{CommonValue, ValueDetector};
///
/// let found = CommonValue::Amount.detect("From EUR 1.234,50 or 45 dollars.");
/// assert_eq!(found.len(), 2);
/// assert!(CommonValue::Amount.detect("What does a cremation cost?").is_empty());
/// assert!(CommonValue::Amount.detect("Which services are under $2000?").is_empty());
/// assert_eq!(CommonValue::Amount.detect("It costs $45. Is that ok?").len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum CommonValue {
    /// A number beside a currency's sign, code or word.
    Amount,
    /// A number and a percent sign or word; not `100%`, which often means "wholly".
    Percentage,
    /// A date with a time of day in the same sentence. Opening hours are none: a time or a date that is
    /// a range, and a date behind words such as `from`, `to`, `closed` and `not`.
    Appointment,
    /// A telephone number, international or in a national grouping; not what words or letters in front
    /// number otherwise, as in `part no. 555-0100`.
    Telephone,
}

impl CommonValue {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Amount, Self::Percentage, Self::Appointment, Self::Telephone];

    fn find(self, folded: &FoldedText<'_>) -> Vec<DetectedValue> {
        let hits = |what| Hits::new(folded, what);
        let (mut hits, find): (_, fn(&str, &mut Hits<'_>)) = match self {
            Self::Amount => (hits("an amount of money"), amount::amounts),
            Self::Percentage => (hits("a percentage"), percentage::percentages),
            Self::Appointment => (hits("a date with a time"), appointment::appointments),
            Self::Telephone => (hits("a telephone number"), telephone::telephone_numbers),
        };
        find(folded.as_str(), &mut hits);
        hits.into_found()
    }
}

impl ValueDetector for CommonValue {
    fn detect(&self, text: &str) -> Vec<DetectedValue> {
        self.find(&FoldedText::new(text))
    }
}

#[cfg(test)]
mod tests;

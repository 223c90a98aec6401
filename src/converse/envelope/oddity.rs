//! What an envelope says that is odd, though the page does not forbid it.

use std::fmt;

use super::{Coverage, CoverageReason, Envelope};
use crate::converse::outcome::InvocationOutcome;

/// Two parts of an envelope that hardly go together. The page is silent on them, so the envelope is
/// built and leaves; the observer is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum EnvelopeOddity {
    /// `answered` for `insufficient_evidence`, or `unanswered` for `sufficient_evidence`.
    ReasonAgainstCoverage,
    /// `pendingInput` of a routine that is completed or abandoned.
    PendingInputAfterEnd,
    /// `started` or `reentered` without a `routine`.
    StartedWithoutRoutine,
}

impl fmt::Display for EnvelopeOddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReasonAgainstCoverage => "the reason of `answerCoverage` says the opposite of its coverage",
            Self::PendingInputAfterEnd => "`routine` has pendingInput, and is completed or abandoned",
            Self::StartedWithoutRoutine => "`invocation` was started or reentered, and there is no `routine`",
        })
    }
}

impl Envelope {
    /// What hardly goes together in it. Empty as a rule.
    ///
    /// ```
    /// use tower_a2a_extensions::converse::{AnswerCoverage, Author, Coverage, CoverageReason, Envelope, EnvelopeOddity};
    ///
    /// let coverage = AnswerCoverage::assessed(Coverage::Answered, CoverageReason::InsufficientEvidence);
    /// let envelope = Envelope::builder(Author::Agent).answer_coverage(coverage).build()?;
    /// assert_eq!(envelope.oddities(), [EnvelopeOddity::ReasonAgainstCoverage]);
    /// # Ok::<(), tower_a2a_extensions::converse::EnvelopeError>(())
    /// ```
    #[must_use]
    pub fn oddities(&self) -> Vec<EnvelopeOddity> {
        let verdict = self.answer_coverage().map(|covered| (covered.coverage(), covered.reason()));
        let contradicts = matches!(
            verdict,
            Some((Some(Coverage::Answered), Some(CoverageReason::InsufficientEvidence)))
                | Some((Some(Coverage::Unanswered), Some(CoverageReason::SufficientEvidence)))
        );
        let waits =
            self.routine().is_some_and(|routine| routine.status().is_end() && !routine.pending_input().is_empty());
        let outcome = self.invocation().map(|invocation| invocation.outcome());
        let started = matches!(outcome, Some(InvocationOutcome::Started | InvocationOutcome::Reentered));
        let all = [
            (contradicts, EnvelopeOddity::ReasonAgainstCoverage),
            (waits, EnvelopeOddity::PendingInputAfterEnd),
            (started && self.routine().is_none(), EnvelopeOddity::StartedWithoutRoutine),
        ];
        all.into_iter().filter(|(is_odd, _)| *is_odd).map(|(_, oddity)| oddity).collect()
    }
}

//! How well the answer covers the question.

use serde_json::{Map, Value};

use super::members::{EnvelopePart, EnvelopeReadError, MemberReader, MemberWriter};
use crate::converse::words::words;

words! {
    /// Whether there is a verdict: `answerCoverage.availability`.
    CoverageAvailability {
        /// There is one.
        Assessed = "assessed",
        /// No assessment ran for the turn.
        NotRecorded = "not_recorded",
        /// The assessment failed.
        Failed = "failed",
        /// The assessment gave nothing that counts.
        Invalid = "invalid",
    }
}

words! {
    /// The verdict: `answerCoverage.coverage`.
    Coverage {
        /// The question is answered.
        Answered = "answered",
        /// A part of it is.
        Partial = "partial",
        /// It is not.
        Unanswered = "unanswered",
        /// Whether it is cannot be said.
        Unclear = "unclear",
    }
}

words! {
    /// Why the verdict is as it is: `answerCoverage.reason`.
    CoverageReason {
        /// The evidence suffices.
        SufficientEvidence = "sufficient_evidence",
        /// It does not.
        InsufficientEvidence = "insufficient_evidence",
        /// It contradicts itself.
        ConflictingEvidence = "conflicting_evidence",
        /// The request can be read in several ways.
        AmbiguousRequest = "ambiguous_request",
        /// The agent is not there for this.
        IntentionalScopeBoundary = "intentional_scope_boundary",
    }
}

/// The verdict on an answer: `answerCoverage`.
///
/// ```
/// use tower_a2a_extensions::converse::{AnswerCoverage, Coverage, CoverageAvailability, CoverageReason};
///
/// let coverage = AnswerCoverage::assessed(Coverage::Partial, CoverageReason::ConflictingEvidence);
/// assert_eq!(coverage.availability(), &CoverageAvailability::Assessed);
/// assert_eq!(AnswerCoverage::not_recorded().coverage(), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerCoverage {
    availability: CoverageAvailability,
    coverage: Option<Coverage>,
    reason: Option<CoverageReason>,
    originating_turn_id: Option<String>,
    originating_request_id: Option<String>,
    others: Map<String, Value>,
}

impl AnswerCoverage {
    /// With this availability and no verdict.
    #[must_use]
    pub fn new(availability: CoverageAvailability) -> Self {
        Self {
            availability,
            coverage: None,
            reason: None,
            originating_turn_id: None,
            originating_request_id: None,
            others: Map::new(),
        }
    }

    /// A verdict and its reason.
    #[must_use]
    pub fn assessed(coverage: Coverage, reason: CoverageReason) -> Self {
        Self::new(CoverageAvailability::Assessed).with_coverage(coverage).with_reason(reason)
    }

    /// No assessment ran for the turn.
    #[must_use]
    pub fn not_recorded() -> Self {
        Self::new(CoverageAvailability::NotRecorded)
    }

    /// Sets the verdict.
    #[must_use]
    pub fn with_coverage(mut self, coverage: Coverage) -> Self {
        self.coverage = Some(coverage);
        self
    }

    /// Sets the reason of the verdict.
    #[must_use]
    pub fn with_reason(mut self, reason: CoverageReason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Sets the id of the turn that the verdict is about.
    #[must_use]
    pub fn with_originating_turn_id(mut self, id: impl Into<String>) -> Self {
        self.originating_turn_id = Some(id.into());
        self
    }

    /// Sets the id of the request that the verdict is about.
    #[must_use]
    pub fn with_originating_request_id(mut self, id: impl Into<String>) -> Self {
        self.originating_request_id = Some(id.into());
        self
    }

    /// Whether there is a verdict.
    #[must_use]
    pub fn availability(&self) -> &CoverageAvailability {
        &self.availability
    }

    /// The verdict.
    #[must_use]
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_ref()
    }

    /// Why the verdict is as it is.
    #[must_use]
    pub fn reason(&self) -> Option<&CoverageReason> {
        self.reason.as_ref()
    }

    /// The id of the turn that the verdict is about.
    #[must_use]
    pub fn originating_turn_id(&self) -> Option<&str> {
        self.originating_turn_id.as_deref()
    }

    /// The id of the request that the verdict is about.
    #[must_use]
    pub fn originating_request_id(&self) -> Option<&str> {
        self.originating_request_id.as_deref()
    }
}

impl EnvelopePart for AnswerCoverage {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            availability: members.word("availability")?,
            coverage: members.optional_word("coverage")?,
            reason: members.optional_word("reason")?,
            originating_turn_id: members.optional_text("originatingTurnId")?,
            originating_request_id: members.optional_text("originatingRequestId")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set("availability", self.availability.as_str())
            .set_if("coverage", self.coverage().map(Coverage::as_str))
            .set_if("reason", self.reason().map(CoverageReason::as_str))
            .set_if("originatingTurnId", self.originating_turn_id())
            .set_if("originatingRequestId", self.originating_request_id())
            .finish()
    }
}

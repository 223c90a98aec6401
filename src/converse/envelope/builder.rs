//! Envelopes that do not contradict themselves.

use std::fmt;

use super::{
    AnswerCoverage, Author, Citation, CoverageAvailability, Envelope, Invocation, Ownership, OwnershipState, Routine,
};
use crate::converse::outcome::InvocationOutcome;

/// An envelope that is being made, by [`Envelope::builder`] or [`Envelope::into_builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct EnvelopeBuilder(Envelope);

impl EnvelopeBuilder {
    pub(super) fn new(envelope: Envelope) -> Self {
        Self(envelope)
    }

    /// Sets who wrote the message.
    pub fn author(mut self, author: Author) -> Self {
        self.0.author = Some(author);
        self
    }

    /// Sets how well the answer covers the question.
    pub fn answer_coverage(mut self, coverage: AnswerCoverage) -> Self {
        self.0.answer_coverage = Some(coverage);
        self
    }

    /// Sets who owns the conversation.
    pub fn ownership(mut self, ownership: Ownership) -> Self {
        self.0.ownership = Some(ownership);
        self
    }

    /// Sets the routine that the turn touched.
    pub fn routine(mut self, routine: Routine) -> Self {
        self.0.routine = Some(routine);
        self
    }

    /// Takes the routine out, where the next turn touches none.
    pub fn without_routine(mut self) -> Self {
        self.0.routine = None;
        self
    }

    /// Sets the typed routine call that the turn began from.
    pub fn invocation(mut self, invocation: Invocation) -> Self {
        self.0.invocation = Some(invocation);
        self
    }

    /// Takes the routine call out, where the next turn began from none.
    pub fn without_invocation(mut self) -> Self {
        self.0.invocation = None;
        self
    }

    /// Takes the citations out, where the next turn cites nothing.
    pub fn without_citations(mut self) -> Self {
        self.0.citations = None;
        self
    }

    /// Adds a document that the answer cites.
    pub fn citation(mut self, citation: Citation) -> Self {
        self.0.citations.get_or_insert_default().push(citation);
        self
    }

    /// The envelope.
    ///
    /// ```
    /// use tower_a2a_extensions::converse::{Author, Envelope, EnvelopeError, Ownership};
    ///
    /// let silent = Envelope::builder(Author::Agent).ownership(Ownership::ai_owned().with_suppressed(true));
    /// assert_eq!(silent.build(), Err(EnvelopeError::SuppressedWhileAiOwned));
    /// ```
    ///
    /// # Errors
    ///
    /// [`EnvelopeError`] where two of its parts cannot both be true. Words of a newer peer contradict
    /// nothing: what they mean is not known. A person may write while the agent owns the conversation,
    /// and a suppressed turn names the agent where nobody else wrote.
    pub fn build(self) -> Result<Envelope, EnvelopeError> {
        let envelope = self.0;
        envelope.ownership().map_or(Ok(()), |ownership| check_ownership(ownership, envelope.citations()))?;
        envelope.answer_coverage().map_or(Ok(()), check_coverage)?;
        envelope.routine().map_or(Ok(()), check_routine)?;
        envelope.invocation().map_or(Ok(()), |invocation| check_invocation(invocation, envelope.routine()))?;
        Ok(envelope)
    }
}

fn check_ownership(ownership: &Ownership, citations: &[Citation]) -> Result<(), EnvelopeError> {
    match ownership.state() {
        OwnershipState::AiOwned if ownership.is_suppressed() => Err(EnvelopeError::SuppressedWhileAiOwned),
        _ if ownership.is_suppressed() && !citations.is_empty() => Err(EnvelopeError::SuppressedWithCitations),
        _ => Ok(()),
    }
}

fn check_coverage(coverage: &AnswerCoverage) -> Result<(), EnvelopeError> {
    use CoverageAvailability::{Assessed, Failed, Invalid, NotRecorded};
    let has_verdict = coverage.coverage().is_some() || coverage.reason().is_some();
    match (coverage.availability(), coverage.coverage()) {
        (NotRecorded | Failed | Invalid, _) if has_verdict => Err(EnvelopeError::VerdictWithoutAssessment),
        (Assessed, None) => Err(EnvelopeError::AssessedWithoutVerdict),
        _ => Ok(()),
    }
}

fn check_routine(routine: &Routine) -> Result<(), EnvelopeError> {
    let slots = routine.pending_input();
    let mut keys = slots.iter().map(|slot| slot.key()).collect::<Vec<_>>();
    keys.sort_unstable();
    let twice = keys.windows(2).find_map(|two| two.first().filter(|key| two.last() == Some(key)));
    twice.map_or(Ok(()), |key| Err(EnvelopeError::PendingInputTwice { key: (*key).to_owned() }))
}

fn check_invocation(invocation: &Invocation, routine: Option<&Routine>) -> Result<(), EnvelopeError> {
    let is_of_tool = |routine: &Routine| routine.tool_name() == Some(invocation.tool_name());
    match invocation.outcome() {
        InvocationOutcome::Started | InvocationOutcome::Reentered
            if routine.is_some_and(|routine| routine.tool_name().is_some() && !is_of_tool(routine)) =>
        {
            Err(EnvelopeError::StartedAnotherRoutine)
        }
        InvocationOutcome::UnknownTool if routine.is_some_and(is_of_tool) => Err(EnvelopeError::RoutineOfUnknownTool),
        _ => Ok(()),
    }
}

/// Two parts of an envelope that cannot both be true.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// `ownership.suppressed` with `ai_owned`: it is true only while a person owns the conversation.
    SuppressedWhileAiOwned,
    /// `ownership.suppressed` with citations: then the agent generated nothing that could cite.
    SuppressedWithCitations,
    /// A `coverage` or `reason` with `not_recorded`, `failed` or `invalid`: then there is no verdict.
    VerdictWithoutAssessment,
    /// `assessed` without a `coverage`: then there is a verdict.
    AssessedWithoutVerdict,
    /// One slot stands in `pendingInput` twice.
    PendingInputTwice {
        /// The slot's key.
        key: String,
    },
    /// `started` or `reentered` beside a routine that is exposed under another name.
    StartedAnotherRoutine,
    /// `unknown_tool` beside a routine that is exposed under this very name.
    RoutineOfUnknownTool,
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SuppressedWhileAiOwned => {
                "`ownership` is suppressed and ai_owned: a turn is suppressed only while a person owns the conversation"
            }
            Self::SuppressedWithCitations => {
                "`ownership` is suppressed, and there are citations: a suppressed turn has no answer that cites"
            }
            Self::VerdictWithoutAssessment => {
                "`answerCoverage` has a coverage or reason, and its availability says that there is no verdict"
            }
            Self::AssessedWithoutVerdict => "`answerCoverage` is assessed and has no coverage",
            Self::PendingInputTwice { key } => return write!(f, "`routine.pendingInput` has the slot {key:?} twice"),
            Self::StartedAnotherRoutine => {
                "`invocation` was started or reentered, and `routine` is exposed under another name"
            }
            Self::RoutineOfUnknownTool => "`invocation` names an unknown tool, and `routine` is exposed under its name",
        })
    }
}

impl std::error::Error for EnvelopeError {}

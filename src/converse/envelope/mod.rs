//! The envelope of a reply, written and read.

mod builder;
mod citation;
mod coverage;
mod invocation;
mod members;
mod ownership;
mod routine;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

pub use self::builder::{EnvelopeBuilder, EnvelopeError};
pub use self::citation::Citation;
pub use self::coverage::{AnswerCoverage, Coverage, CoverageAvailability, CoverageReason};
pub use self::invocation::Invocation;
pub use self::members::EnvelopeReadError;
use self::members::{EnvelopePart, MemberReader, MemberWriter};
pub use self::ownership::{Ownership, OwnershipState};
pub use self::routine::{PendingInput, Routine, RoutineStatus};
use super::words::words;

words! {
    /// Who wrote a message: `author`.
    Author {
        /// The agent generated it.
        Agent = "agent",
        /// A person wrote it. It has the agent's role as well.
        Human = "human",
    }
}

/// What a reply says of itself, under the extension's URI in `metadata`.
///
/// Made by a [builder](Self::builder), which refuses what contradicts itself, or
/// [read](Self::from_value). Values and members of a newer peer are kept, and written as they were
/// read; only a `null` is left out.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::converse::{Author, Citation, Envelope, Ownership};
///
/// let envelope = Envelope::builder(Author::Agent)
///     .ownership(Ownership::ai_owned())
///     .citation(Citation::new("doc-4", "chunk-1", "Menu"))
///     .build()?;
/// assert_eq!(
///     envelope.to_value(),
///     json!({
///         "author": "agent",
///         "answerCoverage": {"availability": "not_recorded"},
///         "ownership": {"state": "ai_owned", "suppressed": false},
///         "citations": [{"documentId": "doc-4", "chunkId": "chunk-1", "title": "Menu"}],
///     })
/// );
///
/// // A newer peer.
/// let newer = json!({"author": "committee", "mood": "calm"});
/// let read = Envelope::from_value(&newer)?;
/// assert_eq!(read.author(), &Author::Other("committee".to_owned()));
/// assert_eq!(read.to_value(), newer);
/// # Ok::<(), tower_a2a_extensions::BoxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    author: Author,
    answer_coverage: Option<AnswerCoverage>,
    ownership: Option<Ownership>,
    routine: Option<Routine>,
    invocation: Option<Invocation>,
    citations: Option<Vec<Citation>>,
    others: Map<String, Value>,
}

impl Envelope {
    /// Begins an envelope. `answerCoverage` is [not recorded](AnswerCoverage::not_recorded) unless it
    /// is set, and the rest is left out.
    pub fn builder(author: Author) -> EnvelopeBuilder {
        EnvelopeBuilder::new(Self::not_recorded(author))
    }

    /// Says who wrote it, and that no assessment ran.
    #[must_use]
    pub fn not_recorded(author: Author) -> Self {
        Self {
            author,
            answer_coverage: Some(AnswerCoverage::not_recorded()),
            ownership: None,
            routine: None,
            invocation: None,
            citations: None,
            others: Map::new(),
        }
    }

    /// Goes on from this envelope, for what changes while a stream runs.
    pub fn into_builder(self) -> EnvelopeBuilder {
        EnvelopeBuilder::new(self)
    }

    /// Reads what stands in `metadata`.
    ///
    /// Words that are not known are read as `Other`, members that are not known are kept. Whether it
    /// contradicts itself is not asked: it is the word of a peer.
    ///
    /// # Errors
    ///
    /// [`EnvelopeReadError`] where it is no object, a known member has another type, or one is missing
    /// without which its object says nothing: `author`, `availability`, `state`, `status`, `key`,
    /// `documentId`, and `toolName` and `outcome` of an invocation.
    pub fn from_value(value: &Value) -> Result<Self, EnvelopeReadError> {
        Self::read(MemberReader::new(value.clone(), String::new())?)
    }

    /// What stands in `metadata`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Object(self.write())
    }

    /// Who wrote the message.
    #[must_use]
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// How well the answer covers the question.
    #[must_use]
    pub fn answer_coverage(&self) -> Option<&AnswerCoverage> {
        self.answer_coverage.as_ref()
    }

    /// Who owns the conversation.
    #[must_use]
    pub fn ownership(&self) -> Option<&Ownership> {
        self.ownership.as_ref()
    }

    /// The routine that the turn touched.
    #[must_use]
    pub fn routine(&self) -> Option<&Routine> {
        self.routine.as_ref()
    }

    /// The typed routine call that the turn began from.
    #[must_use]
    pub fn invocation(&self) -> Option<&Invocation> {
        self.invocation.as_ref()
    }

    /// The documents that the answer cites.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        self.citations.as_deref().unwrap_or_default()
    }
}

impl EnvelopePart for Envelope {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            author: members.word("author")?,
            answer_coverage: members.part("answerCoverage")?,
            ownership: members.part("ownership")?,
            routine: members.part("routine")?,
            invocation: members.part("invocation")?,
            citations: members.parts("citations")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set("author", self.author.as_str())
            .part("answerCoverage", self.answer_coverage())
            .part("ownership", self.ownership())
            .part("routine", self.routine())
            .part("invocation", self.invocation())
            .parts("citations", self.citations.as_deref())
            .finish()
    }
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        MemberReader::new(value, String::new()).and_then(Self::read).map_err(de::Error::custom)
    }
}

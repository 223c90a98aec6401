//! The envelope of a reply, written and read.

mod builder;
mod citation;
mod coverage;
mod invocation;
mod members;
mod oddity;
mod ownership;
mod routine;

#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

pub use self::builder::{EnvelopeBuilder, EnvelopeError};
pub use self::citation::Citation;
pub use self::coverage::{AnswerCoverage, Coverage, CoverageAvailability, CoverageReason};
pub use self::invocation::Invocation;
pub use self::members::EnvelopeReadError;
use self::members::{EnvelopePart, MemberReader, MemberWriter};
pub use self::oddity::EnvelopeOddity;
pub use self::ownership::{Ownership, OwnershipState};
pub use self::routine::{PendingInput, Routine, RoutineStatus};
use super::CONVERSE_URI;
use super::card::ConverseDeclaration;
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
/// assert_eq!(read.author().map(Author::as_str), Some("committee"));
/// assert_eq!(read.to_value(), newer);
/// # Ok::<(), tower_a2a_extensions::BoxError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    author: Option<Author>,
    answer_coverage: Option<AnswerCoverage>,
    ownership: Option<Ownership>,
    routine: Option<Routine>,
    invocation: Option<Invocation>,
    citations: Option<Vec<Citation>>,
    others: Map<String, Value>,
    faults: Vec<EnvelopeReadError>,
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
            author: Some(author),
            answer_coverage: Some(AnswerCoverage::not_recorded()),
            ownership: None,
            routine: None,
            invocation: None,
            citations: None,
            others: Map::new(),
            faults: Vec::new(),
        }
    }

    /// Says that nothing is cited.
    pub(in crate::converse) fn citing_nothing(self) -> Self {
        Self { citations: Some(Vec::new()), ..self }
    }

    /// Fills in what the card says of the slots that a routine of it waits for.
    pub(in crate::converse) fn describe_slots(&mut self, declared: &ConverseDeclaration) {
        let Some(routine) = self.routine.as_mut() else { return };
        if let Some(tool) = routine.tool_name().and_then(|name| declared.tool(name)) {
            routine.describe_slots(tool);
        }
    }

    /// Who wrote it and who owns the conversation, and nothing of what it is about.
    pub(in crate::converse) fn bare(&self) -> Self {
        let ownership = self.ownership.as_ref().map(|owned| Ownership::new(owned.state().clone()));
        let suppressed = self.ownership.as_ref().is_some_and(Ownership::is_suppressed);
        let ownership = ownership.map(|ownership| ownership.with_suppressed(suppressed));
        let author = self.author.clone();
        Self { ownership, author, ..Self::not_recorded(Author::Agent) }.citing_nothing()
    }

    /// Goes on from this envelope, for what changes while a stream runs.
    pub fn into_builder(self) -> EnvelopeBuilder {
        EnvelopeBuilder::new(self)
    }

    /// Reads what stands in `metadata`.
    ///
    /// Words that are not known are read as `Other`, members that are not known are kept. A member that
    /// cannot be read, such as `citations` of a newer shape, is one of [`faults`](Self::faults); it costs
    /// no other, and is written again as it was. Whether it contradicts itself is not asked: it is the
    /// word of a peer.
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::converse::{Author, Envelope};
    ///
    /// let newer = json!({"author": "human", "citations": {"count": 2}});
    /// let read = Envelope::from_value(&newer)?;
    /// assert_eq!(read.author(), Some(&Author::Human));
    /// assert_eq!((read.citations().len(), read.faults()[0].pointer()), (0, "/citations"));
    /// assert_eq!(read.to_value(), newer);
    /// # Ok::<(), tower_a2a_extensions::converse::EnvelopeReadError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EnvelopeReadError`] where it is no object, or `author` is no string.
    pub fn from_value(value: &Value) -> Result<Self, EnvelopeReadError> {
        Self::read(MemberReader::new(value.clone(), String::new())?)
    }

    /// What stands in `metadata`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::Object(self.write())
    }

    /// Writes it into a Message or Artifact, under the extension's URI in its `metadata`, in place of
    /// one that stands there.
    ///
    /// It then goes where the object goes: through a channel in front of a stream, into the agent's
    /// store, and out again on later replies. A person's words that are stored without one are later
    /// said to be the agent's. The layer takes it out for clients that did not activate the extension.
    ///
    /// A value that is no object, or has a `metadata` that is none, is left as it is.
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::converse::{Author, CONVERSE_URI, Envelope};
    ///
    /// let mut message = json!({"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "Olwen here."}]});
    /// Envelope::not_recorded(Author::Human).write_into(&mut message);
    /// assert_eq!(message["metadata"][CONVERSE_URI.as_str()]["author"], "human");
    /// ```
    pub fn write_into(&self, object: &mut Value) {
        let Some(object) = object.as_object_mut() else { return };
        let metadata = object.entry("metadata").or_insert(Value::Null);
        if metadata.is_null() {
            *metadata = Value::Object(Map::new());
        }
        if let Some(metadata) = metadata.as_object_mut() {
            metadata.insert(CONVERSE_URI.as_str().to_owned(), self.to_value());
        }
    }

    /// Who wrote the message. `None` for a message of the history of which nobody knows.
    #[must_use]
    pub fn author(&self) -> Option<&Author> {
        self.author.as_ref()
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

    /// What was there and could not be read: a member of another type, or without what it says
    /// nothing without (`availability`, `state`, `status`, `key`, `documentId`, and `toolName` and
    /// `outcome` of an invocation).
    #[must_use]
    pub fn faults(&self) -> &[EnvelopeReadError] {
        &self.faults
    }

    /// The documents that the answer cites.
    #[must_use]
    pub fn citations(&self) -> &[Citation] {
        self.citations.as_deref().unwrap_or_default()
    }
}

impl EnvelopePart for Envelope {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        let mut faults = Vec::new();
        Ok(Self {
            author: members.optional_word("author")?,
            answer_coverage: members.tolerated("answerCoverage", &mut faults, MemberReader::part),
            ownership: members.tolerated("ownership", &mut faults, MemberReader::part),
            routine: members.tolerated("routine", &mut faults, MemberReader::part),
            invocation: members.tolerated("invocation", &mut faults, MemberReader::part),
            citations: members.tolerated("citations", &mut faults, MemberReader::parts),
            others: members.rest(),
            faults,
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set_if("author", self.author.as_ref().map(Author::as_str))
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

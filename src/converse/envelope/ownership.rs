//! Who owns the conversation.

use serde_json::{Map, Value};

use super::members::{EnvelopePart, EnvelopeReadError, MemberReader, MemberWriter};
use crate::converse::words::words;

words! {
    /// Who owns the conversation: `ownership.state`.
    OwnershipState {
        /// The agent.
        AiOwned = "ai_owned",
        /// A person.
        HumanOwned = "human_owned",
    }
}

/// Who owns the conversation: `ownership`.
///
/// ```
/// use tower_a2a_extensions::converse::{Ownership, OwnershipState};
///
/// let silent = Ownership::human_owned().with_suppressed(true);
/// assert_eq!(silent.state(), &OwnershipState::HumanOwned);
/// assert!(silent.is_suppressed());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ownership {
    state: OwnershipState,
    suppressed: Option<bool>,
    others: Map<String, Value>,
}

impl Ownership {
    /// In this state, and nothing suppressed.
    #[must_use]
    pub fn new(state: OwnershipState) -> Self {
        Self { state, suppressed: Some(false), others: Map::new() }
    }

    /// The agent owns it.
    #[must_use]
    pub fn ai_owned() -> Self {
        Self::new(OwnershipState::AiOwned)
    }

    /// A person owns it.
    #[must_use]
    pub fn human_owned() -> Self {
        Self::new(OwnershipState::HumanOwned)
    }

    /// Says whether the agent generated nothing for the turn because a person owns the conversation.
    #[must_use]
    pub fn with_suppressed(mut self, suppressed: bool) -> Self {
        self.suppressed = Some(suppressed);
        self
    }

    /// Who owns it.
    #[must_use]
    pub fn state(&self) -> &OwnershipState {
        &self.state
    }

    /// Whether the agent generated nothing for the turn because a person owns the conversation.
    #[must_use]
    pub fn is_suppressed(&self) -> bool {
        self.suppressed == Some(true)
    }
}

impl EnvelopePart for Ownership {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            state: members.word("state")?,
            suppressed: members.optional_flag("suppressed")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others).set("state", self.state.as_str()).set_if("suppressed", self.suppressed).finish()
    }
}

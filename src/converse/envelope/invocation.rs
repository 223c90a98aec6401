//! A turn that began from a typed routine call.

use serde_json::{Map, Value};

use super::members::{EnvelopePart, EnvelopeReadError, MemberReader, MemberWriter};
use crate::converse::card::{ToolInput, ToolInputError};
use crate::converse::outcome::InvocationOutcome;

/// The typed routine call that a turn began from: `invocation`.
///
/// ```
/// use tower_a2a_extensions::converse::{Invocation, InvocationOutcome};
///
/// let call = Invocation::new("book_table", InvocationOutcome::Started);
/// assert_eq!(call.outcome().as_str(), "started");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    tool_name: String,
    outcome: InvocationOutcome,
    others: Map<String, Value>,
}

impl Invocation {
    /// A call of this tool, and what became of it.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, outcome: InvocationOutcome) -> Self {
        Self { tool_name: tool_name.into(), outcome, others: Map::new() }
    }

    /// The tool that was called.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// What became of the call.
    #[must_use]
    pub fn outcome(&self) -> &InvocationOutcome {
        &self.outcome
    }
}

/// A call whose input fits: the routine began. Where it goes on or is declined, say so with
/// [`Invocation::new`].
impl From<&ToolInput> for Invocation {
    fn from(input: &ToolInput) -> Self {
        Self::new(input.tool_name(), input.outcome())
    }
}

/// A call with which no routine was started.
impl From<&ToolInputError> for Invocation {
    fn from(error: &ToolInputError) -> Self {
        Self::new(error.tool_name(), error.outcome().clone())
    }
}

impl EnvelopePart for Invocation {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self { tool_name: members.text("toolName")?, outcome: members.word("outcome")?, others: members.rest() })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others).set("toolName", self.tool_name()).set("outcome", self.outcome.as_str()).finish()
    }
}

//! The input of a routine's call, checked, or what is wrong with it.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::super::outcome::InvocationOutcome;
use super::reading::read_object;
use super::schema::{SchemaCell, Violation};
use crate::findings::quoted;

/// A longer pointer is cut where a value around the place begins, in bytes.
const MAX_POINTER: usize = 256;
/// A longer key is cut, in characters.
const MAX_KEY: usize = 80;

/// The input of a routine's call, which fits the routine's schema.
///
/// ```
/// use serde::Deserialize;
/// use tower_a2a_extensions::converse::{ConverseTool, InvocationOutcome, Slot, SlotType};
///
/// #[derive(Deserialize)]
/// #[serde(rename_all = "camelCase")]
/// struct Booking { date: String, party_size: u8 }
///
/// let tool = ConverseTool::new("book_table", "Book a table.")
///     .with_slot(Slot::required("date", SlotType::String))
///     .with_slot(Slot::required("partySize", SlotType::Integer));
/// let input = tool.read_input(r#"{"date": "2027-05-01", "partySize": 4}"#)?;
/// assert_eq!(input.outcome(), InvocationOutcome::Started);
/// let booking: Booking = input.typed()?;
/// assert_eq!((booking.date.as_str(), booking.party_size), ("2027-05-01", 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct ToolInput {
    tool_name: String,
    members: Map<String, Value>,
}

impl ToolInput {
    pub(super) fn read(
        tool_name: &str,
        schema: &Value,
        compiled: &SchemaCell,
        json: &str,
    ) -> Result<Self, ToolInputError> {
        let Ok(compiled) = compiled.get(schema) else {
            return Err(ToolInputError::not_started(tool_name, "the routine's schema is none, so no input fits it"));
        };
        let members = read_object(json, compiled.max_depth());
        let input = Value::Object(members.map_err(|why| ToolInputError::not_started(tool_name, why))?);
        if !compiled.can_check(&input, json.len()) {
            let why = "the input is too long for its depth: by this routine's schema it takes too long to check";
            return Err(ToolInputError::not_started(tool_name, why));
        }
        let violations = compiled.violations(&input);
        match input {
            Value::Object(members) if violations.is_empty() => Ok(Self { tool_name: tool_name.to_owned(), members }),
            _ => {
                let problems = violations.into_iter().map(SlotProblem::from).collect();
                Err(ToolInputError::new(tool_name, InvocationOutcome::NotStarted, problems))
            }
        }
    }

    /// The routine that it is for.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// What an agent says in the reply when it goes on with the routine. One that takes up a routine
    /// again, or declines, says so instead.
    #[must_use]
    pub fn outcome(&self) -> InvocationOutcome {
        InvocationOutcome::Started
    }

    /// The value of a slot.
    #[must_use]
    pub fn get(&self, slot: &str) -> Option<&Value> {
        self.members.get(slot)
    }

    /// The slots with their values.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.members
    }

    /// The input as a type of the program.
    ///
    /// # Errors
    ///
    /// Where the type asks for more than the schema does. The error repeats values of the caller.
    pub fn typed<T: DeserializeOwned>(self) -> Result<T, serde_json::Error> {
        serde_json::from_value(Value::Object(self.members))
    }
}

/// Shows the routine and how many slots are filled, no value.
impl fmt::Debug for ToolInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolInput")
            .field("tool_name", &self.tool_name)
            .field("slots", &self.members.len())
            .finish_non_exhaustive()
    }
}

/// One thing that is wrong with an input, and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SlotProblem {
    pointer: String,
    slot: Option<String>,
    why: String,
}

impl SlotProblem {
    /// The key of the slot, or of a member that is no slot; `None` where the whole input is meant. A
    /// key of more than 80 characters is cut.
    #[must_use]
    pub fn slot(&self) -> Option<&str> {
        self.slot.as_deref()
    }

    /// The place in the input, as a JSON pointer; empty for the whole of it. One that would be very
    /// long names a value around the place.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// What was wrong, in words. It repeats what the schema says, and nothing that the caller wrote.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// What a caller wrote, cut after [`MAX_KEY`] characters.
fn in_short(text: &str) -> String {
    match text.char_indices().nth(MAX_KEY) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl From<Violation> for SlotProblem {
    fn from(violation: Violation) -> Self {
        let Violation { mut pointer, why } = violation;
        let key = pointer.split('/').nth(1).map(|key| key.replace("~1", "/").replace("~0", "~"));
        let slot = key.map(|key| in_short(&key));
        while pointer.len() > MAX_POINTER {
            pointer.truncate(pointer.rfind('/').unwrap_or_default());
        }
        Self { pointer, slot, why }
    }
}

impl fmt::Display for SlotProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.slot(), self.pointer()) {
            (None, _) => f.write_str(&self.why),
            (Some(slot), "") => write!(f, "{} {}", quoted(slot), self.why),
            (Some(_), pointer) => write!(f, "{} {}", quoted(pointer), self.why),
        }
    }
}

/// An input with which no routine was started.
///
/// It can be told to the caller as it is: it names slots, and repeats no value.
///
/// ```
/// use tower_a2a_extensions::converse::{ConverseTool, InvocationOutcome, Slot, SlotType};
///
/// let tool = ConverseTool::new("book_table", "Book a table.").with_slot(Slot::required("partySize", SlotType::Integer));
/// let error = tool.read_input(r#"{"partySize": "4111 1111 1111 1111"}"#).unwrap_err();
/// assert_eq!(error.outcome(), &InvocationOutcome::NotStarted);
/// assert_eq!(error.to_string(), "`book_table` was not started: `/partySize` must be of type integer");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ToolInputError {
    tool_name: String,
    outcome: InvocationOutcome,
    problems: Vec<SlotProblem>,
}

impl ToolInputError {
    pub(super) fn new(tool_name: &str, outcome: InvocationOutcome, problems: Vec<SlotProblem>) -> Self {
        Self { tool_name: in_short(tool_name), outcome, problems }
    }

    /// About the input as a whole.
    pub(super) fn not_started(tool_name: &str, why: impl Into<String>) -> Self {
        let problem = SlotProblem { pointer: String::new(), slot: None, why: why.into() };
        Self::new(tool_name, InvocationOutcome::NotStarted, vec![problem])
    }

    /// The routine that was named. Where it is unknown, it is what the caller wrote, cut and ended by
    /// `…` after 80 characters, so that it can be put into a reply.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// What the reply says in `invocation.outcome`: `not_started` or `unknown_tool`.
    #[must_use]
    pub fn outcome(&self) -> &InvocationOutcome {
        &self.outcome
    }

    /// What was wrong, each with its slot, sorted by place; not more than 32.
    #[must_use]
    pub fn problems(&self) -> &[SlotProblem] {
        &self.problems
    }
}

impl fmt::Display for ToolInputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = quoted(&self.tool_name);
        if self.outcome == InvocationOutcome::UnknownTool {
            return write!(f, "no exposed routine is called {name}");
        }
        write!(f, "{name} was not started")?;
        for (index, problem) in self.problems.iter().enumerate() {
            write!(f, "{}{problem}", if index == 0 { ": " } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for ToolInputError {}

#[cfg(test)]
mod tests;

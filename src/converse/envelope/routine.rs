//! The routine that a turn touched, and what it waits for.

use serde_json::{Map, Value};

use super::members::{EnvelopePart, EnvelopeReadError, MemberReader, MemberWriter};
use crate::converse::card::{ConverseTool, Slot};
use crate::converse::words::words;

words! {
    /// How far a routine is: `routine.status`.
    RoutineStatus {
        /// It runs.
        Active = "active",
        /// It waits for values of the client.
        WaitingForInput = "waiting_for_input",
        /// It waits for somebody's approval.
        WaitingForApproval = "waiting_for_approval",
        /// It is done.
        Completed = "completed",
        /// It was given up.
        Abandoned = "abandoned",
    }
}

impl RoutineStatus {
    /// Whether nothing more comes of it. What a newer peer says is not known to be an end.
    pub(in crate::converse) fn is_end(&self) -> bool {
        matches!(self, Self::Completed | Self::Abandoned)
    }
}

/// A slot that is open: an entry of `routine.pendingInput`.
///
/// ```
/// use tower_a2a_extensions::converse::PendingInput;
///
/// let date = PendingInput::required("date", "string", "The day of the visit.");
/// assert!(date.is_required());
/// assert_eq!(date.key(), "date");
/// ```
///
/// A slot that the routine declares is one as it is:
///
/// ```
/// use tower_a2a_extensions::converse::{PendingInput, Slot, SlotType};
///
/// let guests = PendingInput::from(&Slot::required("partySize", SlotType::Integer));
/// assert_eq!(guests.value_type(), Some("integer"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PendingInput {
    key: String,
    value_type: Option<String>,
    required: Option<bool>,
    description: Option<String>,
    others: Map<String, Value>,
}

impl From<&Slot> for PendingInput {
    fn from(slot: &Slot) -> Self {
        let description = slot.description().map(str::to_owned);
        let (key, value_type) = (slot.key().to_owned(), Some(slot.slot_type().as_str().to_owned()));
        Self { key, value_type, required: Some(slot.is_required()), description, others: Map::new() }
    }
}

impl PendingInput {
    fn new(key: String, value_type: String, required: bool, description: String) -> Self {
        let (value_type, description) = (Some(value_type), Some(description));
        Self { key, value_type, required: Some(required), description, others: Map::new() }
    }

    /// A slot that the routine needs: its key, the type of its value as the tool's schema calls it,
    /// and what it is for.
    #[must_use]
    pub fn required(key: impl Into<String>, value_type: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(key.into(), value_type.into(), true, description.into())
    }

    /// Takes over what is missing from the card's slot.
    fn describe(&mut self, slot: &Slot) {
        self.value_type.get_or_insert_with(|| slot.slot_type().as_str().to_owned());
        self.required.get_or_insert_with(|| slot.is_required());
        if self.description.as_ref().is_none_or(String::is_empty) {
            self.description = slot.description().map(str::to_owned).or_else(|| self.description.take());
        }
    }

    /// A slot of the current step that may stay open.
    #[must_use]
    pub fn optional(key: impl Into<String>, value_type: impl Into<String>, description: impl Into<String>) -> Self {
        Self::new(key.into(), value_type.into(), false, description.into())
    }

    /// The slot's name.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The type of its value: `type`. Every peer of this version sends one.
    #[must_use]
    pub fn value_type(&self) -> Option<&str> {
        self.value_type.as_deref()
    }

    /// Whether the routine needs it. Where a peer does not say, it does.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required != Some(false)
    }

    /// What it is for. Every peer of this version says so.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl EnvelopePart for PendingInput {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            key: members.text("key")?,
            value_type: members.optional_text("type")?,
            required: members.optional_flag("required")?,
            description: members.optional_text("description")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set("key", self.key())
            .set_if("type", self.value_type())
            .set_if("required", self.required)
            .set_if("description", self.description())
            .finish()
    }
}

/// The routine that a turn touched: `routine`.
///
/// ```
/// use tower_a2a_extensions::converse::{PendingInput, Routine, RoutineStatus};
///
/// let booking = Routine::new("Book a table", RoutineStatus::WaitingForInput)
///     .with_tool_name("book_table")
///     .with_pending_input(PendingInput::required("partySize", "integer", "How many people come."));
/// assert_eq!(booking.pending_input().len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    tool_name: Option<String>,
    name: Option<String>,
    status: RoutineStatus,
    pending_input: Option<Vec<PendingInput>>,
    others: Map<String, Value>,
}

impl Routine {
    pub(super) fn describe_slots(&mut self, tool: &ConverseTool) {
        let pending = self.pending_input.iter_mut().flatten();
        let mut lacking = pending.filter(|slot| slot.description.as_ref().is_none_or(String::is_empty)).peekable();
        if lacking.peek().is_none() {
            return;
        }
        let slots = tool.slots().collect::<Vec<_>>();
        for pending in lacking {
            if let Some(slot) = slots.iter().find(|slot| slot.key() == pending.key) {
                pending.describe(slot);
            }
        }
    }

    /// A routine that is exposed as no tool, and waits for nothing.
    #[must_use]
    pub fn new(name: impl Into<String>, status: RoutineStatus) -> Self {
        Self { tool_name: None, name: Some(name.into()), status, pending_input: Some(Vec::new()), others: Map::new() }
    }

    /// Sets the name of the tool that it is exposed as.
    #[must_use]
    pub fn with_tool_name(mut self, tool_name: impl Into<String>) -> Self {
        self.tool_name = Some(tool_name.into());
        self
    }

    /// Adds an open slot. The list holds every required slot that is open, and the optional ones of
    /// the current step.
    #[must_use]
    pub fn with_pending_input(mut self, slot: PendingInput) -> Self {
        self.pending_input.get_or_insert_default().push(slot);
        self
    }

    /// The name of the tool that it is exposed as.
    #[must_use]
    pub fn tool_name(&self) -> Option<&str> {
        self.tool_name.as_deref()
    }

    /// Its name. Every peer of this version sends one.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// How far it is.
    #[must_use]
    pub fn status(&self) -> &RoutineStatus {
        &self.status
    }

    /// The open slots.
    #[must_use]
    pub fn pending_input(&self) -> &[PendingInput] {
        self.pending_input.as_deref().unwrap_or_default()
    }
}

impl EnvelopePart for Routine {
    fn read(mut members: MemberReader) -> Result<Self, EnvelopeReadError> {
        Ok(Self {
            tool_name: members.optional_text("toolName")?,
            name: members.optional_text("name")?,
            status: members.word("status")?,
            pending_input: members.parts("pendingInput")?,
            others: members.rest(),
        })
    }

    fn write(&self) -> Map<String, Value> {
        MemberWriter::new(&self.others)
            .set_if("toolName", self.tool_name())
            .set_if("name", self.name())
            .set("status", self.status.as_str())
            .parts("pendingInput", self.pending_input.as_deref())
            .finish()
    }
}

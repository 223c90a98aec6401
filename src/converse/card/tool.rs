//! A routine that the operator exposes as a tool (`params.tools[]`).

use serde_json::{Map, Value, json};

use super::input::{ToolInput, ToolInputError};
use super::schema::SchemaCell;
use super::slot::Slot;
use crate::binding::IncomingMessage;

/// A routine that is exposed as a tool, with the JSON Schema of its input.
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::converse::{ConverseTool, Slot, SlotType};
///
/// let book_table = ConverseTool::new("book_table", "Book a table for a date and party size.")
///     .with_slot(Slot::required("date", SlotType::String))
///     .with_slot(Slot::required("partySize", SlotType::Integer));
/// assert_eq!(book_table.input_schema()["properties"]["partySize"], json!({"type": "integer"}));
///
/// let input = book_table.read_input(r#"{"date": "2027-05-01", "partySize": 4}"#)?;
/// assert_eq!(input.get("partySize"), Some(&json!(4)));
///
/// let error = book_table.read_input(r#"{"date": 1}"#).unwrap_err();
/// let slots = error.problems().iter().map(|problem| problem.slot()).collect::<Vec<_>>();
/// assert_eq!(slots, [Some("date"), Some("partySize")]);
/// # Ok::<(), tower_a2a_extensions::converse::ToolInputError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ConverseTool {
    tool_name: String,
    description: String,
    input_schema: Value,
    compiled: SchemaCell,
}

impl ConverseTool {
    /// A routine without slots. `tool_name` is the id of the card's skill for it.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, description: impl Into<String>) -> Self {
        let input_schema = json!({"type": "object", "properties": {}});
        let (tool_name, description) = (tool_name.into(), description.into());
        Self { tool_name, description, input_schema, compiled: SchemaCell::default() }
    }

    /// Adds a slot to the schema. One with the same key is replaced.
    #[must_use]
    pub fn with_slot(mut self, slot: Slot) -> Self {
        self.change(|schema| slot.add_to(schema));
        self
    }

    /// Refuses members that are no slots, and with them an optional slot that is misspelt.
    ///
    /// It writes `additionalProperties: false` into the schema.
    ///
    /// ```
    /// use tower_a2a_extensions::converse::{ConverseTool, Slot, SlotType};
    ///
    /// let tool = ConverseTool::new("cut_hair", "Cut hair.").with_slot(Slot::optional("stylist", SlotType::String));
    /// assert!(tool.read_input(r#"{"stylsit": "Ann"}"#).is_ok());
    /// let error = tool.deny_unknown().read_input(r#"{"stylsit": "Ann"}"#).unwrap_err();
    /// assert_eq!(error.problems()[0].slot(), Some("stylsit"));
    /// ```
    #[must_use]
    pub fn deny_unknown(mut self) -> Self {
        self.change(|schema| drop(schema.insert("additionalProperties".into(), false.into())));
        self
    }

    fn change(&mut self, change: impl FnOnce(&mut Map<String, Value>)) {
        self.compiled = SchemaCell::default();
        match &mut self.input_schema {
            Value::Object(schema) => change(schema),
            other => {
                let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
                change(&mut schema);
                *other = schema.into();
            }
        }
    }

    /// Sets a schema that slots cannot say. Whether it is one is checked when a layer is built.
    #[must_use]
    pub fn with_input_schema(mut self, schema: impl Into<Value>) -> Self {
        self.compiled = SchemaCell::default();
        self.input_schema = schema.into();
        self
    }

    /// The routine's name, the id of its skill.
    #[must_use]
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The operator's description of the routine.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of its input.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.input_schema
    }

    /// The slots that the schema declares: its `properties`, and what it requires beside them. One
    /// that has no single type is of [`SlotType::Any`](super::SlotType::Any). What the schema says by
    /// reference or in branches alone is not looked for.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        Slot::of_schema(&self.input_schema)
    }

    /// Reads the input of a call, JSON, and checks it against the schema.
    ///
    /// With the feature `json-schema` every keyword of the schema counts. `format` does not: it is
    /// an annotation, as JSON Schema 2020-12 has it. Without the feature a schema that slots make
    /// (types, `required`, `additionalProperties` true or false) is checked as well; of any other no
    /// input is accepted, since nobody could say whether it fits.
    ///
    /// # Errors
    ///
    /// [`ToolInputError`] where the input does not fit: it names each slot and what is wrong with it.
    ///
    /// # Security
    ///
    /// An input of more than 64 KiB, one that nests deeper than 32 values (8, where the schema has a
    /// reference, since it may refer to itself), and one with a key twice in an object is refused.
    /// Where branches of the schema refer back to it, the work can grow with every level: an input
    /// that is too long for its depth is refused as well. A schema's `pattern` runs in linear time,
    /// and what it refers to is never fetched.
    ///
    /// The error tells what keywords ask for that do not branch and refer to nothing. Of the others it
    /// tells which slot does not meet them.
    pub fn read_input(&self, json: &str) -> Result<ToolInput, ToolInputError> {
        ToolInput::read(&self.tool_name, &self.input_schema, &self.compiled, json)
    }

    /// Like [`read_input`](Self::read_input), of a value that was read already: what a data Part
    /// holds under `data`.
    ///
    /// # Errors
    ///
    /// As [`read_input`](Self::read_input).
    pub fn read_value(&self, data: &Value) -> Result<ToolInput, ToolInputError> {
        self.read_input(&data.to_string())
    }

    /// Like [`read_input`](Self::read_input), of the data Part of a message that a gate reads.
    ///
    /// # Errors
    ///
    /// [`ToolInputError`] where the input does not fit, or the message has no data Part, or several.
    pub fn read_message(&self, message: &IncomingMessage) -> Result<ToolInput, ToolInputError> {
        let mut data = message.data();
        match (data.next(), data.next()) {
            (Some(json), None) => self.read_input(&json),
            (None, _) => Err(ToolInputError::not_started(&self.tool_name, "the message has no data Part")),
            (Some(_), Some(_)) => {
                Err(ToolInputError::not_started(&self.tool_name, "the message has more than one data Part"))
            }
        }
    }

    pub(super) fn compiled(&self) -> &SchemaCell {
        &self.compiled
    }

    /// Reads an entry as far as it can be read. What is wrong with it is for the rules to say.
    pub(super) fn read(entry: &Value) -> Self {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let tool = Self::new(text("toolName"), text("description"));
        tool.with_input_schema(entry.get("inputSchema").cloned().unwrap_or_default())
    }

    pub(super) fn to_value(&self) -> Value {
        json!({"toolName": self.tool_name, "description": self.description, "inputSchema": self.input_schema})
    }
}

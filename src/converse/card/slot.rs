//! A routine's declared slots, and the schema they make.

use serde_json::{Map, Value};

/// The type of a slot, one of JSON Schema's or any.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum SlotType {
    /// A text.
    String,
    /// A number without a fraction. `4.0` is one.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list.
    Array,
    /// A value with members of its own.
    Object,
    /// Whatever the schema says beyond one type: a choice of types or values, or a reference. A slot
    /// that is declared with it takes any value.
    Any,
}

impl SlotType {
    const ALL: [Self; 6] = [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Array, Self::Object];

    /// As a schema writes it; `any` for [`Any`](Self::Any), for which a schema writes no type.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Array => "array",
            Self::Object => "object",
            Self::Any => "any",
        }
    }

    pub(super) fn read(value: &Value) -> Option<Self> {
        Self::ALL.into_iter().find(|slot_type| value == slot_type.as_str())
    }
}

/// A declared slot of a routine: something that it has to be told, or may be.
///
/// ```
/// use tower_a2a_extensions::converse::{Slot, SlotType};
///
/// let date = Slot::required("date", SlotType::String).with_description("The day, such as 2027-05-01.");
/// assert!(date.is_required());
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Slot {
    key: String,
    slot_type: SlotType,
    required: bool,
    description: Option<String>,
}

impl Slot {
    /// A slot without which the routine cannot go on.
    #[must_use]
    pub fn required(key: impl Into<String>, slot_type: SlotType) -> Self {
        Self { key: key.into(), slot_type, required: true, description: None }
    }

    /// A slot that may stay empty.
    #[must_use]
    pub fn optional(key: impl Into<String>, slot_type: SlotType) -> Self {
        Self { required: false, ..Self::required(key, slot_type) }
    }

    /// Says in words what belongs there.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The member of the input that it is.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What kind of value it takes.
    #[must_use]
    pub fn slot_type(&self) -> SlotType {
        self.slot_type
    }

    /// Whether the routine needs it.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// What belongs there, in words.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The slots that an input schema declares: its properties, and what it requires beside them.
    pub(super) fn of_schema(schema: &Value) -> impl Iterator<Item = Self> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let declared = properties.into_iter().flatten().map(move |(key, property)| Self {
            key: key.clone(),
            slot_type: property.get("type").and_then(SlotType::read).unwrap_or(SlotType::Any),
            required: required.iter().any(|name| name == key),
            description: property.get("description").and_then(Value::as_str).map(str::to_owned),
        });
        let others = required.iter().filter_map(Value::as_str);
        let others = others.filter(move |name| properties.is_none_or(|properties| !properties.contains_key(*name)));
        declared.chain(others.map(|name| Self::required(name, SlotType::Any)))
    }

    /// Writes the slot into the schema of a routine's input; one of the same key is replaced.
    pub(super) fn add_to(self, schema: &mut Map<String, Value>) {
        let mut property = Map::new();
        if self.slot_type != SlotType::Any {
            property.insert("type".into(), self.slot_type.as_str().into());
        }
        if let Some(description) = self.description {
            property.insert("description".into(), description.into());
        }
        let key = self.key.clone();
        if let Value::Object(properties) = schema.entry("properties").or_insert_with(|| Map::new().into()) {
            properties.insert(self.key, property.into());
        }
        let mut required = match schema.remove("required") {
            Some(Value::Array(required)) => required,
            _ => Vec::new(),
        };
        required.retain(|name| *name != key);
        if self.required {
            required.push(key.into());
        }
        if !required.is_empty() {
            schema.insert("required".into(), required.into());
        }
    }
}

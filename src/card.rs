//! The Agent Card: its JSON as it is, and the members the crate reads.

mod interfaces;

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

pub use self::interfaces::CardInterface;
pub(crate) use self::interfaces::interface_findings;
use crate::findings::{BuildError, Findings};
use crate::json::read_value;

/// An Agent Card (A2A §4.4.1), kept as it was written.
///
/// It serialises to the text it was read from, unknown members and signatures included; only white
/// space around the object is dropped.
///
/// ```
/// use tower_a2a_extensions::AgentCard;
///
/// let card = AgentCard::from_json(r#"{"name": "Clerk", "skills": [{"id": "hours", "name": "Hours"}]}"#)?;
/// assert_eq!(card.skills().next().and_then(|skill| skill.id()), Some("hours"));
/// assert_eq!(serde_json::to_string(&card).unwrap(), card.source());
/// # Ok::<(), tower_a2a_extensions::BuildError>(())
/// ```
#[derive(Clone)]
pub struct AgentCard {
    raw: Box<RawValue>,
    view: Value,
}

impl AgentCard {
    /// Reads a card.
    ///
    /// # Errors
    ///
    /// [`BuildError`] where the text is no JSON object.
    pub fn from_json(json: impl Into<String>) -> Result<Self, BuildError> {
        let raw = RawValue::from_string(json.into()).map_err(|error| no_card(&error.to_string()))?;
        let view = read_value(raw.get().as_bytes());
        let view = view.ok_or_else(|| no_card("it is nested too deeply, or a number in it is out of range"))?;
        if view.is_object() { Ok(Self { raw, view }) } else { Err(no_card("it is no JSON object")) }
    }

    /// Takes whatever serialises to a card: this type, a [`serde_json::Value`], an SDK's card type.
    ///
    /// # Errors
    ///
    /// [`BuildError`] where it does not serialise, or not to a JSON object.
    pub fn from_serialize(card: impl Serialize) -> Result<Self, BuildError> {
        let json = serde_json::to_string(&card).map_err(|error| no_card(&error.to_string()))?;
        Self::from_json(json)
    }

    /// The JSON text it was read from.
    #[must_use]
    pub fn source(&self) -> &str {
        self.raw.get()
    }

    /// The whole card as a value, for members this type does not name.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.view
    }

    /// The skills, in the card's order.
    pub fn skills(&self) -> impl Iterator<Item = CardSkill<'_>> {
        array(&self.view, "/skills").iter().enumerate().map(|(index, value)| CardSkill { index, value })
    }

    /// The skill with this id.
    #[must_use]
    pub fn skill(&self, id: &str) -> Option<CardSkill<'_>> {
        self.skills().find(|skill| skill.id() == Some(id))
    }

    /// The declared extensions (`capabilities.extensions`), in the card's order.
    pub fn extensions(&self) -> impl Iterator<Item = DeclaredExtension<'_>> {
        array(&self.view, "/capabilities/extensions")
            .iter()
            .enumerate()
            .map(|(index, value)| DeclaredExtension { index, value })
    }

    /// The supported interfaces, in the card's order. A 0.3 card's `url` and
    /// `additionalInterfaces` count as well.
    pub fn interfaces(&self) -> impl Iterator<Item = CardInterface<'_>> {
        interfaces::all(&self.view)
    }

    /// Whether the agent streams (`capabilities.streaming`); `None` where the card does not say.
    #[must_use]
    pub fn streaming(&self) -> Option<bool> {
        self.view.pointer("/capabilities/streaming").and_then(Value::as_bool)
    }

    /// The operator's name (`provider.organization`).
    #[must_use]
    pub fn organization(&self) -> Option<&str> {
        self.view.pointer("/provider/organization").and_then(Value::as_str).filter(|name| !name.trim().is_empty())
    }
}

impl Serialize for AgentCard {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

impl fmt::Debug for AgentCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AgentCard").field(&self.view).finish()
    }
}

/// What asks for sign-in, of a card or a skill, in every spelling that a reader takes.
pub(crate) const SIGN_IN: [&str; 3] = ["securityRequirements", "security_requirements", "security"];

/// A skill of a card (A2A §4.4.5).
#[derive(Clone, Copy, Debug)]
pub struct CardSkill<'a> {
    index: usize,
    value: &'a Value,
}

impl<'a> CardSkill<'a> {
    /// Its `id`.
    #[must_use]
    pub fn id(&self) -> Option<&'a str> {
        string(self.value, "id")
    }

    /// Its `name`.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        string(self.value, "name")
    }

    /// Its `examples`.
    pub fn examples(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        array(self.value, "/examples").iter().filter_map(Value::as_str)
    }

    /// Whether a person has to sign in: `securityRequirements` (also as `security_requirements`, which
    /// ProtoJSON readers take), or 0.3's `security`, is there and not empty. In doubt (not an array) it is.
    #[must_use]
    pub fn needs_sign_in(&self) -> bool {
        SIGN_IN.into_iter().filter_map(|name| self.value.get(name)).any(|value| match value {
            Value::Null => false,
            Value::Array(requirements) => !requirements.is_empty(),
            _ => true,
        })
    }

    /// The skill as a value.
    #[must_use]
    pub fn as_value(&self) -> &'a Value {
        self.value
    }

    /// Where it stands in the card, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("/skills/{}", self.index)
    }
}

/// An extension that a card declares (A2A §4.4.4).
#[derive(Clone, Copy, Debug)]
pub struct DeclaredExtension<'a> {
    index: usize,
    value: &'a Value,
}

impl<'a> DeclaredExtension<'a> {
    /// Its `uri`, if that is a string.
    #[must_use]
    pub fn uri(&self) -> Option<&'a str> {
        string(self.value, "uri")
    }

    /// Whether clients must support it.
    #[must_use]
    pub fn required(&self) -> bool {
        self.value.get("required").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Its `params`.
    #[must_use]
    pub fn params(&self) -> Option<&'a Value> {
        self.value.get("params")
    }

    /// The declaration as a value.
    #[must_use]
    pub fn as_value(&self) -> &'a Value {
        self.value
    }

    /// Where it stands in the card, as a JSON pointer.
    #[must_use]
    pub fn pointer(&self) -> String {
        format!("/capabilities/extensions/{}", self.index)
    }
}

fn no_card(why: &str) -> BuildError {
    let mut findings = Findings::default();
    findings.error("card", "", format!("this is no Agent Card: {why}"));
    BuildError { findings }
}

fn string<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

fn array<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

//! The schemas that slots make, checked without a validator crate.

use serde_json::{Map, Value};

use super::super::slot::SlotType;
use super::{MAX_TOLD, SchemaFault, Violation, missing, no_slot, token, wrong_type};

/// Keywords that say something to people, and nothing about an input.
const ANNOTATIONS: [&str; 5] = ["title", "description", "default", "examples", "$comment"];
const DRAFTS: [&str; 2] = ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"];

/// A schema of slots, or `None` where a keyword of it is beyond that: then no input is accepted.
#[derive(Debug)]
pub(super) struct SlotsOnlyCheck(Option<SlotsSchema>);

#[derive(Debug)]
struct SlotsSchema {
    properties: Map<String, Value>,
    required: Vec<String>,
    /// `additionalProperties` is not false.
    open: bool,
}

impl SlotsOnlyCheck {
    #[allow(clippy::unnecessary_wraps, reason = "the full check finds faults")]
    pub(super) fn compile(schema: &Value) -> Result<Self, Vec<SchemaFault>> {
        Ok(Self(SlotsSchema::read(schema)))
    }

    pub(super) fn is_unchecked(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn violations(&self, input: &Value) -> Vec<Violation> {
        match (&self.0, input) {
            (Some(schema), Value::Object(members)) => schema.violations(members),
            (Some(_), _) => vec![Violation { pointer: String::new(), why: wrong_type("object") }],
            (None, _) => {
                let why = "this agent cannot check inputs against the schema of this routine".to_owned();
                vec![Violation { pointer: String::new(), why }]
            }
        }
    }
}

impl SlotsSchema {
    /// Reads a schema of which every keyword is understood.
    fn read(schema: &Value) -> Option<Self> {
        let mut read = Self { properties: Map::new(), required: Vec::new(), open: true };
        for (keyword, value) in schema.as_object()? {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) if properties.values().all(is_plain_property) => {
                    read.properties = properties.clone();
                }
                ("required", Value::Array(names)) => {
                    read.required = names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<_>>()?;
                }
                ("additionalProperties", Value::Bool(open)) => read.open = *open,
                ("$schema", Value::String(draft)) if DRAFTS.contains(&draft.as_str()) => {}
                ("type", value) if value == "object" => {}
                (annotation, _) if ANNOTATIONS.contains(&annotation) => {}
                _ => return None,
            }
        }
        // Without its type a schema accepts what is no object.
        schema.get("type").is_some().then_some(read)
    }

    fn violations(&self, members: &Map<String, Value>) -> Vec<Violation> {
        let at = |key: &str, why: String| Violation { pointer: format!("/{}", token(key)), why };
        let absent = self.required.iter().filter(|name| !members.contains_key(*name)).map(|name| at(name, missing()));
        let unfit = members.iter().filter_map(|(key, value)| match self.properties.get(key) {
            None if self.open => None,
            None => Some(at(key, no_slot())),
            Some(property) => {
                let slot_type = SlotType::read(property.get("type")?)?;
                (!slot_type.is_of(value)).then(|| at(key, wrong_type(slot_type.as_str())))
            }
        });
        absent.chain(unfit).take(MAX_TOLD).collect()
    }
}

fn is_plain_property(property: &Value) -> bool {
    property.as_object().is_some_and(|keywords| {
        keywords.iter().all(|(keyword, value)| match keyword.as_str() {
            "type" => SlotType::read(value).is_some(),
            annotation => ANNOTATIONS.contains(&annotation),
        })
    })
}

impl SlotType {
    fn is_of(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::String => value.is_string(),
            Self::Boolean => value.is_boolean(),
            Self::Array => value.is_array(),
            Self::Object => value.is_object(),
            Self::Number => value.is_number(),
            Self::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
        }
    }
}

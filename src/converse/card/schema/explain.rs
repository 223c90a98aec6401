//! What is wrong with an input, as far as it can be told in a time that the input's length bounds.
//!
//! Each value has one place in a schema as long as no keyword branches or refers. Only what such
//! keywords ask for is told; of the others the caller is told that they are not met.

use std::collections::HashMap;

use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use super::validation::{build, reasons};
use super::{MAX_TOLD, Violation, missing, no_slot, token, wrong_type};
use crate::findings::quoted;

/// Keywords that look at a value and not into it.
pub(super) const PLAIN_KEYWORDS: [&str; 17] = [
    "enum",
    "const",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "type",
];

/// A place of a schema, without what branches or refers.
#[derive(Debug, Default)]
pub(super) struct SchemaPlace {
    types: Vec<String>,
    plain: Option<Validator>,
    required: Vec<String>,
    members: HashMap<String, Self>,
    /// `additionalProperties: false`, with the patterns of keys that are slots nonetheless.
    closed: Option<Option<Validator>>,
    elements: Option<Box<Self>>,
}

impl SchemaPlace {
    /// Reads a subschema. What cannot be read is left out: then less is told.
    pub(super) fn read(schema: &Value, draft: Draft, is_root: bool) -> Self {
        let Value::Object(keywords) = schema else { return Self::default() };
        let ends = |keyword: &str| keywords.get(keyword).is_some_and(Value::is_string);
        let hides_others = ends("$ref") && matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
        if hides_others || (!is_root && (ends("$id") || ends("id") || ends("$schema"))) {
            return Self::default();
        }
        let members = keywords.get("properties").and_then(Value::as_object).into_iter().flatten();
        let items = keywords.get("items").filter(|_| !keywords.contains_key("prefixItems"));
        // In draft 4 a number without a fraction is no integer when it is written with one.
        let types = if draft == Draft::Draft4 { Vec::new() } else { strings(keywords.get("type")) };
        Self {
            plain: plain_keywords(keywords, draft, types.is_empty()),
            types,
            required: strings(keywords.get("required").filter(|names| names.is_array())),
            members: members.map(|(key, schema)| (key.clone(), Self::read(schema, draft, false))).collect(),
            closed: (keywords.get("additionalProperties") == Some(&Value::Bool(false)))
                .then(|| keys_by_pattern(keywords, draft)),
            elements: items.map(|items| Box::new(Self::read(items, draft, false))),
        }
    }

    /// Adds what is wrong with a value, and what is in it, until enough is told.
    pub(super) fn explain(&self, value: &Value, pointer: &str, told: &mut Vec<Violation>) {
        let mut tell = |violation: Violation| {
            if told.len() < MAX_TOLD {
                told.push(violation);
            }
        };
        if !self.types.is_empty() && !self.types.iter().any(|name| is_of_type(value, name)) {
            tell(Violation { pointer: pointer.to_owned(), why: wrong_type(&self.types.join(" or ")) });
            return;
        }
        if let Some(plain) = self.plain.as_ref().filter(|plain| !plain.is_valid(value)) {
            for error in plain.iter_errors(value) {
                let why = reasons(&error).unwrap_or_else(|| not_met(error.kind().keyword()));
                tell(Violation { pointer: pointer.to_owned(), why });
            }
        }
        match value {
            Value::Object(members) => self.explain_members(members, pointer, told),
            Value::Array(elements) => {
                let place = self.elements.as_ref();
                for (index, element) in elements.iter().enumerate().take_while(|_| place.is_some()) {
                    if told.len() == MAX_TOLD {
                        return;
                    }
                    if let Some(place) = place {
                        place.explain(element, &format!("{pointer}/{index}"), told);
                    }
                }
            }
            _ => {}
        }
    }

    fn explain_members(&self, members: &Map<String, Value>, pointer: &str, told: &mut Vec<Violation>) {
        let at = |key: &str| format!("{pointer}/{}", token(key));
        let room = |told: &Vec<Violation>| MAX_TOLD.saturating_sub(told.len());
        let absent = self.required.iter().filter(|name| !members.contains_key(*name)).take(room(told));
        told.extend(absent.map(|name| Violation { pointer: at(name), why: missing() }));
        for (key, value) in members {
            if room(told) == 0 {
                return;
            }
            match (self.members.get(key), &self.closed) {
                (Some(place), _) => place.explain(value, &at(key), told),
                (None, Some(patterns)) => {
                    let is_slot = patterns.as_ref().is_some_and(|keys| keys.is_valid(&Value::String(key.clone())));
                    if !is_slot {
                        told.push(Violation { pointer: at(key), why: no_slot() });
                    }
                }
                (None, None) => {}
            }
        }
    }
}

fn not_met(keyword: &str) -> String {
    format!("does not meet {} of the schema", quoted(keyword))
}

/// A keyword's string, or its strings.
fn strings(value: Option<&Value>) -> Vec<String> {
    let all = match value {
        Some(Value::Array(all)) => all.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn plain_keywords(keywords: &Map<String, Value>, draft: Draft, with_type: bool) -> Option<Validator> {
    let is_plain = |name: &str| PLAIN_KEYWORDS.contains(&name) && (with_type || name != "type");
    let plain = keywords.iter().filter(|(name, _)| is_plain(name));
    let plain = plain.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>();
    if plain.is_empty() { None } else { build(&plain.into(), draft).ok() }
}

/// What a key that is no property must be nonetheless, where the schema has patterns of keys.
fn keys_by_pattern(keywords: &Map<String, Value>, draft: Draft) -> Option<Validator> {
    let patterns = keywords.get("patternProperties")?.as_object()?;
    let patterns = patterns.keys().map(|pattern| serde_json::json!({"pattern": pattern})).collect::<Vec<_>>();
    if patterns.is_empty() { None } else { build(&serde_json::json!({"anyOf": patterns}), draft).ok() }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        // The validator knows.
        _ => true,
    }
}

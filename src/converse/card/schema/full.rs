//! Every keyword of JSON Schema, by the validator crate.

use std::collections::HashSet;

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Registry, Validator};
use serde_json::Value;

use super::explain::{PLAIN_KEYWORDS, SchemaPlace};
use super::validation::{build, options, reasons};
use super::{MAX_TOLD, PLAIN, SchemaFault, Violation, has_reference, token};
use crate::findings::quoted;

/// A pointer's characters that a reference has escaped.
const ESCAPED: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC.remove(b'/');

#[derive(Debug)]
pub(super) struct FullCheck {
    validator: Validator,
    place: SchemaPlace,
    slots: SlotValidators,
}

impl FullCheck {
    pub(super) fn compile(schema: &Value) -> Result<Self, Vec<SchemaFault>> {
        let faults = faults_by_meta_schema(schema);
        if !faults.is_empty() {
            return Err(faults);
        }
        let draft = Draft::default().detect(schema);
        let validator = build(schema, draft).map_err(|error| vec![fault(&error)])?;
        let (place, slots) = (SchemaPlace::read(schema, draft, true), SlotValidators::read(schema, draft));
        Ok(Self { validator, place, slots })
    }

    /// The validator itself could list more. But it lists all that is wrong in every branch before
    /// it gives the first, and branches multiply.
    pub(super) fn violations(&self, input: &Value) -> Vec<Violation> {
        if self.validator.is_valid(input) {
            return Vec::new();
        }
        let mut told = Vec::new();
        self.place.explain(input, "", &mut told);
        self.slots.explain(input, &mut told);
        if told.is_empty() {
            told.push(Violation { pointer: String::new(), why: "does not fit the schema".to_owned() });
        }
        told
    }

    #[allow(clippy::unused_self, reason = "the check without the validator needs it")]
    pub(super) fn is_unchecked(&self) -> bool {
        false
    }
}

/// Validators of what a slot may be, where more is to be said of it than its place in the schema tells.
#[derive(Debug, Default)]
struct SlotValidators {
    slots: Vec<(String, Validator)>,
    declared: HashSet<String>,
    others: Option<Validator>,
}

impl SlotValidators {
    fn read(schema: &Value, draft: Draft) -> Self {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Self { others: others(schema, draft), ..Self::default() };
        };
        let slots = properties.iter().filter(|(_, property)| property.is_boolean() || !is_flat(property));
        let slots = slots.filter_map(|(key, property)| {
            let pointer = format!("/properties/{}", token(key));
            Some((key.clone(), part(schema, property, &pointer, draft)?))
        });
        Self { slots: slots.collect(), declared: properties.keys().cloned().collect(), others: others(schema, draft) }
    }

    fn explain(&self, input: &Value, told: &mut Vec<Violation>) {
        let Value::Object(members) = input else { return };
        let slots = self.slots.iter().filter_map(|(key, validator)| Some((key, validator, members.get(key)?)));
        let others = members.iter().filter(|(key, _)| !self.declared.contains(*key));
        let others = others.filter_map(|(key, value)| Some((key, self.others.as_ref()?, value)));
        for (key, validator, value) in slots.chain(others) {
            if told.len() >= MAX_TOLD {
                return;
            }
            let pointer = format!("/{}", token(key));
            let is_within = |told: &Violation| {
                told.pointer.strip_prefix(&pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            if !told.iter().any(is_within) && !validator.is_valid(value) {
                told.push(Violation { pointer, why: "does not fit what the schema asks of it".to_owned() });
            }
        }
    }
}

/// What members must be that are no declared slots, unless keys have patterns as well.
fn others(schema: &Value, draft: Draft) -> Option<Validator> {
    let others = schema.get("additionalProperties").filter(|others| others.is_object())?;
    let has_patterns = schema.get("patternProperties").is_some();
    if has_patterns { None } else { part(schema, others, "/additionalProperties", draft) }
}

/// Whether the place of a subschema tells all that it can say.
fn is_flat(property: &Value) -> bool {
    let Value::Object(keywords) = property else { return false };
    keywords.keys().all(|keyword| {
        let tells = PLAIN_KEYWORDS.contains(&keyword.as_str());
        tells || matches!(keyword.as_str(), "title" | "description" | "default" | "examples" | "$comment" | "format")
    })
}

/// The validator of a part of a schema.
fn part(schema: &Value, part: &Value, pointer: &str, draft: Draft) -> Option<Validator> {
    if !has_reference(part) {
        return build(part, draft).ok();
    }
    let root = "urn:x-input-schema";
    let registry = Registry::new().draft(draft).add(root, schema).ok()?.prepare().ok()?;
    let fragment = percent_encoding::utf8_percent_encode(pointer, ESCAPED);
    let reference = serde_json::json!({"$ref": format!("{root}#{fragment}")});
    options(draft).with_registry(&registry).build(&reference).ok()
}

/// All that a draft's meta-schema says, where the draft is one that the crate knows.
fn faults_by_meta_schema(schema: &Value) -> Vec<SchemaFault> {
    if Draft::default().detect(schema) == Draft::Unknown {
        let why = "its `$schema` is no draft of JSON Schema that is known here".to_owned();
        let help = "take it out, or write `https://json-schema.org/draft/2020-12/schema`";
        return vec![SchemaFault { pointer: "/$schema".to_owned(), why, help }];
    }
    let validator = match jsonschema::meta::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => return vec![fault(&error)],
    };
    let mut faults: Vec<SchemaFault> = Vec::new();
    // One place is told once for each vocabulary that it is part of.
    for fault in validator.iter_errors(schema).map(|error| fault(&error)) {
        if faults.len() < MAX_TOLD && !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn fault(error: &ValidationError<'_>) -> SchemaFault {
    let pointer = error.instance_path().as_str();
    let member = pointer.rsplit('/').next().unwrap_or_default();
    let (why, help) = match error.kind() {
        ValidationErrorKind::Referencing(error) => {
            let why = format!("it refers to what is not in it, and nothing is fetched: {}", quoted(&error.to_string()));
            (why, "put what it refers to under its own `$defs`")
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            let why = "this is no regular expression, or too large a one, or one that cannot be matched in linear time";
            (why.to_owned(), "write it without look-around and back-references")
        }
        _ => match reasons(error) {
            Some(reason) => (format!("a JSON Schema is written otherwise: this {reason}"), PLAIN),
            None => {
                (format!("a JSON Schema is written otherwise: this cannot be the value of {}", quoted(member)), PLAIN)
            }
        },
    };
    SchemaFault { pointer: pointer.to_owned(), why, help }
}

//! A routine's input schema, ready to check inputs.

#[cfg(feature = "json-schema")]
mod explain;
#[cfg(feature = "json-schema")]
mod full;
#[cfg(any(test, not(feature = "json-schema")))]
mod slots_only;
#[cfg(feature = "json-schema")]
mod validation;
mod weight;

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

#[cfg(feature = "json-schema")]
use self::full::FullCheck as SchemaCheck;
#[cfg(not(feature = "json-schema"))]
use self::slots_only::SlotsOnlyCheck as SchemaCheck;
use self::weight::SchemaWeight;
use crate::shield::shielded;

/// So deep an input may nest.
const MAX_DEPTH: usize = 32;
/// The same where the schema may refer to itself: each level can multiply the work.
const MAX_DEPTH_WITH_REFERENCES: usize = 8;
/// So deep a schema may nest, as deep as serde_json reads.
const MAX_NESTING: usize = 127;
/// A schema of more values is none.
const MAX_SCHEMA: usize = 50_000;
/// So many problems of one input or schema are told.
const MAX_TOLD: usize = 32;

/// Something in an input that does not fit. `why` repeats the schema at most.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Violation {
    pub(super) pointer: String,
    pub(super) why: String,
}

/// Something in a schema that makes it none. `pointer` is within the schema.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct SchemaFault {
    pub(super) pointer: String,
    pub(super) why: String,
    /// What to write instead.
    pub(super) help: &'static str,
}

impl SchemaFault {
    /// About the schema as a whole.
    fn whole(why: &str) -> Self {
        Self { pointer: String::new(), why: why.to_owned(), help: PLAIN }
    }
}

/// The shape of a schema, for a help.
const PLAIN: &str = "write a JSON Schema object such as `{\"type\": \"object\", \"properties\": {}}`";

/// A schema that was compiled.
#[derive(Debug)]
pub(super) struct InputSchema {
    check: SchemaCheck,
    weight: SchemaWeight,
    max_depth: usize,
}

impl InputSchema {
    pub(super) fn compile(schema: &Value) -> Result<Self, Vec<SchemaFault>> {
        if !schema.is_object() {
            return Err(vec![SchemaFault::whole("`inputSchema` must be a JSON Schema object")]);
        }
        if !is_within_bounds(schema) {
            return Err(vec![SchemaFault::whole("it nests too deeply, or holds too many values")]);
        }
        let check = shielded(|| SchemaCheck::compile(schema));
        let check = check.unwrap_or_else(|_| Err(vec![SchemaFault::whole("it cannot be read as a JSON Schema")]));
        let max_depth = if has_reference(schema) { MAX_DEPTH_WITH_REFERENCES } else { MAX_DEPTH };
        Ok(Self { check: check?, weight: SchemaWeight::of(schema).map_err(|fault| vec![fault])?, max_depth })
    }

    /// Whether an input of so many bytes can be checked in bounded time.
    pub(super) fn can_check(&self, input: &Value, length: usize) -> bool {
        self.weight.allows(length, depth_of(input))
    }

    pub(super) fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// What of an input does not fit, sorted by place; empty where all does.
    pub(super) fn violations(&self, input: &Value) -> Vec<Violation> {
        let mut violations = shielded(|| self.check.violations(input)).unwrap_or_else(|_| {
            let why = "the input could not be checked".to_owned();
            vec![Violation { pointer: String::new(), why }]
        });
        violations.sort();
        violations
    }

    /// Whether every input is refused because this build cannot check them.
    pub(super) fn is_unchecked(&self) -> bool {
        self.check.is_unchecked()
    }
}

fn is_within_bounds(schema: &Value) -> bool {
    let (mut open, mut count) = (vec![(schema, 0)], 0);
    while let Some((value, depth)) = open.pop() {
        count += 1;
        if depth == MAX_NESTING || count > MAX_SCHEMA {
            return false;
        }
        match value {
            Value::Object(members) => open.extend(members.values().map(|value| (value, depth + 1))),
            Value::Array(elements) => open.extend(elements.iter().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    true
}

/// How many objects and arrays are around the innermost value, which nests within the bounds of inputs.
fn depth_of(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(depth_of).max().unwrap_or_default(),
        Value::Array(elements) => 1 + elements.iter().map(depth_of).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Whether a keyword that refers stands anywhere in the schema.
fn has_reference(schema: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                if ["$ref", "$dynamicRef", "$recursiveRef"].into_iter().any(|name| members.contains_key(name)) {
                    return true;
                }
                open.extend(members.values());
            }
            Value::Array(elements) => open.extend(elements),
            _ => {}
        }
    }
    false
}

/// A schema that is compiled when it is first used. Two cells never differ: what they hold follows
/// from the schema beside them.
#[derive(Clone, Default)]
pub(super) struct SchemaCell(OnceLock<Arc<Result<InputSchema, Vec<SchemaFault>>>>);

impl SchemaCell {
    pub(super) fn get(&self, schema: &Value) -> Result<&InputSchema, &[SchemaFault]> {
        let compiled = self.0.get_or_init(|| Arc::new(InputSchema::compile(schema)));
        compiled.as_ref().as_ref().map_err(Vec::as_slice)
    }
}

impl PartialEq for SchemaCell {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for SchemaCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SchemaCell").field(&self.0.get().map(|compiled| compiled.is_ok())).finish()
    }
}

/// A key as a token of a pointer.
fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn missing() -> String {
    "is required, and missing".to_owned()
}

fn no_slot() -> String {
    "is no slot of this routine".to_owned()
}

fn wrong_type(types: &str) -> String {
    format!("must be of type {types}")
}

#[cfg(test)]
mod tests;

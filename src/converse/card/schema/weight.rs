//! How much work a schema makes of an input: a bound that holds for every input.
//!
//! A value of the input is looked at once by each subschema that a way through the schema leads to.
//! Branches multiply the ways with each level, where they refer back to where they came from or to
//! each other. What the validator remembers on the way is not counted on.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{MAX_DEPTH_WITH_REFERENCES, PLAIN, SchemaFault, has_reference};

/// So many looks, times the length of an input in bytes, are allowed.
const MAX_WORK: u64 = 1 << 26;
/// A schema with which not even an input of so many bytes and two levels can be checked is none.
const SMALL_INPUT: usize = 256;
/// So many subschemas may apply to one value by way of each other.
const MAX_HOPS: usize = 64;
/// To find what is evaluated, `unevaluated…` goes through the branches again.
const UNEVALUATED_FACTOR: u64 = 4;

/// How often one value of an input is looked at, and those around it, by the depth of the input.
#[derive(Debug)]
pub(super) struct SchemaWeight(Vec<u64>);

impl SchemaWeight {
    pub(super) fn of(schema: &Value) -> Result<Self, SchemaFault> {
        let has_reference = has_reference(schema);
        let depths =
            if has_reference { 0..=MAX_DEPTH_WITH_REFERENCES } else { super::MAX_NESTING..=super::MAX_NESTING };
        let mut scale = Scale { root: schema, has_reference, known: HashMap::new() };
        let weights = depths.map(|depth| scale.visits(schema, depth, 0)).collect::<Result<Vec<_>, _>>();
        let weight = Self(weights.map_err(Unbounded::fault)?);
        if weight.allows(SMALL_INPUT, 2) { Ok(weight) } else { Err(Unbounded::Heavy.fault()) }
    }

    /// Whether an input of this length and depth can be checked in bounded time.
    pub(super) fn allows(&self, length: usize, depth: usize) -> bool {
        let visits = self.0.get(depth).or(self.0.last()).copied().unwrap_or(u64::MAX);
        u64::try_from(length).is_ok_and(|length| length.saturating_mul(visits) <= MAX_WORK)
    }
}

/// Why no bound was found.
enum Unbounded {
    Loop,
    Elsewhere,
    Heavy,
}

impl Unbounded {
    fn fault(self) -> SchemaFault {
        let (why, help) = match self {
            Self::Loop => (
                "subschemas that apply to the same value lead to each other in a circle, or too far",
                "let what refers to itself go into a member or an element first",
            ),
            Self::Elsewhere => (
                "one of its references cannot be followed, so the work of a check has no bound",
                "refer with `#`, `#/$defs/…` or an anchor, and have no `$id` within the schema",
            ),
            Self::Heavy => ("it branches too often: even a short input would take long to check", PLAIN),
        };
        SchemaFault { help, ..SchemaFault::whole(why) }
    }
}

struct Scale<'a> {
    root: &'a Value,
    has_reference: bool,
    /// By the place of the subschema in memory, and the levels below it.
    known: HashMap<(usize, usize), u64>,
}

impl<'a> Scale<'a> {
    /// How often the values on one way into an input are looked at, `depth` levels down.
    fn visits(&mut self, schema: &'a Value, depth: usize, hops: usize) -> Result<u64, Unbounded> {
        let Value::Object(members) = schema else { return Ok(1) };
        let place = (std::ptr::from_ref(schema).addr(), depth);
        if let Some(known) = self.known.get(&place) {
            return Ok(*known);
        }
        if hops == MAX_HOPS {
            return Err(Unbounded::Loop);
        }
        let has_id = ["$id", "id"].into_iter().any(|name| members.get(name).is_some_and(Value::is_string));
        if self.has_reference && has_id && !std::ptr::eq(schema, self.root) {
            return Err(Unbounded::Elsewhere);
        }
        let here = self.in_place(members, depth, hops)?;
        let below = match depth.checked_sub(1) {
            Some(depth) => self.members(members, depth)?.max(self.elements(members, depth)?),
            None => 0,
        };
        let own = members.values().map(|value| match value {
            Value::Array(elements) => elements.len(),
            Value::Object(members) => members.len(),
            _ => 1,
        });
        // A lookup costs the same however many properties there are.
        let lookups = members.get("properties").and_then(Value::as_object).map_or(0, Map::len);
        let own = own.sum::<usize>().saturating_sub(lookups);
        let visits =
            u64::try_from(own).unwrap_or(u64::MAX).saturating_add(1).saturating_add(here).saturating_add(below);
        self.known.insert(place, visits);
        Ok(visits)
    }

    /// What applies to the same value.
    fn in_place(&mut self, members: &'a Map<String, Value>, depth: usize, hops: usize) -> Result<u64, Unbounded> {
        let mut sum: u64 = 0;
        for (keyword, value) in members {
            let subschemas: Box<dyn Iterator<Item = &'a Value>> = match (keyword.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => Box::new(all.iter()),
                ("not" | "if" | "then" | "else", one) => Box::new(std::iter::once(one)),
                ("dependentSchemas" | "dependencies", Value::Object(all)) => Box::new(all.values()),
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    Box::new(std::iter::once(self.target(reference).ok_or(Unbounded::Elsewhere)?))
                }
                _ => continue,
            };
            for subschema in subschemas {
                sum = sum.saturating_add(self.visits(subschema, depth, hops + 1)?);
            }
        }
        let is_again = members.contains_key("unevaluatedProperties") || members.contains_key("unevaluatedItems");
        Ok(sum.saturating_mul(if is_again { UNEVALUATED_FACTOR } else { 1 }))
    }

    /// What applies to one member: it is one of `properties` at most.
    fn members(&mut self, members: &'a Map<String, Value>, depth: usize) -> Result<u64, Unbounded> {
        let named = members.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let mut sum = self.heaviest(named, depth)?;
        let patterns = members.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let others = ["additionalProperties", "unevaluatedProperties", "propertyNames"];
        for subschema in patterns.chain(others.into_iter().filter_map(|keyword| members.get(keyword))) {
            sum = sum.saturating_add(self.visits(subschema, depth, 0)?);
        }
        Ok(sum)
    }

    /// What applies to one element: it is one of those with a place of their own at most.
    fn elements(&mut self, members: &'a Map<String, Value>, depth: usize) -> Result<u64, Unbounded> {
        let lists = ["prefixItems", "items"].into_iter().filter_map(|keyword| members.get(keyword)?.as_array());
        let mut sum = self.heaviest(lists.flatten(), depth)?;
        for keyword in ["items", "additionalItems", "unevaluatedItems", "contains"] {
            if let Some(subschema) = members.get(keyword) {
                sum = sum.saturating_add(self.visits(subschema, depth, 0)?);
            }
        }
        Ok(sum)
    }

    fn heaviest(&mut self, all: impl Iterator<Item = &'a Value>, depth: usize) -> Result<u64, Unbounded> {
        let mut heaviest = 0;
        for subschema in all {
            heaviest = self.visits(subschema, depth, 0)?.max(heaviest);
        }
        Ok(heaviest)
    }

    /// What a reference means. Without a `$id` inside, the schema is all that a name can be found in.
    fn target(&self, reference: &str) -> Option<&'a Value> {
        let own = self.root.get("$id").and_then(Value::as_str).map(|id| id.trim_end_matches('#'));
        let reference = own.and_then(|own| reference.strip_prefix(own)).unwrap_or(reference);
        let fragment = match reference.strip_prefix('#') {
            Some(fragment) => percent_encoding::percent_decode_str(fragment).decode_utf8().ok()?,
            None if reference.is_empty() => return Some(self.root),
            None => return None,
        };
        if fragment.is_empty() || fragment.starts_with('/') {
            return self.root.pointer(&fragment);
        }
        let mut open = vec![self.root];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(members) => {
                    let is_name = |keyword: &str| members.get(keyword).is_some_and(|name| *name == *fragment);
                    if is_name("$anchor") || is_name("$dynamicAnchor") {
                        return Some(value);
                    }
                    open.extend(members.values());
                }
                Value::Array(elements) => open.extend(elements),
                _ => {}
            }
        }
        None
    }
}

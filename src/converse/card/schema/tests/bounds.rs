//! Schemas that would multiply work or errors, and inputs that are made for them.

use std::time::{Duration, Instant};

use super::*;

/// Objects in each other.
fn nested(depth: usize) -> Value {
    (1..depth).fold(json!({}), |inner, _| json!({"a": inner}))
}

/// What comes of an input: `None` where the schema or the input is refused for the work it makes.
fn checked(schema: &Value, input: &Value) -> Option<usize> {
    let started = Instant::now();
    let compiled = InputSchema::compile(schema).ok()?;
    let length = input.to_string().len();
    let told = compiled.can_check(input, length).then(|| compiled.violations(input).len());
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}: {schema}", started.elapsed());
    assert!(told.is_none_or(|told| told <= MAX_TOLD), "{told:?}");
    told
}

fn branching(keyword: &str, branches: usize) -> Value {
    let branch = |n: usize| json!({"properties": {"a": {"$ref": "#"}}, "required": ["a", format!("b{n}")]});
    json!({"type": "object", keyword: (0..branches).map(branch).collect::<Vec<_>>()})
}

/// Schemas that refer to the next `branches` times, the last one to `end`.
fn chain(length: usize, branches: usize, end: &Value, in_place: bool) -> Value {
    let definition = |n: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
        let branch = if in_place { next } else { json!({"properties": {"a": next}, "required": ["a"]}) };
        (format!("d{n}"), json!({"anyOf": vec![branch; branches]}))
    };
    let mut definitions = (0..length).map(definition).collect::<serde_json::Map<_, _>>();
    definitions.insert(format!("d{length}"), end.clone());
    json!({"type": "object", "allOf": [{"$ref": "#/$defs/d0"}], "$defs": definitions})
}

#[test]
fn branches_that_refer_back_are_bounded_whatever_the_input() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for branches in [3, 5, 8, 12, 20] {
            for depth in 1..=MAX_DEPTH_WITH_REFERENCES {
                checked(&branching(keyword, branches), &nested(depth));
            }
        }
        assert!(checked(&branching(keyword, 3), &nested(8)).is_some());
        assert!(checked(&branching(keyword, 20), &nested(3)).is_some());
        assert_eq!(checked(&branching(keyword, 20), &nested(8)), None);
    }
}

#[test]
fn work_that_multiplies_from_definition_to_definition_is_refused() {
    let null = json!({"type": "null"});
    let around = json!({"properties": {"a": {"$ref": "#/$defs/d0"}}});
    for end in [null, around] {
        assert!(checked(&chain(7, 2, &end, false), &nested(8)).is_some());
        assert_eq!(checked(&chain(7, 10, &end, false), &nested(8)), None);
        assert!(checked(&chain(4, 2, &end, true), &nested(2)).is_some());
        assert_eq!(checked(&chain(30, 2, &end, true), &nested(2)), None);
    }
}

#[test]
fn a_reference_that_cannot_be_followed_or_goes_in_a_circle_is_no_schema() {
    let whys = |schema: &Value| match InputSchema::compile(schema) {
        Ok(_) => String::new(),
        Err(faults) => faults.into_iter().map(|fault| fault.why).collect(),
    };
    for looping in [
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}),
    ] {
        assert!(whys(&looping).contains("circle"), "{looping}: {}", whys(&looping));
    }
    for elsewhere in [
        json!({"properties": {"a": {"$ref": "https://json-schema.org/draft/2020-12/schema"}}}),
        json!({"properties": {"a": {"$ref": "b"}}, "$defs": {"b": {"$id": "b", "items": {"$ref": "#"}}}}),
    ] {
        let why = whys(&elsewhere);
        assert!(why.contains("cannot be followed") || why.contains("nothing is fetched"), "{elsewhere}: {why}");
    }
    for fine in [
        json!({"properties": {"a": {"$ref": "#b"}}, "$defs": {"b": {"$anchor": "b"}}}),
        json!({"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}}),
        json!({"$id": "https://example.com/s", "properties": {"a": {"$ref": "https://example.com/s#/$defs/b%20c"}}, "$defs": {"b c": {}}}),
        json!({"properties": {"id": {"type": "string"}, "$ref": {"$ref": "#"}}}),
    ] {
        assert_eq!(whys(&fine), "", "{fine}");
    }
}

#[test]
fn a_grammar_of_ten_kinds_can_be_used() {
    let kind = |n: usize| {
        json!({"properties": {"kind": {"const": format!("k{n}")}, "args": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["kind"], "additionalProperties": false})
    };
    let schema = json!({
        "type": "object", "properties": {"filter": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "oneOf": (0..10).map(kind).collect::<Vec<_>>()}}
    });
    let leaf = json!({"kind": "k7"});
    let node = |args: Value| json!({"kind": "k3", "args": args});
    let deep = (0..3).fold(leaf.clone(), |inner, _| node(json!([inner])));
    let wide = node(json!(vec![leaf; 1_000]));
    for (good, spoiled) in [(deep.clone(), node(json!([{"kind": "x"}]))), (wide.clone(), node(json!(vec![1; 1_000])))] {
        assert_eq!(checked(&schema, &json!({"filter": good})), Some(0));
        let compiled = InputSchema::compile(&schema).unwrap();
        let told = told(&compiled.violations(&json!({"filter": spoiled})));
        assert_eq!(told, ["/filter does not fit what the schema asks of it"]);
    }
}

/// Inputs as long as they may be, all wrong, against schemas that are wide and refer to nothing.
#[test]
fn wide_schemas_and_long_inputs_are_told_in_short() {
    let wrong =
        |n: usize| json!({"type": "object", "required": [format!("k{n}")], "properties": {"a": {"type": "null"}}});
    let many = (0..40).map(wrong).collect::<Vec<_>>();
    let numbers = json!({"a": (0..10_000).collect::<Vec<_>>()});
    let objects = json!({"a": vec![json!({"a": 1, "b": 2}); 4_000]});
    let keys = (0..4_000).map(|n| (format!("key{n}"), json!(n))).collect::<serde_json::Map<_, _>>();
    let keys = json!(keys);
    let patterns = (0..40).map(|n| (format!("^key.*{n}"), json!({"type": "null"}))).collect::<serde_json::Map<_, _>>();
    let options = (0..1_000).map(|n| format!("option {n}")).collect::<Vec<_>>();
    for wide in [
        json!({"anyOf": many}),
        json!({"oneOf": many}),
        json!({"allOf": many}),
        json!({"not": {"anyOf": [{"required": ["zz"]}, true]}}),
        json!({"if": {"anyOf": many}, "else": {"allOf": many}}),
        json!({"contains": {"anyOf": many}}),
        json!({"enum": options, "minimum": 20_000}),
        json!({"dependentSchemas": {"a": {"allOf": many}}}),
        json!({"anyOf": many, "unevaluatedProperties": false, "unevaluatedItems": false}),
    ] {
        let schema = json!({
            "type": "object", "properties": {"a": {"items": wide, "uniqueItems": true}}, "additionalProperties": wide,
            "minProperties": 1
        });
        for input in [&numbers, &objects, &keys] {
            checked(&schema, input);
        }
    }
    let schema = json!({"type": "object", "patternProperties": patterns, "additionalProperties": false});
    assert!(checked(&schema, &keys).is_some_and(|told| told > 0));
    let unique = json!({"type": "object", "properties": {"a": {"uniqueItems": true}}});
    assert_eq!(checked(&unique, &json!({"a": (0..12_000).collect::<Vec<_>>()})), Some(0));
    assert_eq!(checked(&unique, &objects), Some(1));
}

#[test]
fn a_schema_is_bounded_in_depth_and_size() {
    let deep = (0..200).fold(json!({}), |inner, _| json!({"items": inner}));
    assert!(InputSchema::compile(&deep).is_err());
    let long = json!({"enum": (0..60_000).collect::<Vec<_>>()});
    assert!(InputSchema::compile(&long).is_err());
    let bad = (0..120).fold(json!({"type": "x"}), |inner, _| json!({"items": inner}));
    let started = Instant::now();
    let old = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "items": bad});
    assert!(InputSchema::compile(&old).is_err() && InputSchema::compile(&bad).is_err());
    let all_bad = (0..16_000).map(|n| (n.to_string(), json!({"type": 1}))).collect::<serde_json::Map<_, _>>();
    assert!(InputSchema::compile(&json!({"properties": all_bad})).is_err_and(|faults| faults.len() <= MAX_TOLD));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn plain_keywords_are_told_in_the_words_of_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "date": {"type": "string", "pattern": "^[0-9-]+$"},
            "guests": {"type": "array", "maxItems": 1, "items": {"properties": {"age": {"minimum": 0}}, "additionalProperties": false}},
            "id": {"type": "string", "pattern": "^x"}
        },
        "patternProperties": {"^x-": true},
        "additionalProperties": false
    });
    let schema = InputSchema::compile(&schema).unwrap();
    let input = json!({"date": "May", "guests": [{"age": -1, "b": 1}, {}], "id": 3, "x-a": 1, "y": 1});
    assert_eq!(
        told(&schema.violations(&input)),
        [
            "/date must match the pattern `^[0-9-]+$`",
            "/guests must have at most 1 elements",
            "/guests/0/age must be at least 0",
            "/guests/0/b is no slot of this routine",
            "/id must be of type string",
            "/y is no slot of this routine",
        ]
    );
}

#[test]
fn in_old_drafts_a_reference_hides_what_stands_beside_it() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"a": {"$ref": "#/definitions/a", "type": "integer"}, "b": {"type": "string"}},
        "definitions": {"a": {"type": "string"}}
    });
    let schema = InputSchema::compile(&schema).unwrap();
    assert_eq!(schema.violations(&json!({"a": "x"})), []);
    assert_eq!(told(&schema.violations(&json!({"a": "x", "b": 1}))), ["/b must be of type string"]);
    assert_eq!(told(&schema.violations(&json!({"a": 1}))), ["/a does not fit what the schema asks of it"]);
}

#[cfg(feature = "json-schema")]
mod bounds;

use serde_json::{Value, json};

use super::slots_only::SlotsOnlyCheck;
use super::*;

fn told(violations: &[Violation]) -> Vec<String> {
    let mut told = violations.iter().map(|one| format!("{} {}", one.pointer, one.why)).collect::<Vec<_>>();
    told.sort();
    told
}

fn book_table() -> Value {
    json!({
        "type": "object",
        "properties": {"date": {"type": "string", "description": "The day."}, "partySize": {"type": "integer"}},
        "required": ["date", "partySize"]
    })
}

#[test]
fn each_slot_that_does_not_fit_is_told_with_its_place() {
    let schema = InputSchema::compile(&book_table()).unwrap();
    assert!(!schema.is_unchecked());
    assert_eq!(schema.violations(&json!({"date": "2027-05-01", "partySize": 4, "note": null})), []);
    assert_eq!(schema.violations(&json!({"date": "", "partySize": 4.0})), []);
    assert_eq!(
        told(&schema.violations(&json!({"date": 7}))),
        ["/date must be of type string", "/partySize is required, and missing"]
    );
    assert_eq!(
        told(&schema.violations(&json!({"date": "", "partySize": 4.5}))),
        ["/partySize must be of type integer"]
    );
    assert_eq!(told(&schema.violations(&json!(7))), [" must be of type object"]);
}

#[test]
fn a_member_that_is_no_slot_is_told_where_the_schema_closes_its_object() {
    let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let schema = InputSchema::compile(&schema).unwrap();
    assert_eq!(
        told(&schema.violations(&json!({"a/b": 1, "c~": 2}))),
        ["/a~1b is no slot of this routine", "/c~0 is no slot of this routine"]
    );
}

#[test]
fn of_many_problems_the_first_are_told() {
    let names = (0..100).map(|n| format!("slot{n}")).collect::<Vec<_>>();
    let schema = InputSchema::compile(&json!({"type": "object", "required": names})).unwrap();
    assert_eq!(schema.violations(&json!({})).len(), MAX_TOLD);
    let closed = InputSchema::compile(&json!({"type": "object", "additionalProperties": false})).unwrap();
    let input = names.into_iter().map(|name| (name, Value::Null)).collect::<serde_json::Map<_, _>>();
    assert_eq!(closed.violations(&input.into()).len(), MAX_TOLD);
}

#[test]
fn what_is_no_object_is_no_schema() {
    for schema in [json!(true), json!(false), json!(null), json!([]), json!("object"), json!(1)] {
        let faults = InputSchema::compile(&schema).map(|_| ()).unwrap_err();
        assert_eq!(faults.len(), 1, "{schema}");
    }
}

#[test]
fn without_the_validator_only_schemas_of_slots_accept_an_input() {
    let checked = SlotsOnlyCheck::compile(&book_table()).unwrap();
    assert!(!checked.is_unchecked());
    for beyond in [
        json!({}),
        json!({"properties": {"a": {"type": "string"}}}),
        json!({"type": ["object", "null"]}),
        json!({"type": "object", "minProperties": 1}),
        json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}}),
        json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
        json!({"type": "object", "properties": {"a": true}}),
        json!({"type": "object", "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "required": "a"}),
        json!({"type": "object", "required": [1]}),
        json!({"type": "object", "$schema": "https://example.com/own"}),
        json!({"type": "object", "newKeyword": 1}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}),
    ] {
        let check = SlotsOnlyCheck::compile(&beyond).unwrap();
        assert!(check.is_unchecked(), "{beyond}");
        assert_eq!(check.violations(&json!({})).len(), 1, "{beyond}");
    }
}

#[cfg(feature = "json-schema")]
mod with_the_validator {
    use std::time::{Duration, Instant};

    use super::*;

    fn faults(schema: &Value) -> Vec<String> {
        match InputSchema::compile(schema) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.into_iter().map(|fault| format!("{} {}", fault.pointer, fault.why)).collect(),
        }
    }

    #[test]
    fn each_fault_of_a_schema_is_told_with_its_place() {
        let schema = json!({
            "type": "objekt",
            "properties": {"a": {"type": 1}, "b": {"minLength": -1}, "c": 5},
            "required": ["a", "a"]
        });
        let told = faults(&schema);
        for pointer in ["/type ", "/properties/a/type ", "/properties/b/minLength ", "/properties/c ", "/required "] {
            let times = told.iter().filter(|fault| fault.starts_with(pointer)).count();
            assert_eq!(times, 1, "{pointer}: {told:?}");
        }
    }

    #[test]
    fn nothing_that_a_schema_refers_to_is_fetched() {
        for schema in [
            json!({"$ref": "https://example.com/schema.json"}),
            json!({"$ref": "http://127.0.0.1:1/schema.json"}),
            json!({"$ref": "file:///etc/hostname"}),
            json!({"$ref": "#/$defs/absent"}),
            json!({"type": "object", "properties": {"a": {"$ref": "other.json"}}}),
            json!({"$schema": "https://example.com/own-dialect"}),
        ] {
            let told = faults(&schema);
            assert_eq!(told.len(), 1, "{schema}: {told:?}");
            assert!(told[0].contains("nothing is fetched") || told[0].contains("$schema"), "{schema}: {told:?}");
        }
        let own = json!({"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}});
        assert_eq!(faults(&own), Vec::<String>::new());
    }

    #[test]
    fn a_pattern_that_could_backtrack_or_is_huge_is_no_schema() {
        for pattern in ["(?!x)y", "(a)\\1", "(?<=x)y", "(", "\\w{1000}{1000}", "[a"] {
            let told = faults(&json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}));
            assert_eq!(told.len(), 1, "{pattern}: {told:?}");
            assert!(told[0].starts_with("/properties/a/pattern "), "{told:?}");
            for schema in [
                json!({"patternProperties": {pattern: true}}),
                json!({"patternProperties": {pattern: true}, "additionalProperties": false}),
                json!({"patternProperties": {pattern: true, "^a": false}, "unevaluatedProperties": false}),
                json!({"propertyNames": {"pattern": pattern}}),
                json!({"not": {"anyOf": [{"items": {"pattern": pattern}}]}}),
                json!({"$defs": {"a": {"pattern": pattern}}, "$ref": "#/$defs/a"}),
            ] {
                assert_eq!(faults(&schema).len(), 1, "{schema}");
            }
        }
    }

    #[test]
    fn a_pattern_that_other_engines_take_ages_for_is_done_at_once() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}}});
        let schema = InputSchema::compile(&schema).unwrap();
        let started = Instant::now();
        assert_eq!(schema.violations(&json!({"a": "a".repeat(60_000)})).len(), 1);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn a_schema_that_branches_into_itself_takes_no_ages() {
        let branch = |key: &str| json!({"properties": {"a": {"$ref": "#"}}, "required": [key]});
        let schema = json!({"type": "object", "anyOf": [branch("x"), branch("y"), branch("z")]});
        let schema = InputSchema::compile(&schema).unwrap();
        assert_eq!(schema.max_depth(), MAX_DEPTH_WITH_REFERENCES);
        let input = (1..schema.max_depth()).fold(json!({}), |inner, _| json!({"a": inner, "y": 1}));
        let started = Instant::now();
        assert!(!schema.violations(&input).is_empty());
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn an_input_that_is_wrong_all_over_takes_no_ages_and_is_told_in_short() {
        let wrong = json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}, {"maximum": -1}]});
        let schema = json!({"type": "object", "properties": {"list": {"items": wrong, "uniqueItems": true}}, "additionalProperties": wrong});
        let schema = InputSchema::compile(&schema).unwrap();
        let list = (0..8_000).collect::<Vec<_>>();
        let mut input = (0..3_000).map(|n| (format!("key{n}"), json!(n))).collect::<serde_json::Map<_, _>>();
        input.insert("list".to_owned(), json!(list));
        let started = Instant::now();
        assert_eq!(schema.violations(&input.into()).len(), MAX_TOLD);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[test]
    fn no_violation_repeats_a_value_of_the_caller() {
        let secret = "4111-1111";
        let slots = json!({
            "const": {"const": "x"}, "enum": {"enum": ["x"]}, "pattern": {"pattern": "^x$"}, "max": {"maxLength": 1},
            "not": {"not": {"type": "string"}}, "any": {"anyOf": [{"type": "null"}]}, "one": {"oneOf": [false]},
            "false": false, "if": {"if": true, "then": {"type": "integer"}}, "contains": {"contains": {"const": 1}},
            "names": {"propertyNames": {"maxLength": 1}}, "unique": {"uniqueItems": true}, "items": {"items": {"type": "null"}},
            "deps": {"dependentRequired": {"a": ["b"]}}, "uneval": {"unevaluatedProperties": false}, "min": {"minimum": 9},
            "multiple": {"multipleOf": 2}
        });
        let keys = slots.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let schema = InputSchema::compile(&json!({"type": "object", "properties": slots})).unwrap();
        let value_of = |key: &str| match key {
            "contains" | "unique" | "items" => json!([secret, secret]),
            "names" => json!({"ab": secret}),
            "deps" => json!({"a": secret}),
            "uneval" => json!({"x": secret}),
            "min" | "multiple" => json!(7.125),
            _ => json!(secret),
        };
        for key in keys {
            let violations = schema.violations(&json!({&key: value_of(&key)}));
            assert!(!violations.is_empty(), "{key}");
            for violation in violations {
                assert!(violation.pointer.starts_with(&format!("/{key}")), "{key}: {violation:?}");
                assert!(!violation.why.contains(secret) && !violation.why.contains("7.125"), "{violation:?}");
            }
        }
    }

    fn slots_schema() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::*;
        let slot = ("[a-d]", prop::sample::select(vec!["string", "integer", "number", "boolean", "array", "object"]));
        let slots = prop::collection::vec(slot, 0..4);
        (slots, prop::collection::btree_set("[a-e]", 0..3), any::<bool>()).prop_map(|(slots, required, open)| {
            let properties = slots.into_iter().map(|(key, slot_type)| (key, json!({"type": slot_type})));
            let properties = properties.collect::<serde_json::Map<_, _>>();
            json!({"type": "object", "properties": properties, "required": required, "additionalProperties": open})
        })
    }

    fn input() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::*;
        let value = prop_oneof![
            Just(json!("x")),
            Just(json!(1)),
            Just(json!(1.0)),
            Just(json!(-1.5)),
            Just(json!(1e300)),
            Just(json!(true)),
            Just(json!([1])),
            Just(json!({"a": 1})),
            Just(json!(null)),
            Just(json!(u64::MAX)),
            Just(json!(i64::MIN)),
        ];
        prop::collection::btree_map("[a-f]", value, 0..5).prop_map(|members| json!(members))
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1_000))]

        #[test]
        fn both_checks_agree_on_schemas_of_slots(schema in slots_schema(), input in input()) {
            let (full, alone) = (InputSchema::compile(&schema).unwrap(), SlotsOnlyCheck::compile(&schema).unwrap());
            proptest::prop_assert!(!alone.is_unchecked());
            proptest::prop_assert_eq!(told(&full.violations(&input)), told(&alone.violations(&input)));
        }
    }
}

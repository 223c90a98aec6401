//! `SCHEMA` accepts what the specification's own schema accepts and what the card rules accept,
//! `format` asserted (D1). `on_request_schema.json` is the specification's, as it was published.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Map, Value, json};
use tower_a2a_extensions::on_request::{CardChecker, OnRequestDeclaration, SCHEMA};

const URI: &str = "https://agent-capability.org/ext/on-request/v1";
const DEFINITIONS: [&str; 5] = ["personEntry", "skillEntry", "params", "agentExtension", "reply"];

/// A validator of one definition of a schema, or of its top.
fn validator(schema: &str, definition: Option<&str>) -> Validator {
    let mut schema = serde_json::from_str::<Value>(schema).unwrap();
    if let Some(definition) = definition {
        let object = schema.as_object_mut().unwrap();
        object.remove("oneOf");
        object.insert("$ref".to_owned(), format!("#/$defs/{definition}").into());
    }
    jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
}

/// Ours and theirs, of each definition and of the top.
static BOTH: LazyLock<Vec<(Option<&str>, Validator, Validator)>> = LazyLock::new(|| {
    let theirs = include_str!("on_request_schema.json");
    let definitions = DEFINITIONS.into_iter().map(Some).chain([None]);
    definitions.map(|definition| (definition, validator(SCHEMA, definition), validator(theirs, definition))).collect()
});

fn both(wanted: &str) -> (&'static Validator, &'static Validator) {
    let (_, ours, theirs) = BOTH.iter().find(|(definition, ..)| *definition == Some(wanted)).unwrap();
    (ours, theirs)
}

/// Addresses whose form the schema decides alone.
fn plain_entry() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just("https://ask.example.com/talk".to_owned()),
        2 => Just("tel:+44-20-7946-0000".to_owned()),
        2 => "https://ask\\.example\\.com(/[a-z0-9%\u{e9}?#. -]{0,4}){0,2}",
        2 => "(tel|TEL):[+]?[0-9]{0,5}[0-9().a -]{0,4}",
        1 => "(HTTPS|http|ftp|mailto):(//)?ask\\.example\\.com/?",
        1 => (2020_usize..2050).prop_map(|length| format!("https://ask.example.com/{}", "x".repeat(length))),
    ]
    .prop_map(Value::from)
}

/// Any address, also such as two readers read differently.
fn any_entry() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => plain_entry(),
        1 => "https://[a-z@:.\\[\\]\\\\_/?#%0-9 -]{0,12}".prop_map(Value::from),
    ]
}

fn odd() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!(null)), Just(json!(7)), Just(json!([])), Just(json!({})), Just(json!("")), Just(json!(true))]
}

fn id() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => "[a-z\u{e9}]{1,6}".prop_map(Value::from),
        1 => (126_usize..131).prop_map(|length| "\u{e9}".repeat(length).into()),
        1 => odd(),
    ]
}

/// An object of members each of which may be missing.
fn object(members: Vec<(&'static str, BoxedStrategy<Value>)>) -> impl Strategy<Value = Value> {
    let members = members.into_iter().map(|(name, value)| (Just(name), prop::option::weighted(0.95, value)));
    members.collect::<Vec<_>>().prop_map(|members| {
        let present = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(present.collect::<Map<_, _>>())
    })
}

fn entry(address: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let access = prop_oneof![8 => any::<bool>().prop_map(Value::from), 1 => odd()];
    let completion = prop_oneof![4 => Just(json!("deferred")), 2 => Just(json!("in-conversation")), 1 => odd()];
    let address = prop_oneof![12 => address, 1 => odd()];
    let entry = object(vec![
        ("id", id().boxed()),
        ("personEntry", address.boxed()),
        ("assistantAccess", access.boxed()),
        ("x-more", odd().boxed()),
    ]);
    let entry = (entry, prop::option::weighted(0.3, completion)).prop_map(|(mut entry, completion)| {
        if let Some(completion) = completion {
            entry["completion"] = completion;
        }
        entry
    });
    prop_oneof![12 => entry, 1 => odd()]
}

fn params(address: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let skills = prop_oneof![
        10 => prop::collection::vec(entry(address), 0..3).prop_map(Value::from),
        1 => (198_usize..203).prop_map(|count| {
            (0..count).map(|n| json!({"id": format!("s{n}"), "personEntry": "https://ask.example.com/talk"})).collect()
        }),
        1 => odd(),
    ];
    let params = object(vec![("skills", skills.boxed()), ("x-more", odd().boxed())]);
    prop_oneof![12 => params, 1 => odd()]
}

fn extension(address: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let uri = prop_oneof![12 => Just(json!(URI)), 1 => Just(json!(format!("{URI}/"))), 1 => odd()];
    let required = prop_oneof![6 => Just(json!(false)), 1 => Just(json!(true)), 1 => odd()];
    let description = prop_oneof![6 => Just(json!("words")), 1 => odd()];
    let extension = object(vec![
        ("uri", uri.boxed()),
        ("required", required.boxed()),
        ("description", description.boxed()),
        ("params", params(address).boxed()),
        ("x-more", odd().boxed()),
    ]);
    prop_oneof![20 => extension, 1 => odd()]
}

fn reply() -> impl Strategy<Value = Value> {
    let status = prop_oneof![
        6 => prop::sample::select(vec!["on-request", "action-referred", "given-on-opt-in"]).prop_map(Value::from),
        1 => odd(),
    ];
    let address = prop_oneof![6 => any_entry(), 1 => odd()];
    let reply = object(vec![
        ("status", status.boxed()),
        ("skillId", id().boxed()),
        ("personEntry", address.boxed()),
        ("x-more", odd().boxed()),
    ]);
    prop_oneof![12 => reply, 1 => odd()]
}

/// One of the three objects, or the members of two of them in one.
fn top() -> impl Strategy<Value = Value> {
    let any = || prop_oneof![extension(plain_entry().boxed()), params(plain_entry().boxed()), reply()];
    (any(), prop::option::weighted(0.3, any())).prop_map(|(mut one, other)| {
        if let (Some(one), Some(Value::Object(other))) = (one.as_object_mut(), other) {
            one.extend(other);
        }
        one
    })
}

/// Instances of a definition, or of the top.
fn instances(definition: Option<&str>) -> BoxedStrategy<Value> {
    match definition {
        Some("personEntry") => prop_oneof![12 => any_entry(), 1 => odd()].boxed(),
        Some("skillEntry") => entry(any_entry().boxed()).boxed(),
        Some("params") => params(any_entry().boxed()).boxed(),
        Some("agentExtension") => extension(plain_entry().boxed()).boxed(),
        Some("reply") => reply().boxed(),
        _ => top().boxed(),
    }
}

/// Whether the rules find no error in a card with this declaration, all of whose ids are skills of
/// the card, on an origin of the operator. `None` where an id stands twice, which no schema sees,
/// and where it is the declaration of another extension.
fn rules_accept(extension: &Value) -> Option<bool> {
    if extension.get("uri") != Some(&URI.into()) {
        return None;
    }
    let entries = extension["params"]["skills"].as_array().cloned().unwrap_or_default();
    let ids = entries.iter().filter_map(|entry| entry.get("id")?.as_str()).collect::<Vec<_>>();
    let unique = ids.iter().collect::<BTreeSet<_>>();
    if unique.len() != ids.len() {
        return None;
    }
    let skills = unique.into_iter().map(|id| json!({"id": id})).collect::<Vec<_>>();
    let card = json!({"name": "x", "skills": skills, "capabilities": {"extensions": [extension]}});
    Some(!CardChecker::new().check(card.to_string()).has_errors())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_500) })]

    #[test]
    fn d1_what_the_schema_of_the_specification_accepts_so_does_ours_and_so_do_the_rules(
        extension in extension(plain_entry().boxed())
    ) {
        let (ours, theirs) = both("agentExtension");
        let accepted = theirs.is_valid(&extension);
        prop_assert_eq!(ours.is_valid(&extension), accepted);
        if let Some(by_the_rules) = rules_accept(&extension) {
            prop_assert_eq!(by_the_rules, accepted, "{}", extension);
        }
    }

    #[test]
    fn d5_the_rules_accept_nothing_that_the_schema_refuses(extension in extension(any_entry().boxed())) {
        let (ours, theirs) = both("agentExtension");
        prop_assert_eq!(ours.is_valid(&extension), theirs.is_valid(&extension));
        if rules_accept(&extension) == Some(true) {
            prop_assert!(theirs.is_valid(&extension), "{}", extension);
        }
    }

    #[test]
    fn every_definition_of_both_schemas_accepts_the_same(
        instances in BOTH.iter().map(|(definition, ..)| instances(*definition)).collect::<Vec<_>>()
    ) {
        for (definition, ours, theirs) in BOTH.iter() {
            for instance in &instances {
                prop_assert_eq!(ours.is_valid(instance), theirs.is_valid(instance), "{:?} {}", definition, instance);
            }
        }
    }

    /// The parser reads what it can: only the rules refuse. What the schema accepts it reads whole.
    #[test]
    fn d1_what_the_schema_accepts_is_read_whole_and_written_again(params in params(plain_entry().boxed())) {
        if both("params").1.is_valid(&params) {
            let read = OnRequestDeclaration::read(&params);
            let skills = read.skills().map(|skill| {
                let completion = skill.completion().map(|completion| completion.as_str());
                (skill.id().as_str(), skill.person_entry(), skill.assistant_access(), completion)
            });
            let entries = params["skills"].as_array().unwrap().iter().map(|entry| {
                let text = |name: &str| entry.get(name).and_then(Value::as_str);
                let access = entry.get("assistantAccess") == Some(&json!(true));
                (text("id").unwrap(), text("personEntry").unwrap(), access, text("completion"))
            });
            prop_assert_eq!(skills.collect::<Vec<_>>(), entries.collect::<Vec<_>>());
            prop_assert!(both("agentExtension").1.is_valid(&read.to_extension()), "{}", params);
        }
    }
}

#[test]
fn d1_format_is_asserted() {
    let (ours, theirs) = both("personEntry");
    for bad in ["https://not a url", "https://ask.example.com\\@evil.example", "https://ask.example.com/\u{e9}"] {
        assert!(!ours.is_valid(&bad.into()) && !theirs.is_valid(&bad.into()), "{bad}");
    }
    let without = jsonschema::options().should_validate_formats(false);
    let schema = serde_json::from_str::<Value>(SCHEMA).unwrap()["$defs"]["personEntry"].clone();
    assert!(without.build(&schema).unwrap().is_valid(&"https://not a url".into()), "else this test shows nothing");
}

#[test]
fn generated_instances_of_every_definition_are_of_both_kinds() {
    for (definition, _, theirs) in BOTH.iter() {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = instances(*definition);
        let accepted = (0..500).filter(|_| theirs.is_valid(&strategy.new_tree(&mut runner).unwrap().current())).count();
        assert!((25..475).contains(&accepted), "{accepted} of 500 are valid: {definition:?}");
    }
}

#[test]
fn an_object_that_is_two_of_the_three_is_none() {
    let params = json!({"skills": [{"id": "a", "personEntry": "https://ask.example.com/talk"}]});
    let mut both_in_one = json!({"uri": URI, "params": params});
    let (_, ours, theirs) = BOTH.iter().find(|(definition, ..)| definition.is_none()).unwrap();
    assert!(ours.is_valid(&both_in_one) && theirs.is_valid(&both_in_one));
    both_in_one["skills"] = params["skills"].clone();
    assert!(!ours.is_valid(&both_in_one) && !theirs.is_valid(&both_in_one));
}

/// What a slip in our schema would be, with the definition that it is in.
fn slips() -> Vec<(Option<&'static str>, &'static str, Value)> {
    vec![
        (Some("agentExtension"), "/$defs/agentExtension/properties/uri", json!({})),
        (Some("agentExtension"), "/$defs/agentExtension/properties/required", json!({})),
        (Some("agentExtension"), "/$defs/agentExtension/properties/description", json!({})),
        (Some("agentExtension"), "/$defs/agentExtension/properties/params", json!({})),
        (Some("agentExtension"), "/$defs/agentExtension/required", json!(["params"])),
        (Some("agentExtension"), "/$defs/agentExtension/required", json!(["uri"])),
        (Some("agentExtension"), "/$defs/agentExtension/type", json!(["object", "array"])),
        (Some("agentExtension"), "/$defs/agentExtension/additionalProperties", json!(false)),
        (Some("params"), "/$defs/params/required", json!([])),
        (Some("params"), "/$defs/params/additionalProperties", json!(false)),
        (Some("params"), "/$defs/params/properties/skills/minItems", json!(0)),
        (Some("params"), "/$defs/params/properties/skills/maxItems", json!(201)),
        (Some("params"), "/$defs/params/properties/skills/maxItems", json!(199)),
        (Some("skillEntry"), "/$defs/skillEntry/required", json!(["id"])),
        (Some("skillEntry"), "/$defs/skillEntry/required", json!(["personEntry"])),
        (Some("skillEntry"), "/$defs/skillEntry/additionalProperties", json!(false)),
        (Some("skillEntry"), "/$defs/skillEntry/dependentSchemas", json!({})),
        (Some("skillEntry"), "/$defs/skillEntry/properties/assistantAccess", json!({})),
        (Some("skillEntry"), "/$defs/skillEntry/properties/completion", json!({})),
        (Some("skillEntry"), "/$defs/skillId/minLength", json!(0)),
        (Some("skillEntry"), "/$defs/skillId/maxLength", json!(129)),
        (Some("skillEntry"), "/$defs/skillId/maxLength", json!(127)),
        (Some("reply"), "/$defs/reply/required", json!(["status"])),
        (Some("reply"), "/$defs/reply/required", json!(["skillId"])),
        (Some("reply"), "/$defs/reply/anyOf", json!([{}])),
        (Some("reply"), "/$defs/reply/additionalProperties", json!(false)),
        (Some("reply"), "/$defs/reply/properties/status", json!({})),
        (Some("personEntry"), "/$defs/personEntry/maxLength", json!(2049)),
        (Some("personEntry"), "/$defs/personEntry/maxLength", json!(2047)),
        (Some("personEntry"), "/$defs/personEntry/format", json!("hostname")),
        (Some("personEntry"), "/$defs/personEntry/pattern", json!("^(https://.+|tel:\\+[0-9][0-9().-]{3,})$")),
        (Some("personEntry"), "/$defs/personEntry/pattern", json!("^(https://[^?#]+|tel:\\+[0-9][0-9().-]{2,})$")),
        (None, "/oneOf", json!([{"$ref": "#/$defs/agentExtension"}, {"$ref": "#/$defs/params"}])),
        (None, "/oneOf", json!([{"anyOf": serde_json::from_str::<Value>(SCHEMA).unwrap()["oneOf"]}])),
    ]
}

#[test]
fn the_generated_instances_tell_every_slip_in_our_schema() {
    for (definition, pointer, slip) in slips() {
        let mut schema = serde_json::from_str::<Value>(SCHEMA).unwrap();
        let (object, member) = pointer.rsplit_once('/').unwrap();
        schema.pointer_mut(object).unwrap()[member] = slip.clone();
        let slipped = validator(&schema.to_string(), definition);
        let (_, _, theirs) = BOTH.iter().find(|(one, ..)| *one == definition).unwrap();
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let strategy = instances(definition);
        let is_told = (0..1_500).any(|_| {
            let instance = strategy.new_tree(&mut runner).unwrap().current();
            slipped.is_valid(&instance) != theirs.is_valid(&instance)
        });
        assert!(is_told, "{pointer}: {slip}");
    }
}

#[test]
fn our_schema_has_the_id_of_the_specifications() {
    let ours: serde_json::Value = serde_json::from_str(tower_a2a_extensions::on_request::SCHEMA).unwrap();
    let theirs: serde_json::Value = serde_json::from_str(include_str!("on_request_schema.json")).unwrap();
    assert!(ours["$id"].is_string());
    assert_eq!(ours["$id"], theirs["$id"]);
}

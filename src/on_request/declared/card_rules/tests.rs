#![allow(clippy::needless_pass_by_value)]

use serde_json::{Value, json};

use crate::card::AgentCard;
use crate::findings::{Findings, Severity};
use crate::on_request::{OnRequest, OnRequestDeclaration};

const AT: &str = "/capabilities/extensions/0";

/// A card with the skills `a`, `b`, `s`, which needs sign-in, and one that reaches people.
fn card(extension: Value) -> AgentCard {
    AgentCard::from_serialize(json!({
        "provider": {"organization": "Example", "url": "https://www.example.com/home"},
        "skills": [
            {"id": "a", "name": "A"}, {"id": "b", "name": "B"},
            {"id": "s", "securityRequirements": [{"schemes": {"portal": {"list": []}}}]},
            {"id": "staff", "description": "A callback, Monday to Friday, in English."}
        ],
        "capabilities": {"extensions": [extension]}
    }))
    .unwrap()
}

fn listed(skills: Value) -> Value {
    json!({"uri": "https://agent-capability.org/ext/on-request/v1", "required": false, "params": {"skills": skills}})
}

fn findings(on_request: OnRequest, extension: Value) -> Findings {
    match on_request.for_card(&card(extension)) {
        Ok(bound) => bound.findings().clone(),
        Err(error) => error.findings,
    }
}

/// Rule and pointer of all findings of one severity.
fn found(extension: Value, severity: Severity) -> Vec<(String, String)> {
    let findings = findings(OnRequest::new(), extension);
    let wanted = findings.iter().filter(|finding| finding.severity == severity);
    wanted.map(|finding| (finding.rule.clone().into_owned(), finding.pointer.clone())).collect()
}

fn errors(extension: Value) -> Vec<(String, String)> {
    found(extension, Severity::Error)
}

fn at(rule: &str, place: &str) -> (String, String) {
    (rule.to_owned(), format!("{AT}{place}"))
}

fn entry(member: &str, value: Value) -> Value {
    let mut entry = json!({"id": "a", "personEntry": "https://ask.example.com/talk"});
    match value {
        Value::Null => drop(entry.as_object_mut().unwrap().remove(member)),
        value => entry[member] = value,
    }
    entry
}

#[test]
fn a_good_declaration_has_no_findings() {
    let skills = json!([
        {"id": "a", "personEntry": "https://ask.example.com/talk", "assistantAccess": false, "x-foo": 1},
        {"id": "b", "personEntry": "https://ask.example.com/talk", "completion": "deferred"}
    ]);
    assert!(findings(OnRequest::new(), listed(skills)).is_empty());
    let absent = json!({"uri": "https://agent-capability.org/ext/on-request/v1",
        "params": {"skills": [entry("x", json!(1))]}});
    assert!(findings(OnRequest::new(), absent).is_empty());
}

#[test]
fn or_3_1_the_extension_is_not_required() {
    for required in [json!(true), json!("false"), json!(null)] {
        let mut extension = listed(json!([entry("x", json!(1))]));
        extension["required"] = required;
        assert_eq!(errors(extension), [at("OR-3.1", "/required")]);
    }
}

#[test]
fn or_3_2_params_lists_the_skills() {
    let with = |params: Value| {
        let mut extension = listed(json!([]));
        extension["params"] = params;
        errors(extension)
    };
    for params in [json!(null), json!([]), json!("skills")] {
        assert_eq!(with(params), [at("OR-3.2", "/params")]);
    }
    for params in [json!({}), json!({"skills": {}}), json!({"skills": null})] {
        assert_eq!(with(params), [at("OR-3.2", "/params/skills")]);
    }
    assert_eq!(with(json!({"skills": []})), [at("schema", "/params/skills")]);
    assert_eq!(with(json!({"skills": ["a"]})), [at("OR-3.2", "/params/skills/0")]);
    let many = (0..201).map(|_| entry("x", json!(1))).collect::<Vec<_>>();
    assert!(with(json!({"skills": many})).contains(&at("schema", "/params/skills")));
}

#[test]
fn or_3_3_each_entry_names_a_skill_of_the_card_once() {
    for id in [json!(null), json!(7), json!("c"), json!("A")] {
        assert_eq!(errors(listed(json!([entry("id", id)]))), [at("OR-3.3", "/params/skills/0/id")]);
    }
    for id in [json!(""), json!("x".repeat(129))] {
        assert_eq!(errors(listed(json!([entry("id", id)]))), [at("schema", "/params/skills/0/id")]);
    }
    let twice = listed(json!([entry("x", json!(1)), entry("assistantAccess", json!(true))]));
    assert_eq!(errors(twice), [at("OR-3.3", "/params/skills/1/id")]);
}

#[test]
fn or_3_4_each_entry_has_an_address() {
    for address in [json!(null), json!(7), json!("http://ask.example.com"), json!("https://a@ask.example.com/")] {
        assert_eq!(
            errors(listed(json!([entry("personEntry", address)]))),
            [at("OR-3.4", "/params/skills/0/personEntry")]
        );
    }
    assert!(errors(listed(json!([entry("personEntry", json!("tel:+1-555-0100"))]))).is_empty());
}

#[test]
fn or_3_4_an_action_needs_an_https_address() {
    let tel = json!({"id": "a", "personEntry": "tel:+1-555-0100", "completion": "deferred"});
    assert_eq!(errors(listed(json!([tel]))), [at("OR-3.4", "/params/skills/0/personEntry")]);
    let by_configuration =
        findings(OnRequest::new().action("a"), listed(json!([entry("personEntry", json!("tel:+1-555-0100"))])));
    assert!(by_configuration.has_errors());
}

#[test]
fn or_3_4_the_operators_origins_are_checked_where_they_are_named() {
    let elsewhere = || listed(json!([entry("personEntry", json!("https://notexample.com/talk"))]));
    let named = |origin: &str| findings(OnRequest::new().operator_origin(origin), elsewhere());
    assert!(named("https://notexample.com").is_empty());
    assert!(named("https://NOTexample.com:443").is_empty());
    for other in [
        "https://example.com",
        "https://notexample.com:8443",
        "https://notexample.com/",
        "https://x.notexample.com",
        "notexample.com",
    ] {
        assert!(named(other).has_errors(), "{other}");
    }
    assert_eq!(errors(elsewhere()), [at("OR-3.4", "/params/skills/0/personEntry")]);
    let beside =
        findings(OnRequest::new().operator_origin("https://notexample.com"), listed(json!([entry("x", json!(1))])));
    assert!(beside.is_empty(), "the card's own hosts stay the operator's: {beside}");
}

#[test]
fn or_3_4_without_a_provider_an_origin_is_a_warning() {
    let mut value = card(listed(json!([entry("x", json!(1))]))).as_value().clone();
    value.as_object_mut().unwrap().remove("provider");
    let bound = OnRequest::new().for_card(&AgentCard::from_serialize(&value).unwrap()).unwrap();
    let found = bound.findings().iter().map(|finding| (finding.severity, finding.rule.as_ref()));
    assert_eq!(found.collect::<Vec<_>>(), [(Severity::Warning, "OR-3.4")]);
}

#[test]
fn a_finding_of_a_build_has_its_bytes_in_the_source_of_the_card() {
    let card = card(listed(json!([entry("personEntry", json!("http://x"))])));
    let error = OnRequest::new().for_card(&card).unwrap_err();
    let span = error.findings.iter().next().and_then(|finding| finding.span.clone()).unwrap();
    assert_eq!(&card.source()[span], "\"http://x\"");
}

#[test]
fn or_5_10_a_build_warns_where_nobody_is_reached() {
    let mut value = card(listed(json!([entry("x", json!(1))]))).as_value().clone();
    value["skills"][3]["description"] = json!("A callback.");
    let bound = OnRequest::new().for_card(&AgentCard::from_serialize(&value).unwrap()).unwrap();
    let found = bound.findings().iter().map(|finding| (finding.severity, finding.pointer.as_str()));
    assert_eq!(found.collect::<Vec<_>>(), [(Severity::Warning, "/skills/3/description")]);
}

#[test]
fn or_3_5_assistant_access_is_a_boolean() {
    for access in [json!("true"), json!(1)] {
        let extension = listed(json!([entry("assistantAccess", access)]));
        assert_eq!(errors(extension), [at("OR-3.5", "/params/skills/0/assistantAccess")]);
    }
    let nothing = json!({"id": "a", "personEntry": "https://ask.example.com/talk", "assistantAccess": null});
    assert_eq!(errors(listed(json!([nothing]))), [at("OR-3.5", "/params/skills/0/assistantAccess")]);
}

#[test]
fn or_3_6_completion_is_one_of_two_words() {
    for completion in [json!("done"), json!("Deferred"), json!(true)] {
        let extension = listed(json!([entry("completion", completion)]));
        assert_eq!(errors(extension), [at("OR-3.6", "/params/skills/0/completion")]);
    }
}

#[test]
fn or_3_6_an_opened_entry_without_a_kind_is_a_warning() {
    let extension = || listed(json!([entry("assistantAccess", json!(true))]));
    assert_eq!(found(extension(), Severity::Warning), [at("OR-3.6", "/params/skills/0")]);
    let identifying = OnRequest::new().caller(|_: &crate::CallFacts<'_>| None);
    let findings = findings(identifying.information("a"), extension());
    assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{findings}");
}

#[test]
fn or_5_4_to_open_information_and_identify_nobody_is_a_warning() {
    let findings = findings(OnRequest::new().information("a"), listed(json!([entry("assistantAccess", json!(true))])));
    let warned = findings.iter().filter(|finding| finding.severity == Severity::Warning);
    assert_eq!(warned.map(|finding| finding.rule.as_ref()).collect::<Vec<_>>(), ["OR-5.4"]);
}

#[test]
fn or_3_7_a_listed_skill_needs_no_sign_in() {
    assert_eq!(
        errors(listed(json!([entry("id", json!("s"))]))),
        [("OR-3.7".to_owned(), "/skills/2/securityRequirements".to_owned())]
    );
}

#[test]
fn or_3_8_an_address_says_nothing_of_the_person() {
    for address in ["https://ask.example.com/talk?who=x", "https://ask.example.com/talk#x"] {
        let extension = listed(json!([entry("personEntry", json!(address))]));
        assert_eq!(errors(extension), [at("OR-3.8", "/params/skills/0/personEntry")]);
    }
}

#[test]
fn or_5_5_an_opened_entry_is_noted() {
    let extension = listed(json!([entry("assistantAccess", json!(true))]));
    assert_eq!(found(extension, Severity::Note), [at("OR-5.5", "/params/skills/0/assistantAccess")]);
}

#[test]
fn all_errors_come_at_once() {
    let mut extension = listed(json!([
        {"id": "c", "personEntry": "http://x"},
        {"personEntry": "https://ask.example.com/?x", "assistantAccess": 1, "completion": "x"}
    ]));
    extension["required"] = json!(true);
    let rules = errors(extension).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
    assert_eq!(rules, ["OR-3.1", "OR-3.3", "OR-3.4", "OR-3.3", "OR-3.8", "OR-3.5", "OR-3.6"]);
}

#[test]
fn a_contradicting_configuration_is_an_error_and_a_foreign_one_a_warning() {
    let extension = || listed(json!([entry("x", json!(1))]));
    assert!(findings(OnRequest::new().information("a").action("a"), extension()).has_errors());
    let unknown = findings(OnRequest::new().information("c"), extension());
    assert_eq!(unknown.iter().map(|finding| finding.severity).collect::<Vec<_>>(), [Severity::Warning]);
    let public = findings(OnRequest::new().information("b"), extension());
    assert!(public.is_empty(), "a skill may be taken off the list: {public}");
}

#[test]
fn d13_a_second_declaration_is_an_error() {
    let one = listed(json!([entry("x", json!(1))]));
    let mut value = card(one.clone()).as_value().clone();
    value["capabilities"]["extensions"] = json!([one.clone(), one]);
    let error = OnRequest::new().for_card(&AgentCard::from_serialize(&value).unwrap()).unwrap_err();
    let pointers = error.findings.iter().map(|finding| finding.pointer.as_str()).collect::<Vec<_>>();
    assert_eq!(pointers, ["/capabilities/extensions/1"]);
}

#[test]
fn what_is_built_is_read_back_the_same() {
    let skills = json!([
        {"id": "a", "personEntry": "https://ask.example.com/talk", "assistantAccess": true, "completion": "deferred"},
        {"id": "b", "personEntry": "tel:+1-555-0100", "assistantAccess": false}
    ]);
    let params = OnRequestDeclaration::read(&json!({"skills": skills}));
    assert_eq!(params.to_extension()["params"]["skills"], skills);
    assert_eq!(OnRequestDeclaration::read(&params.to_extension()["params"]), params);
    assert!(errors(params.to_extension()).is_empty());
}

#[test]
fn a_skill_that_the_configuration_mistypes_is_told_with_what_was_meant() {
    let card = AgentCard::from_serialize(json!({
        "skills": [{"id": "service-pricing"}],
        "capabilities": {"extensions": [listed(json!([{"id": "service-pricing", "personEntry": "https://a.example"}]))]},
    }));
    let bound = OnRequest::new().information("service-prising").for_card(&card.unwrap()).unwrap();
    let finding = bound.findings().iter().find(|finding| finding.rule == "configuration").unwrap();
    assert_eq!(finding.help.as_deref(), Some("did you mean `service-pricing`?"));
}

#[test]
fn a_silenced_rule_has_no_warnings_and_keeps_its_errors() {
    let entry = json!([{"id": "a", "personEntry": "https://elsewhere.example.net/cancer"}]);
    let rules = |on_request| {
        let findings = findings(on_request, listed(entry.clone()));
        findings.iter().map(|finding| (finding.rule.to_string(), finding.severity)).collect::<Vec<_>>()
    };
    let all = rules(OnRequest::new());
    assert!(all.iter().any(|(rule, severity)| rule == "OR-3.8" && *severity == Severity::Warning), "{all:?}");
    let left = rules(OnRequest::new().silence("or-3.8").silence("OR-3.4"));
    assert!(left.iter().all(|(rule, _)| rule != "OR-3.8"), "{left:?}");
    assert!(left.contains(&("OR-3.4".to_owned(), Severity::Error)), "{left:?}");
}

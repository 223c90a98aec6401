//! What stops a build: everything at once, each with rule and place.

use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, BuildError, ExtensionUri, Severity};

use crate::support::*;

fn errors(built: Result<A2aExtensionsLayer, BuildError>) -> Vec<(String, String)> {
    let findings = built.expect_err("it must not build").findings;
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| (finding.rule.to_string(), finding.pointer.clone())).collect()
}

#[test]
fn a_card_that_is_no_object_does_not_build() {
    for card in [json!(null), json!([]), json!("card"), json!(7)] {
        assert_eq!(errors(A2aExtensionsLayer::new(card)), [("card".into(), String::new())]);
    }
    assert!(A2aExtensionsLayer::new(()).is_err());
    assert!(A2aExtensionsLayer::new(json!({})).is_ok());
}

#[test]
fn a7_d2_d13_every_bad_declaration_is_named() {
    let declared = json!([
        {"uri": "https://biz.example/a,b"}, {"uri": "https://biz.example/menü"}, {"uri": "no uri"}, {"uri": 7}, {},
        {"uri": FIRST}, {"uri": FIRST, "required": true}, {"uri": SECOND, "required": "yes"}, 3,
    ]);
    let pointers = ["0/uri", "1/uri", "2/uri", "3/uri", "4/uri", "6/uri", "7/required", "8/uri"];
    let expected = pointers.map(|place| ("A2A §4.4.4".to_owned(), format!("/capabilities/extensions/{place}")));
    assert_eq!(errors(A2aExtensionsLayer::new(card(declared))), expected);
}

#[test]
fn an_undeclared_or_doubled_implementation_does_not_build() {
    let builder = A2aExtensionsLayer::builder(card(json!([{"uri": FIRST}])));
    let built = builder.extension(Stamping(FIRST)).extension(Stamping(FIRST)).extension(Stamping(SECOND)).build();
    assert_eq!(
        errors(built),
        [
            ("A2A §4.4.4".into(), "/capabilities/extensions/0".into()),
            ("A2A §4.4.4".into(), "/capabilities/extensions".into()),
        ]
    );
}

#[test]
fn more_than_63_declarations_do_not_build() {
    let declared =
        |count: usize| (0..count).map(|n| json!({"uri": format!("https://biz.example/{n}")})).collect::<Vec<_>>();
    assert!(A2aExtensionsLayer::new(card(Value::Array(declared(63)))).is_ok());
    assert_eq!(errors(A2aExtensionsLayer::new(card(Value::Array(declared(64))))).len(), 1);
}

#[test]
fn a_broken_on_request_declaration_does_not_build_with_new_alone() {
    let declared = json!([{
        "uri": "https://agent-capability.org/ext/on-request/v1",
        "required": true,
        "params": {"skills": [{"id": "nobody", "personEntry": "http://biz.example"}]},
    }]);
    let rules = errors(A2aExtensionsLayer::new(card(declared))).into_iter().map(|(rule, _)| rule).collect::<Vec<_>>();
    for rule in ["OR-3.1", "OR-3.3", "OR-3.4"] {
        assert!(rules.iter().any(|found| found == rule), "{rule}: {rules:?}");
    }
}

#[test]
fn the_error_prints_every_finding_on_a_line_of_its_own() {
    let error = A2aExtensionsLayer::new(card(json!([{"uri": 7}, {}]))).unwrap_err();
    let text = error.to_string();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.contains("2 error(s)") && text.contains("/capabilities/extensions/1/uri"), "{text}");
}

#[test]
fn d10_unknown_members_and_foreign_extensions_are_no_problem() {
    let mut card = card(json!([{"uri": "urn:x:foreign", "params": {"anything": [1, null]}, "x-more": 1}]));
    card["x-foo"] = json!({"bar": 1});
    assert!(A2aExtensionsLayer::new(card).unwrap().findings().is_empty());
    assert_eq!(ExtensionUri::new("urn:x:foreign").unwrap(), "urn:x:foreign");
}

//! What stops a build: everything at once, each with rule and place.

use std::borrow::Cow;

use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, Answer, BuildError, ExtensionUri, Gate, GateFuture, IncomingMessage,
    MessageGate, OutgoingObject, Severity, Stamp,
};

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

/// An extension with names of its own.
struct Named {
    uri: &'static str,
    aliases: Vec<ExtensionUri>,
    keys: Vec<Cow<'static, str>>,
    /// It answers every message itself.
    answers: bool,
}

impl Named {
    fn new(uri: &'static str, aliases: &[&'static str], keys: &[&'static str]) -> Self {
        let aliases = aliases.iter().map(|alias| ExtensionUri::from_static(alias)).collect();
        Self { uri, aliases, keys: keys.iter().map(|key| (*key).into()).collect(), answers: false }
    }
}

impl A2aExtension for Named {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(self.uri)
    }

    fn aliases(&self) -> Vec<ExtensionUri> {
        self.aliases.clone()
    }

    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        self.keys.clone()
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        if self.answers { Some(self) } else { None }
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

impl MessageGate for Named {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        Gate::Answer(Answer::text("no")).into()
    }
}

#[test]
fn extensions_that_share_a_name_or_have_no_key_do_not_build() {
    let old = "https://example.com/old/v0";
    let build = |first: Named, second: Named| {
        let builder = A2aExtensionsLayer::builder(two()).extension(first).extension(second);
        builder.build().map_err(|error| error.to_string()).map(|_| ())
    };
    let good = || Named::new(FIRST, &[old], &["first"]);
    let apart = Named::new(SECOND, &["https://example.com/old/v1"], &["second"]);
    assert_eq!(build(good(), apart), Ok(()));
    let faults = [
        (Named::new(SECOND, &[old], &["second"]), format!("two extensions go by `{old}`")),
        (Named::new(SECOND, &[FIRST], &["second"]), format!("`{SECOND}` is given to the layer, but the card declares")),
        (Named::new(FIRST, &[], &["second"]), format!("`{FIRST}` has two implementations")),
        (Named::new(SECOND, &[], &["other", "first"]), "two extensions own the metadata key `first`".to_owned()),
        (Named::new(SECOND, &[], &[]), format!("`{SECOND}` names no metadata key")),
    ];
    for (second, fault) in faults {
        let error = build(good(), second).unwrap_err();
        assert!(error.contains("1 error(s)") && error.contains(&fault), "{fault}: {error}");
    }
}

#[tokio::test]
async fn of_so_many_aliases_as_can_be_told_apart_the_last_is_known_and_one_more_does_not_build() {
    let named = |count: usize| {
        let aliases = (0..count).map(|n| ExtensionUri::new(format!("https://example.com/old/{n}")).unwrap());
        Named { aliases: aliases.collect(), ..Named::new(FIRST, &[], &["first"]) }
    };
    let layer = |count| A2aExtensionsLayer::builder(two()).extension(named(count)).build();
    let app = agent(&Seen::default()).layer(layer(255).unwrap());
    let (headers, _) = ok(&app, send(&[("a2a-extensions", b"https://example.com/old/254")])).await;
    assert_eq!(headers["a2a-extensions"], "https://example.com/old/254");
    assert_eq!(errors(layer(256)), [("A2A §4.4.4".into(), "/capabilities/extensions/0".into())]);
}

#[tokio::test]
async fn the_supported_versions_are_told_once_each_in_the_order_of_the_card() {
    let mut card = two();
    let versions = ["1.0", "0.3", "1.0", "0.3", "1.1"];
    card["supportedInterfaces"] = versions
        .map(|version| json!({"url": "https://agent.example.com/a2a/v1", "protocolBinding": "JSONRPC", "protocolVersion": version}))
        .into_iter()
        .collect();
    let answering = Named { answers: true, ..Named::new(FIRST, &[], &["first"]) };
    let layer = A2aExtensionsLayer::builder(card).extension(answering).build().unwrap();
    let mut request = send(&[]);
    request.headers_mut().insert("a2a-version", "7.0".parse().unwrap());
    let reply = body(call(&agent(&Seen::default()).layer(layer), request).await).await;
    let told = reply.to_string();
    assert!(told.contains(r#""supportedVersions":"1.0,0.3,1.1""#), "{told}");
}

#[test]
fn more_than_63_declarations_do_not_build() {
    let declared =
        |count: usize| (0..count).map(|n| json!({"uri": format!("https://biz.example/{n}")})).collect::<Vec<_>>();
    assert!(A2aExtensionsLayer::new(card(Value::Array(declared(63)))).is_ok());
    assert_eq!(errors(A2aExtensionsLayer::new(card(Value::Array(declared(64))))).len(), 1);
}

#[test]
fn a_card_that_almost_declares_on_request_does_not_build() {
    for uri in ["https://agent-capability.org/ext/on-request/v1/", "http://agent-capability.org/ext/on-request/v1"] {
        let params = json!({"skills": [{"id": "pricing", "personEntry": "https://ask.example.com/talk"}]});
        let card =
            json!({"capabilities": {"extensions": [{"uri": uri, "params": params}]}, "skills": [{"id": "pricing"}]});
        let error = A2aExtensionsLayer::new(card).unwrap_err();
        assert!(error.findings.iter().any(|finding| finding.rule == "OR-3.1"), "{error}");
    }
}

#[test]
fn two_skills_of_one_listed_id_do_not_build() {
    let params = json!({"skills": [{"id": "pricing", "personEntry": "https://ask.example.com/talk"}]});
    let declared = json!({"uri": "https://agent-capability.org/ext/on-request/v1", "params": params});
    let skills = json!([{"id": "pricing"}, {"id": "pricing"}]);
    let card = json!({"capabilities": {"extensions": [declared]}, "skills": skills});
    let at = "/capabilities/extensions/0/params/skills/0/id";
    assert_eq!(errors(A2aExtensionsLayer::new(card)), [("OR-3.3".to_owned(), at.to_owned())]);
}

#[test]
fn declarations_in_the_wrong_place_are_a_warning() {
    for (card, pointer) in [
        (json!({"extensions": []}), "/extensions"),
        (json!({"capabilities": {"extension": []}}), "/capabilities/extension"),
    ] {
        let layer = A2aExtensionsLayer::new(card).unwrap();
        let mut findings = layer.findings().iter();
        assert!(
            findings.any(|finding| finding.severity == Severity::Warning && finding.pointer == pointer),
            "{pointer}"
        );
    }
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
fn a_declared_extension_without_an_implementation_is_a_note() {
    let declared = json!([{"uri": FIRST}, {"uri": SECOND}, {"uri": "urn:x:needed", "required": true}]);
    let layer = A2aExtensionsLayer::builder(card(declared)).extension(Stamping(FIRST)).build().unwrap();
    let found = layer.findings().iter().map(|one| (one.severity, one.pointer.as_str(), one.message.as_str()));
    let stamps_nothing =
        format!("`{SECOND}` is declared and echoed, but nothing is stamped: no implementation is given");
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            (Severity::Note, "/capabilities/extensions/1", stamps_nothing.as_str()),
            (
                Severity::Note,
                "/capabilities/extensions/2",
                "`urn:x:needed` is required of every client, and no implementation is given"
            ),
        ]
    );
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
    let layer = A2aExtensionsLayer::new(card).unwrap();
    assert!(layer.findings().iter().all(|finding| finding.severity == Severity::Note), "{}", layer.findings());
    assert_eq!(ExtensionUri::new("urn:x:foreign").unwrap(), "urn:x:foreign");
}

#[test]
fn a_card_that_offers_grpc_is_warned_of_where_grpc_is_not_read() {
    let card = serde_json::json!({"name": "Clerk", "supportedInterfaces": [
        {"url": "https://clerk.example", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
    ]});
    let layer = A2aExtensionsLayer::new(card).unwrap();
    let warnings = layer.findings().iter().filter(|finding| finding.to_string().contains("feature `grpc`")).count();
    assert_eq!(warnings, usize::from(cfg!(not(feature = "grpc"))));
}

//! The extensions that a card declares, and whether On Request is among them (OR-3.1).

use std::collections::HashSet;

use serde_json::Value;

use crate::card::{AgentCard, DeclaredExtension};
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::ON_REQUEST_URI;
use crate::uri::ExtensionUri;

const RULE: &str = "A2A §4.4.4";
/// So many declarations are looked at.
const MAX_DECLARATIONS: usize = 1_000;

/// Checks the declarations, and gives those of On Request.
pub(super) fn check_declarations<'a>(card: &'a AgentCard, findings: &mut Findings) -> Vec<DeclaredExtension<'a>> {
    if card.as_value().pointer("/capabilities/extensions").is_some_and(|list| !list.is_array() && !list.is_null()) {
        findings.error(RULE, "/capabilities/extensions", "the declared extensions are no array");
    }
    let mut seen = HashSet::new();
    let mut ours = Vec::new();
    for declared in card.extensions().take(MAX_DECLARATIONS) {
        let pointer = format!("{}/uri", declared.pointer());
        let Some(uri) = declared.uri() else {
            findings.error(RULE, pointer, "a declared extension needs `uri`, a string");
            continue;
        };
        let is_ours = uri == ON_REQUEST_URI.as_str();
        if !seen.insert(uri) {
            let rule = if is_ours { "OR-3.1" } else { RULE };
            let finding = Finding::new(Severity::Error, rule, pointer, format!("{} is declared twice", quoted(uri)));
            findings.push(finding.with_help("keep one declaration: which of them counts is not defined"));
        } else if let Err(error) = ExtensionUri::new(uri) {
            let finding = Finding::new(Severity::Error, RULE, pointer.clone(), format!("{}: {error}", quoted(uri)));
            findings.push(finding.with_help("write an absolute URI in ASCII, with `%2C` for a comma"));
        }
        if is_ours {
            ours.push(declared);
        } else {
            near_miss(uri, format!("{}/uri", declared.pointer()), findings);
            let required = declared.as_value().get("required");
            if required.is_some_and(|required| !required.is_boolean() && !required.is_null()) {
                findings.error(RULE, format!("{}/required", declared.pointer()), "`required` is true or false");
            }
        }
    }
    if ours.is_empty() {
        let what = "the card does not declare On Request: all its skills are public, or need sign-in";
        findings.note("OR-3.1", "/capabilities/extensions", what);
    } else {
        card_of_0_3(card, findings);
    }
    ours
}

/// URIs are compared byte for byte, so what almost matches is another extension to every client.
fn near_miss(uri: &str, pointer: String, findings: &mut Findings) {
    if uri.len() > 2 * ON_REQUEST_URI.as_str().len() {
        return;
    }
    let lower = uri.trim().to_ascii_lowercase();
    let plain = lower.trim_end_matches(['/', '#', '?']).replace("http://", "https://").replace("://www.", "://");
    let uri = ON_REQUEST_URI;
    let known = uri.as_str();
    let help = format!("write {}", quoted(known));
    if plain == known {
        let what = "this is almost the URI of On Request; it is compared byte for byte, so no client knows it";
        findings.push(Finding::new(Severity::Error, "OR-3.1", pointer, what).with_help(help));
    } else if plain.contains("agent-capability.org/ext/on-request") {
        let what = "this is another version of On Request, whose rules are not known here";
        let help = format!("{help} to be checked by the rules of version 1");
        findings.push(Finding::new(Severity::Warning, "OR-3.1", pointer, what).with_help(help));
    }
}

fn card_of_0_3(card: &AgentCard, findings: &mut Findings) {
    let versions = card.interfaces().take(MAX_DECLARATIONS).map(|interface| interface.protocol_version());
    let versions = versions.collect::<Vec<_>>();
    let is_old =
        |version: &Option<&str>| version.map_or_else(|| card.as_value().get("url").is_some(), |v| v.starts_with("0."));
    if !versions.is_empty() && versions.iter().all(is_old) {
        let pointer =
            if card.as_value().get("protocolVersion").is_some_and(Value::is_string) { "/protocolVersion" } else { "" };
        let what = "this is a card of A2A 0.3, and On Request is built on A2A 1.0";
        let finding = Finding::new(Severity::Warning, "OR-3.1", pointer, what);
        findings.push(finding.with_help("list an interface of A2A 1.0 in `supportedInterfaces`"));
    }
}

//! The extensions that a card declares, and whether On Request is among them (OR-3.1).

use std::collections::HashSet;

use percent_encoding::percent_decode_str;

use super::teller::Teller;

use crate::card::{AgentCard, DeclaredExtension};
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::ON_REQUEST_URI;
use crate::uri::ExtensionUri;

const RULE: &str = "A2A §4.4.4";
/// A longer URI is not compared with ours.
const MAX_URI: usize = 200;
/// So many letters may be wrong in a URI that was meant to be ours.
const MAX_SLIPS: usize = 3;
/// So many interfaces are looked at.
const MAX_INTERFACES: usize = 1_000;

/// Checks the declarations, and gives the first of On Request: with two of them all else would be told
/// twice.
pub(super) fn check_declarations<'a>(card: &'a AgentCard, findings: &mut Findings) -> Option<DeclaredExtension<'a>> {
    if card.as_value().pointer("/capabilities/extensions").is_some_and(|list| !list.is_array() && !list.is_null()) {
        findings.error(RULE, "/capabilities/extensions", "the declared extensions are no array");
    }
    findings.extend(misplaced_extensions(card));
    let mut seen = HashSet::new();
    let mut ours = None;
    let mut almost = false;
    let mut teller = Teller::new(RULE, "/capabilities/extensions", findings);
    for declared in card.extensions() {
        let Some(uri) = declared.uri() else {
            teller.tell(Severity::Error, |rule| {
                let pointer = format!("{}/uri", declared.pointer());
                Finding::new(Severity::Error, rule, pointer, "a declared extension needs `uri`, a string")
            });
            continue;
        };
        let is_ours = uri == ON_REQUEST_URI.as_str();
        check_uri(&declared, uri, seen.insert(uri), &mut teller);
        let near = if is_ours { None } else { near_miss(&declared, uri) };
        if uri.contains('%') {
            teller.tell(Severity::Note, |rule| {
                let pointer = format!("{}/uri", declared.pointer());
                Finding::new(
                    Severity::Note,
                    rule,
                    pointer,
                    "the URI holds an escape such as `%7E`: it is compared as it is written",
                )
            });
        }
        let is_meant = near.as_ref().is_some_and(|near| near.severity == Severity::Error);
        if !is_ours && !is_meant {
            check_required(&declared, &mut teller);
        }
        if let Some(near) = near {
            teller.tell(near.severity, |_| near);
        }
        if (is_ours && (ours.is_none() || almost)) || (is_meant && ours.is_none()) {
            almost = !is_ours;
            ours = Some(declared);
        }
    }
    teller.end();
    if ours.is_none() {
        let what = "the card does not declare On Request: all its skills are public, or need sign-in";
        findings.note("OR-3.1", "/capabilities/extensions", what);
    } else {
        card_of_0_3(card, findings);
    }
    ours
}

/// Declarations where nobody looks for them.
pub(crate) fn misplaced_extensions(card: &AgentCard) -> Option<Finding> {
    let misplaced = ["/extensions", "/extension", "/capabilities/extension"];
    let pointer = misplaced.into_iter().find(|pointer| card.as_value().pointer(pointer).is_some())?;
    let finding = Finding::new(Severity::Warning, RULE, pointer, "here nobody looks for declared extensions");
    Some(finding.with_help("their place is `capabilities.extensions`, an array"))
}

fn check_uri(declared: &DeclaredExtension<'_>, uri: &str, is_new: bool, teller: &mut Teller<'_>) {
    let pointer = || format!("{}/uri", declared.pointer());
    if !is_new {
        teller.tell(Severity::Error, |rule| {
            let rule = if uri == ON_REQUEST_URI.as_str() { "OR-3.1" } else { rule };
            let what = format!("{} is declared twice", quoted(uri));
            let help = "keep one declaration: which of them counts is not defined";
            Finding::new(Severity::Error, rule, pointer(), what).with_help(help)
        });
    } else if let Err(error) = ExtensionUri::new(uri) {
        teller.tell(Severity::Error, |rule| {
            let finding = Finding::new(Severity::Error, rule, pointer(), format!("{}: {error}", quoted(uri)));
            finding.with_help("write an absolute URI in ASCII, with `%2C` for a comma")
        });
    }
}

fn check_required(declared: &DeclaredExtension<'_>, teller: &mut Teller<'_>) {
    if declared.as_value().get("required").is_some_and(|required| !required.is_boolean() && !required.is_null()) {
        teller.tell(Severity::Error, |rule| {
            let pointer = format!("{}/required", declared.pointer());
            Finding::new(Severity::Error, rule, pointer, "`required` is true or false")
        });
    }
}

/// What is almost the URI of On Request. URIs are compared byte for byte, so to every client it is
/// another extension, and the listed skills are public. An error where it was meant to be ours; then
/// the rest of the declaration is checked too.
pub(crate) fn near_miss(declared: &DeclaredExtension<'_>, uri: &str) -> Option<Finding> {
    let (base, version) = name_and_version(uri)?;
    let known = ON_REQUEST_URI;
    let (known_base, _) = name_and_version(known.as_str())?;
    if strsim::osa_distance(&base, &known_base) > MAX_SLIPS && !base.ends_with("onrequest") {
        return None;
    }
    if base.ends_with("onrequest") && !base.contains("agentcapab") {
        return None;
    }
    let pointer = format!("{}/uri", declared.pointer());
    Some(if matches!(version.as_str(), "" | "1" | "01" | "10") {
        let what = "this is almost the URI of On Request; it is compared byte for byte, so no client knows it";
        let help = format!("write {}", quoted(known.as_str()));
        Finding::new(Severity::Error, "OR-3.1", pointer, what).with_help(help)
    } else {
        let what = "this is another version of On Request, whose rules are not known here";
        let help = format!("write {} to be checked by the rules of version 1", quoted(known.as_str()));
        Finding::new(Severity::Warning, "OR-3.1", pointer, what).with_help(help)
    })
}

/// The letters and digits of a URI before its version, and the digits of that.
fn name_and_version(uri: &str) -> Option<(String, String)> {
    let uri = uri.trim().split(['?', '#']).next()?.trim_end_matches(['/', '.']);
    if uri.len() > MAX_URI {
        return None;
    }
    let decoded = percent_decode_str(uri).decode_utf8_lossy().to_lowercase().replace("http://", "https://");
    let plain = decoded.chars().filter(|character| character.is_alphanumeric()).collect::<String>();
    let name = plain.trim_end_matches(|character: char| character.is_ascii_digit());
    let version = plain.get(name.len()..).unwrap_or_default();
    Some((name.strip_suffix('v').unwrap_or(name).to_owned(), version.to_owned()))
}

fn card_of_0_3(card: &AgentCard, findings: &mut Findings) {
    let versions = card.interfaces().take(MAX_INTERFACES).map(|interface| interface.protocol_version());
    let versions = versions.collect::<Vec<_>>();
    let own = card.as_value().get("protocolVersion");
    let is_old = |version: &Option<&str>| match version {
        Some(version) => is_0_3(version),
        None => card.as_value().get("url").is_some(),
    };
    let says_so = own.is_some_and(|version| version.as_str().map_or(version.as_f64().is_some_and(|v| v < 1.0), is_0_3));
    if versions.iter().all(is_old) && (says_so || !versions.is_empty()) {
        let pointer = if own.is_some() { "/protocolVersion" } else { "" };
        let what = "this is a card of A2A 0.3, and On Request is built on A2A 1.0";
        let finding = Finding::new(Severity::Warning, "OR-3.1", pointer, what);
        findings.push(finding.with_help("list an interface of A2A 1.0 in `supportedInterfaces`"));
    }
}

fn is_0_3(version: &str) -> bool {
    version.trim_start_matches(['v', 'V', ' ']).starts_with("0.")
}

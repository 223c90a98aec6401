//! What A2A itself asks of a card, as far as it concerns who reads one.

use std::collections::HashMap;

use serde_json::Value;

use super::own_origin::is_address;
use crate::card::AgentCard;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::person_entry::host;

/// So many skills and interfaces are looked at.
const MAX_LISTED: usize = 1_000;

pub(super) fn check_shape(card: &AgentCard, findings: &mut Findings) {
    required_members(card, findings);
    skills(card, findings);
    interfaces(card, findings);
    if card.as_value().get("signatures").and_then(Value::as_array).is_some_and(|signatures| !signatures.is_empty()) {
        let what = "the card is signed: every edit breaks the signature, so sign it again after one";
        findings.note("A2A §8.4", "/signatures", what);
    }
}

/// Strings that A2A requires. Empty arrays and objects may be left out, as ProtoJSON does.
fn required_members(card: &AgentCard, findings: &mut Findings) {
    for member in ["name", "description", "version"] {
        match card.as_value().get(member) {
            None => {
                let what = format!("an Agent Card needs `{member}`");
                findings.warning("A2A §4.4.1", format!("/{member}"), what);
            }
            Some(Value::String(_)) => {}
            Some(_) => findings.error("A2A §4.4.1", format!("/{member}"), format!("`{member}` must be a string")),
        }
    }
    for member in ["skills", "supportedInterfaces", "additionalInterfaces", "defaultInputModes", "defaultOutputModes"] {
        if card.as_value().get(member).is_some_and(|value| !value.is_array() && !value.is_null()) {
            findings.error("A2A §4.4.1", format!("/{member}"), format!("`{member}` must be an array"));
        }
    }
    for member in ["capabilities", "provider"] {
        if card.as_value().get(member).is_some_and(|value| !value.is_object() && !value.is_null()) {
            findings.error("A2A §4.4.1", format!("/{member}"), format!("`{member}` must be an object"));
        }
    }
}

fn skills(card: &AgentCard, findings: &mut Findings) {
    let mut seen = HashMap::new();
    for (index, skill) in card.skills().take(MAX_LISTED).enumerate() {
        let pointer = format!("{}/id", skill.pointer());
        match skill.id() {
            None => {
                let finding = Finding::new(Severity::Error, "A2A §4.4.5", pointer, "a skill needs `id`, a string");
                findings.push(finding.with_help("without it no extension can speak of the skill"));
            }
            Some(id) => {
                if let Some(first) = seen.insert(id, index) {
                    let what = format!("skill {first} has the same id {}", quoted(id));
                    findings.error("A2A §4.4.5", pointer, what);
                }
            }
        }
    }
}

/// An endpoint is an http or https address; gRPC also takes `host:port`.
fn interfaces(card: &AgentCard, findings: &mut Findings) {
    let listed = card.as_value().get("supportedInterfaces").and_then(Value::as_array);
    let pointers = (0..listed.map_or(0, Vec::len)).map(|index| format!("/supportedInterfaces/{index}"));
    let main = card.as_value().get("url").map(|_| String::new());
    let more = (0..).map(|index| format!("/additionalInterfaces/{index}"));
    let pointers = pointers.chain(main).chain(more);
    for (interface, pointer) in card.interfaces().zip(pointers).take(MAX_LISTED) {
        let pointer = format!("{pointer}/url");
        let Some(url) = interface.url() else {
            findings.error("A2A §4.4.6", pointer, "an interface needs `url`, a string");
            continue;
        };
        let is_http = host(url).is_some() && !url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
        if !is_http && matches!(interface.protocol_binding(), Some("JSONRPC" | "HTTP+JSON")) {
            let what = format!("{} is no http or https address", quoted(url));
            findings.push(Finding::new(Severity::Error, "A2A §4.4.6", pointer, what).with_help("write `https://…`"));
        } else if host(url).is_some_and(|host| is_local(&host)) {
            let what = format!("{} cannot be reached from elsewhere", quoted(url));
            let finding = Finding::new(Severity::Warning, "A2A §4.4.6", pointer, what);
            findings.push(finding.with_help("behind a proxy, write the public address"));
        }
    }
}

fn is_local(host: &str) -> bool {
    let private = ["10.", "127.", "192.168.", "169.254.", "0.0.0.0"];
    host == "localhost"
        || host.ends_with(".localhost")
        || host.ends_with(".internal")
        || host.ends_with(".local")
        || host == "[::1]"
        || (is_address(host) && private.iter().any(|start| host.starts_with(start)))
}

//! What A2A itself asks of a card, as far as it concerns who reads one.

use std::collections::HashMap;

use serde_json::Value;

use super::own_origin::{OwnHosts, PLAIN_HOST, ProviderUrl, is_address};
use super::teller::Teller;
use crate::card::AgentCard;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::declared::person_entry::host;

/// So many interfaces are looked at.
const MAX_LISTED: usize = 1_000;

pub(super) fn check_shape(card: &AgentCard, findings: &mut Findings) {
    required_members(card, findings);
    skills(card, findings);
    interfaces(card, findings);
    if OwnHosts::of(card).provider() == ProviderUrl::Unreadable {
        let what = "`provider.url` is no http or https address with a plain host, so no origin can be compared with it";
        let finding = Finding::new(Severity::Warning, "A2A §4.4.1", "/provider/url", what);
        findings.push(finding.with_help(PLAIN_HOST));
    }
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
                let finding = Finding::new(Severity::Warning, "A2A §4.4.1", format!("/{member}"), what);
                findings.push(finding.with_help(format!("add `\"{member}\": \"…\"`")));
            }
            Some(Value::String(_)) => {}
            Some(_) => findings.error("A2A §4.4.1", format!("/{member}"), format!("`{member}` must be a string")),
        }
    }
    if ["skills", "capabilities", "supportedInterfaces", "url"]
        .iter()
        .all(|member| card.as_value().get(member).is_none())
    {
        let what = "this does not look like an Agent Card: it has no skills, capabilities and interfaces";
        findings.warning("A2A §4.4.1", "", what);
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
    let mut teller = Teller::new("A2A §4.4.5", "/skills", findings);
    for (index, skill) in card.skills().enumerate() {
        let at = |member: &str| format!("{}/{member}", skill.pointer());
        match skill.id().map(|id| (id, seen.insert(id, index))) {
            None => teller.tell(Severity::Error, |rule| {
                let finding = Finding::new(Severity::Error, rule, at("id"), "a skill needs `id`, a string");
                finding.with_help("without it no extension can speak of the skill")
            }),
            Some((id, Some(first))) => teller.tell(Severity::Error, |rule| {
                let what = format!("skill {first} has the same id {}", quoted(id));
                Finding::new(Severity::Error, rule, at("id"), what).with_help("give each skill an id of its own")
            }),
            Some(_) => {}
        }
        for (member, is_right, kind) in member_types(skill.as_value()) {
            if !is_right {
                teller.tell(Severity::Error, |rule| {
                    Finding::new(Severity::Error, rule, at(member), format!("`{member}` of a skill must be {kind}"))
                });
            }
        }
    }
    teller.end();
}

/// Members that are read by people and searched for values: whether each has its type.
fn member_types(skill: &Value) -> impl Iterator<Item = (&'static str, bool, &'static str)> {
    let is_text = |value: Option<&Value>| value.is_none_or(|value| value.is_string() || value.is_null());
    let are_texts = |value: Option<&Value>| match value {
        Some(Value::Array(texts)) => texts.iter().all(Value::is_string),
        value => value.is_none_or(Value::is_null),
    };
    let texts = ["name", "description"].map(|member| (member, is_text(skill.get(member)), "a string"));
    let lists = ["tags", "examples"].map(|member| (member, are_texts(skill.get(member)), "an array of strings"));
    texts.into_iter().chain(lists)
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
        // What a binding of somebody's own has for an address is not known here.
        let needs_http = matches!(interface.protocol_binding(), None | Some("JSONRPC" | "HTTP+JSON"));
        let is_broken = url.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\');
        if is_broken || (needs_http && host(url).is_none()) {
            let what = format!("{} is no http or https address", quoted(url));
            findings.push(Finding::new(Severity::Error, "A2A §4.4.6", pointer, what).with_help(PLAIN_HOST));
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
        || (is_address(host) && (private.iter().any(|start| host.starts_with(start)) || is_172_private(host)))
}

/// 172.16.0.0/12.
fn is_172_private(host: &str) -> bool {
    let second = host.strip_prefix("172.").and_then(|rest| rest.split('.').next()?.parse::<u8>().ok());
    second.is_some_and(|second| (16..32).contains(&second))
}

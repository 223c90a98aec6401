//! How the agent can be reached (A2A §4.4.6), and what of it cannot be read.

use serde_json::Value;

use super::{AgentCard, array, string};
use crate::findings::{Finding, Findings, Severity, quoted};

/// The section that a finding cites.
const RULE: &str = "A2A §4.4.6";

/// So many interfaces are told about.
const MAX_TOLD: usize = 10;

/// Members as protobuf spells them, with the object that has them.
const SNAKE_CASE: [(&str, &str, &str); 9] = [
    ("", "supported_interfaces", "supportedInterfaces"),
    ("", "additional_interfaces", "additionalInterfaces"),
    ("", "preferred_transport", "preferredTransport"),
    ("", "protocol_version", "protocolVersion"),
    ("", "security_schemes", "securitySchemes"),
    ("", "default_input_modes", "defaultInputModes"),
    ("", "default_output_modes", "defaultOutputModes"),
    ("/capabilities", "push_notifications", "pushNotifications"),
    ("/capabilities", "extended_agent_card", "extendedAgentCard"),
];

/// One way to reach the agent (A2A §4.4.6).
#[derive(Clone, Copy, Debug)]
pub struct CardInterface<'a> {
    value: &'a Value,
    version: Option<&'a str>,
    has_0_3_shape: bool,
}

impl<'a> CardInterface<'a> {
    /// The address.
    #[must_use]
    pub fn url(&self) -> Option<&'a str> {
        string(self.value, "url")
    }

    /// The binding: `JSONRPC`, `HTTP+JSON`, `GRPC` or another.
    #[must_use]
    pub fn protocol_binding(&self) -> Option<&'a str> {
        ["protocolBinding", "transport", "preferredTransport"].into_iter().find_map(|name| string(self.value, name))
    }

    /// The protocol version, `Major.Minor`: the interface's own, or else the one of the whole card.
    #[must_use]
    pub fn protocol_version(&self) -> Option<&'a str> {
        self.version
    }

    /// Whether it stands where only cards of 0.3 have it.
    pub(crate) fn has_0_3_shape(&self) -> bool {
        self.has_0_3_shape
    }
}

/// All interfaces of a card.
pub(super) fn all(card: &Value) -> impl Iterator<Item = CardInterface<'_>> {
    let of_card = version(card);
    let listed = array(card, "/supportedInterfaces").iter();
    let listed =
        listed.map(move |value| CardInterface { value, version: version(value).or(of_card), has_0_3_shape: false });
    let main = card.get("url").map(|_| card);
    let more = main.into_iter().chain(array(card, "/additionalInterfaces"));
    listed.chain(more.map(move |value| CardInterface {
        value,
        version: version(value).or(of_card),
        has_0_3_shape: true,
    }))
}

fn version(value: &Value) -> Option<&str> {
    string(value, "protocolVersion").filter(|version| !version.trim().is_empty())
}

/// What of the interfaces cannot be read, or only with good will.
pub(crate) fn interface_findings(card: &AgentCard) -> Findings {
    let mut findings = Findings::default();
    if card.interfaces().next().is_none() {
        let what =
            "the card lists no interface: no version is checked, and errors before a request is read are HTTP errors";
        findings.push(warning("/supportedInterfaces", what).with_help("add `supportedInterfaces`"));
    }
    let listed = array(card.as_value(), "/supportedInterfaces").iter().enumerate();
    let listed = listed.map(|(index, value)| (format!("/supportedInterfaces/{index}"), value));
    let of_card = string(card.as_value(), "protocolVersion").map(|_| (String::new(), card.as_value()));
    for (pointer, value) in listed.chain(of_card).filter(|(_, value)| !names_version(value)).take(MAX_TOLD) {
        findings.push(of_version(card, &pointer, value));
    }
    for (pointer, snake, camel) in misspelled(card) {
        let what = format!("`{snake}` is not read");
        findings.push(warning(&format!("{pointer}/{snake}"), what).with_help(format!("write `{camel}`")));
    }
    let streaming = card.as_value().pointer("/capabilities/streaming");
    if streaming.is_some_and(|streaming| !streaming.is_boolean() && !streaming.is_null()) {
        let what = "`streaming` is no boolean, so the card does not say whether the agent streams";
        findings.push(warning("/capabilities/streaming", what).with_help("write `true` or `false`"));
    }
    findings
}

fn warning(pointer: &str, what: impl Into<String>) -> Finding {
    Finding::new(Severity::Warning, RULE, pointer, what.into())
}

/// Whether an object has a `protocolVersion` as A2A writes it; a patch number does not count.
fn names_version(value: &Value) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    string(value, "protocolVersion").is_some_and(|version| {
        let parts = version.split('.').collect::<Vec<_>>();
        matches!(parts.len(), 2 | 3) && parts.into_iter().all(is_number)
    })
}

fn of_version(card: &AgentCard, pointer: &str, value: &Value) -> Finding {
    let at = format!("{pointer}/protocolVersion");
    let what = match (value.get("protocolVersion"), version(card.as_value())) {
        (Some(Value::String(text)), _) if !text.trim().is_empty() => {
            format!("{} is read as well as it can be: a version is `Major.Minor`", quoted(text))
        }
        (_, Some(of_card)) if !pointer.is_empty() => {
            format!("the interface names no version; the card's {} counts", quoted(of_card))
        }
        _ => "no version is named, so every one of the family counts that has this shape of card".to_owned(),
    };
    warning(&at, what).with_help("write `\"protocolVersion\": \"1.0\"`")
}

/// Members as protobuf spells them: where, how, and how they are written.
fn misspelled(card: &AgentCard) -> Vec<(String, &'static str, &'static str)> {
    let known = SNAKE_CASE.into_iter().map(|(at, snake, camel)| (at.to_owned(), snake, camel));
    let count = array(card.as_value(), "/supportedInterfaces").len();
    let of_interfaces = (0..count).flat_map(|index| {
        [("protocol_binding", "protocolBinding"), ("protocol_version", "protocolVersion")]
            .map(|(snake, camel)| (format!("/supportedInterfaces/{index}"), snake, camel))
    });
    let is_there = |(at, snake, _): &(String, &str, &str)| {
        card.as_value().pointer(at).is_some_and(|object| object.get(*snake).is_some())
    };
    known.chain(of_interfaces).filter(is_there).take(MAX_TOLD).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn card(card: Value) -> AgentCard {
        AgentCard::from_serialize(card).unwrap()
    }

    fn versions(value: Value) -> Vec<Option<String>> {
        card(value).interfaces().map(|interface| interface.protocol_version().map(str::to_owned)).collect()
    }

    #[test]
    fn an_interface_without_a_version_takes_the_cards() {
        let interface = |version: Value| json!({"url": "https://a.example/x", "protocolVersion": version});
        let listed = [interface(json!("1.1")), interface(json!("")), interface(Value::Null)];
        let with = |version: Value| json!({"supportedInterfaces": listed, "protocolVersion": version});
        assert_eq!(versions(with(json!("1.0"))), [Some("1.1".into()), Some("1.0".into()), Some("1.0".into())]);
        assert_eq!(versions(with(json!(""))), [Some("1.1".into()), None, None]);
        let old = json!({"url": "https://a.example", "protocolVersion": "0.2.5", "additionalInterfaces": [{"url": "https://b.example"}]});
        assert_eq!(versions(old), [Some("0.2.5".into()), Some("0.2.5".into())]);
    }

    #[test]
    fn what_cannot_be_read_of_interfaces_is_found() {
        let listed =
            |version: &str| json!({"supportedInterfaces": [{"url": "https://a.example", "protocolVersion": version}]});
        for (value, pointers) in [
            (listed("1.0"), vec![]),
            (listed("1.0.1"), vec![]),
            (listed("v1.0"), vec!["/supportedInterfaces/0/protocolVersion"]),
            (listed("1"), vec!["/supportedInterfaces/0/protocolVersion"]),
            (listed(""), vec!["/supportedInterfaces/0/protocolVersion"]),
            (json!({"url": "https://a.example", "protocolVersion": "0.3.0"}), vec![]),
            (json!({"url": "https://a.example", "protocolVersion": "v0.3"}), vec!["/protocolVersion"]),
            (json!({}), vec!["/supportedInterfaces"]),
            (json!({"supported_interfaces": [{}]}), vec!["/supportedInterfaces", "/supported_interfaces"]),
            (
                json!({"supportedInterfaces": [{"url": "https://a.example", "protocol_version": "1.0"}]}),
                vec!["/supportedInterfaces/0/protocolVersion", "/supportedInterfaces/0/protocol_version"],
            ),
            (
                json!({"url": "https://a.example", "capabilities": {"streaming": "true"}}),
                vec!["/capabilities/streaming"],
            ),
        ] {
            let found = interface_findings(&card(value.clone()));
            let found = found.iter().map(|finding| finding.pointer.as_str()).collect::<Vec<_>>();
            assert_eq!(found, pointers, "{value}");
        }
        let many = vec![json!({"url": "https://a.example", "protocol_version": "1.0"}); 5_000];
        assert_eq!(interface_findings(&card(json!({"supportedInterfaces": many}))).iter().count(), 2 * MAX_TOLD);
    }
}

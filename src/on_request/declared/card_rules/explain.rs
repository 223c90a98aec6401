//! The rules in a few words each.

/// What a rule asks for and why, in a few sentences: of every rule of On Request, and of the other
/// ids that findings of a check carry.
///
/// ```
/// use tower_a2a_extensions::on_request::{CARD_RULES, explain_rule};
///
/// assert!(explain_rule("OR-3.8").is_some_and(|text| text.contains("query")));
/// assert_eq!(explain_rule("a2a 4.4.5"), explain_rule("A2A §4.4.5"));
/// assert!(explain_rule("OR-9.9").is_none());
/// assert!(CARD_RULES.iter().all(|(rule, _)| explain_rule(rule).is_some()));
/// ```
#[must_use]
pub fn explain_rule(rule: &str) -> Option<&'static str> {
    find_rule(rule).map(|(_, text)| *text)
}

/// Finds a rule by its id, in any case and without the sign that few keyboards have.
pub(super) fn find_rule(rule: &str) -> Option<&'static (&'static str, &'static str)> {
    let plain = |id: &str| id.replace('§', "").to_ascii_lowercase();
    let wanted = plain(rule.trim());
    CARD_RULES.iter().find(|(id, _)| plain(id) == wanted)
}

/// Every id that [`explain_rule`] knows, with its text.
pub const CARD_RULES: &[(&str, &str)] = &[
    (
        "OR-3.1",
        "An agent with any on-request skill declares https://agent-capability.org/ext/on-request/v1 once, exactly so \
         written, with `required` false or left out. A client that does not know the extension still gets a usable \
         reply, so demanding it would only shut people out. Clients compare the URI byte for byte.",
    ),
    ("OR-3.2", "`params.skills` is an array with one object for every skill that is told on request."),
    (
        "OR-3.3",
        "Every entry names a skill of the same card by its `id`, and no skill twice. An entry for a skill that the card \
         does not have protects nothing: most often the id is mistyped.",
    ),
    (
        "OR-3.4",
        "Every entry has `personEntry`, where a person can ask: an https address on an origin that the operator \
         controls, or a telephone number, `tel:+44-20-7946-0000`. An action needs an https address. Whose an origin is \
         shows by its host: it is that of `provider.url` or of an interface, or below it. Name others with `--origin` \
         or `operator_origin`.",
    ),
    (
        "OR-3.5",
        "`assistantAccess` is true or false; absent means false. True is the operator's opt-in to telling assistants \
         that act for a person.",
    ),
    (
        "OR-3.6",
        "A skill that changes something has `completion`: `in-conversation` where it is finished when the exchange ends, \
         `deferred` where a member of staff completes it. Where any step waits on a person it is `deferred`, else \
         people believe in bookings that nobody has made.",
    ),
    (
        "OR-3.7",
        "A listed skill has no `securityRequirements` (0.3: `security`). A skill is told to the person who asks, or \
         needs sign-in, not both. Requirements of the whole card are another matter: they say who may call at all.",
    ),
    (
        "OR-3.8",
        "`personEntry` says nothing about the person: no query, no fragment, and no path such as /bereavement, which \
         whoever sees the address could read. It is the same for every caller.",
    ),
    (
        "OR-3.9",
        "No text of a skill, in members of any name, ever holds the value of what is told on request: the card is \
         public. An example may ask for it. Amounts, percentages, dates with times and telephone numbers are looked \
         for, and with `--value` a value itself.",
    ),
    ("OR-5.1", "The agent keeps to its card for every client, whether or not that activated the extension."),
    ("OR-5.2", "A public skill is answered to any client."),
    (
        "OR-5.3",
        "Asked for an on-request skill that is not opened, the agent says that the operator tells this to the person who \
         asks, and where. It never answers as though there were nothing to tell.",
    ),
    (
        "OR-5.4",
        "An opened informational skill may be told to an assistant that acts for a named person, and to nobody else: no \
         crawler, no aggregator. Identify who calls.",
    ),
    (
        "OR-5.5",
        "How an assistant shows that it acts for a person is not defined yet. With `\"assistantAccess\": true` the \
         operator accepts the assistant's own word for it, and should know that.",
    ),
    (
        "OR-5.6",
        "An opened action is carried out at an assistant's request only where the operator holds a level-2 attestation, \
         staff can reverse it and a named one is told, requests are limited for each assistant and in total, and the \
         person confirms what cannot be undone.",
    ),
    ("OR-5.7", "Otherwise the action is not carried out, and the person is referred to the address."),
    ("OR-5.8", "A deferred action is never called done, to the assistant or to the person."),
    ("OR-5.9", "Sign-in is A2A's own: `securityRequirements` and `securitySchemes`, outside this extension."),
    (
        "OR-5.10",
        "Where a person can be reached, a skill of the card says in its description how (transfer, callback), when, and \
         in which languages. It is looked for by English words: silence it where they do not fit, or where nobody can \
         be reached.",
    ),
    ("OR-6.1", "Where a client activated the extension, every reply that refers or gives carries the mark."),
    ("OR-6.2", "The text of the reply says the same in words."),
    ("OR-6.3", "An assistant that was referred offers the address, and no value from elsewhere as the operator's."),
    ("OR-6.4", "An assistant that was told something says that it came from the operator, on request."),
    (
        "converse",
        "A card that declares https://docs.radioso.ai/reference/a2a-converse-extension/v1 does so with `required` false \
         and says in `params` where the agent's MCP endpoint is (`mcp.url`, https), its server card one segment past it \
         (`mcp.serverCardUrl`), and lists in `tools` each exposed routine: `toolName`, the id of a skill of the card and \
         there once, `description`, and `inputSchema`, a JSON Schema object. Where none is exposed the list is empty.",
    ),
    (
        "schema",
        "The JSON Schema of the extension asks for this, and no numbered rule does: lengths of ids and addresses, the \
         number of entries, the type of a description.",
    ),
    (
        "json",
        "The file has to be JSON (RFC 8259) in UTF-8 without byte order mark, with every key of an object once: readers \
         differ in what they make of anything else.",
    ),
    ("card", "An Agent Card is one JSON object."),
    (
        "configuration",
        "What was said beside the card, on the command line or in code, is not usable or contradicts it.",
    ),
    ("A2A §4.4.1", "The members of an Agent Card: `name`, `description`, `version`, and arrays where A2A has arrays."),
    (
        "A2A §4.4.4",
        "Every declared extension has a `uri`, an absolute URI in ASCII without comma, and stands once in the list. \
         `required` is a boolean.",
    ),
    ("A2A §4.4.5", "Every skill has an `id`, and no two have the same."),
    ("A2A §4.4.6", "Every interface has a `url` that clients can reach: http or https, for gRPC also host and port."),
    ("A2A §8.4", "A signature covers the whole card: sign it again after an edit."),
];

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_rule_that_a_finding_may_carry_is_explained() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/on_request/declared");
        let mut files = vec![folder.join("card_rules.rs"), folder.join("person_entry.rs")];
        files.extend(fs::read_dir(folder.join("card_rules")).unwrap().map(|entry| entry.unwrap().path()));
        let mut used = 0;
        for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "rs")) {
            let text = fs::read_to_string(file).unwrap();
            for literal in text.split('"').skip(1) {
                let is_rule =
                    |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
                if ["OR-", "A2A §"].iter().any(|start| literal.strip_prefix(start).is_some_and(is_rule)) {
                    used += 1;
                    assert!(literal == "OR-9.9" || explain_rule(literal).is_some(), "{literal} in {}", file.display());
                }
            }
        }
        assert!(used > 60, "{used}");
        let numbered = [(3, 9), (5, 10), (6, 4)].iter().flat_map(|(part, last)| (1..=*last).map(move |n| (part, n)));
        for (part, number) in numbered {
            assert!(explain_rule(&format!("or-{part}.{number}")).is_some());
        }
    }
}

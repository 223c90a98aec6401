//! Checking Agent Cards of 10 MB, as they are and as somebody makes them who wants the checker to take long.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tower_a2a_extensions::Findings;
use tower_a2a_extensions::on_request::{ON_REQUEST_URI, check_card};

use crate::rows::row;
use crate::table::{Goal, Row, Unit};
use crate::timing;

const SIZE: usize = 10 << 20;
/// So many findings are a report; more are a flood.
const MAX_FINDINGS: usize = 5_000;

/// What fills the card: a name, a rule that is found then, and how it is made.
type Filling = (&'static str, Option<&'static str>, fn() -> Value);

const FILLINGS: [Filling; 12] = [
    ("skills", None, || with_skills(|_| "Told to the person who asks.".into(), SIZE / 110)),
    ("one text", None, || with_text(repeated("Told to the person who asks. "))),
    ("amounts", Some("OR-3.9"), || with_text(repeated("from $45 and 10%, "))),
    ("short amounts", Some("OR-3.9"), || with_text(repeated("$1 "))),
    ("opening brackets", None, || with_text(repeated("(1 "))),
    ("escapes", None, || with_text(repeated("\u{e9}\n\\"))),
    ("duplicate entries", Some("OR-3.3"), || with_entries(SIZE / 70, "https://ask.larkfield.example/talk")),
    ("declarations", Some("OR-3.1"), with_declarations),
    ("skills of one id", Some("A2A §4.4.5"), with_skills_of_one_id),
    ("path segments", Some("OR-3.3"), || {
        with_entries(200, &format!("https://ask.larkfield.example{}", "/a".repeat(900)))
    }),
    ("numbers to call", Some("OR-3.9"), with_numbers_to_call),
    ("long hosts", Some("OR-3.4"), with_long_hosts),
];

pub(crate) fn rows() -> Vec<Row> {
    let rows = FILLINGS.map(|(name, rule, make)| {
        row(&format!("checking a card of 10 MB: {name}"), Unit::Millis, Goal::AtMost(1_000.0), move || {
            time(name, rule, &make().to_string())
        })
    });
    let keys = row("checking a card of 10 MB: duplicate keys", Unit::Millis, Goal::AtMost(1_000.0), || {
        let twice = repeated("{\"a\":1,\"a\":2},");
        time("duplicate keys", Some("json"), &card().to_string().replacen('{', &format!("{{\"x\":[{twice}0],"), 1))
    });
    rows.into_iter().chain([keys]).collect()
}

/// That the work is done: what is wrong with the filling is found, and nothing grave where nothing is.
fn time(name: &str, rule: Option<&str>, card: &str) -> f64 {
    let found = check_card(card);
    assert!(finds(&found, rule), "{name}: {:?}", found.iter().next());
    assert!(found.iter().count() < MAX_FINDINGS, "{name}: a flood of findings");
    timing::millis(|| check_card(card))
}

fn finds(found: &Findings, rule: Option<&str>) -> bool {
    rule.map_or(!found.has_errors(), |rule| found.iter().any(|finding| finding.rule == rule))
}

fn repeated(part: &str) -> String {
    part.repeat(SIZE / part.len() + 1)
}

fn card() -> Value {
    json!({
        "name": "Larkfield", "description": "Answers.", "version": "1",
        "provider": {"organization": "Larkfield", "url": "https://larkfield.example"},
        "capabilities": {"extensions": [{"uri": ON_REQUEST_URI.as_str(), "params": {"skills": [
            {"id": "pricing", "personEntry": "https://ask.larkfield.example/talk", "completion": "in-conversation"}
        ]}}]},
        "skills": [{"id": "pricing", "name": "Costs", "description": "On request.", "tags": []}]
    })
}

fn with_text(text: String) -> Value {
    let mut card = card();
    card["skills"][0]["description"] = text.into();
    card
}

fn with_skills(description: impl Fn(usize) -> String, count: usize) -> Value {
    let mut card = card();
    let skills =
        (0..count).map(|n| json!({"id": format!("skill-{n}"), "name": "Costs", "description": description(n)}));
    card["skills"].as_array_mut().expect("a list").extend(skills);
    card
}

fn with_entries(count: usize, address: &str) -> Value {
    let mut card = card();
    let entry = json!({"id": "pricing", "personEntry": address, "completion": "in-conversation"});
    card["capabilities"]["extensions"][0]["params"]["skills"] = vec![entry; count].into();
    card
}

fn with_declarations() -> Value {
    let mut card = with_text("It costs $45. ".repeat(SIZE / 28));
    let declared = card["capabilities"]["extensions"][0].clone();
    card["capabilities"]["extensions"] = vec![declared; SIZE / 400].into();
    card
}

fn with_skills_of_one_id() -> Value {
    let mut card = with_entries(200, "https://ask.larkfield.example/talk");
    let skill = json!({"id": "pricing", "name": "Costs", "description": "Staff confirm it.", "security": [{"a": []}]});
    card["skills"] = vec![skill; SIZE / 90].into();
    card
}

fn with_numbers_to_call() -> Value {
    let mut card = with_skills(|_| "Answers.".into(), 200);
    let entries = (0..200).map(|n| json!({"id": format!("skill-{n}"), "personEntry": format!("tel:+{}", 100_000 + n)}));
    let mut entries = entries.collect::<Vec<_>>();
    entries.insert(0, json!({"id": "pricing", "personEntry": "https://ask.larkfield.example/talk"}));
    entries.truncate(200);
    card["capabilities"]["extensions"][0]["params"]["skills"] = entries.into();
    card["skills"][0]["description"] = repeated("123456% or ").into();
    card
}

fn with_long_hosts() -> Value {
    let mut card = with_skills(|_| "Answers.".into(), 200);
    let entries =
        (0..200).map(|n| json!({"id": format!("skill-{n}"), "personEntry": "https://elsewhere.example/talk"}));
    card["capabilities"]["extensions"][0]["params"]["skills"] = entries.collect::<Vec<_>>().into();
    let url = |n: usize| {
        let mut url = String::new();
        let _ = write!(url, "https://{n}.{}/", "1".repeat(SIZE / 1_000));
        url
    };
    let interfaces = (0..1_000).map(|n| json!({"url": url(n), "protocolBinding": "JSONRPC"}));
    card["supportedInterfaces"] = interfaces.collect::<Vec<_>>().into();
    card
}

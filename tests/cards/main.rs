//! Every card of this folder has exactly the findings that its `.expected` names, one a line:
//! severity, rule (`_` for a space) and JSON pointer, in the order of the source.
//! Lines that start with `option` say what the checker is told beside the card.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tower_a2a_extensions::converse;
use tower_a2a_extensions::on_request::{CardChecker, check_card};
use tower_a2a_extensions::{Findings, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn cards() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("cards")).unwrap().map(|entry| entry.unwrap().path());
    let mut cards = files.filter(|path| path.extension().is_some_and(|end| end == "json")).collect::<Vec<_>>();
    cards.sort();
    cards
}

fn checker(expected: &str) -> CardChecker {
    let options = expected.lines().filter_map(|line| line.strip_prefix("option ")?.split_once(' '));
    options.fold(CardChecker::new().also(converse::check_card), |checker, (name, value)| match name {
        "origin" => checker.operator_origin(value),
        "value" => checker.value(value),
        "silence" => checker.silence(value.to_owned()),
        "path-words" => checker.path_words(value.split(',').map(str::to_owned)),
        other => panic!("no option {other}"),
    })
}

fn lines(findings: &Findings) -> Vec<String> {
    let line = |finding: &tower_a2a_extensions::Finding| {
        format!("{} {} {}", finding.severity.as_str(), finding.rule.replace(' ', "_"), finding.pointer)
    };
    findings.iter().map(line).collect()
}

#[test]
fn every_card_of_the_corpus_has_exactly_the_findings_beside_it() {
    let (mut wrong, mut rules) = (Vec::new(), BTreeSet::new());
    for card in cards() {
        let expected = fs::read_to_string(card.with_extension("expected")).unwrap();
        let source = fs::read(&card).unwrap();
        let findings = checker(&expected).check(&source);
        let wanted = expected.lines().filter(|line| !line.starts_with("option ")).collect::<Vec<_>>();
        if lines(&findings) != wanted {
            wrong.push(format!("{}\n  wanted {wanted:?}\n{findings}", card.file_name().unwrap().display()));
        }
        rules.extend(findings.iter().map(|finding| (finding.rule.to_string(), finding.severity)));
        for finding in &findings {
            let span = finding.span.clone().unwrap_or_default();
            assert!(source.get(span.clone()).is_some(), "{span:?} of {}", card.display());
            assert!(span.end > 0 || source.is_empty(), "{finding} in {} has no place", card.display());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cards().len() >= 100, "{}", cards().len());
    for rule in [
        "OR-3.1", "OR-3.2", "OR-3.3", "OR-3.4", "OR-3.5", "OR-3.6", "OR-3.7", "OR-3.8", "OR-3.9", "schema", "json",
        "converse",
    ] {
        assert!(rules.contains(&(rule.to_owned(), Severity::Error)), "no card breaks {rule}");
    }
}

/// What the place of a finding looks like in the source, for every value that can be found alone.
#[test]
fn a_finding_is_at_the_bytes_it_is_about() {
    for (card, rule, bytes) in [
        ("or_3_3_unknown_id", "OR-3.3", "\"fee\""),
        ("or_3_9_amount_in_description", "OR-3.9", "EUR 1.234,50"),
        ("or_3_9_amount_with_spaces", "OR-3.9", "1 234 €"),
        ("escapes_and_wide_characters", "OR-3.9", "$45"),
        ("or_3_9_value_in_public_skill", "OR-3.9", "forty-five"),
        ("or_3_7_sign_in_of_0_3", "OR-3.7", "[\n    {\n     \"a\": []\n    }\n   ]"),
        ("duplicate_key", "json", "\"completion\""),
        ("crlf_and_tabs", "OR-3.3", "\"fee\""),
        ("json_trailing_comma", "json", ","),
        ("converse_everything", "converse", "true"),
        ("json_latin_1", "json", "�"),
        ("d_bom", "json", "\u{feff}"),
    ] {
        let path = root().join("cards").join(card);
        let expected = fs::read_to_string(path.with_extension("expected")).unwrap();
        let source = fs::read(path.with_extension("json")).unwrap();
        let findings = checker(&expected).check(&source);
        let finding = findings.iter().find(|finding| finding.rule == rule).unwrap();
        assert_eq!(String::from_utf8_lossy(&source[finding.span.clone().unwrap()]), bytes, "{card}");
    }
}

#[test]
fn annex_a_1_and_the_chapels_card_have_no_error_and_no_warning() {
    let annex = include_str!("annex_a_1.json");
    let findings = check_card(annex);
    assert_eq!(
        lines(&findings),
        ["note OR-5.5 /capabilities/extensions/0/params/skills/1/assistantAccess", "note A2A_§8.4 /signatures"]
    );
    let chapel = check_card(include_str!("../../examples/chapel-card.json"));
    assert!(chapel.is_empty(), "{chapel}");
}

#[test]
fn the_cards_of_real_servers_have_no_error_and_no_warning() {
    let servers = fs::read_dir(root().join("wire")).unwrap().map(|entry| entry.unwrap().path());
    let cards = servers.map(|server| server.join("agent-card.resp.body")).filter(|card| card.exists());
    let mut checked = 0;
    for card in cards {
        let findings = check_card(fs::read(&card).unwrap());
        assert!(findings.iter().all(|finding| finding.severity == Severity::Note), "{}: {findings}", card.display());
        checked += 1;
    }
    assert_eq!(checked, 7);
}

#[test]
fn every_cut_of_a_card_and_every_changed_byte_is_read_without_panic() {
    let card = fs::read(root().join("cards/escapes_and_wide_characters.json")).unwrap();
    for cut in (0..card.len()).step_by(5) {
        let findings = check_card(&card[..cut]);
        assert!(cut + 1 >= card.len() || findings.has_errors(), "{cut}");
    }
    for at in (0..card.len()).step_by(23) {
        for byte in [b'"', b'\\', b'{', b']', 0, 0xFF] {
            let mut changed = card.clone();
            changed[at] = byte;
            for finding in &check_card(&changed) {
                let span = finding.span.clone().unwrap_or_default();
                assert!(changed.get(span).is_some(), "{finding}");
            }
        }
    }
}

/// The annex's card with a text of a listed skill, and with that repeated.
fn with_text(text: &str, times: usize) -> String {
    let text = serde_json::to_string(&text.repeat(times)).unwrap();
    include_str!("annex_a_1.json")
        .replace("\"Costs and inclusions of the chapel's services. Given to the person who asks, on request.\"", &text)
}

#[test]
fn twice_the_card_takes_about_twice_the_time() {
    let fastest = |source: &str| {
        let once = || {
            let started = Instant::now();
            std::hint::black_box(check_card(source));
            started.elapsed()
        };
        (0..3).map(|_| once()).min().unwrap_or(Duration::ZERO)
    };
    for text in ["from $45 and 10%, ", "1", "+", "(1 ", "1.", "1:", "11/", "é\"from $45 ", "one "] {
        let (one, eight) = (with_text(text, 8_000 / text.len()), with_text(text, 64_000 / text.len()));
        let (one, eight) = (fastest(&one), fastest(&eight));
        assert!(eight < one * 24 + Duration::from_millis(20), "{text:?}: {one:?}, then {eight:?}");
    }
    let twice = |count: usize| format!("{{\"x\": [{}]}}", vec!["{\"a\": 1, \"a\": 2}"; count].join(","));
    let (one, eight) = (fastest(&twice(1_000)), fastest(&twice(8_000)));
    assert!(eight < one * 24 + Duration::from_millis(20), "duplicates: {one:?}, then {eight:?}");
}

/// A short card must not make a long report.
#[test]
fn of_many_findings_of_one_kind_a_count_remains() {
    let declared = |skills: usize| {
        let entries =
            vec![r#"{"id": "a", "personEntry": "https://ask.x.example/", "completion": "in-conversation"}"#; skills];
        let uri = "https://agent-capability.org/ext/on-request/v1";
        format!(r#"{{"uri": "{uri}", "params": {{"skills": [{}]}}}}"#, entries.join(","))
    };
    let card = |declarations: usize, entries: usize, skills: usize| {
        let skill = r#"{"id": "a", "name": "A", "description": "Staff confirm it for $45.", "security": 5}"#;
        let (declared, skills) = (vec![declared(entries); declarations].join(","), vec![skill; skills].join(","));
        format!(r#"{{"name": "A", "capabilities": {{"extensions": [{declared}]}}, "skills": [{skills}]}}"#)
    };
    for (declarations, entries, skills) in
        [(1_000, 1, 1), (1, 2_000, 1), (1, 1, 3_000), (1, 200, 2_000), (100, 100, 100)]
    {
        let findings = check_card(card(declarations, entries, skills));
        let count = findings.iter().count();
        assert!((3..2_600).contains(&count), "{declarations} {entries} {skills}: {count}");
        if declarations.max(skills) >= 1_000 {
            assert!(
                findings.iter().any(|finding| finding.message.contains("more of these")),
                "{declarations} {skills}"
            );
        }
    }
}

/// A key is as long as its author wants, and must not be repeated in every finding.
#[test]
fn a_long_key_makes_no_long_report() {
    let key = "k".repeat(20_000);
    let skill =
        format!(r#"{{"id": "a", "name": "A", "description": {{"{key}": [{}]}}}}"#, vec![r#""$5""#; 400].join(","));
    let params = r#"{"skills": [{"id": "a", "personEntry": "https://ask.x.example/"}]}"#;
    let declared = format!(r#"{{"uri": "https://agent-capability.org/ext/on-request/v1", "params": {params}}}"#);
    let card = format!(r#"{{"name": "A", "capabilities": {{"extensions": [{declared}]}}, "skills": [{skill}]}}"#);
    for checker in [CardChecker::new(), CardChecker::new().value("$5")] {
        let findings = checker.check(&card);
        assert!(findings.iter().filter(|finding| finding.rule == "OR-3.9").count() >= 400);
        assert!(findings.to_string().len() < 300_000, "{}", findings.to_string().len());
        assert!(findings.iter().all(|finding| card.get(finding.span.clone().unwrap()).is_some()));
    }
}

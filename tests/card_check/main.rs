//! The command `a2a-card-check`, run as it is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tower_a2a_extensions::on_request::CARD_RULES;

/// The command in the folder of the cards, without what the environment says of colours.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_a2a-card-check"));
    command.args(args).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cards"));
    command.env_remove("NO_COLOR").env("TERM", "xterm");
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

fn run_with(input: &[u8], args: &[&str]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The command may be done before it has read all.
    drop(child.stdin.take().unwrap().write_all(input));
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn findings_are_written_as_compilers_write_them() {
    for card in [
        "or_3_3_unknown_id",
        "or_3_4_look_alike",
        "or_3_9_two_amounts",
        "or_3_7_sign_in_too",
        "json_trailing_comma",
        "json_latin_1",
        "crlf_and_tabs",
        "escapes_and_wide_characters",
        "annex_a_1",
        "d11_empty_object",
    ] {
        insta::assert_snapshot!(card, stdout(&run(&[&format!("{card}.json")])));
    }
}

#[test]
fn colours_are_for_terminals() {
    let card = "or_3_3_unknown_id.json";
    assert!(!stdout(&run(&[card])).contains('\u{1b}'), "a pipe has none");
    assert!(stdout(&run(&[card, "--color", "always"])).contains("\u{1b}["));
    assert!(!stdout(&run(&[card, "--color", "never"])).contains('\u{1b}'));
}

#[test]
fn a_card_writes_nothing_into_the_terminal() {
    let id = r"\u001b]0;owned\u0007\u009b2J\u202e";
    let raw = "\u{9b}2J\u{202e}\u{200b}\u{7f}";
    let card = format!(
        r#"{{"name": "{raw}", "{id}": 1, "{id}": 2, "skills": [{{"id": "a", "description": "{raw} $45 {id}"}}],
        "capabilities": {{"extensions": [{{"uri": "https://agent-capability.org/ext/on-request/v1", "params": {{"skills": [
        {{"id": "a", "personEntry": "{id}{raw}"}}, {{"id": "{id}{raw}", "personEntry": "https://x.example/"}}]}}}}]}}}}"#
    );
    for format in ["human", "json", "sarif"] {
        for source in [card.as_bytes(), &[card.as_bytes(), b"\x1b[2J\x9b"].concat()] {
            let output = run_with(source, &["-", "--format", format]);
            assert_eq!(output.status.code(), Some(1));
            let text = stdout(&output);
            let acting = text.chars().find(|c| (c.is_control() && *c != '\n') || "\u{202e}\u{200b}".contains(*c));
            assert_eq!(acting, None, "{format}: {text}");
        }
    }
    let named = run(&["\u{1b}[2J.json"]);
    assert!(!stderr(&named).contains('\u{1b}'), "{}", stderr(&named));
}

#[test]
fn the_exit_status_tells_clean_found_and_unreadable_apart() {
    for (args, code) in [
        (&["clean.json"][..], 0),
        (&["annex_a_1.json", "--deny", "warnings"], 0),
        (&["or_3_8_bereavement.json"], 0),
        (&["or_3_8_bereavement.json", "--deny", "warnings"], 1),
        (&["or_3_8_query.json"], 1),
        (&["clean.json", "or_3_8_query.json"], 1),
        (&["json_cut_off.json"], 1),
        (&["or_5_10_nobody.json", "--deny", "warnings", "--silence", "OR-5.10"], 0),
        (&["or_3_4_look_alike.json", "--origin", "https://notharbour.example"], 0),
        (&["or_3_9_value_as_part_of_a_word.json", "--value", "1450"], 1),
        (&["or_3_8_bereavement.json", "--deny", "warnings", "--path-words", "gold,silver"], 0),
        (&["none.json"], 2),
        (&["none.json", "or_3_8_query.json"], 2),
        (&["."], 2),
        (&["https://harbour.example/.well-known/agent-card.json"], 2),
        (&["clean.json", "--format", "xml"], 2),
        (&["clean.json", "--origin", "https://booking.example.net/"], 2),
        (&["clean.json", "--value", ""], 2),
        (&["clean.json", "--path-words", ""], 2),
        (&["clean.json", "--silence", "OR-3.99"], 2),
        (&["or_5_10_nobody.json", "--deny", "warnings", "--silence", "or-3.8,or-5.10"], 0),
        (&[], 2),
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}{}", stdout(&output), stderr(&output));
    }
    let address = run(&["https://harbour.example/card.json"]);
    assert!(stderr(&address).contains("opens no connection"), "{}", stderr(&address));
}

#[test]
fn standard_input_is_a_card_too() {
    let card = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cards/or_3_3_unknown_id.json")).unwrap();
    let output = run_with(&card, &["clean.json", "-"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("--> <stdin>:"), "{}", stdout(&output));
    assert_eq!(run_with(b"", &["-"]).status.code(), Some(1));
}

#[test]
fn standard_input_is_read_once() {
    let output = run_with(b"{}", &["-", "-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("named twice"), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn whoever_reads_the_output_may_go_early() {
    for (card, code) in [("clean.json", 0), ("or_3_8_query.json", 1)] {
        for _ in 0..5 {
            let mut child = command(&[card; 40]).stdout(Stdio::piped()).spawn().unwrap();
            drop(child.stdout.take());
            assert_eq!(child.wait().unwrap().code(), Some(code), "{card}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = command(&["clean.json"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot be written"), "{}", stderr(&output));
}

#[test]
fn a_file_that_cannot_be_read_makes_the_run_a_failed_one() {
    for (files, successful) in
        [(&["none.json"][..], false), (&["clean.json", "none.json"], false), (&["clean.json"], true)]
    {
        let output = run(&[files, &["--format", "sarif"]].concat());
        let report = serde_json::from_slice::<Value>(&output.stdout).unwrap();
        assert_eq!(report["runs"][0]["invocations"][0]["executionSuccessful"], successful, "{files:?}");
    }
}

/// The card that the guide shows is clean, and its finding is the one that it shows.
#[test]
fn the_guide_shows_what_comes_out() {
    let guide = include_str!("../../src/docs/cards.md");
    let block = |start: &str| guide.split(start).nth(1).unwrap().split("```").next().unwrap().to_owned();
    let card = block("```json\n");
    assert_eq!(run_with(card.as_bytes(), &["-", "--deny", "warnings"]).status.code(), Some(0));
    let wrong = card.replacen("{\"id\": \"fees\", \"personEntry\"", "{\"id\": \"fee\", \"personEntry\"", 1);
    let told = stdout(&run_with(wrong.as_bytes(), &["-"])).replace("<stdin>", "card.json");
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(plain(&told).starts_with(&plain(&block("```text\n"))), "{told}");
}

#[test]
fn json_has_one_object_for_each_file() {
    let output = run(&["or_3_9_amount_with_spaces.json", "clean.json", "json_cut_off.json", "--format", "json"]);
    let text = stdout(&output);
    let reports = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>();
    assert_eq!(reports.len(), 3);
    let finding = &reports[0]["findings"][0];
    assert_eq!(reports[0]["file"], "or_3_9_amount_with_spaces.json");
    assert_eq!(finding["rule"], "OR-3.9");
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["pointer"], "/skills/1/description");
    assert_eq!((&finding["line"], &finding["column"]), (&56.into(), &40.into()), "{finding}");
    assert!(finding["message"].is_string() && finding["help"].is_string());
    assert_eq!(reports[1]["findings"], serde_json::json!([]));
    assert_eq!(reports[2]["findings"][0]["rule"], "json");
    assert!(reports[2]["findings"][0]["line"].as_u64().unwrap() > 10);
}

#[test]
fn sarif_names_every_rule_and_place() {
    let output = run(&["or_3_9_amount_with_spaces.json", "or_3_3_unknown_id.json", "--format", "sarif"]);
    let report = serde_json::from_slice::<Value>(&output.stdout).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].is_string());
    }
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "or_3_9_amount_with_spaces.json");
    let region = &place["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"], &region["endColumn"]),
        (&56.into(), &40.into(), &47.into())
    );
    let named = &results[1]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
    assert_eq!(named, "/capabilities/extensions/0/params/skills/0/id");
}

#[test]
fn every_rule_is_explained() {
    for (rule, text) in CARD_RULES {
        let output = run(&["--explain", rule]);
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).starts_with(&format!("{rule}: {text}\n")), "{}", stdout(&output));
    }
    for number in 1..=9 {
        assert!(CARD_RULES.iter().any(|(rule, _)| *rule == format!("OR-3.{number}")));
    }
    let unknown = run(&["--explain", "OR-9.9"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("OR-3.8"));
}

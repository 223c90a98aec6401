//! How the chapel starts, and how it does not.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::driver::{CARD, CardFile, Chapel, figure, opened_card, price, run_chapel};

#[test]
fn a_taken_port_is_a_clear_error() {
    let chapel = Chapel::start();
    let output = run_chapel(chapel.addr(), None);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains(chapel.addr()) && error.contains("CHAPEL_ADDR"), "{error}");
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn an_address_that_is_none_is_a_clear_error() {
    let output = run_chapel("nowhere", None);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot listen on nowhere"));
}

#[test]
fn a_card_with_errors_stops_it_and_every_finding_is_printed() {
    let mut card = opened_card();
    let skills = &mut card["capabilities"]["extensions"][0]["params"]["skills"];
    skills[0]["personEntry"] = "http://ask.larkfield.example/talk".into();
    skills[0]["id"] = "no-such-skill".into();
    skills[1]["completion"] = "tomorrow".into();
    let entry = skills[1].clone();
    skills.as_array_mut().unwrap().push(entry);
    let file = CardFile::new("broken", &card.to_string());
    let output = run_chapel("127.0.0.1:0", Some(file.path()));
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stderr).unwrap();
    for rule in ["OR-3.3", "OR-3.4", "OR-3.6"] {
        let found = printed
            .lines()
            .any(|line| line.starts_with("error [") && line.contains(rule) && line.contains("/capabilities/"));
        assert!(found, "{rule} is missing:\n{printed}");
    }
    let rules = printed.lines().filter_map(|line| line.split(['[', ']']).nth(1)).collect::<Vec<_>>();
    assert!(rules.is_sorted(), "by rule:\n{printed}");
    assert!(output.stdout.is_empty(), "it never listened");
}

#[test]
fn a_card_that_is_none_or_not_there_stops_it() {
    for (name, json) in [("no-object", "[]"), ("no-json", "{")] {
        let file = CardFile::new(name, json);
        let output = run_chapel("127.0.0.1:0", Some(file.path()));
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8(output.stderr).unwrap().starts_with("error [card]"), "{name}");
    }
    let output = run_chapel("127.0.0.1:0", Some(Path::new("/no/such/card.json")));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("cannot read CHAPEL_CARD /no/such/card.json"));
}

#[test]
fn the_printed_commands_work_as_they_are_printed() {
    let chapel = Chapel::start();
    let commands =
        include_str!("../../examples/chapel/welcome.txt").replace("{base}", &format!("http://{}", chapel.addr()));
    let commands = commands.lines().map(str::trim).filter(|line| line.starts_with("curl ")).collect::<Vec<_>>();
    assert_eq!(commands.len(), 4);
    let on_request = "\"https://agent-capability.org/ext/on-request/v1\":";
    let expected = [
        (true, "https://ask.larkfield.example/talk"),
        (false, "https://ask.larkfield.example/talk"),
        (false, "08:30"),
        (true, "TASK_STATE_COMPLETED"),
    ];
    for (command, (marked, text)) in commands.into_iter().zip(expected) {
        let Ok(output) = Command::new("sh").args(["-c", &format!("{command} --silent --show-error")]).output() else {
            return; // no shell here
        };
        if output.status.code() == Some(127) {
            eprintln!("SKIPPED: there is no curl on this machine; `.ci/run` installs one");
            return;
        }
        let reply = String::from_utf8(output.stdout).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains(text), "{command}\n{reply}");
        assert_eq!(reply.replace(' ', "").contains(on_request), marked, "{command}\n{reply}");
        assert!(!reply.contains(figure(price())), "{reply}");
    }
}

#[test]
fn or_5_4_the_readmes_way_to_the_price_works_as_it_is_printed() {
    let pricing = |line: &&str| line.contains(r#""service-pricing", "personEntry""#);
    let lines = CARD.lines().filter(pricing).collect::<Vec<_>>();
    assert!(matches!(lines[..], [line] if line.matches("false").count() == 1), "what `sed` opens: {lines:?}");

    let chapel = Chapel::start_opened("readme");
    let (_, rest) = include_str!("../../src/docs/deciding.md").split_once("```bash\ncurl ").unwrap();
    let (command, _) = rest.split_once("\n```").unwrap();
    let command = format!("curl --silent --show-error {}", command.replace("127.0.0.1:8080", chapel.addr()));
    let Ok(output) = Command::new("sh").args(["-c", &command]).output() else { return };
    if output.status.code() == Some(127) {
        eprintln!("SKIPPED: there is no curl on this machine; `.ci/run` installs one");
        return;
    }
    let reply = String::from_utf8(output.stdout).unwrap();
    assert!(reply.contains(figure(price())) && reply.contains("given-on-opt-in"), "{command}\n{reply}");
}

#[test]
fn the_chapels_own_card_is_without_findings() {
    let card = serde_json::from_str::<serde_json::Value>(CARD).unwrap();
    let layer = tower_a2a_extensions::A2aExtensionsLayer::new(&card).unwrap();
    assert!(layer.findings().is_empty(), "{}", layer.findings());
}

#[test]
fn the_price_stands_in_one_place_of_the_repository() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = vec![root.to_path_buf()];
    let mut holders = Vec::new();
    while let Some(path) = open.pop() {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if path.is_dir() {
            if path == root || !["target", ".git"].contains(&name.as_str()) {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        } else if let Ok(bytes) = fs::read(&path) {
            let times = String::from_utf8_lossy(&bytes).matches(figure(price())).count();
            holders.extend(std::iter::repeat_n(path.strip_prefix(root).unwrap().to_path_buf(), times));
        }
    }
    assert_eq!(holders, [Path::new("examples/chapel/agent.rs")]);
}

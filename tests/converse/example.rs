//! The example as its users meet it: its binary, over a socket, by the commands it prints.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::SystemTime;
use std::{env, fs};

use serde_json::{Value, json};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::support::*;

/// The example in a process of its own, on a free port.
struct Restaurant {
    child: Child,
    addr: String,
    /// It goes on printing after the first line.
    _printed: BufReader<ChildStdout>,
}

impl Restaurant {
    fn start() -> Self {
        let mut child = command("127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let mut printed = BufReader::new(child.stdout.take().unwrap());
        printed.read_line(&mut line).unwrap();
        let (_, rest) = line.split_once("http://").unwrap_or_else(|| panic!("it did not listen: {line:?}"));
        Self { child, addr: rest.split('/').next().unwrap().to_owned(), _printed: printed }
    }
}

impl Drop for Restaurant {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn command(addr: &str) -> Command {
    let mut command = Command::new(binary());
    command.env("CONVERSE_ADDR", addr);
    command
}

/// The binary of the example, next to the directory of this test's own.
fn binary() -> PathBuf {
    let own = env::current_exe().unwrap();
    let profile = own.ancestors().nth(2).expect("target/<profile>/deps/<test>");
    let binary = profile.join("examples").join(format!("converse{}", env::consts::EXE_SUFFIX));
    let hint = "run `cargo build --example converse` or plain `cargo test`, with the features of this test";
    let built = fs::metadata(&binary).and_then(|data| data.modified());
    let built = built.unwrap_or_else(|error| panic!("{} is not there ({error}): {hint}", binary.display()));
    let changed = newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/converse"));
    assert!(changed.is_none_or(|changed| changed <= built), "{} is older than its source: {hint}", binary.display());
    binary
}

/// When something in this directory last changed.
fn newest(directory: &Path) -> Option<SystemTime> {
    fs::read_dir(directory).ok()?.filter_map(|entry| entry.ok()?.metadata().ok()?.modified().ok()).max()
}

/// Head and body of what a printed command prints; `None` where there is no curl.
fn paste(command: &str) -> Option<(String, String)> {
    let output = Command::new("sh").args(["-c", &format!("{command} --silent --show-error")]).output().ok()?;
    if output.status.code() == Some(127) {
        eprintln!("SKIPPED: there is no curl on this machine; `.ci/run` installs one");
        return None;
    }
    let reply = String::from_utf8(output.stdout).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{command}\n{reply}"));
    assert!(head.starts_with("HTTP/1.1 200"), "{command}\n{reply}");
    Some((head.to_lowercase(), body.to_owned()))
}

fn commands(restaurant: &Restaurant) -> Vec<String> {
    let base = format!("http://{}", restaurant.addr);
    let welcome = include_str!("../../examples/converse/welcome.txt").replace("{base}", &base);
    welcome.lines().map(str::trim).filter(|line| line.starts_with("curl ")).map(str::to_owned).collect()
}

#[test]
fn the_printed_commands_work_as_they_are_printed() {
    let restaurant = Restaurant::start();
    let commands = commands(&restaurant);
    let [asked, plainly, table, typed, misfit, person, silent] = &commands[..] else { panic!("{commands:?}") };
    let unary = |command: &str| {
        let (head, body) = paste(command)?;
        Some((head, serde_json::from_str::<Value>(&body).unwrap()["result"].clone()))
    };

    let Some((head, answer)) = unary(asked) else { return };
    assert!(head.contains(&format!("a2a-extensions: {CONVERSE}")), "{head}");
    let envelope = carried(&answer["message"]).unwrap();
    assert_eq!(envelope["author"], "agent");
    assert_eq!(envelope["answerCoverage"]["coverage"], "answered");
    assert_eq!(envelope["citations"][0]["title"], "Menu");

    let (head, plain) = unary(plainly).unwrap();
    assert!(!head.contains("a2a-extensions:"), "{head}");
    assert_eq!(plain["message"]["parts"], answer["message"]["parts"]);
    assert!(!plain.to_string().contains("radioso"), "{plain}");

    let (_, asks) = unary(table).unwrap();
    assert_eq!(asks["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    let envelope = carried(&asks["task"]["status"]["message"]).unwrap();
    assert_eq!(envelope["routine"]["status"], "waiting_for_input");
    let keys = envelope["routine"]["pendingInput"].as_array().unwrap().iter().map(|slot| &slot["key"]);
    assert_eq!(keys.collect::<Vec<_>>(), ["date", "partySize"]);
    assert_eq!(envelope.get("invocation"), None);

    let (_, booked) = unary(typed).unwrap();
    assert_eq!(booked["task"]["id"], asks["task"]["id"], "the same task");
    assert_eq!(booked["task"]["status"]["state"], "TASK_STATE_COMPLETED");
    let artifact = &booked["task"]["artifacts"][0];
    assert_eq!(artifact["parts"][0]["text"], "A table for 4 on 2031-05-08.");
    for object in [artifact, &booked["task"]["status"]["message"]] {
        let envelope = carried(object).unwrap();
        assert_eq!(envelope["routine"]["status"], "completed");
        assert_eq!(envelope["invocation"], json!({"toolName": "book_table", "outcome": "reentered"}));
    }

    let (_, refused) = unary(misfit).unwrap();
    let envelope = carried(&refused["message"]).unwrap();
    assert_eq!(envelope["invocation"], json!({"toolName": "book_table", "outcome": "not_started"}));
    let words = refused["message"]["parts"][0]["text"].as_str().unwrap();
    assert!(words.contains("`/partySize`") && !words.contains("four"), "{words}");

    let (head, events) = paste(person).unwrap();
    assert!(head.contains("text/event-stream"), "{head}");
    let events = read_events(events.as_bytes());
    let [first, second] = &events[..] else { panic!("{events:?}") };
    let (first, second) = (&first["result"]["task"]["status"], &second["result"]["statusUpdate"]["status"]);
    let said = [&first["message"], &second["message"]].map(|message| (carried(message).unwrap(), &message["role"]));
    let [(agent, agents_role), (human, humans_role)] = said;
    assert_eq!((agents_role, humans_role), (&json!("ROLE_AGENT"), &json!("ROLE_AGENT")));
    assert_eq!((&agent["author"], &agent["ownership"]["state"]), (&json!("agent"), &json!("ai_owned")));
    assert_eq!((&human["author"], &human["ownership"]["state"]), (&json!("human"), &json!("human_owned")));

    let (_, after) = unary(silent).unwrap();
    let ownership = carried(&after["message"]).unwrap()["ownership"].clone();
    assert_eq!(ownership, json!({"state": "human_owned", "suppressed": true}));
    assert!(!after.to_string().contains("mushroom"), "{after}");
}

#[test]
fn a_taken_port_and_an_address_that_is_none_are_clear_errors() {
    let restaurant = Restaurant::start();
    for addr in [&restaurant.addr, "nowhere"] {
        let output = command(addr).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(addr) && error.contains("CONVERSE_ADDR") && !error.contains("panicked"), "{error}");
    }
}

#[test]
fn the_restaurants_own_card_is_without_findings() {
    let card = serde_json::from_str::<Value>(include_str!("../../examples/converse/card.json")).unwrap();
    let layer = A2aExtensionsLayer::new(&card).unwrap();
    assert!(layer.findings().is_empty(), "{}", layer.findings());
}

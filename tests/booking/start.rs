//! How the diary starts, and how it does not.

use std::process::Command;

use crate::ask::ADDRESS;
use crate::driver::{Diary, assert_printed, run};

#[test]
fn what_cannot_be_meant_is_a_clear_error() {
    let diary = Diary::start();
    let cases: [(&str, &str); 5] = [
        ("BOOKING_ADDR", diary.addr()),
        ("BOOKING_ADDR", "nowhere"),
        ("BOOKING_ATTESTATION", "level9"),
        ("BOOKING_LIMITS", "of"),
        ("REDIS_URL", "nowhere"),
    ];
    for (name, value) in cases {
        let output = run(&[(name, value)]);
        assert_eq!(output.status.code(), Some(1), "{name}={value}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(name) && !error.contains("panicked"), "{error}");
        assert!(output.stdout.is_empty(), "it never listened");
    }
}

#[cfg(not(feature = "redis"))]
#[test]
fn a_shared_store_that_was_not_built_in_is_a_clear_error() {
    let output = run(&[("REDIS_URL", "nowhere")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("--features redis"));
}

#[test]
fn the_printed_commands_work_as_they_are_printed() {
    let diary = Diary::start();
    let commands =
        include_str!("../../examples/booking/welcome.txt").replace("{base}", &format!("http://{}", diary.addr()));
    let commands = commands.lines().map(str::trim).filter(|line| line.starts_with("curl ")).collect::<Vec<_>>();
    let [booking, for_nobody, streamed, hours] = commands[..] else { panic!("{commands:?}") };
    let expected = [
        (booking, "Booked: Tuesday"),
        (booking, "Booked: Tuesday"),
        (for_nobody, ADDRESS),
        (streamed, "Booked: Tuesday"),
        (hours, "08:30"),
    ];
    for (command, text) in expected {
        let Ok(output) = Command::new("sh").args(["-c", &format!("{command} --silent --show-error")]).output() else {
            return; // no shell here
        };
        if output.status.code() == Some(127) {
            eprintln!("SKIPPED: there is no curl on this machine; `.ci/run` installs one");
            return;
        }
        let reply = String::from_utf8(output.stdout).unwrap();
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains(text), "{command}\n{reply}");
    }
    assert_printed(&diary.stop(), 2);
}

#[test]
fn its_card_is_for_everybody() {
    let card = serde_json::from_str::<serde_json::Value>(include_str!("../../examples/booking/card.json")).unwrap();
    let diary = Diary::start();
    let url = format!("http://{}/.well-known/agent-card.json", diary.addr());
    let Ok(output) = Command::new("curl").args(["--silent", &url]).output() else { return };
    assert_eq!(serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(), card);
}

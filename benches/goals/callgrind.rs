//! Instructions, counted by callgrind: the bench runs itself under it, one scenario at a time.

use std::hint::black_box;
use std::process::Command;

use crate::scenarios::Scenario;

pub(crate) const CHILD: &str = "--under-callgrind";

/// The only code whose instructions are counted, by its name.
#[inline(never)]
fn counted_by_callgrind(run: &mut dyn FnMut(), rounds: u32) {
    for _ in 0..rounds {
        black_box(&mut *run)();
    }
}

/// What the child does: some rounds to warm up, then those that are counted.
pub(crate) fn run_child(run: &mut dyn FnMut(), rounds: u32) {
    for _ in 0..3 {
        run();
    }
    counted_by_callgrind(run, rounds);
}

/// The instructions of one round of a scenario, or why they could not be counted.
pub(crate) fn instructions(scenario: Scenario, rounds: u32) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| format!("this program has no path: {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg("--toggle-collect=*counted_by_callgrind*")
        .arg(own)
        .args([CHILD, scenario.name(), &rounds.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start ({error}): install it"))?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(format!("`{}` under valgrind: {}\n{log}", scenario.name(), output.status));
    }
    let collected = log.lines().find_map(|line| line.split_once("Collected :")).map(|(_, count)| count.trim());
    match collected.and_then(|count| count.parse::<f64>().ok()) {
        Some(count) if count > 0.0 => Ok(count / f64::from(rounds)),
        _ => Err(format!("callgrind counted nothing of `{}`:\n{log}", scenario.name())),
    }
}

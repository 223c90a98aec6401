//! Instructions, counted by callgrind: the bench runs itself under it, one scenario at a time.

use std::hint::black_box;
use std::process::Command;

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

/// The instructions of one round of a scenario; `None` where there is no valgrind.
pub(crate) fn instructions(scenario: &str, rounds: u32) -> Option<f64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg("--toggle-collect=*counted_by_callgrind*")
        .arg(own)
        .args([CHILD, scenario, &rounds.to_string()])
        .output()
        .ok()?;
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = log.lines().find_map(|line| line.split_once("Collected :"))?.1.trim().parse::<f64>().ok()?;
    Some(collected / f64::from(rounds))
}

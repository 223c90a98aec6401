//! Measures the goals: `cargo bench --bench goals` prints each beside what was measured, and fails
//! where one is missed or could not be measured; the rows of gRPC come with `--all-features`.
//! `-- --svg FILE` also draws them; `-- WORDS` measures only rows with them.
//!
//! Instructions, allocations and memory count exactly. Wall clock is the median over interleaved
//! pairs and fails only where three runs in a row are a quarter over the goal.
//!
//! `-- --exact` measures other rows: instructions and allocations of small steps, each against a
//! ceiling that says only that it has not become dearer.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::exit)]

mod agents;
mod allocations;
mod bodies;
mod callgrind;
mod cards;
mod ceilings;
mod checks;
#[cfg(feature = "grpc")]
mod grpc;
#[cfg(feature = "grpc")]
#[path = "../../src/stamping/grpc/tests/messages.rs"]
mod messages;
mod plot;
mod rows;
mod scenarios;
mod table;
mod timing;

fn main() {
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench").collect::<Vec<_>>();
    if let [flag, name, rounds] = arguments.as_slice()
        && flag == callgrind::CHILD
    {
        let scenario = scenarios::Scenario::named(name).expect("a scenario of this bench");
        return callgrind::run_child(&mut *scenario.prepare(), rounds.parse().expect("a number of rounds"));
    }
    let svg = arguments.iter().position(|argument| argument == "--svg").and_then(|at| arguments.get(at + 1));
    let flags = ["--svg", "--exact"];
    let is_word = |argument: &&String| !flags.contains(&argument.as_str()) && Some(*argument) != svg;
    let words = arguments.iter().filter(is_word).collect::<Vec<_>>();
    let exact = arguments.iter().any(|argument| argument == "--exact");
    let (rows, limits) = if exact { (ceilings::rows(), "regression ceilings") } else { (rows::all(), "goals") };
    println!("{}", table::HEAD);
    let mut measured = Vec::new();
    for row in rows.into_iter().filter(|row| words.iter().all(|word| row.what.contains(word.as_str()))) {
        let row = row.run();
        println!("{}", row.line());
        measured.push(row);
    }
    if let Some(path) = svg {
        std::fs::write(path, plot::svg(&measured)).expect("the plot can be written");
    }
    let failed = measured.iter().filter(|row| row.failed).count();
    let unmeasured = measured.iter().filter_map(|row| row.value.as_ref().err().map(|why| (&row.what, why)));
    let unmeasured = unmeasured.collect::<Vec<_>>();
    for (what, why) in &unmeasured {
        eprintln!("\nNOT MEASURED: {what}: {why}");
    }
    if measured.is_empty() {
        eprintln!("\nno row has these words: {words:?}");
    }
    if failed > 0 {
        eprintln!("\n{failed} {limits} are missed.");
    }
    if failed > 0 || !unmeasured.is_empty() || measured.is_empty() {
        std::process::exit(1);
    }
}

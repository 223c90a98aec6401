//! Measures the goals: `cargo bench --bench goals` prints each beside what was measured, and fails
//! where one is missed; the rows of gRPC come with `--all-features`. `-- --svg FILE` also draws them; `-- WORDS` measures only rows with them.
//!
//! Instructions, allocations and memory count exactly. Wall clock is the median over interleaved
//! pairs and fails only where three runs in a row are a quarter over the goal.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::exit)]

mod agents;
mod allocations;
mod bodies;
mod callgrind;
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
        let mut scenario = scenarios::by_name(name).expect("a scenario of this bench");
        return callgrind::run_child(&mut *scenario, rounds.parse().expect("a number of rounds"));
    }
    let svg = arguments.iter().position(|argument| argument == "--svg").and_then(|at| arguments.get(at + 1));
    let words = arguments.iter().filter(|argument| *argument != "--svg" && Some(*argument) != svg).collect::<Vec<_>>();
    println!("{}", table::HEAD);
    let mut measured = Vec::new();
    for row in rows::all().into_iter().filter(|row| words.iter().all(|word| row.what.contains(word.as_str()))) {
        let row = row.run();
        println!("{}", row.line());
        measured.push(row);
    }
    if let Some(path) = svg {
        std::fs::write(path, plot::svg(&measured)).expect("the plot can be written");
    }
    let failed = measured.iter().filter(|row| row.failed).count();
    let unmeasured = measured.iter().filter(|row| row.value.is_none()).count();
    if unmeasured > 0 {
        println!("\n{unmeasured} rows were NOT MEASURED: install valgrind to count instructions.");
    }
    if failed > 0 {
        println!("\n{failed} goals are missed.");
        std::process::exit(1);
    }
}

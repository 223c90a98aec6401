//! The guide to writing an extension: what a reader sees is what compiles, and its steps are the example.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// The Rust blocks of the guide.
fn steps() -> Vec<String> {
    let guide = read("src/extension/guide.md");
    // Every second piece is inside a block, and begins with the language.
    let blocks = guide.split("```").skip(1).step_by(2);
    let rust = blocks.filter_map(|block| block.strip_prefix('\n')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(rust.len(), 7, "one for each step");
    rust
}

/// What stands at the top level of a program, by what it defines. Neither imports nor `main`.
fn items(program: &str) -> BTreeMap<String, String> {
    let program = program.split("#[cfg(test)]").next().unwrap();
    let mut items = BTreeMap::new();
    let mut item = String::new();
    for line in program.lines().filter(|line| !line.starts_with("//!") && !line.starts_with("#![")) {
        item.push_str(line);
        item.push('\n');
        let ends = ["}", "};"].contains(&line)
            || (line.starts_with(|first: char| first.is_ascii_lowercase()) && line.ends_with(';'));
        if ends {
            let item = std::mem::take(&mut item).trim_start().to_owned();
            let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with("#[");
            let named = item.lines().find(is_code).unwrap().trim_end_matches(" {").to_owned();
            if !named.starts_with("use ") && !named.contains("fn main()") {
                let name = named.split([':', '(', ';']).next().unwrap().to_owned();
                assert!(items.insert(name, item).is_none(), "{named} is there twice");
            }
        }
    }
    items
}

#[test]
fn a_reader_of_the_guide_sees_all_that_compiles() {
    for step in steps() {
        let hidden = step.lines().filter(|line| line.trim() == "#" || line.trim_start().starts_with("# "));
        assert_eq!(hidden.collect::<Vec<_>>(), Vec::<&str>::new());
        assert!(step.contains("fn main()") && step.contains("assert"), "a step is a program that asserts:\n{step}");
    }
}

#[test]
fn the_steps_of_the_guide_one_after_the_other_are_the_example() {
    let mut pasted = BTreeMap::new();
    for step in steps() {
        pasted.extend(items(&step));
    }
    let example = items(&read("examples/opening.rs"));
    assert!(example.len() > 20, "{:?}", example.keys());
    for (name, item) in &pasted {
        assert_eq!(example.get(name), Some(item), "{name}");
    }
    assert_eq!(example.keys().collect::<Vec<_>>(), pasted.keys().collect::<Vec<_>>());
}

#[test]
fn every_check_of_the_guide_is_called() {
    for program in steps().into_iter().chain([read("examples/opening.rs")]) {
        let main = program.split("fn main()").nth(1).unwrap();
        for check in items(&program).into_iter().filter(|(_, item)| item.contains("    assert")) {
            let call = format!("    {}()", check.0.trim_start_matches("async ").trim_start_matches("fn "));
            assert!(main.contains(&call), "nobody calls {}", check.0);
        }
    }
}

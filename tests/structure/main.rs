//! The structure of the sources: floors, imports, lengths, and that every test file is a target.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

mod circles;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the ground up; a room imports only rooms of lower floors, or itself.
const FLOORS: [&[&str]; 9] = [
    &["uri", "json", "protobuf", "shield", "values"],
    &["negotiation", "findings", "error", "deadline"],
    &["binding", "card", "observer"],
    &["call"],
    &["extension"],
    &["stamping", "on_request", "converse"],
    &["server", "extract"],
    &["testing", "bench_support"],
    &["lib", "docs"],
];

/// Rooms that are pure: bytes and decisions, no polling.
const PURE: [&str; 10] =
    ["uri", "values", "json", "protobuf", "card", "error", "negotiation", "binding", "stamping", "findings"];
/// Pure files in rooms that are not.
const PURE_FILES: [&str; 6] = [
    "on_request/declared/",
    "on_request/deciding/rules",
    "on_request/disclosing/mark",
    "converse/card",
    "converse/envelope",
    "converse/outcome",
];
const POLLING: [&str; 5] = ["tower", "tokio", "hyper", "http_body", "axum"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The path below `src`, with `/` and without `.rs`.
fn name(path: &Path) -> String {
    path.strip_prefix(src()).unwrap().with_extension("").to_string_lossy().replace('\\', "/")
}

fn room(path: &Path) -> String {
    name(path).split('/').next().unwrap().to_owned()
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

/// The code of a file without its in-file tests and comments.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The rooms named after `crate::` in a file, alone or in a group.
fn imported_rooms(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    let names = |text: &str| match text.strip_prefix('{') {
        Some(group) => group_members(group).iter().map(|member| word(member.trim_start())).collect(),
        None => vec![word(text)],
    };
    code.split("crate::").skip(1).flat_map(names).filter(|name| floor(name).is_some()).collect()
}

/// The members of a group whose opening brace was read, each with what follows in it.
fn group_members(group: &str) -> Vec<String> {
    let (mut members, mut depth) = (vec![String::new()], 0_usize);
    for character in group.chars() {
        match character {
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            '{' => depth += 1,
            ',' if depth == 0 => members.push(String::new()),
            _ => {}
        }
        members.last_mut().unwrap().push(character);
    }
    members.iter().map(|member| member.trim_start_matches(',').to_owned()).collect()
}

#[test]
fn imports_are_seen_alone_nested_and_in_groups() {
    let code = "use crate::uri::ExtensionUri;\nuse crate::{\n    server, json::{scan, text},\n    call::{A2aCall, error},\n};\n\
                fn f() -> crate::card::AgentCard { crate::shield::shielded }";
    let rooms = ["call", "card", "json", "server", "shield", "uri"].map(String::from);
    assert_eq!(imported_rooms(code), BTreeSet::from(rooms));
}

fn library() -> Vec<PathBuf> {
    sources(&src())
        .into_iter()
        .filter(|path| !name(path).ends_with("tests") && !name(path).starts_with("bin/"))
        .collect()
}

#[test]
fn every_room_has_a_floor_and_imports_only_lower_ones() {
    let mut faults = Vec::new();
    for path in library() {
        let (room, file) = (room(&path), name(&path));
        let Some(own) = floor(&room) else {
            faults.push(format!("{file}: its room stands on no floor"));
            continue;
        };
        for other in imported_rooms(&code(&path)) {
            if other != room && floor(&other).unwrap() >= own {
                faults.push(format!("{file} imports {other}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pure_rooms_import_nothing_that_polls() {
    let mut faults = Vec::new();
    for path in library() {
        let file = name(&path);
        if !PURE.contains(&room(&path).as_str()) && !PURE_FILES.iter().any(|pure| file.starts_with(pure)) {
            continue;
        }
        for line in code(&path).lines() {
            if POLLING.iter().any(|name| {
                ["", "_service", "_layer", "_util"].iter().any(|end| line.contains(&format!("{name}{end}::")))
            }) {
                faults.push(format!("{file}: {}", line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn only_the_build_of_the_layer_names_the_extensions_of_this_crate() {
    for path in library().iter().filter(|path| room(path) == "server" && !name(path).ends_with("server/build")) {
        let code = code(path);
        assert!(!code.contains("on_request") && !code.contains("converse"), "{}", name(path));
    }
}

#[test]
fn c2_the_manifest_switches_on_no_feature_of_serde_json_but_raw_value() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let lines = manifest.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect::<Vec<_>>();
    let naming = lines.iter().filter(|line| line.contains("serde_json")).collect::<Vec<_>>();
    // Cargo unifies features: one more would change numbers and order for everybody who depends on
    // this crate, and one in another table or in `[features]` is one as well.
    let [dependency] = naming[..] else { panic!("serde_json is named in several places: {naming:?}") };
    let (name, value) = dependency.split_once('=').unwrap();
    let features = value.split_once("features = [").map(|(_, list)| list.split(']').next().unwrap());
    assert_eq!((name.trim(), features), ("serde_json", Some("\"raw_value\"")), "{dependency}");
}

fn root(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

#[test]
fn files_stay_short() {
    let files = ["src", "tests", "benches", "examples"].into_iter().flat_map(|folder| sources(&root(folder)));
    let long = files.filter_map(|path| {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        (lines > 350).then(|| format!("{}: {lines}", path.display()))
    });
    let long = long.collect::<Vec<_>>();
    assert!(long.is_empty(), "{long:?}");
}

/// The files that a file's `mod` lines name, and those that these name.
fn modules(path: &Path, is_root: bool) -> Vec<PathBuf> {
    let folder = if is_root { path.parent().unwrap().to_owned() } else { path.with_extension("") };
    let (mut files, mut elsewhere) = (vec![path.to_owned()], None);
    for line in fs::read_to_string(path).unwrap().lines().map(str::trim) {
        if let Some(named) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            elsewhere = Some(path.parent().unwrap().join(named));
        }
        let Some((before, name)) = line.strip_suffix(';').and_then(|line| line.split_once("mod ")) else { continue };
        if before.is_empty() || before.starts_with("pub") {
            let file = elsewhere.take().unwrap_or_else(|| folder.join(name).with_extension("rs"));
            assert!(file.exists(), "{} names {name}, and {} is not there", path.display(), file.display());
            files.extend(modules(&file, false));
        }
    }
    files
}

#[test]
fn every_test_file_belongs_to_a_target() {
    let tests = root("tests");
    let is_target = |path: &Path| match path.parent().unwrap() {
        parent if parent == tests => true,
        parent => parent.parent().unwrap() == tests && path.ends_with("main.rs"),
    };
    // What must not compile is built by the test that says so.
    let files = sources(&tests).into_iter().filter(|path| !path.starts_with(tests.join("compile_fail")));
    let files = files.collect::<BTreeSet<_>>();
    let reached = files.iter().filter(|path| is_target(path)).flat_map(|path| modules(path, true));
    let reached = reached.collect::<BTreeSet<_>>();
    let left_out = files.difference(&reached).collect::<Vec<_>>();
    assert!(left_out.is_empty(), "no target names {left_out:?}");
}

/// The codes before a test's name, `b1` and `b4` of `b1_b4_the_length_is_true`.
fn codes(test: &str) -> Vec<String> {
    let is_code = |part: &&str| {
        let mut letters = part.chars();
        letters.next().is_some_and(|letter| ('a'..='f').contains(&letter))
            && !letters.as_str().is_empty()
            && letters.all(|digit| digit.is_ascii_digit())
    };
    test.split('_').take_while(is_code).map(str::to_ascii_uppercase).collect()
}

#[test]
fn every_code_in_the_name_of_a_test_is_explained() {
    let cases = fs::read_to_string(root("tests/CASES.md")).unwrap();
    let explained = cases.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |")).map(|(code, _)| code);
    let explained = explained.collect::<BTreeSet<_>>();
    let mut used = BTreeSet::new();
    for path in ["src", "tests"].into_iter().flat_map(|folder| sources(&root(folder))) {
        let text = fs::read_to_string(path).unwrap();
        used.extend(text.split("fn ").skip(1).flat_map(codes));
    }
    let missing = used.iter().filter(|code| !explained.contains(code.as_str())).collect::<Vec<_>>();
    assert!(used.len() > 40 && missing.is_empty(), "{missing:?} are not in tests/CASES.md");
}

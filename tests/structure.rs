//! The structure of the sources: floors, imports, lengths, and that every test file is a target.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::needless_pass_by_value)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms from the ground up; a room imports only rooms of lower floors, or itself.
const FLOORS: [&[&str]; 9] = [
    &["uri", "json", "protobuf", "shield"],
    &["negotiation", "findings", "error", "deadline"],
    &["binding", "card", "observer"],
    &["call"],
    &["extension"],
    &["stamping", "on_request", "converse"],
    &["server", "extract"],
    &["testing", "bench_support"],
    &["lib"],
];

/// Rooms that are pure: bytes and decisions, no polling.
const PURE: [&str; 9] = ["uri", "json", "protobuf", "card", "error", "negotiation", "binding", "stamping", "findings"];
/// Pure files in rooms that are not.
const PURE_FILES: [&str; 4] =
    ["on_request/declaration", "on_request/card_rules", "on_request/rules", "on_request/mark"];
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

/// The rooms named after `crate::` in a file.
fn imported_rooms(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>();
    code.split("crate::").skip(1).map(word).filter(|name| floor(name).is_some()).collect()
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
        assert!(!code(path).contains("on_request"), "{}", name(path));
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

#[test]
fn files_stay_short() {
    let long = library().into_iter().filter_map(|path| {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        (lines > 350).then(|| format!("{}: {lines}", name(&path)))
    });
    let long = long.collect::<Vec<_>>();
    assert!(long.is_empty(), "{long:?}");
}

#[test]
fn every_test_file_belongs_to_a_target() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in fs::read_dir(tests).unwrap() {
        let path = entry.unwrap().path();
        let holds_code = path.is_dir() && !sources(&path).is_empty();
        let data = ["wire", "compile_fail"].iter().any(|name| path.ends_with(name));
        assert!(!holds_code || data || path.join("main.rs").exists(), "{} is no target", path.display());
    }
}

//! Files that import each other in a circle. A file and those below it belong together, so what they
//! import from each other does not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::{code, group_members, library, name};

/// The path of a file's module: `["binding", "grpc"]`.
type Module = Vec<String>;

/// A name is exported again at most as often.
const MAX_EXPORTS: usize = 6;

/// The library's files, as far as they are modules.
struct House(BTreeMap<Module, String>);

impl House {
    fn of_library() -> Self {
        let files =
            library().into_iter().filter(|path| !name(path).contains("/tests/") && !name(path).ends_with("fixture"));
        let module = |name: String| {
            let mut module = name.split('/').map(str::to_owned).collect::<Module>();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                module.pop();
            }
            module
        };
        Self(files.map(|path| (module(name(&path)), code(&path))).collect())
    }

    /// The file that a path leads to from a module, through what is exported again on the way.
    fn target(&self, from: &Module, path: &[String]) -> Option<Module> {
        self.target_within(from, path, MAX_EXPORTS)
    }

    fn target_within(&self, from: &Module, path: &[String], exports: usize) -> Option<Module> {
        let mut at = from.clone();
        let mut rest = path;
        match rest.first().map(String::as_str) {
            Some("crate") => at.clear(),
            Some("self") => {}
            Some("super") => drop(at.pop()),
            Some(first) if self.0.contains_key(&[at.as_slice(), &[first.to_owned()]].concat()) => {}
            _ => return None,
        }
        if matches!(rest[0].as_str(), "crate" | "self" | "super") {
            rest = &rest[1..];
        }
        while rest.first().is_some_and(|segment| segment == "super") {
            at.pop();
            rest = &rest[1..];
        }
        for segment in rest {
            let below = [at.as_slice(), std::slice::from_ref(segment)].concat();
            match self.exported(&at, segment, exports) {
                _ if self.0.contains_key(&below) => at = below,
                Some(module) => return Some(module),
                None => break,
            }
        }
        self.0.contains_key(&at).then_some(at)
    }

    /// Where a module has a name from that it exports again.
    fn exported(&self, module: &Module, name: &str, exports: usize) -> Option<Module> {
        let exports = exports.checked_sub(1)?;
        let paths = uses(self.0.get(module)?, true);
        let path = paths.into_iter().find(|path| path.last().is_some_and(|last| last == name))?;
        self.target_within(module, &path, exports).filter(|target| target != module)
    }

    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let code = &self.0[module];
        let targets =
            uses(code, false).into_iter().chain(inline_paths(code)).filter_map(|path| self.target(module, &path));
        targets.filter(|target| !target.starts_with(module) && !module.starts_with(target)).collect()
    }
}

/// The paths of all `use` statements, groups taken apart.
fn uses(code: &str, exported: bool) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for statement in code.split(';') {
        let Some((before, tree)) = statement.rsplit_once("use ") else { continue };
        let word = before.trim_end().rsplit(['\n', '}', '{']).next().unwrap_or_default().trim();
        if word.starts_with("pub") == exported && (word.is_empty() || word.starts_with("pub")) {
            add_paths(&[], tree, &mut paths);
        }
    }
    paths
}

fn add_paths(before: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let (head, group) = tree.split_once('{').map_or((tree, None), |(head, group)| (head, Some(group)));
    let head = head.split(" as ").next().unwrap_or_default();
    let segments = head.split("::").map(str::trim).filter(|segment| !segment.is_empty()).map(str::to_owned);
    let path = before.iter().cloned().chain(segments).collect::<Vec<_>>();
    match group {
        Some(group) => group_members(group).iter().for_each(|member| add_paths(&path, member, paths)),
        None => paths.push(path),
    }
}

/// Paths such as `crate::uri::ExtensionUri` outside `use`.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | ':');
    let words = code
        .split(|character| !is_part(character))
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    words.map(|word| word.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()).collect()
}

/// A circle of imports, if there is one.
fn circle(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    let mut left = imports.clone();
    // What imports nothing that is left is in no circle.
    while let Some(free) = left.iter().find(|(_, targets)| targets.iter().all(|target| !left.contains_key(target))) {
        let free = free.0.clone();
        left.remove(&free);
    }
    let mut way = vec![left.keys().next()?.clone()];
    loop {
        let last = way.last()?;
        let next = left[last].iter().find(|target| left.contains_key(*target))?.clone();
        if let Some(start) = way.iter().position(|module| *module == next) {
            return Some(way.split_off(start));
        }
        way.push(next);
    }
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let house = House::of_library();
    let imports = house.0.keys().map(|module| (module.clone(), house.imports(module))).collect();
    let circle = circle(&imports).map(|way| way.iter().map(|module| module.join("/")).collect::<Vec<_>>());
    assert_eq!(circle, None);
}

/// The rooms of On Request, in the order in which they may import each other.
const ON_REQUEST: [&str; 4] = ["declared", "deciding", "disclosing", "actions"];

#[test]
fn the_rooms_of_on_request_import_in_their_order() {
    let house = House::of_library();
    let place = |module: &Module| match &module[..] {
        [on_request, room, ..] if on_request == "on_request" => ON_REQUEST.iter().position(|name| name == room),
        _ => None,
    };
    let modules = house.0.keys().filter_map(|module| Some((module, place(module)?))).collect::<Vec<_>>();
    assert!(ON_REQUEST.iter().enumerate().all(|(room, _)| modules.iter().any(|(_, place)| *place == room)));
    for (module, own) in modules {
        let back = house.imports(module).into_iter().find(|target| place(target).is_some_and(|place| place > own));
        assert_eq!(back, None, "{}", module.join("/"));
    }
}

#[test]
fn circles_are_seen_alone_in_groups_and_through_exports() {
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Module>();
    let find = |files: &[(&str, &str)]| {
        let house = House(files.iter().map(|(path, code)| (module(path), (*code).to_owned())).collect());
        circle(&house.0.keys().map(|module| (module.clone(), house.imports(module))).collect()).is_some()
    };
    assert!(find(&[("room/a", "use super::b::B;"), ("room/b", "use super::a::A;")]));
    assert!(find(&[
        ("room", ""),
        ("room/a", "use super::{\n    c::C,\n    b::{self, B},\n};"),
        ("room/b", "fn f() -> crate::room::a::A {}"),
        ("room/c", "")
    ]));
    let exporting = [
        ("room", "pub use a::A;\npub(crate) use b::B;"),
        ("room/a", "use super::B;"),
        ("room/b", "use crate::room::A;"),
    ];
    assert!(find(&exporting));
    assert!(!find(&[("room", "mod a;\nuse a::A;"), ("room/a", "use super::Room;"), ("b", "use crate::room::A;")]));
}

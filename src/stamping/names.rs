//! The names that belong to the installed extensions: metadata keys and URIs.

use memchr::memmem::Finder;
use memchr::{memchr_iter, memchr2_iter};

use super::StampingExtension;
use crate::json::JsonText;

/// All managed names, each once. An entry of a document refers to one by its place here.
#[derive(Debug)]
pub(super) struct ManagedNames {
    keys: Vec<String>,
    uris: Vec<String>,
    /// The same as JSON strings.
    quoted_keys: Vec<String>,
    quoted_uris: Vec<String>,
    owned: Vec<OwnedNames>,
    /// For each name with a slash the bytes before its first one, and the rest.
    slashed: Vec<(String, String)>,
    /// The bytes beside those slashes, each pair once.
    beside_slashes: Vec<SlashNeighbours>,
    /// Finds the names without a slash.
    others: Vec<Finder<'static>>,
    /// Finds the escapes by which a name can be spelled.
    escapes: [Finder<'static>; 2],
    /// A key must be escaped itself: every backslash is suspicious.
    has_escaped_key: bool,
}

/// What belongs to one extension.
#[derive(Debug)]
pub(super) struct OwnedNames {
    pub(super) keys: Vec<usize>,
    pub(super) uris: Vec<usize>,
}

impl ManagedNames {
    pub(super) fn new<'a>(extensions: impl IntoIterator<Item = &'a StampingExtension>) -> Self {
        let (mut keys, mut uris) = (Vec::new(), Vec::new());
        let mut owned = Vec::new();
        for one in extensions {
            owned.push(OwnedNames {
                keys: one.keys.iter().map(|key| place_of(key, &mut keys)).collect(),
                uris: one.spellings().map(|uri| place_of(uri, &mut uris)).collect(),
            });
        }
        let names = || keys.iter().chain(&uris);
        let split = |name: &String| name.split_once('/').map(|(before, behind)| (before.into(), format!("/{behind}")));
        let others = names().filter(|name| !name.contains('/')).map(|name| Finder::new(name).into_owned());
        let slashed = names().filter_map(split).collect::<Vec<(String, String)>>();
        let mut beside_slashes = Vec::new();
        for (before, behind) in &slashed {
            let beside = SlashNeighbours::of(before.as_bytes(), behind.as_bytes());
            if !beside_slashes.contains(&beside) {
                beside_slashes.push(beside);
            }
        }
        Self {
            quoted_keys: keys.iter().map(|key| quoted(key)).collect(),
            quoted_uris: uris.iter().map(|uri| quoted(uri)).collect(),
            slashed,
            beside_slashes,
            others: others.collect(),
            escapes: [Finder::new("\\u"), Finder::new("\\/")],
            has_escaped_key: keys.iter().any(|key| quoted(key).contains('\\')),
            owned,
            keys,
            uris,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.uris.is_empty()
    }

    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    #[cfg(feature = "grpc")]
    pub(super) fn uris(&self) -> &[String] {
        &self.uris
    }

    /// The managed key that a string means, however it is escaped.
    pub(super) fn key(&self, text: &JsonText<'_>) -> Option<usize> {
        self.keys.iter().position(|key| text.is(key))
    }

    /// The managed URI that a string means.
    pub(super) fn uri(&self, text: &JsonText<'_>) -> Option<usize> {
        self.uris.iter().position(|uri| text.is(uri))
    }

    pub(super) fn key_name(&self, key: usize) -> &str {
        self.keys.get(key).map_or("", String::as_str)
    }

    /// The key as JSON.
    pub(super) fn quoted_key(&self, key: usize) -> &str {
        self.quoted_keys.get(key).map_or("", String::as_str)
    }

    /// The URI as JSON.
    pub(super) fn quoted_uri(&self, uri: usize) -> &str {
        self.quoted_uris.get(uri).map_or("", String::as_str)
    }

    pub(super) fn place_of_key(&self, key: &str) -> Option<usize> {
        self.keys.iter().position(|name| name == key)
    }

    pub(super) fn place_of_uri(&self, uri: &str) -> Option<usize> {
        self.uris.iter().position(|name| name == uri)
    }

    /// What belongs to each extension, in the order they were given.
    pub(super) fn owned(&self) -> impl Iterator<Item = &OwnedNames> {
        self.owned.iter()
    }

    pub(super) fn owned_by(&self, extension: usize) -> Option<&OwnedNames> {
        self.owned.get(extension)
    }

    /// Whether a managed name could stand in these bytes. May say yes where none does, never no
    /// where one does: a name stands there literally, or is spelled with an escape. A character
    /// can be written as `\u` and four digits, a slash also as `\/`.
    pub(super) fn may_occur(&self, bytes: &[u8]) -> bool {
        if self.others.iter().any(|finder| finder.find(bytes).is_some()) {
            return true;
        }
        let mut harmless = 0;
        for at in memchr2_iter(b'/', b'\\', bytes) {
            if bytes.get(at) == Some(&b'/') {
                if self.has_slashed_name(bytes, at) {
                    return true;
                }
            } else if self.has_escaped_key || matches!(bytes.get(at + 1), Some(b'u' | b'/')) {
                return true;
            } else if harmless >= MANY_BACKSLASHES && harmless * SPARSE > at {
                return self.may_occur_among_escapes(bytes.get(at..).unwrap_or_default())
                    || memchr_iter(b'/', bytes).any(|at| self.has_slashed_name(bytes, at));
            } else {
                harmless += 1;
            }
        }
        false
    }

    /// The same for escapes alone, without a stop at every backslash.
    fn may_occur_among_escapes(&self, bytes: &[u8]) -> bool {
        self.escapes.iter().any(|finder| finder.find(bytes).is_some())
    }

    /// Whether the slash at this place is the first one of a managed name.
    fn has_slashed_name(&self, bytes: &[u8], at: usize) -> bool {
        let (before, behind) = bytes.split_at_checked(at).unwrap_or_default();
        let beside = SlashNeighbours::of(before, behind);
        if !self.beside_slashes.iter().any(|one| one.allows(beside)) {
            return false;
        }
        let stands =
            |(head, tail): &(String, String)| behind.starts_with(tail.as_bytes()) && before.ends_with(head.as_bytes());
        self.slashed.iter().any(stands)
    }
}

/// What stands before and behind a slash. Base64 is full of slashes: most are settled by this.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct SlashNeighbours {
    before: Option<u8>,
    behind: Option<u8>,
}

impl SlashNeighbours {
    /// Of the slash that `behind` starts with.
    fn of(before: &[u8], behind: &[u8]) -> Self {
        Self { before: before.last().copied(), behind: behind.get(1).copied() }
    }

    /// Whether a slash of a name with these neighbours can have those of `found`. A slash at an end
    /// of a name may have any.
    fn allows(self, found: Self) -> bool {
        (self.before.is_none() || self.before == found.before) && (self.behind.is_none() || self.behind == found.behind)
    }
}

/// So many harmless escapes say that a text is full of them, unless there are this many bytes to
/// each.
const MANY_BACKSLASHES: usize = 64;
const SPARSE: usize = 64;

impl StampingExtension {
    /// Its URI and its aliases.
    pub(super) fn spellings(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.uri).chain(&self.aliases).map(|uri| uri.as_str())
    }
}

fn place_of(name: &str, names: &mut Vec<String>) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.into());
        names.len() - 1
    })
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Bench, K2, U1};
    use super::SlashNeighbours;

    #[test]
    fn a_name_is_seen_anywhere_and_in_any_spelling() {
        let bench = Bench::fixed(&[]);
        let names = &bench.stamper.0.names;
        for filler in ["x".repeat(300), "a\\n".repeat(300), "/".repeat(300), String::new()] {
            assert!(!names.may_occur(filler.as_bytes()), "{filler}");
            for name in [U1, K2, &U1.replace('/', "\\/"), "\\u0062iz.example"] {
                for json in [format!("{filler}{name}{filler}"), format!("{filler}{name}"), format!("{name}{filler}")] {
                    assert!(names.may_occur(json.as_bytes()), "{json}");
                }
            }
        }
    }

    #[test]
    fn an_escape_among_many_harmless_ones_is_seen() {
        let bench = Bench::fixed(&[]);
        let harmless = "\\n".repeat(10_000);
        assert!(!bench.stamper.0.names.may_occur(harmless.as_bytes()));
        for escape in ["\\/", "\\u"] {
            for (before, behind) in [(0, 10_000), (63, 1), (64, 1), (65, 0), (10_000, 0)] {
                let json = format!("{}{escape}{}", &harmless[..2 * before], &harmless[..2 * behind]);
                assert!(bench.stamper.0.names.may_occur(json.as_bytes()), "{escape} behind {before}");
            }
        }
    }

    #[test]
    fn a_slash_at_an_end_of_a_name_may_stand_beside_anything() {
        let beside = |before: &str, behind: &str| SlashNeighbours::of(before.as_bytes(), behind.as_bytes());
        let found = beside("xa", "/by");
        for (before, behind) in [("a", "/b"), ("", "/b"), ("a", "/"), ("", "/")] {
            assert!(beside(before, behind).allows(found), "{before}{behind}");
        }
        for (before, behind) in [("b", "/b"), ("a", "/a"), ("", "/a"), ("b", "/")] {
            assert!(!beside(before, behind).allows(found), "{before}{behind}");
        }
        assert!(!beside("a", "/b").allows(beside("", "/b")));
    }
}

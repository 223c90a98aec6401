//! The names that belong to the installed extensions: metadata keys and URIs.

use memchr::memmem::Finder;

use super::StampingExtension;
use crate::json::JsonText;

/// All managed names, each once. An entry of a document refers to one by its place here.
#[derive(Debug)]
pub(super) struct ManagedNames {
    keys: Vec<String>,
    uris: Vec<String>,
    owned: Vec<OwnedNames>,
    /// Finds each name as it stands in JSON without escapes.
    plain: Vec<Finder<'static>>,
    /// Finds the escapes by which a name could be spelled otherwise.
    escapes: Vec<Finder<'static>>,
}

/// What belongs to one extension.
#[derive(Debug)]
pub(super) struct OwnedNames {
    pub(super) keys: Vec<usize>,
    pub(super) uris: Vec<usize>,
}

impl ManagedNames {
    pub(super) fn new(extensions: &[StampingExtension]) -> Self {
        let (mut keys, mut uris) = (Vec::new(), Vec::new());
        let mut owned = Vec::with_capacity(extensions.len());
        for one in extensions {
            owned.push(OwnedNames {
                keys: one.keys.iter().map(|key| place_of(key, &mut keys)).collect(),
                uris: one.spellings().map(|uri| place_of(uri, &mut uris)).collect(),
            });
        }
        let plain = keys.iter().chain(&uris).map(|name| Finder::new(name).into_owned()).collect();
        let escapes = escapes_to_look_for(&keys).iter().map(|escape| Finder::new(*escape).into_owned()).collect();
        Self { keys, uris, owned, plain, escapes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.uris.is_empty()
    }

    pub(super) fn keys(&self) -> &[String] {
        &self.keys
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

    /// Whether a managed name could stand in these bytes. May say yes where none does, never no
    /// where one does: a name stands there literally, or is spelled with an escape.
    pub(super) fn may_occur(&self, bytes: &[u8]) -> bool {
        self.plain.iter().chain(&self.escapes).any(|finder| finder.find(bytes).is_some())
    }
}

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

/// A character can be written as `\u` and four digits, a slash also as `\/`. Only a key that must
/// be escaped itself makes every backslash suspicious. (URIs hold none of those characters.)
fn escapes_to_look_for(keys: &[String]) -> &'static [&'static str] {
    let must_be_escaped = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if keys.iter().any(|key| key.bytes().any(must_be_escaped)) { &["\\"] } else { &["\\u", "\\/"] }
}

//! A search for managed keys in bytes that are not read as a message.

use std::ops::Range;

use memchr::memmem;

use crate::protobuf::put_bytes;
use crate::stamping::names::ManagedNames;

/// Whether a managed key stands in these bytes as the key of a map's entry.
pub(super) fn has_entry_key(bytes: &[u8], names: &ManagedNames) -> bool {
    has_entry_key_at(bytes, std::slice::from_ref(&(0..bytes.len())), names)
}

/// The same for some places in them.
pub(super) fn has_entry_key_at(bytes: &[u8], places: &[Range<usize>], names: &ManagedNames) -> bool {
    !places.is_empty()
        && names.keys().iter().any(|key| {
            let mut field = Vec::with_capacity(key.len() + 4);
            put_bytes(&mut field, 1, key.as_bytes());
            let finder = memmem::Finder::new(&field);
            places.iter().any(|place| finder.find(bytes.get(place.clone()).unwrap_or_default()).is_some())
        })
}

/// Whether a managed key stands anywhere in these bytes.
pub(super) fn has_key(bytes: &[u8], names: &ManagedNames) -> bool {
    names.keys().iter().any(|key| memmem::find(bytes, key.as_bytes()).is_some())
}

/// Searches a message chunk by chunk for the key of an entry.
#[derive(Debug, Default)]
pub(super) struct EntryKeySearch {
    /// The end of what has passed, in which a key may have begun.
    tail: Vec<u8>,
}

impl EntryKeySearch {
    /// Whether a key ends in this chunk.
    pub(super) fn hits(&mut self, chunk: &[u8], names: &ManagedNames) -> bool {
        let longest = names.keys().iter().map(String::len).max().unwrap_or_default() + 10;
        let border = chunk.get(..longest.min(chunk.len())).unwrap_or_default();
        self.tail.extend_from_slice(border);
        let hit = has_entry_key(&self.tail, names) || has_entry_key(chunk, names);
        if border.len() < chunk.len() {
            self.tail.clear();
            self.tail.extend_from_slice(chunk.get(chunk.len().saturating_sub(longest)..).unwrap_or_default());
        } else {
            self.tail.drain(..self.tail.len().saturating_sub(longest));
        }
        hit
    }
}

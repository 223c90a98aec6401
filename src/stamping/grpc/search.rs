//! A search for managed keys in bytes that are not read as a message.

use std::ops::Range;

use memchr::memmem;

use crate::stamping::names::ManagedNames;

/// Whether a managed key stands in these bytes as the key of a map's entry.
pub(super) fn has_entry_key(bytes: &[u8], names: &ManagedNames) -> bool {
    has_entry_key_at(bytes, std::slice::from_ref(&(0..bytes.len())), names)
}

/// The same for some places in them.
pub(super) fn has_entry_key_at(bytes: &[u8], places: &[Range<usize>], names: &ManagedNames) -> bool {
    !places.is_empty()
        && names.keys().iter().any(|key| {
            let finder = memmem::Finder::new(key.as_bytes());
            places.iter().any(|place| {
                let bytes = bytes.get(place.clone()).unwrap_or_default();
                let is_key = |at| is_behind_entry_head(bytes.get(..at).unwrap_or_default(), key.len());
                finder.find_iter(bytes).any(is_key)
            })
        })
}

/// Whether the head of a map's key of this length ends here: the tag of field 1, and the length.
/// Either may be written with more bytes than it needs.
fn is_behind_entry_head(before: &[u8], length: usize) -> bool {
    const KEY_TAG: u64 = 0x0A;
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    without_varint(before, length).and_then(|before| without_varint(before, KEY_TAG)).is_some()
}

/// What stands before a varint of this value at the end.
fn without_varint(bytes: &[u8], value: u64) -> Option<&[u8]> {
    let (last, before) = bytes.split_last().filter(|(last, _)| **last < 0x80)?;
    let more = before.iter().rev().take(9).take_while(|byte| **byte >= 0x80).count();
    let start = before.len() - more;
    let digits = before.get(start..)?.iter().map(|byte| byte & 0x7F).chain([*last]);
    let read = (0..).step_by(7).zip(digits).fold(0, |read, (shift, digit)| read | u64::from(digit) << shift);
    if read == value { before.get(..start) } else { None }
}

/// Whether a managed key stands anywhere in these bytes.
pub(super) fn has_key(bytes: &[u8], names: &ManagedNames) -> bool {
    names.keys().iter().any(|key| memmem::find(bytes, key.as_bytes()).is_some())
}

/// How many bytes a tag and a length have at most.
const MAX_HEAD: usize = 20;

/// Searches a message chunk by chunk for the key of an entry.
#[derive(Debug, Default)]
pub(super) struct EntryKeySearch {
    /// The end of what has passed, in which a key may have begun.
    tail: Vec<u8>,
}

impl EntryKeySearch {
    /// Whether a key ends in this chunk.
    pub(super) fn hits(&mut self, chunk: &[u8], names: &ManagedNames) -> bool {
        let longest = names.keys().iter().map(String::len).max().unwrap_or_default() + MAX_HEAD;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_known_however_long_its_numbers_are_written() {
        for head in [&[0x0A, 5][..], &[0x0A, 0x85, 0], &[0x8A, 0x80, 0, 0x85, 0x80, 0x80, 0], &[9, 0x0A, 5]] {
            assert!(is_behind_entry_head(head, 5), "{head:?}");
        }
        for head in [&[0x0A, 6][..], &[0x12, 5], &[5], &[], &[0x0A, 0x85], &[0x0A, 0x80, 0x80]] {
            assert!(!is_behind_entry_head(head, 5), "{head:?}");
        }
        assert!(is_behind_entry_head(&[0x0A, 0xAC, 2], 300));
    }
}

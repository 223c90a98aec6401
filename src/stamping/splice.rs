//! Cuts a document at its edits: slices of the original with the new texts between.

use std::ops::Range;

use bytes::Bytes;

/// One place that changes. An empty range inserts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

impl Edit {
    pub(super) fn replace(range: Range<usize>, text: String) -> Self {
        Self { range, text }
    }

    pub(super) fn insert(at: usize, text: String) -> Self {
        Self { range: at..at, text }
    }

    pub(super) fn remove(range: Range<usize>) -> Self {
        Self { range, text: String::new() }
    }
}

/// Puts edits in order. What lies within another is dropped.
pub(super) fn in_order(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut cursor = 0;
    edits.retain(|edit| {
        let stays = edit.range.start >= cursor;
        cursor = if stays { edit.range.end } else { cursor };
        stays
    });
    edits
}

/// The document with its edits done. Nothing of it is copied.
pub(super) fn splice(document: &Bytes, edits: Vec<Edit>) -> Vec<Bytes> {
    let edits = in_order(edits);
    let mut slices = Vec::with_capacity(2 * edits.len() + 1);
    let mut cursor = 0;
    for edit in edits {
        slices.push(slice(document, cursor..edit.range.start));
        cursor = edit.range.end;
        slices.push(Bytes::from(edit.text));
    }
    slices.push(slice(document, cursor..document.len()));
    slices.retain(|slice| !slice.is_empty());
    slices
}

/// A part of `bytes`, cut off where there is no more.
pub(super) fn slice(bytes: &Bytes, range: Range<usize>) -> Bytes {
    let end = range.end.min(bytes.len());
    bytes.slice(range.start.min(end)..end)
}

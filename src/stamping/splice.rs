//! Cuts a document at its edits: slices of the original with the new texts between.

use std::ops::Range;

use bytes::Bytes;
use smallvec::SmallVec;

use super::StampedPieces;

/// One place that changes. An empty range inserts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    /// Where the new bytes stand among those of all edits.
    pub(super) text: Range<usize>,
}

pub(super) type EditList = SmallVec<[Edit; 2]>;

/// All edits of a document, and their new bytes.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub(super) text: Vec<u8>,
    /// In no particular order. Several may put in the same text.
    pub(super) list: EditList,
}

impl Edits {
    pub(super) fn remove(&mut self, range: Range<usize>) {
        self.list.push(Edit { range, text: 0..0 });
    }

    /// Puts what has been written to `text` since `start` in the place of `range`.
    pub(super) fn replace(&mut self, range: Range<usize>, start: usize) {
        let text = start..self.text.len();
        self.put(range, text);
    }

    /// Puts a text in that has been written before.
    pub(super) fn put(&mut self, range: Range<usize>, text: Range<usize>) {
        self.list.push(Edit { range, text });
    }

    pub(super) fn insert(&mut self, at: usize, start: usize) {
        self.replace(at..at, start);
    }

    /// Moves every edit into a text in which the document starts at this place.
    pub(super) fn move_by(&mut self, start: usize) {
        for edit in &mut self.list {
            edit.range = edit.range.start + start..edit.range.end + start;
        }
    }

    /// Where a text starts that is written next, of about this length.
    pub(super) fn start(&mut self, length: usize) -> usize {
        if self.text.capacity() == 0 {
            self.text.reserve_exact(length);
        }
        self.text.len()
    }
}

/// Puts edits in order. What lies within another is dropped.
pub(super) fn in_order(mut edits: EditList) -> EditList {
    let place = |edit: &Edit| (edit.range.start, edit.range.end);
    if !edits.is_sorted_by_key(place) {
        edits.sort_by_key(place);
    }
    let mut cursor = 0;
    edits.retain(|edit: &mut Edit| {
        let stays = edit.range.start >= cursor;
        cursor = if stays { edit.range.end } else { cursor };
        stays
    });
    edits
}

/// The document with its edits done. Nothing of it is copied.
pub(super) fn splice(document: &Bytes, edits: Edits) -> StampedPieces {
    let mut text = Bytes::from(edits.text);
    let edits = in_order(edits.list);
    let is_only = edits.len() == 1;
    let mut pieces = StampedPieces::with_capacity(2 * edits.len() + 1);
    let mut put = |piece: Bytes| {
        if !piece.is_empty() {
            pieces.push(piece);
        }
    };
    let mut cursor = 0;
    for edit in edits {
        put(slice(document, cursor..edit.range.start));
        cursor = edit.range.end;
        let is_whole = is_only && edit.text == (0..text.len());
        put(if is_whole { std::mem::take(&mut text) } else { slice(&text, edit.text) });
    }
    put(slice(document, cursor..document.len()));
    pieces
}

/// A part of `bytes`, cut off where there is no more.
pub(super) fn slice(bytes: &Bytes, range: Range<usize>) -> Bytes {
    let end = range.end.min(bytes.len());
    bytes.slice(range.start.min(end)..end)
}

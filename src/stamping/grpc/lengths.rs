//! Cuts a frame at its edits, and corrects every length around them.

use std::ops::Range;

use bytes::Bytes;
use smallvec::{SmallVec, smallvec};

use super::places::LengthPlace;
use crate::protobuf::{put_varint, varint_length};
use crate::stamping::StampedPieces;
use crate::stamping::splice::slice;

/// One place that changes. An empty range inserts.
#[derive(Clone, Debug)]
pub(super) struct WireEdit {
    pub(super) range: Range<usize>,
    /// Where the new bytes stand among those of all edits.
    pub(super) text: Range<usize>,
    /// The message around it, by its place among the lengths.
    pub(super) length: Option<usize>,
}

/// All edits of a frame, and their new bytes.
#[derive(Debug, Default)]
pub(super) struct WireEdits {
    pub(super) text: Vec<u8>,
    pub(super) edits: Vec<WireEdit>,
    /// The new lengths around them; later ones first.
    lengths: Vec<WireEdit>,
    /// By how much each message has grown.
    growths: Vec<isize>,
}

/// A shorter frame is copied: that costs less than keeping its pieces apart.
const COPIED: usize = 8 << 10;

impl WireEdits {
    pub(super) fn remove(&mut self, range: Range<usize>, length: usize) {
        self.edits.push(WireEdit { range, text: 0..0, length: Some(length) });
    }

    /// Replaces `range` by what has been written to `text` since `start`.
    pub(super) fn replace(&mut self, range: Range<usize>, start: usize, length: Option<usize>) {
        let text = start..self.text.len();
        self.edits.push(WireEdit { range, text, length });
    }

    /// Forgets all edits, and keeps the room for them unless that is a lot.
    pub(super) fn clear(&mut self) {
        const MUCH: usize = 64 << 10;
        if self.text.capacity().max(self.edits.capacity()).max(self.lengths.capacity()).max(self.growths.capacity())
            > MUCH
        {
            *self = Self::default();
        }
        self.text.clear();
        self.edits.clear();
        self.lengths.clear();
    }

    /// The frame with its edits done: the head says `0` and the new length. `None` where no frame
    /// can be that long.
    pub(super) fn apply(&mut self, frame: &Bytes, lengths: &[LengthPlace], head: usize) -> Option<StampedPieces> {
        in_order(&mut self.edits);
        let growth = self.correct_lengths(lengths);
        let length = resized(frame.len() - head, growth)?;
        let start = self.text.len();
        self.text.extend_from_slice(&u32::try_from(length).ok()?.to_be_bytes());
        self.correct(1..head, start);
        Some(if frame.len() <= COPIED { smallvec![self.copied(frame, length + head)] } else { self.pieces(frame) })
    }

    /// Puts a length that has been written to `text` in the place of another.
    fn correct(&mut self, range: Range<usize>, start: usize) {
        let text = start..self.text.len();
        self.lengths.push(WireEdit { range, text, length: None });
    }

    /// All edits in order, those of lengths too. No length stands within another edit: that would
    /// be around an edit within one.
    fn in_order(&self) -> impl Iterator<Item = &WireEdit> {
        let (mut lengths, mut edits) = (self.lengths.iter().rev().peekable(), self.edits.iter().peekable());
        std::iter::from_fn(move || match (lengths.peek(), edits.peek()) {
            (Some(length), Some(edit)) if length.range.start >= edit.range.start => edits.next(),
            (None, _) => edits.next(),
            _ => lengths.next(),
        })
    }

    /// Corrects the lengths around all edits, and says by how much the whole has grown.
    fn correct_lengths(&mut self, lengths: &[LengthPlace]) -> isize {
        let mut growths = std::mem::take(&mut self.growths);
        growths.clear();
        growths.resize(lengths.len(), 0_isize);
        let mut whole = 0;
        for edit in &self.edits {
            let growth = difference(edit.text.len(), edit.range.len());
            let place = edit.length.and_then(|length| growths.get_mut(length));
            *place.unwrap_or(&mut whole) += growth;
        }
        // Inner messages stand behind outer ones.
        for (index, place) in lengths.iter().enumerate().rev() {
            let Some(growth) = growths.get(index).copied().filter(|growth| *growth != 0) else { continue };
            let length = place.content.len().saturating_add_signed(growth);
            let start = self.text.len();
            put_varint(&mut self.text, u64::try_from(length).unwrap_or(u64::MAX));
            self.correct(place.prefix.clone(), start);
            let growth = growth + difference(varint_length(length), place.prefix.len());
            let outer = place.parent.and_then(|parent| growths.get_mut(parent));
            *outer.unwrap_or(&mut whole) += growth;
        }
        self.growths = growths;
        whole
    }

    fn copied(&self, frame: &Bytes, length: usize) -> Bytes {
        let mut out = Vec::with_capacity(length);
        let mut cursor = 0;
        for edit in self.in_order() {
            out.extend_from_slice(frame.get(cursor..edit.range.start).unwrap_or_default());
            out.extend_from_slice(self.text.get(edit.text.clone()).unwrap_or_default());
            cursor = edit.range.end;
        }
        out.extend_from_slice(frame.get(cursor..).unwrap_or_default());
        out.into()
    }

    /// Slices of the frame with the new bytes between.
    fn pieces(&mut self, frame: &Bytes) -> StampedPieces {
        let text = Bytes::from(std::mem::take(&mut self.text));
        let mut pieces = SmallVec::with_capacity(2 * (self.edits.len() + self.lengths.len()) + 1);
        let mut cursor = 0;
        for edit in self.in_order() {
            pieces.push(slice(frame, cursor..edit.range.start));
            pieces.push(slice(&text, edit.text.clone()));
            cursor = edit.range.end;
        }
        pieces.push(slice(frame, cursor..frame.len()));
        pieces.retain(|piece: &mut Bytes| !piece.is_empty());
        pieces
    }
}

/// Puts edits in order. What lies within another is dropped.
fn in_order(edits: &mut Vec<WireEdit>) {
    let place = |edit: &WireEdit| (edit.range.start, edit.range.end);
    if !edits.is_sorted_by_key(place) {
        edits.sort_by_key(place);
    }
    let mut cursor = 0;
    edits.retain(|edit| {
        let stays = edit.range.start >= cursor;
        cursor = if stays { edit.range.end } else { cursor };
        stays
    });
}

fn difference(new: usize, old: usize) -> isize {
    let signed = |length: usize| isize::try_from(length).unwrap_or(isize::MAX);
    signed(new) - signed(old)
}

fn resized(length: usize, growth: isize) -> Option<usize> {
    length.checked_add_signed(growth)
}

//! Cuts a frame at its edits, and corrects every length around them.

use std::ops::Range;

use bytes::Bytes;
use smallvec::smallvec;

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
        if self.text.capacity().max(self.edits.capacity()).max(self.growths.capacity()) > MUCH {
            *self = Self::default();
        }
        self.text.clear();
        self.edits.clear();
    }

    /// The frame with its edits done: the head says `0` and the new length. `None` where no frame
    /// can be that long.
    pub(super) fn apply(&mut self, frame: &Bytes, lengths: &[LengthPlace], head: usize) -> Option<StampedPieces> {
        in_order(&mut self.edits);
        let growth = self.find_growths(lengths);
        let length = resized(frame.len() - head, growth)?;
        let new_head = u32::try_from(length).ok()?.to_be_bytes();
        if frame.len() <= COPIED {
            let mut copy = FrameCopy { frame, out: Vec::with_capacity(length + head) };
            self.write(frame.len(), lengths, (head, new_head), &mut copy);
            return Some(smallvec![copy.out.into()]);
        }
        let fresh = Vec::with_capacity(self.text.len() + 64);
        let mut pieces = FramePieces { frame, fresh, kept: Vec::with_capacity(self.edits.len() + lengths.len() + 2) };
        self.write(frame.len(), lengths, (head, new_head), &mut pieces);
        Some(pieces.pieces())
    }

    /// Finds by how much each message grows, its new length included, and gives that of the whole.
    fn find_growths(&mut self, lengths: &[LengthPlace]) -> isize {
        let growths = &mut self.growths;
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
            let growth = growth + difference(varint_length(length), place.prefix.len());
            let outer = place.parent.and_then(|parent| growths.get_mut(parent));
            *outer.unwrap_or(&mut whole) += growth;
        }
        whole
    }

    /// Writes the new frame. No length stands within an edit: that would be around an edit within
    /// an edit.
    fn write(&self, end: usize, lengths: &[LengthPlace], (head, new_head): (usize, [u8; 4]), out: &mut impl FrameSink) {
        out.keep(0..1);
        out.put(&new_head);
        let mut cursor = head;
        let mut edits = self.edits.iter().peekable();
        let grown = lengths.iter().zip(&self.growths).filter(|(_, growth)| **growth != 0);
        for (place, growth) in grown {
            while let Some(edit) = edits.next_if(|edit| edit.range.start <= place.prefix.start) {
                cursor = self.write_edit(edit, cursor, out);
            }
            out.keep(cursor..place.prefix.start);
            let length = place.content.len().saturating_add_signed(*growth);
            out.put_varint(u64::try_from(length).unwrap_or(u64::MAX));
            cursor = place.prefix.end;
        }
        for edit in edits {
            cursor = self.write_edit(edit, cursor, out);
        }
        out.keep(cursor..end);
    }

    /// Writes an edit and what stands before it, and says where it ends.
    fn write_edit(&self, edit: &WireEdit, cursor: usize, out: &mut impl FrameSink) -> usize {
        out.keep(cursor..edit.range.start);
        out.put(self.text.get(edit.text.clone()).unwrap_or_default());
        edit.range.end
    }
}

/// Takes a new frame, part by part.
trait FrameSink {
    /// A part of the old frame.
    fn keep(&mut self, range: Range<usize>);

    /// New bytes.
    fn put(&mut self, bytes: &[u8]);

    fn put_varint(&mut self, value: u64);
}

/// The whole frame in one piece.
struct FrameCopy<'a> {
    frame: &'a [u8],
    out: Vec<u8>,
}

impl FrameSink for FrameCopy<'_> {
    fn keep(&mut self, range: Range<usize>) {
        self.out.extend_from_slice(self.frame.get(range).unwrap_or_default());
    }

    fn put(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    fn put_varint(&mut self, value: u64) {
        put_varint(&mut self.out, value);
    }
}

/// Slices of the frame with the new bytes between.
struct FramePieces<'a> {
    frame: &'a Bytes,
    /// All new bytes.
    fresh: Vec<u8>,
    /// What is kept, and how many new bytes stand before it.
    kept: Vec<(Range<usize>, usize)>,
}

impl FramePieces<'_> {
    fn pieces(self) -> StampedPieces {
        let fresh = Bytes::from(self.fresh);
        let mut pieces = StampedPieces::with_capacity(2 * self.kept.len() + 1);
        let mut put = |bytes: &Bytes, range: Range<usize>| {
            if !range.is_empty() {
                pieces.push(slice(bytes, range));
            }
        };
        let mut cursor = 0;
        for (kept, before) in self.kept {
            put(&fresh, cursor..before);
            put(self.frame, kept);
            cursor = before;
        }
        put(&fresh, cursor..fresh.len());
        pieces
    }
}

impl FrameSink for FramePieces<'_> {
    fn keep(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.kept.push((range, self.fresh.len()));
        }
    }

    fn put(&mut self, bytes: &[u8]) {
        self.fresh.extend_from_slice(bytes);
    }

    fn put_varint(&mut self, value: u64) {
        put_varint(&mut self.fresh, value);
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

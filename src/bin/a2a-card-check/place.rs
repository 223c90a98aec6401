//! From bytes of a source to lines and columns, and to the piece of it that is shown.

use std::collections::HashMap;
use std::ops::Range;

use tower_a2a_extensions::Finding;

use crate::printable;

/// So much of a line is shown before and behind the place, in bytes.
const BEFORE: usize = 120;
const BEHIND: usize = 160;

/// A place as people count: from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Position {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The positions of many offsets, in one pass over the source.
pub(crate) fn positions(source: &[u8], offsets: impl Iterator<Item = usize>) -> HashMap<usize, Position> {
    let mut offsets = offsets.map(|offset| offset.min(source.len())).collect::<Vec<_>>();
    offsets.sort_unstable();
    offsets.dedup();
    let mut found = HashMap::with_capacity(offsets.len());
    let (mut at, mut position) = (0, Position { line: 1, column: 1 });
    for offset in offsets {
        for byte in source.get(at..offset).unwrap_or_default() {
            match byte {
                b'\n' => position = Position { line: position.line + 1, column: 1 },
                // A byte within a character is none of its own.
                0x80..=0xBF => {}
                _ => position.column += 1,
            }
        }
        at = offset;
        found.insert(offset, position);
    }
    found
}

/// The bytes that a finding is about; the beginning where it is about the whole or nothing is known.
pub(crate) fn span(finding: &Finding, source: &[u8]) -> Range<usize> {
    let span = finding.span.clone().unwrap_or(0..0);
    span.start.min(source.len())..span.end.min(source.len())
}

/// A part of one line, fit to be shown, and the place in it.
pub(crate) struct Excerpt {
    pub(crate) text: String,
    pub(crate) place: Range<usize>,
}

impl Excerpt {
    /// The column of the place in the excerpt, in characters.
    pub(crate) fn column(&self) -> usize {
        self.text.get(..self.place.start).unwrap_or_default().chars().count() + 1
    }
}

/// The line around the beginning of a span, cut where it is long. A span over several lines is
/// shown as far as the end of its first.
pub(crate) fn excerpt(source: &[u8], span: &Range<usize>) -> Excerpt {
    let before = source.get(span.start.saturating_sub(BEFORE)..span.start).unwrap_or_default();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let is_cut = line_start.is_none() && span.start > BEFORE;
    let before = before.get(line_start.unwrap_or(0)..).unwrap_or_default();
    // A cut may have gone through a character.
    let whole = before.iter().position(|byte| !matches!(byte, 0x80..=0xBF)).unwrap_or(0);
    let before = if is_cut { before.get(whole..).unwrap_or_default() } else { before };

    let behind = source.get(span.start..(span.start + BEHIND).min(source.len())).unwrap_or_default();
    let line_end = behind.iter().position(|byte| *byte == b'\n');
    let ends = line_end.is_some() || span.start + BEHIND >= source.len();
    let behind = behind.get(..line_end.unwrap_or(behind.len())).unwrap_or_default();
    let behind = if ends { behind.strip_suffix(b"\r").unwrap_or(behind) } else { behind };
    let marked = (span.end - span.start).min(behind.len());
    let (marked, rest) = behind.split_at_checked(marked).unwrap_or((behind, &[]));

    let mut text = String::from(if is_cut { "…" } else { "" });
    push(&mut text, before);
    let start = text.len();
    push(&mut text, marked);
    let end = text.len();
    push(&mut text, rest);
    if !ends {
        text.push('…');
    }
    if start == text.len() {
        text.push(' ');
    }
    let end = if end > start {
        end
    } else {
        start + text.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
    };
    Excerpt { text, place: start..end }
}

fn push(text: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|character| printable::push_source(text, character));
        if !chunk.invalid().is_empty() {
            text.push('\u{fffd}');
        }
    }
}

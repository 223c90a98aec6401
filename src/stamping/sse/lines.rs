//! The `data` of one event: the JSON it carries, and where each piece of that stands.

use std::ops::Range;

use bytes::{BufMut, Bytes, BytesMut};
use memchr::memchr2;

use super::super::splice::{Edit, EditList, Edits, in_order, slice};

/// The payload of one event.
#[derive(Debug)]
pub(super) struct EventData {
    /// The values of the `data` lines, joined by LF. Not copied if there is one.
    pub(super) json: Bytes,
    lines: Vec<DataLine>,
    /// Where the first line starts; `None` where no line but `data` says anything.
    others_from: Option<usize>,
}

/// The value of one `data` line.
#[derive(Debug)]
struct DataLine {
    in_event: Range<usize>,
    /// Where it starts in the joined text.
    joined: usize,
}

impl DataLine {
    fn joined_end(&self) -> usize {
        self.joined + self.in_event.len()
    }
}

impl EventData {
    /// Reads an event; `None` where it has no `data`. Before the first event of a stream a byte
    /// order mark may stand.
    pub(super) fn read(event: &Bytes, is_first: bool) -> Option<Self> {
        let start = if is_first && event.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let mut lines: Vec<DataLine> = Vec::new();
        let mut has_others = false;
        for line in lines_of(event, start) {
            match data_prefix(event.get(line.clone()).unwrap_or_default()) {
                Some(prefix) => {
                    let joined = lines.last().map_or(0, |line| line.joined_end() + 1);
                    lines.push(DataLine { in_event: line.start + prefix..line.end, joined });
                }
                None => has_others |= !line.is_empty(),
            }
        }
        let json = match lines.as_slice() {
            [] => return None,
            [line] => slice(event, line.in_event.clone()),
            _ => join(event, &lines),
        };
        Some(Self { json, lines, others_from: has_others.then_some(start) })
    }

    /// The lines of the event that are no `data`: other fields and comments.
    pub(super) fn other_lines<'e>(&self, event: &'e [u8]) -> impl Iterator<Item = Range<usize>> + 'e {
        let lines = self.others_from.map(|start| lines_of(event, start)).into_iter().flatten();
        lines.filter(|line| data_prefix(event.get(line.clone()).unwrap_or_default()).is_none())
    }

    /// Moves edits of the joined text into the event. What stands between two `data` values, line
    /// ends and other fields, stays: for the JSON it is white space.
    pub(super) fn in_event(&self, mut edits: Edits) -> Edits {
        if let [line] = self.lines.as_slice() {
            edits.move_by(line.in_event.start);
            return edits;
        }
        let mut moved = EditList::with_capacity(edits.list.len());
        let mut first = 0;
        for edit in in_order(edits.list) {
            let from = self.lines.get(first..).unwrap_or_default();
            first += from.iter().take_while(|line| line.joined_end() < edit.range.start).count();
            let mut text = Some(edit.text);
            let touched = self.lines.get(first..).unwrap_or_default();
            for line in touched.iter().take_while(|line| line.joined <= edit.range.end) {
                let start = edit.range.start.max(line.joined) - line.joined;
                let end = edit.range.end.min(line.joined_end()).saturating_sub(line.joined);
                let range = line.in_event.start + start..line.in_event.start + end.max(start);
                let text = text.take().unwrap_or(0..0);
                if !(range.is_empty() && text.is_empty()) {
                    moved.push(Edit { range, text });
                }
            }
        }
        Edits { list: moved, ..edits }
    }
}

/// The lines from `at` on, without their ends. The LF of a CR LF is read as an empty line, which
/// says nothing.
fn lines_of(event: &[u8], mut at: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let rest = event.get(at..).filter(|rest| !rest.is_empty())?;
        let line = at..at + memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
        at = line.end + 1;
        Some(line)
    })
}

/// How many bytes of a `data` line stand before its value; `None` for any other line.
fn data_prefix(line: &[u8]) -> Option<usize> {
    match line.strip_prefix(b"data")? {
        [] => Some(4),
        [b':', b' ', ..] => Some(6),
        [b':', ..] => Some(5),
        _ => None,
    }
}

fn join(event: &Bytes, lines: &[DataLine]) -> Bytes {
    let length = lines.last().map_or(0, DataLine::joined_end);
    let mut json = BytesMut::with_capacity(length);
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            json.put_u8(b'\n');
        }
        json.extend_from_slice(event.get(line.in_event.clone()).unwrap_or_default());
    }
    json.freeze()
}

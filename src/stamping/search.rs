//! A search for managed keys in bytes that nobody parses.
//!
//! It looks for a managed key *as an object key*: a string that means it, then white space, then a
//! colon. It trusts nothing else in the bytes: every quote may start a key, so text that is cut
//! off, or broken before the key, hides nothing. A key as a value, as in a card, is no hit.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use memchr::memchr;

use super::names::ManagedNames;
use super::splice::slice;

/// More white space than this between a key and its colon counts as a hit.
const MAX_SPACE: usize = 1024;

/// What became of one chunk.
#[derive(Debug, Default)]
pub(crate) struct Searched {
    /// What may leave: bytes held back from earlier chunks, then this chunk's.
    pub(crate) leaving: [Bytes; 2],
    /// A managed key was found. Nothing from its first quote on may leave, now or later.
    pub(crate) hit: bool,
}

/// Searches a body chunk by chunk. Holds back only bytes that could be the start of a managed key.
#[derive(Debug)]
pub(crate) struct KeySearch {
    names: Arc<ManagedNames>,
    state: SearchState,
    /// From the quote of the candidate on, what arrived in earlier chunks.
    held: BytesMut,
    /// The candidate as far as it is read, unescaped.
    candidate: Vec<u8>,
    /// How many NUL bytes stood in it.
    nuls: usize,
    is_hit: bool,
    /// The body is an event stream: a line feed can be followed by another `data:` line.
    in_events: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum SearchState {
    Outside,
    Inside,
    Backslash,
    /// `digits` of `\u` are read, worth `unit`; `high` is a surrogate before it.
    Unicode {
        digits: u8,
        unit: u16,
        high: Option<u16>,
    },
    /// A high surrogate was read: a backslash must follow, then `u`.
    HighSurrogate {
        high: u16,
        has_backslash: bool,
    },
    /// A whole managed key was read; white space followed.
    AfterKey {
        space: usize,
        line: LinePrefix,
    },
}

/// Where in the next `data:` line of an event the search is, behind a key at the end of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum LinePrefix {
    /// No line has ended since the key.
    None,
    /// So many bytes of `data:` are read.
    Read(usize),
}

const DATA_FIELD: &[u8] = b"data:";

/// What a byte does to the candidate.
enum Step {
    Next(SearchState),
    /// The candidate was none. The byte may start another.
    Drop,
    /// The candidate was none; its closing quote and this byte may be the start of another.
    Restart,
    Hit,
}

impl KeySearch {
    pub(super) fn new(names: Arc<ManagedNames>) -> Self {
        let state = SearchState::Outside;
        let (held, candidate) = (BytesMut::new(), Vec::new());
        Self { names, state, held, candidate, nuls: 0, is_hit: false, in_events: false }
    }

    /// For the bytes of an event stream, where a key and its colon may stand in two lines.
    pub(super) fn in_events(mut self) -> Self {
        self.in_events = true;
        self
    }

    /// Searches the next chunk.
    pub(crate) fn push(&mut self, chunk: &Bytes) -> Searched {
        if self.is_hit {
            return Searched { hit: true, ..Searched::default() };
        }
        let mut released = BytesMut::new();
        let mut held_may_leave = self.state == SearchState::Outside;
        let mut start = 0;
        let mut at = 0;
        while let Some(byte) = chunk.get(at).copied() {
            if self.state == SearchState::Outside {
                let rest = chunk.get(at..).unwrap_or_default();
                let Some(distance) = memchr(b'"', rest) else { break };
                start = at + distance;
                held_may_leave = true;
                self.begin();
                at = start + 1;
                continue;
            }
            match self.step(byte) {
                Step::Next(state) => {
                    self.state = state;
                    at += 1;
                }
                // Looked at again, from outside.
                Step::Drop => self.state = SearchState::Outside,
                Step::Restart => {
                    if at > 0 {
                        held_may_leave = true;
                        start = at - 1;
                    } else {
                        released = self.held.split_to(self.held.len().saturating_sub(1));
                    }
                    self.begin();
                }
                Step::Hit => {
                    self.is_hit = true;
                    break;
                }
            }
        }
        self.split(chunk, start, held_may_leave, released)
    }

    /// The end of the body: what was held back may leave.
    pub(crate) fn finish(&mut self) -> Bytes {
        self.state = SearchState::Outside;
        if self.is_hit { Bytes::new() } else { self.held.split().freeze() }
    }

    fn begin(&mut self) {
        self.state = SearchState::Inside;
        self.candidate.clear();
        self.nuls = 0;
    }

    /// Divides held bytes and chunk at the candidate's first quote.
    fn split(&mut self, chunk: &Bytes, start: usize, held_may_leave: bool, mut released: BytesMut) -> Searched {
        let is_open = self.state != SearchState::Outside;
        let held_may_leave = held_may_leave || !is_open;
        if held_may_leave {
            released.unsplit(self.held.split());
        }
        let fresh = match (is_open, held_may_leave) {
            (false, _) => chunk.clone(),
            (true, true) => slice(chunk, 0..start),
            (true, false) => Bytes::new(),
        };
        if is_open && !self.is_hit {
            self.held.extend_from_slice(chunk.get(fresh.len()..).unwrap_or_default());
        }
        Searched { leaving: [released.freeze(), fresh], hit: self.is_hit }
    }

    fn step(&mut self, byte: u8) -> Step {
        // Of UTF-16 and UTF-32 the other bytes are the text, as far as keys are ASCII: at most three
        // NULs a character, of which an escaped key has six each, and then white space.
        if byte == 0 {
            self.nuls += 1;
            return match self.state {
                _ if self.nuls <= 18 * self.longest_key() + 3 * MAX_SPACE => Step::Next(self.state),
                SearchState::AfterKey { .. } => Step::Hit,
                _ => Step::Drop,
            };
        }
        match self.state {
            SearchState::Outside => Step::Drop,
            SearchState::Inside => self.inside(byte),
            SearchState::Backslash => self.escape(byte),
            SearchState::Unicode { digits, unit, high } => self.digit(byte, digits, unit, high),
            SearchState::HighSurrogate { high, has_backslash } => match (has_backslash, byte) {
                (false, b'\\') => Step::Next(SearchState::HighSurrogate { high, has_backslash: true }),
                (true, b'u') => Step::Next(SearchState::Unicode { digits: 0, unit: 0, high: Some(high) }),
                _ => Step::Drop,
            },
            SearchState::AfterKey { space, line } => self.after_key(byte, space, line),
        }
    }

    fn inside(&mut self, byte: u8) -> Step {
        match byte {
            b'"' if self.names.keys().iter().any(|key| key.as_bytes() == self.candidate) => {
                Step::Next(SearchState::AfterKey { space: 0, line: LinePrefix::None })
            }
            b'"' => Step::Drop,
            b'\\' => Step::Next(SearchState::Backslash),
            _ => self.read(&[byte]),
        }
    }

    /// Adds to the candidate, which is given up where no managed key starts like it.
    fn read(&mut self, bytes: &[u8]) -> Step {
        self.candidate.extend_from_slice(bytes);
        let is_prefix = |key: &String| key.as_bytes().starts_with(&self.candidate);
        if self.names.keys().iter().any(is_prefix) { Step::Next(SearchState::Inside) } else { Step::Drop }
    }

    fn escape(&mut self, byte: u8) -> Step {
        match byte {
            b'"' | b'\\' | b'/' => self.read(&[byte]),
            b'b' => self.read(b"\x08"),
            b'f' => self.read(b"\x0C"),
            b'n' => self.read(b"\n"),
            b'r' => self.read(b"\r"),
            b't' => self.read(b"\t"),
            b'u' => Step::Next(SearchState::Unicode { digits: 0, unit: 0, high: None }),
            _ => Step::Drop,
        }
    }

    fn digit(&mut self, byte: u8, digits: u8, unit: u16, high: Option<u16>) -> Step {
        let Some(digit) = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok()) else {
            return Step::Drop;
        };
        let unit = (unit << 4) | digit;
        if digits < 3 {
            return Step::Next(SearchState::Unicode { digits: digits + 1, unit, high });
        }
        if high.is_none() && (0xD800..0xDC00).contains(&unit) {
            return Step::Next(SearchState::HighSurrogate { high: unit, has_backslash: false });
        }
        let units = high.into_iter().chain([unit]);
        match char::decode_utf16(units).next() {
            Some(Ok(character)) => self.read(character.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => Step::Drop,
        }
    }

    fn after_key(&self, byte: u8, space: usize, line: LinePrefix) -> Step {
        if let LinePrefix::Read(count) = line {
            return Self::next_line(byte, space, count);
        }
        match byte {
            b':' => Step::Hit,
            _ if space >= MAX_SPACE => Step::Hit,
            b'\n' | b'\r' if self.in_events => {
                Step::Next(SearchState::AfterKey { space: space + 1, line: LinePrefix::Read(0) })
            }
            b' ' | b'\t' | b'\n' | b'\r' => {
                Step::Next(SearchState::AfterKey { space: space + 1, line: LinePrefix::None })
            }
            // The closing quote may have been an opening one.
            _ if space == 0 => Step::Restart,
            _ => Step::Drop,
        }
    }

    /// A key at the end of a line: its colon would be in the next `data:` line. Any other line
    /// before that is too odd to let it go.
    fn next_line(byte: u8, space: usize, count: usize) -> Step {
        if count == 0 && matches!(byte, b'\n' | b'\r') {
            let line = LinePrefix::Read(0);
            return if space >= MAX_SPACE {
                Step::Hit
            } else {
                Step::Next(SearchState::AfterKey { space: space + 1, line })
            };
        }
        if DATA_FIELD.get(count) != Some(&byte) {
            return Step::Hit;
        }
        let line = if count + 1 == DATA_FIELD.len() { LinePrefix::None } else { LinePrefix::Read(count + 1) };
        Step::Next(SearchState::AfterKey { space: space + 1, line })
    }

    fn longest_key(&self) -> usize {
        self.names.keys().iter().map(String::len).max().unwrap_or_default()
    }
}

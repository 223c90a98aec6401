//! A pull reader over the bytes of one JSON text.

use std::ops::Range;

use memchr::memchr2;

use super::nesting::{Bracket, Nesting};
use super::text::JsonText;

/// What kind of value stands at a place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum JsonKind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

/// The bytes are not structurally JSON; `offset` is where that showed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct ScanError {
    pub(crate) offset: usize,
}

/// Reads one JSON text from front to back.
///
/// The caller asks for the [`kind`](Self::kind) of the next value, then [`skip`](Self::skip)s it,
/// takes it as [`text`](Self::text), or [`enter`](Self::enter)s it and loops over
/// [`next_key`](Self::next_key) or [`next_element`](Self::next_element) until that says it is
/// closed. Every value must be consumed before the next key or element is asked for.
#[derive(Debug)]
pub(crate) struct JsonScan<'a> {
    bytes: &'a [u8],
    at: usize,
    nesting: Nesting,
    /// The innermost container has had no member yet.
    fresh: bool,
}

impl<'a> JsonScan<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, nesting: Nesting::default(), fresh: false }
    }

    /// Where the reader stands.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// The kind of the next value, which is not consumed.
    #[inline]
    pub(crate) fn kind(&mut self) -> Result<JsonKind, ScanError> {
        match self.peek()? {
            b'{' => Ok(JsonKind::Object),
            b'[' => Ok(JsonKind::Array),
            b'"' => Ok(JsonKind::String),
            b'-' | b'0'..=b'9' => Ok(JsonKind::Number),
            b't' | b'f' => Ok(JsonKind::Bool),
            b'n' => Ok(JsonKind::Null),
            _ => Err(self.error()),
        }
    }

    /// Opens the object or array that comes next, and gives the offset of its bracket.
    #[inline]
    pub(crate) fn enter(&mut self) -> Result<usize, ScanError> {
        let bracket = match self.peek()? {
            b'{' => Bracket::Object,
            b'[' => Bracket::Array,
            _ => return Err(self.error()),
        };
        let start = self.at;
        self.open(bracket);
        Ok(start)
    }

    /// The key of the next member of the innermost object, or `None` where its brace closed it.
    /// [`offset`](Self::offset) then stands behind the colon, or behind the brace.
    #[inline]
    pub(crate) fn next_key(&mut self) -> Result<Option<JsonText<'a>>, ScanError> {
        if self.nesting.top() != Some(Bracket::Object) {
            return Err(self.error());
        }
        if self.peek()? == b'}' {
            self.close();
            return Ok(None);
        }
        if !self.fresh {
            self.expect(b',')?;
        }
        self.key().map(Some)
    }

    /// Whether the innermost array has another element; `false` where its bracket closed it.
    #[inline]
    pub(crate) fn next_element(&mut self) -> Result<bool, ScanError> {
        if self.nesting.top() != Some(Bracket::Array) {
            return Err(self.error());
        }
        if self.peek()? == b']' {
            self.close();
            return Ok(false);
        }
        if !self.fresh {
            self.expect(b',')?;
        }
        self.fresh = false;
        Ok(true)
    }

    /// Consumes the string that comes next.
    #[inline(always)]
    pub(crate) fn text(&mut self) -> Result<JsonText<'a>, ScanError> {
        self.expect(b'"')?;
        let start = self.at;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(distance) = next_stop(rest) else { return Err(ScanError { offset: self.bytes.len() }) };
            self.at += distance;
            if rest.get(distance) == Some(&b'"') {
                let raw = self.bytes.get(start..self.at).unwrap_or_default();
                self.at += 1;
                return Ok(JsonText::new(raw, start, escaped));
            }
            escaped = true;
            self.at += 2;
            // A run of escapes needs no search between them.
            while self.bytes.get(self.at) == Some(&b'\\') {
                self.at += 2;
            }
        }
    }

    /// Consumes the next value, whatever it is, and gives its place without white space around it.
    pub(crate) fn skip(&mut self) -> Result<Range<usize>, ScanError> {
        self.peek()?;
        let start = self.at;
        let base = self.nesting.depth();
        loop {
            let opened = self.skip_to_value_end()?;
            if !opened && self.close_finished(base)? {
                return Ok(start..self.at);
            }
        }
    }

    /// Checks that nothing but white space follows the value that was read.
    pub(crate) fn end(&mut self) -> Result<(), ScanError> {
        self.skip_space();
        if self.at == self.bytes.len() && self.nesting.depth() == 0 { Ok(()) } else { Err(self.error()) }
    }

    /// Consumes a scalar, or opens a container that has a first value to come (then `true`).
    fn skip_to_value_end(&mut self) -> Result<bool, ScanError> {
        match self.peek()? {
            b'{' => {
                self.open(Bracket::Object);
                if self.peek()? == b'}' {
                    self.close();
                    return Ok(false);
                }
                self.key()?;
                Ok(true)
            }
            b'[' => {
                self.open(Bracket::Array);
                if self.peek()? == b']' {
                    self.close();
                    return Ok(false);
                }
                Ok(true)
            }
            b'"' => self.text().map(|_| false),
            _ => self.scalar().map(|()| false),
        }
    }

    /// After a value: closes what ends here; `true` where `base` is reached, `false` where another
    /// value is to come.
    fn close_finished(&mut self, base: usize) -> Result<bool, ScanError> {
        while self.nesting.depth() > base {
            match (self.peek()?, self.nesting.top()) {
                (b'}', Some(Bracket::Object)) | (b']', Some(Bracket::Array)) => self.close(),
                (b',', Some(Bracket::Array)) => {
                    self.at += 1;
                    return Ok(false);
                }
                (b',', Some(Bracket::Object)) => {
                    self.at += 1;
                    self.key()?;
                    return Ok(false);
                }
                _ => return Err(self.error()),
            }
        }
        self.fresh = false;
        Ok(true)
    }

    #[inline(always)]
    fn key(&mut self) -> Result<JsonText<'a>, ScanError> {
        self.fresh = false;
        let key = self.text()?;
        self.expect(b':')?;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<(), ScanError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = match rest.first() {
            Some(b't') if rest.starts_with(b"true") => 4,
            Some(b'f') if rest.starts_with(b"false") => 5,
            Some(b'n') if rest.starts_with(b"null") => 4,
            Some(b'-' | b'0'..=b'9') => number_length(rest).ok_or(self.error())?,
            _ => return Err(self.error()),
        };
        self.at += length;
        match self.bytes.get(self.at) {
            None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r') => Ok(()),
            Some(_) => Err(self.error()),
        }
    }

    #[inline]
    fn open(&mut self, bracket: Bracket) {
        self.at += 1;
        self.nesting.push(bracket);
        self.fresh = true;
    }

    #[inline]
    fn close(&mut self) {
        self.at += 1;
        self.nesting.pop();
        self.fresh = false;
    }

    #[inline]
    fn expect(&mut self, wanted: u8) -> Result<(), ScanError> {
        if self.peek()? != wanted {
            return Err(self.error());
        }
        self.at += 1;
        Ok(())
    }

    /// Most JSON is written without space.
    #[inline]
    fn peek(&mut self) -> Result<u8, ScanError> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte > b' ' => Ok(*byte),
            _ => self.peek_behind_space(),
        }
    }

    #[inline(never)]
    fn peek_behind_space(&mut self) -> Result<u8, ScanError> {
        self.skip_space();
        self.bytes.get(self.at).copied().ok_or(self.error())
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    #[inline]
    fn error(&self) -> ScanError {
        ScanError { offset: self.at.min(self.bytes.len()) }
    }
}

/// The distance to the next quote or backslash. Most strings of a reply are keys and ids: for those
/// the set-up of a search over wide blocks costs more than the search.
#[inline(always)]
fn next_stop(rest: &[u8]) -> Option<usize> {
    let mut far = rest;
    for near in [0, 8] {
        let Some((block, behind)) = far.split_first_chunk() else { break };
        if let Some(distance) = stop_in_block(*block) {
            return Some(near + distance);
        }
        far = behind;
    }
    memchr2(b'"', b'\\', far).map(|distance| rest.len() - far.len() + distance)
}

#[inline]
fn stop_in_block(block: [u8; 8]) -> Option<usize> {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = EACH << 7;
    let word = u64::from_le_bytes(block);
    // The lowest high bit that is set belongs to the first byte equal to `wanted`.
    let equal = |wanted: u8| {
        let difference = word ^ (EACH * u64::from(wanted));
        difference.wrapping_sub(EACH) & !difference
    };
    let stops = (equal(b'"') | equal(b'\\')) & HIGH;
    if stops == 0 { None } else { usize::try_from(stops.trailing_zeros() / 8).ok() }
}

/// How many bytes of `bytes` are a number by RFC 8259, whatever its size.
fn number_length(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| digit_run(bytes.get(from..).unwrap_or_default());
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match bytes.get(at) {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits(at),
        _ => return None,
    };
    if bytes.get(at) == Some(&b'.') {
        at += 1 + Some(digits(at + 1)).filter(|count| *count > 0)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at += Some(digits(at)).filter(|count| *count > 0)?;
    }
    Some(at)
}

/// How many digits stand in front, eight at a time: a branch for each would cost more than the rest.
fn digit_run(bytes: &[u8]) -> usize {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let mut count = 0;
    for block in bytes.chunks(8) {
        let Ok(eight) = <[u8; 8]>::try_from(block) else {
            return count + block.iter().take_while(|byte| byte.is_ascii_digit()).count();
        };
        // A digit becomes 0 to 9; what is above sets its byte's high bit. No byte carries over.
        let values = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
        let others = ((values & LOW) + 0x7676_7676_7676_7676) | values;
        let run = (others & !LOW).trailing_zeros() / 8;
        count += usize::try_from(run).unwrap_or_default();
        if run < 8 {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests;

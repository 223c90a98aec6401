//! Fields of a message by their places. Strict: what a reader could take in two ways is an error.

use std::ops::Range;

use super::MAX_DEPTH;

/// The bytes are no protobuf message.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct WireError;

/// How a field is written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum WireType {
    Varint,
    Fixed64,
    /// A string, bytes, a message or packed numbers.
    Delimited,
    /// From its start to its end tag; proto2 only.
    Group,
    Fixed32,
}

/// One field and where it stands.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct WireField {
    pub(crate) number: u32,
    pub(crate) wire_type: WireType,
    /// From the tag to the end of the value.
    pub(crate) span: Range<usize>,
    /// The length of a delimited field; empty for others.
    pub(crate) prefix: Range<usize>,
    /// The content: without tag and length, and of a group without its end tag.
    pub(crate) value: Range<usize>,
    /// The number of a varint.
    pub(crate) varint: u64,
}

/// Reads the fields of one message one after the other. Nothing in it recurses.
#[derive(Clone, Debug)]
pub(crate) struct WireReader<'a> {
    /// Up to the end of the message.
    document: &'a [u8],
    at: usize,
}

impl<'a> WireReader<'a> {
    /// Reads the message that stands at `range` of the document. Places are those in the document.
    pub(crate) fn new(document: &'a [u8], range: &Range<usize>) -> Self {
        let document = document.get(..range.end).unwrap_or(document);
        Self { document, at: range.start.min(document.len()) }
    }

    /// The next field; `None` at the end of the message.
    #[inline(always)]
    pub(crate) fn next_field(&mut self) -> Result<Option<WireField>, WireError> {
        match self.document.get(self.at) {
            None => Ok(None),
            // Nearly all fields: a tag of one byte, that of a delimited field, and no number 0.
            Some(tag) if *tag & 0x87 == 2 && *tag >= 8 => self.delimited(u32::from(*tag >> 3)).map(Some),
            Some(_) => self.any_field().map(Some),
        }
    }

    /// The delimited field whose tag is the next byte.
    #[inline(always)]
    fn delimited(&mut self, number: u32) -> Result<WireField, WireError> {
        let start = self.at;
        self.at += 1;
        let length = self.varint()?;
        let value = self.at;
        self.skip(usize::try_from(length).map_err(|_| WireError)?)?;
        Ok(WireField {
            number,
            wire_type: WireType::Delimited,
            span: start..self.at,
            prefix: start + 1..value,
            value: value..self.at,
            varint: 0,
        })
    }

    #[inline(never)]
    fn any_field(&mut self) -> Result<WireField, WireError> {
        let start = self.at;
        let (number, wire_type) = self.tag()?;
        let mut field = WireField {
            number,
            wire_type: WireType::Varint,
            span: start..start,
            prefix: self.at..self.at,
            value: self.at..self.at,
            varint: 0,
        };
        match wire_type {
            0 => field.varint = self.varint()?,
            1 => {
                field.wire_type = WireType::Fixed64;
                self.skip(8)?;
            }
            2 => {
                field.wire_type = WireType::Delimited;
                let length = self.varint()?;
                field.prefix.end = self.at;
                field.value.start = self.at;
                self.skip(usize::try_from(length).map_err(|_| WireError)?)?;
            }
            3 => {
                field.wire_type = WireType::Group;
                field.value.end = self.group(number)?;
                field.span.end = self.at;
                return Ok(field);
            }
            5 => {
                field.wire_type = WireType::Fixed32;
                self.skip(4)?;
            }
            _ => return Err(WireError),
        }
        field.value.end = self.at;
        field.span.end = self.at;
        Ok(field)
    }

    /// Passes over a group, and gives the place of its end tag.
    fn group(&mut self, number: u32) -> Result<usize, WireError> {
        let mut open = vec![number];
        loop {
            let before = self.at;
            let (number, wire_type) = self.tag()?;
            match wire_type {
                0 => drop(self.varint()?),
                1 => self.skip(8)?,
                2 => {
                    let length = self.varint()?;
                    self.skip(usize::try_from(length).map_err(|_| WireError)?)?;
                }
                3 if open.len() < MAX_DEPTH => open.push(number),
                4 if open.pop() == Some(number) => {
                    if open.is_empty() {
                        return Ok(before);
                    }
                }
                5 => self.skip(4)?,
                _ => return Err(WireError),
            }
        }
    }

    #[inline]
    fn tag(&mut self) -> Result<(u32, u32), WireError> {
        let tag = u32::try_from(self.varint()?).map_err(|_| WireError)?;
        let (number, wire_type) = (tag >> 3, tag & 7);
        if number == 0 { Err(WireError) } else { Ok((number, wire_type)) }
    }

    /// Most varints are one byte.
    #[inline]
    fn varint(&mut self) -> Result<u64, WireError> {
        match self.document.get(self.at) {
            Some(byte) if *byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(*byte))
            }
            _ => self.longer_varint(),
        }
    }

    /// Most others are two.
    #[inline]
    fn longer_varint(&mut self) -> Result<u64, WireError> {
        match self.document.get(self.at..).and_then(<[u8]>::first_chunk) {
            Some([low, high]) if *high < 0x80 => {
                self.at += 2;
                Ok(u64::from(*low & 0x7F) | u64::from(*high) << 7)
            }
            _ => self.long_varint(),
        }
    }

    #[inline(never)]
    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            // The tenth byte has one bit left.
            if shift == 63 && bits > 1 {
                return Err(WireError);
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(WireError)
    }

    fn byte(&mut self) -> Result<u8, WireError> {
        let byte = self.document.get(self.at).ok_or(WireError)?;
        self.at += 1;
        Ok(*byte)
    }

    #[inline]
    fn skip(&mut self, length: usize) -> Result<(), WireError> {
        if length > self.document.len() - self.at {
            return Err(WireError);
        }
        self.at += length;
        Ok(())
    }
}

impl WireField {
    /// The bytes of a delimited field.
    pub(crate) fn bytes<'a>(&self, document: &'a [u8]) -> &'a [u8] {
        document.get(self.value.clone()).unwrap_or_default()
    }

    pub(crate) fn is_delimited(&self) -> bool {
        self.wire_type == WireType::Delimited
    }
}

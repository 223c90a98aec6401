//! From protobuf to ProtoJSON: the values of `google.protobuf.Struct` as JSON text.

use std::ops::Range;

use super::{MAX_DEPTH, WireError, WireField, WireReader, WireType};

/// JSON text that is being written, with a limit on its length.
#[derive(Debug)]
pub(crate) struct ProtoJsonText {
    text: String,
    limit: usize,
    skipped: bool,
}

/// All integers up to here are doubles of their own.
const MAX_INTEGER: f64 = 9_007_199_254_740_992.0;

impl ProtoJsonText {
    pub(crate) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, skipped: false }
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }

    /// Notes a field that nobody here knows: it is not in the text.
    pub(crate) fn skip_field(&mut self) {
        self.skipped = true;
    }

    /// Whether the text leaves out a field of what was read.
    pub(crate) fn has_skipped(&self) -> bool {
        self.skipped
    }

    /// Adds JSON as it is.
    pub(crate) fn add(&mut self, json: &str) -> Result<(), WireError> {
        if json.len() > self.limit.saturating_sub(self.text.len()) {
            return Err(WireError);
        }
        self.text.push_str(json);
        Ok(())
    }

    /// Adds a protobuf string as a JSON string.
    pub(crate) fn string(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let text = std::str::from_utf8(bytes).map_err(|_| WireError)?;
        if text.len() > self.limit.saturating_sub(self.text.len()) {
            return Err(WireError);
        }
        self.add(&serde_json::to_string(text).map_err(|_| WireError)?)
    }

    /// Adds a `google.protobuf.Struct` as an object. A key that occurs twice stands there twice.
    pub(crate) fn structure(&mut self, document: &[u8], range: &Range<usize>) -> Result<(), WireError> {
        self.object(document, range, MAX_DEPTH)
    }

    /// Adds a `google.protobuf.Value`.
    ///
    /// # Errors
    ///
    /// Where it is no such message, names its kind twice, is nested too deep, or holds a number
    /// that JSON does not have.
    pub(crate) fn value(&mut self, document: &[u8], range: &Range<usize>) -> Result<(), WireError> {
        self.nested(document, range, MAX_DEPTH)
    }

    fn nested(&mut self, document: &[u8], range: &Range<usize>, depth: usize) -> Result<(), WireError> {
        let deeper = depth.checked_sub(1).ok_or(WireError)?;
        let mut fields = WireReader::new(document, range);
        let mut kind = None;
        while let Some(field) = fields.next_field()? {
            if !(1..=6).contains(&field.number) {
                self.skip_field();
            } else if kind.replace(field).is_some() {
                return Err(WireError);
            }
        }
        let Some(field) = kind else { return self.add("null") };
        match (field.number, field.wire_type) {
            (1, WireType::Varint) => self.add("null"),
            (2, WireType::Fixed64) => self.number(field.bytes(document)),
            (3, WireType::Delimited) => self.string(field.bytes(document)),
            (4, WireType::Varint) => self.add(if field.varint == 0 { "false" } else { "true" }),
            (5, WireType::Delimited) => self.object(document, &field.value, deeper),
            (6, WireType::Delimited) => self.array(document, &field.value, deeper),
            _ => Err(WireError),
        }
    }

    fn number(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let number = f64::from_le_bytes(bytes.try_into().map_err(|_| WireError)?);
        let is_integer = number.trunc() == number && number.abs() <= MAX_INTEGER;
        if is_integer && !(number == 0.0 && number.is_sign_negative()) {
            return self.add(&format!("{number:.0}"));
        }
        let number = serde_json::Number::from_f64(number).ok_or(WireError)?;
        self.add(&number.to_string())
    }

    fn object(&mut self, document: &[u8], range: &Range<usize>, depth: usize) -> Result<(), WireError> {
        let mut fields = WireReader::new(document, range);
        let mut open = "{";
        while let Some(field) = fields.next_field()? {
            if field.number != 1 {
                self.skip_field();
                continue;
            }
            let (key, value) = self.entry(document, &field)?;
            self.add(open)?;
            self.string(key.map_or(&[], |key| key.bytes(document)))?;
            self.add(":")?;
            match value {
                Some(value) => self.nested(document, &value.value, depth)?,
                None => self.add("null")?,
            }
            open = ",";
        }
        self.add(if open == "{" { "{}" } else { "}" })
    }

    fn array(&mut self, document: &[u8], range: &Range<usize>, depth: usize) -> Result<(), WireError> {
        let mut fields = WireReader::new(document, range);
        let mut open = "[";
        while let Some(field) = fields.next_field()? {
            match (field.number, field.wire_type) {
                (1, WireType::Delimited) => {
                    self.add(open)?;
                    self.nested(document, &field.value, depth)?;
                    open = ",";
                }
                (1, _) => return Err(WireError),
                _ => self.skip_field(),
            }
        }
        self.add(if open == "[" { "[]" } else { "]" })
    }

    /// Key and value of one entry of a map, each at most once.
    fn entry(
        &mut self,
        document: &[u8],
        entry: &WireField,
    ) -> Result<(Option<WireField>, Option<WireField>), WireError> {
        if !entry.is_delimited() {
            return Err(WireError);
        }
        let mut fields = WireReader::new(document, &entry.value);
        let (mut key, mut value) = (None, None);
        while let Some(field) = fields.next_field()? {
            let place = match field.number {
                1 => &mut key,
                2 => &mut value,
                _ => {
                    self.skip_field();
                    continue;
                }
            };
            if !field.is_delimited() || place.replace(field).is_some() {
                return Err(WireError);
            }
        }
        Ok((key, value))
    }
}

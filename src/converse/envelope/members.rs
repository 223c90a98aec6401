//! The members of an object: those that are known are taken out, the others stay as they are.

use std::fmt;

use serde_json::{Map, Value};

/// Something in an envelope that cannot be read: a member that this version knows is missing, or of
/// another type.
///
/// It names the place and the type, and repeats nothing of the value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct EnvelopeReadError {
    pointer: String,
    expected: &'static str,
}

impl EnvelopeReadError {
    fn new(pointer: &str, expected: &'static str) -> Self {
        Self { pointer: pointer.to_owned(), expected }
    }

    /// Where in the envelope, as a JSON pointer; empty for the envelope itself.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }
}

impl fmt::Display for EnvelopeReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of the envelope is no {}, or not there", self.pointer, self.expected)
    }
}

impl std::error::Error for EnvelopeReadError {}

/// A part of the envelope that is one JSON object.
pub(super) trait EnvelopePart: Sized {
    fn read(members: MemberReader) -> Result<Self, EnvelopeReadError>;

    fn write(&self) -> Map<String, Value>;
}

/// An object that is read. `null` counts as not there.
#[derive(Debug)]
pub(super) struct MemberReader {
    pointer: String,
    members: Map<String, Value>,
}

impl MemberReader {
    pub(super) fn new(value: Value, pointer: String) -> Result<Self, EnvelopeReadError> {
        match value {
            Value::Object(members) => Ok(Self { pointer, members }),
            _ => Err(EnvelopeReadError { pointer, expected: "object" }),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.members.remove(name).filter(|value| !value.is_null())
    }

    fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    /// A text that the page says is always there.
    pub(super) fn text(&mut self, name: &str) -> Result<String, EnvelopeReadError> {
        let text = self.optional_text(name)?;
        text.ok_or_else(|| EnvelopeReadError::new(&self.place(name), "string"))
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, EnvelopeReadError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(EnvelopeReadError::new(&self.place(name), "string")),
        }
    }

    /// A word of a list that may grow.
    pub(super) fn word<W: for<'a> From<&'a str>>(&mut self, name: &str) -> Result<W, EnvelopeReadError> {
        Ok(W::from(&self.text(name)?))
    }

    pub(super) fn optional_word<W: for<'a> From<&'a str>>(
        &mut self,
        name: &str,
    ) -> Result<Option<W>, EnvelopeReadError> {
        Ok(self.optional_text(name)?.as_deref().map(W::from))
    }

    pub(super) fn optional_flag(&mut self, name: &str) -> Result<Option<bool>, EnvelopeReadError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(EnvelopeReadError::new(&self.place(name), "boolean")),
        }
    }

    pub(super) fn part<P: EnvelopePart>(&mut self, name: &str) -> Result<Option<P>, EnvelopeReadError> {
        let place = self.place(name);
        self.take(name).map(|value| P::read(Self::new(value, place)?)).transpose()
    }

    pub(super) fn parts<P: EnvelopePart>(&mut self, name: &str) -> Result<Option<Vec<P>>, EnvelopeReadError> {
        let place = self.place(name);
        let read = |(index, value)| P::read(Self::new(value, format!("{place}/{index}"))?);
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(values)) => values.into_iter().enumerate().map(read).collect::<Result<_, _>>().map(Some),
            Some(_) => Err(EnvelopeReadError::new(&place, "array")),
        }
    }

    /// Reads a member that can do without. Where it cannot be read it stays among the others, as it is,
    /// and why is noted.
    pub(super) fn tolerated<T>(
        &mut self,
        name: &str,
        faults: &mut Vec<EnvelopeReadError>,
        read: impl FnOnce(&mut Self, &str) -> Result<Option<T>, EnvelopeReadError>,
    ) -> Option<T> {
        let written = self.members.get(name).cloned();
        read(self, name).unwrap_or_else(|fault| {
            faults.push(fault);
            self.members.extend(written.map(|written| (name.to_owned(), written)));
            None
        })
    }

    /// What this version does not know.
    pub(super) fn rest(self) -> Map<String, Value> {
        self.members
    }
}

/// Writes members over those that were not known when they were read.
pub(super) struct MemberWriter(Map<String, Value>);

impl MemberWriter {
    pub(super) fn new(others: &Map<String, Value>) -> Self {
        Self(others.clone())
    }

    pub(super) fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn set_if(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.set(name, value),
            None => self,
        }
    }

    pub(super) fn part<P: EnvelopePart>(self, name: &str, part: Option<&P>) -> Self {
        self.set_if(name, part.map(EnvelopePart::write))
    }

    pub(super) fn parts<P: EnvelopePart>(self, name: &str, parts: Option<&[P]>) -> Self {
        let written = parts.map(|parts| parts.iter().map(EnvelopePart::write).map(Value::Object).collect::<Vec<_>>());
        self.set_if(name, written)
    }

    pub(super) fn finish(self) -> Map<String, Value> {
        self.0
    }
}

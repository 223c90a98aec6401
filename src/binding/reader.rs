//! What all that read a part of the body share: the scanner, the doubts, the managed keys.

use std::ops::Range;

use super::doubt::{Doubt, Doubts};
use super::metadata::read_metadata;
use super::spelling::{self, KeyMatch, Spelling};
use crate::json::{JsonKind, JsonScan, ScanError};

/// One pass over a body. What is wrong is noted and reading goes on, so that the answer has the
/// caller's `id` wherever that stands; an error ends it and means that the bytes are no JSON.
pub(super) struct BodyReader<'a> {
    pub(super) scan: JsonScan<'a>,
    pub(super) doubts: Doubts,
    body: &'a [u8],
    managed_keys: &'a [String],
}

impl<'a> BodyReader<'a> {
    pub(super) fn new(body: &'a [u8], managed_keys: &'a [String]) -> Self {
        Self { scan: JsonScan::new(body), doubts: Doubts::default(), body, managed_keys }
    }

    pub(super) fn bytes(&self, place: Range<usize>) -> &'a [u8] {
        self.body.get(place).unwrap_or_default()
    }

    /// The next key, looked up; `None` at the end of the object.
    pub(super) fn next_key(&mut self, table: &[Spelling]) -> Result<Option<KeyMatch>, ScanError> {
        let Some(key) = self.scan.next_key()? else { return Ok(None) };
        if let (raw, false) = key.raw()
            && let Some(exact) = spelling::find_exact(table, raw)
        {
            return Ok(Some(exact));
        }
        // A sloppy reader may drop what is wrong with a key, and read one of ours.
        let Ok(decoded) = key.decode() else {
            self.doubts.always(Doubt::no_text(&key, "a key of the request is no valid Unicode text"));
            return Ok(Some(KeyMatch::Unknown));
        };
        Ok(Some(spelling::find(table, &decoded)))
    }

    pub(super) fn next_is_container(&mut self) -> Result<bool, ScanError> {
        Ok(matches!(self.scan.kind()?, JsonKind::Object | JsonKind::Array))
    }

    /// Skips a value, whatever it is.
    pub(super) fn pass_over(&mut self) -> Result<(), ScanError> {
        self.scan.skip()?;
        Ok(())
    }

    /// Skips a value of one of the wanted kinds and gives its place; `null` is like no member, all
    /// else is doubt.
    pub(super) fn skip_if(
        &mut self,
        wanted: &[JsonKind],
        otherwise: &'static str,
    ) -> Result<Option<Range<usize>>, ScanError> {
        let kind = self.scan.kind()?;
        let place = self.scan.skip()?;
        if kind != JsonKind::Null && !wanted.contains(&kind) {
            self.doubts.always(Doubt::wrong_type(otherwise));
        }
        Ok(Some(place).filter(|_| kind != JsonKind::Null))
    }

    /// Reads a `metadata` member; `doubt` says how heavy it weighs if something is wrong with it.
    pub(super) fn metadata(&mut self, doubt: fn(&mut Doubts, Doubt)) -> Result<Option<Range<usize>>, ScanError> {
        match self.scan.kind()? {
            JsonKind::Object => {
                let metadata = read_metadata(&mut self.scan, self.managed_keys)?;
                if metadata.duplicate {
                    doubt(&mut self.doubts, "a member of an extension's metadata occurs twice".into());
                }
                Ok(Some(metadata.place))
            }
            kind => {
                if kind != JsonKind::Null {
                    doubt(&mut self.doubts, Doubt::wrong_type("`metadata` must be an object"));
                }
                self.scan.skip()?;
                Ok(None)
            }
        }
    }
}

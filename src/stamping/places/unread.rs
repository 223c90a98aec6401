//! Values that are passed over, and what may hide in them.

use std::ops::Range;

use super::PlaceReader;
use crate::json::{JsonKind, ScanError};

impl PlaceReader<'_, '_> {
    /// Passes over a value of the agent's own.
    pub(super) fn skip_opaque(&mut self) -> Result<(), ScanError> {
        let holds = matches!(self.scan.kind()?, JsonKind::Object | JsonKind::Array);
        let place = self.scan.skip()?;
        if holds {
            self.places.opaque.push(place);
        }
        Ok(())
    }

    /// Passes over a value that is not read, and remembers it if something can hide in it.
    pub(super) fn skip_unknown(&mut self) -> Result<Range<usize>, ScanError> {
        let holds = matches!(self.scan.kind()?, JsonKind::Object | JsonKind::Array);
        self.holds_content |= holds;
        let place = self.scan.skip()?;
        if holds {
            self.note_unknown(place.clone());
        }
        Ok(place)
    }

    /// Passes over a value of a known member in which there are no objects of A2A's.
    pub(super) fn skip_plain(&mut self) -> Result<(), ScanError> {
        let place = self.scan.skip()?;
        if place.len() > 2 {
            self.places.plain.push(place);
        }
        Ok(())
    }

    /// Nothing hides in `{}` and `[]`.
    pub(super) fn note_unknown(&mut self, place: Range<usize>) {
        if place.len() > 2 {
            self.places.unknown.push(place);
        }
    }
}

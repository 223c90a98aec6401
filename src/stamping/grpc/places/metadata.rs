//! `metadata`, a map: its entries under managed keys.

use super::{EntryPlace, PlaceReader, StructPlace};
use crate::protobuf::{WireError, WireField, WireReader};

impl PlaceReader<'_> {
    pub(super) fn metadata(&mut self, field: &WireField, parent: Option<usize>) -> Result<StructPlace, WireError> {
        let length = self.open(field, parent);
        let mut managed = Vec::new();
        let mut entries = WireReader::new(self.bytes, &field.value);
        while let Some(entry) = entries.next_field()? {
            if entry.number != 1 || !entry.is_delimited() {
                self.unknown(&entry);
                continue;
            }
            match self.entry(&entry)? {
                Some(place) => managed.push(place),
                None => self.opaque(&entry),
            }
        }
        Ok(StructPlace { length, content: field.value.clone(), managed })
    }

    /// An entry under a managed key. One that names several keys counts if one of them is managed.
    fn entry(&self, entry: &WireField) -> Result<Option<EntryPlace>, WireError> {
        let mut fields = WireReader::new(self.bytes, &entry.value);
        let (mut name, mut keys, mut values, mut value) = (None, 0, 0, None);
        while let Some(field) = fields.next_field()? {
            if field.number == 1 && field.is_delimited() {
                keys += 1;
                let key = field.bytes(self.bytes);
                name = name.or(self.names.keys().iter().position(|name| name.as_bytes() == key));
            } else if field.number == 2 && field.is_delimited() {
                values += 1;
                value = Some(field.value);
            }
        }
        // A value that is not there is an empty one.
        let value = value.or(Some(entry.span.end..entry.span.end)).filter(|_| keys == 1 && values <= 1);
        Ok(name.map(|name| EntryPlace { name, span: entry.span.clone(), value }))
    }
}

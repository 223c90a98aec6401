//! One Part of a Message or Artifact: what is said of it, and what is the agent's own.

use super::{PlaceReader, ReadFields};
use crate::protobuf::{WireError, WireField, WireReader};
use crate::stamping::grpc::schema::{FieldRole, ReplyType};

impl PlaceReader<'_> {
    /// Reads a Part. It is among the lengths only if something in it changes.
    pub(super) fn part(
        &mut self,
        part: &WireField,
        parent: Option<usize>,
        read: &mut ReadFields,
    ) -> Result<(), WireError> {
        let (lengths, marked) = (self.places.lengths.len(), read.part_metadata.len());
        let mut length = None;
        let mut fields = WireReader::new(self.bytes, &part.value);
        while let Some(field) = fields.next_field()? {
            match self.schema.role(ReplyType::Part, field.number).filter(|_| field.is_delimited()) {
                Some(FieldRole::Metadata) => {
                    let own = *length.get_or_insert_with(|| self.open(part, parent));
                    let metadata = self.metadata(&field, Some(own))?;
                    read.part_metadata.extend(Some(metadata).filter(|metadata| !metadata.managed.is_empty()));
                }
                Some(_) => self.opaque(&field),
                None => self.unknown(&field),
            }
        }
        if read.part_metadata.len() == marked {
            self.places.lengths.truncate(lengths);
        }
        Ok(())
    }
}

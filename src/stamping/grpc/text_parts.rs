//! One text in the place of an object's text Parts.

use super::object_edits::{EditWriter, put_text_part};
use super::places::ObjectPlace;
use super::schema::{FieldRole, ReplyType};
use crate::protobuf::{WireField, WireReader};

impl EditWriter<'_> {
    /// Puts one text Part in the place of the first, and removes the others; where there is none, it
    /// comes first. All other Parts stay.
    pub(super) fn write_text(&mut self, place: &ObjectPlace, text: &str) {
        let numbers = self.schema.numbers(place.kind);
        let start = self.edits.text.len();
        put_text_part(&mut self.edits.text, numbers, text);
        let mut is_written = false;
        let mut fields = WireReader::new(self.bytes, &place.content);
        // The object was read before, so the reading does not end early.
        while let Ok(Some(field)) = fields.next_field() {
            if field.number != numbers.parts || !field.is_delimited() || !self.is_text(&field) {
                continue;
            }
            if is_written {
                self.edits.remove(field.span, place.length);
            } else {
                self.edits.replace(field.span, start, Some(place.length));
                is_written = true;
            }
        }
        if !is_written {
            self.edits.replace(place.content.start..place.content.start, start, Some(place.length));
        }
    }

    /// Adds one text Part behind all others.
    pub(super) fn add_text(&mut self, place: &ObjectPlace, text: &str) {
        let start = self.edits.text.len();
        put_text_part(&mut self.edits.text, self.schema.numbers(place.kind), text);
        self.edits.replace(place.content.end..place.content.end, start, Some(place.length));
    }

    fn is_text(&self, part: &WireField) -> bool {
        let mut content = WireReader::new(self.bytes, &part.value);
        while let Ok(Some(field)) = content.next_field() {
            if self.schema.role(ReplyType::Part, field.number) == Some(FieldRole::Text) {
                return true;
            }
        }
        false
    }
}

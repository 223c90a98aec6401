//! The Parts of one object: what is said of them, and what is the agent's own.

use super::members::ReadMembers;
use super::shape::{MemberKey, ReplyShape};
use super::{CarriedLists, ListForm, ListPlace, PlaceReader};
use crate::extension::ObjectKind;
use crate::json::{JsonKind, ScanError};

impl<'a> PlaceReader<'a, '_> {
    pub(super) fn parts(&mut self, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        if self.scan.kind()? != JsonKind::Array {
            read.has_odd_parts = true;
            read.parts.push(self.skip_unknown()?);
            return Ok(());
        }
        self.holds_content = true;
        let start = self.scan.enter()?;
        while self.scan.next_element()? {
            if self.scan.kind()? == JsonKind::Object {
                self.part(read)?;
            } else {
                self.skip_unknown()?;
            }
        }
        read.parts.push(start..self.scan.offset());
        Ok(())
    }

    fn part(&mut self, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        self.scan.enter()?;
        let (mut metadata, mut extensions) = (Vec::new(), Vec::new());
        while let Some(key) = self.scan.next_key()? {
            let shape = ReplyShape::Object(ObjectKind::Message);
            match MemberKey::of(&key, shape) {
                Some(MemberKey::Metadata) => {
                    let place = self.metadata()?;
                    if !place.managed.is_empty() {
                        metadata.push(place);
                    }
                }
                Some(MemberKey::Extensions) => extensions.push(self.part_extensions()?),
                Some(MemberKey::Kind) => {
                    let kind = self.text()?;
                    self.notice_kind(kind, &["text", "file", "data"]);
                }
                _ => self.skip_opaque()?,
            }
        }
        read.part_lists.extend(CarriedLists::of(metadata, extensions));
        Ok(())
    }

    /// A2A has no such member in a Part: it is the agent's own as well.
    fn part_extensions(&mut self) -> Result<ListPlace, ScanError> {
        let unknown = self.places.unknown.len();
        let list = self.extensions()?;
        self.places.unknown.truncate(unknown);
        if list.form != ListForm::Null {
            self.places.opaque.push(list.value.clone());
        }
        Ok(list)
    }
}

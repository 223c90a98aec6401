//! The Parts of one object: what is said of them, and what is the agent's own.

use super::PlaceReader;
use super::members::ReadMembers;
use super::shape::{MemberKey, ReplyShape};
use crate::extension::ObjectKind;
use crate::json::{JsonKind, ScanError};

impl<'a> PlaceReader<'a, '_> {
    pub(super) fn parts(&mut self, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        if self.scan.kind()? != JsonKind::Array {
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
        while let Some(key) = self.scan.next_key()? {
            let shape = ReplyShape::Object(ObjectKind::Message);
            match MemberKey::of(&key, shape) {
                Some(MemberKey::Metadata) => {
                    let place = self.metadata()?;
                    if !place.managed.is_empty() {
                        read.part_metadata.push(place);
                    }
                }
                Some(MemberKey::Kind) => {
                    let kind = self.text()?;
                    self.notice_kind(kind, &["text", "file", "data"]);
                }
                _ => self.skip_opaque()?,
            }
        }
        Ok(())
    }
}

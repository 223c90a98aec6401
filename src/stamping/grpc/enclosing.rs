//! The Task or event that goes out instead of one whose content is withheld: a closed list of ids,
//! the state and the user's own messages, with one text as status or artifact.

use std::ops::Range;

use super::places::EnclosingPlace;
use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::extension::ObjectKind;
use crate::protobuf::{WireError, WireField, WireReader, WireType, put_bytes, put_tag, put_varint};

const ROLE: u32 = 4;
const USER: u64 = 1;
const AGENT: u64 = 2;

/// What stays of one Task or event.
#[derive(Debug)]
pub(super) struct Enclosing<'a> {
    pub(super) place: &'a EnclosingPlace,
    bytes: &'a [u8],
    /// Fields that stay as they are, behind each other.
    kept: Vec<u8>,
    /// Its own id, or that of its task.
    id: Option<Range<usize>>,
    content: SealedField,
}

/// The field that the text stands in.
#[derive(Debug)]
enum SealedField {
    /// With its state and its time, as they are written there.
    Status {
        number: u32,
        kept: Vec<u8>,
        message_id: Option<Range<usize>>,
    },
    Artifact {
        number: u32,
        id: Option<Range<usize>>,
    },
}

impl<'a> Enclosing<'a> {
    /// `None` where there is neither a status nor an artifact.
    pub(super) fn read(bytes: &'a [u8], place: &'a EnclosingPlace, schema: ReplySchema) -> Option<Self> {
        let mut fields = WireReader::new(bytes, &place.content);
        let (mut kept, mut id, mut content) = (Vec::new(), None, None);
        while let Some(field) = fields.next_field().ok()? {
            let role = schema.role(place.message, field.number);
            match role {
                Some(FieldRole::One(ReplyType::Status)) if field.is_delimited() => {
                    content = Some(SealedField::status(bytes, &field, schema).ok()?);
                }
                Some(FieldRole::One(inner @ ReplyType::Object(ObjectKind::Artifact))) if field.is_delimited() => {
                    let id = object_id(bytes, &field.value, inner, schema).ok()?;
                    content = Some(SealedField::Artifact { number: field.number, id });
                }
                // Ids are texts, flags are numbers.
                Some(FieldRole::Plain | FieldRole::TaskId) if field.is_delimited() && field.number <= 2 => {
                    id = id.or(Some(field.value.clone()));
                    kept.extend_from_slice(bytes.get(field.span).unwrap_or_default());
                }
                Some(FieldRole::Plain) if field.wire_type == WireType::Varint && field.varint <= 1 => {
                    kept.extend_from_slice(bytes.get(field.span).unwrap_or_default());
                }
                Some(FieldRole::Many(ReplyType::Object(ObjectKind::HistoryMessage)))
                    if field.is_delimited() && is_users(bytes, &field.value).ok()? =>
                {
                    kept.extend_from_slice(bytes.get(field.span).unwrap_or_default());
                }
                _ => {}
            }
        }
        Some(Self { place, bytes, kept, id, content: content? })
    }

    /// What stands in the place of its content.
    pub(super) fn kind(&self) -> ObjectKind {
        match self.content {
            SealedField::Status { .. } => ObjectKind::StatusMessage,
            SealedField::Artifact { .. } => ObjectKind::Artifact,
        }
    }

    /// Writes the whole Task or event. `content` are the fields of the Message or Artifact beside its id.
    pub(super) fn put_sealed(&self, content: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(&self.kept);
        let slice = |range: &Range<usize>| self.bytes.get(range.clone()).unwrap_or_default();
        match &self.content {
            SealedField::Status { number, kept, message_id } => {
                // The same for each poll of a task.
                let new_id = || [self.id.as_ref().map(slice).unwrap_or_default(), b"-withheld"].concat();
                let mut message = Vec::new();
                put_bytes(&mut message, 1, &message_id.as_ref().map_or_else(new_id, |id| slice(id).to_vec()));
                put_tag(&mut message, ROLE, WireType::Varint);
                put_varint(&mut message, AGENT);
                message.extend_from_slice(content);
                let mut status = kept.clone();
                put_bytes(&mut status, 2, &message);
                put_bytes(out, *number, &status);
            }
            SealedField::Artifact { number, id } => {
                let mut artifact = Vec::new();
                if let Some(id) = id {
                    put_bytes(&mut artifact, 1, slice(id));
                }
                artifact.extend_from_slice(content);
                put_bytes(out, *number, &artifact);
            }
        }
    }
}

impl SealedField {
    fn status(bytes: &[u8], status: &WireField, schema: ReplySchema) -> Result<Self, WireError> {
        let (mut kept, mut message_id) = (Vec::new(), None);
        let mut fields = WireReader::new(bytes, &status.value);
        while let Some(field) = fields.next_field()? {
            match schema.role(ReplyType::Status, field.number) {
                Some(FieldRole::TaskState) if field.wire_type == WireType::Varint => {
                    kept.extend_from_slice(bytes.get(field.span).unwrap_or_default());
                }
                Some(FieldRole::Plain) if field.is_delimited() && is_time(bytes, &field.value) => {
                    kept.extend_from_slice(bytes.get(field.span).unwrap_or_default());
                }
                Some(FieldRole::One(inner)) if field.is_delimited() => {
                    message_id = object_id(bytes, &field.value, inner, schema)?;
                }
                _ => {}
            }
        }
        Ok(Self::Status { number: status.number, kept, message_id })
    }
}

fn object_id(
    bytes: &[u8],
    content: &Range<usize>,
    object: ReplyType,
    schema: ReplySchema,
) -> Result<Option<Range<usize>>, WireError> {
    let mut fields = WireReader::new(bytes, content);
    let mut id = None;
    while let Some(field) = fields.next_field()? {
        if schema.role(object, field.number) == Some(FieldRole::ObjectId) && field.is_delimited() {
            id = Some(field.value);
        }
    }
    Ok(id)
}

/// Whether a message says that it is the user's, and nothing else.
fn is_users(bytes: &[u8], message: &Range<usize>) -> Result<bool, WireError> {
    let mut fields = WireReader::new(bytes, message);
    let (mut has_role, mut has_other) = (false, false);
    while let Some(field) = fields.next_field()? {
        if field.number == ROLE {
            has_role = true;
            has_other |= field.wire_type != WireType::Varint || field.varint != USER;
        }
    }
    Ok(has_role && !has_other)
}

/// Whether this is a `google.protobuf.Timestamp`: nothing but its two numbers.
fn is_time(bytes: &[u8], content: &Range<usize>) -> bool {
    let mut fields = WireReader::new(bytes, content);
    loop {
        match fields.next_field() {
            Ok(Some(field)) if field.number <= 2 && field.wire_type == WireType::Varint => {}
            Ok(None) => return true,
            _ => return false,
        }
    }
}

//! Finds, in one pass over a reply, every outgoing object and the places that a decision touches.

mod found;
mod metadata;
mod part;

use std::ops::Range;

use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::extension::ObjectKind;
use crate::protobuf::{WireError, WireField, WireReader, WireType};
use crate::stamping::ask::MAX_OBJECTS;
use crate::stamping::names::ManagedNames;

pub(super) use found::{
    CarrierPlace, EnclosingPlace, EntryPlace, LengthPlace, ObjectPlace, ReplyPlaces, StatusPlace, StructPlace, UriPlace,
};

/// The number of a status's message.
pub(super) const STATUS_MESSAGE: u32 = 2;

impl ReplyPlaces {
    /// Reads the reply that stands at `root`. The content of Parts and foreign metadata is noted only
    /// where `guards` says that something must not hide there.
    pub(super) fn find(
        &mut self,
        bytes: &[u8],
        root: &Range<usize>,
        schema: ReplySchema,
        names: &ManagedNames,
        guards: bool,
    ) -> Result<(), WireError> {
        self.clear();
        let mut reader = PlaceReader { bytes, schema, names, guards, in_list: false, places: self };
        reader.message(schema.root(), root, None)?;
        Ok(())
    }
}

struct PlaceReader<'a> {
    bytes: &'a [u8],
    schema: ReplySchema,
    names: &'a ManagedNames,
    guards: bool,
    in_list: bool,
    places: &'a mut ReplyPlaces,
}

/// What was read of one message, so far.
#[derive(Default)]
struct ReadFields {
    /// Singular messages that have occurred, by number.
    once: u32,
    state: Option<i32>,
    has_role: bool,
    has_other_role: bool,
    id: Option<Range<usize>>,
    task_id: Option<Range<usize>>,
    metadata: Vec<StructPlace>,
    extensions: Vec<UriPlace>,
    part_metadata: Vec<StructPlace>,
}

/// How much had been found when an object was opened.
#[derive(Clone, Copy)]
struct PlaceCount {
    unknown: usize,
    opaque: usize,
}

impl PlaceReader<'_> {
    /// Reads one message, and gives the task state that it or its status names.
    fn message(
        &mut self,
        message: ReplyType,
        range: &Range<usize>,
        length: Option<usize>,
    ) -> Result<Option<i32>, WireError> {
        let before = PlaceCount { unknown: self.places.unknown.len(), opaque: self.places.opaque.len() };
        let (first_object, first_status) = (self.places.objects.len(), self.places.statuses.len());
        let mut read = ReadFields::default();
        let mut fields = WireReader::new(self.bytes, range);
        while let Some(field) = fields.next_field()? {
            match self.schema.role(message, field.number) {
                Some(FieldRole::TaskState) if field.wire_type == WireType::Varint => {
                    read.state = Some(enum_number(field.varint)).filter(|state| *state != 0);
                }
                Some(FieldRole::Role) if field.wire_type == WireType::Varint => {
                    read.has_role = true;
                    read.has_other_role |= enum_number(field.varint) != USER;
                }
                Some(role) if field.is_delimited() => self.field(role, &field, length, &mut read)?,
                _ => self.unknown(&field),
            }
        }
        match message {
            ReplyType::Object(_) if first_object >= MAX_OBJECTS => return Err(WireError),
            ReplyType::Object(kind) => self.outgoing(kind, range, length, read, before),
            _ => {
                for object in self.places.objects.iter_mut().skip(first_object) {
                    object.task_state = object.task_state.or(read.state);
                    if object.task_id.is_none() {
                        object.task_id.clone_from(&read.task_id);
                    }
                }
                for status in self.places.statuses.iter_mut().skip(first_status) {
                    if status.task_id.is_none() {
                        status.task_id.clone_from(&read.task_id);
                    }
                }
                if message == ReplyType::Status {
                    self.note_status(&read, range, length);
                }
                let owner = EnclosingPlace { message, content: range.clone(), length };
                self.carry(std::mem::take(&mut read.metadata), &owner, read.state);
                return Ok(read.state);
            }
        }
        Ok(None)
    }

    fn field(
        &mut self,
        role: FieldRole,
        field: &WireField,
        parent: Option<usize>,
        read: &mut ReadFields,
    ) -> Result<(), WireError> {
        match role {
            FieldRole::One(message) => {
                self.places.is_split |= read.once & 1 << field.number != 0;
                read.once |= 1 << field.number;
                let state = self.inner(message, field, parent)?;
                read.state = state.or(read.state);
            }
            FieldRole::Many(ReplyType::Part) => self.part(field, parent, read)?,
            FieldRole::Many(message) => {
                let outer = self.in_list;
                self.in_list |= message == ReplyType::Task;
                self.inner(message, field, parent)?;
                self.in_list = outer;
            }
            FieldRole::Metadata => {
                let place = self.metadata(field, parent)?;
                read.metadata.push(place);
            }
            FieldRole::ExtensionUri => {
                let uri = field.bytes(self.bytes);
                if let Some(name) = self.names.uris().iter().position(|name| name.as_bytes() == uri) {
                    read.extensions.push(UriPlace { name, span: field.span.clone() });
                }
            }
            FieldRole::ObjectId => {
                read.id = Some(field.value.clone());
                self.opaque(field);
            }
            FieldRole::TaskId => {
                read.task_id = Some(field.value.clone());
                self.opaque(field);
            }
            _ => self.opaque(field),
        }
        Ok(())
    }

    fn note_status(&mut self, read: &ReadFields, range: &Range<usize>, length: Option<usize>) {
        let has_message = read.once & 1 << STATUS_MESSAGE != 0;
        self.places.has_status |= has_message;
        let state = read.state.filter(|_| !has_message);
        self.places.statuses.extend(state.map(|task_state| StatusPlace {
            content: range.clone(),
            length,
            task_state,
            task_id: None,
            in_list: self.in_list,
        }));
    }

    fn inner(
        &mut self,
        message: ReplyType,
        field: &WireField,
        parent: Option<usize>,
    ) -> Result<Option<i32>, WireError> {
        let length = self.open(field, parent);
        self.message(message, &field.value, Some(length))
    }

    fn open(&mut self, field: &WireField, parent: Option<usize>) -> usize {
        let content = field.value.clone();
        self.places.lengths.push(LengthPlace { parent, prefix: field.prefix.clone(), content });
        self.places.lengths.len() - 1
    }

    fn carry(&mut self, metadata: Vec<StructPlace>, owner: &EnclosingPlace, task_state: Option<i32>) {
        let in_list = self.in_list;
        let marked = metadata.into_iter().filter(|metadata| !metadata.managed.is_empty());
        let places = marked.map(|metadata| CarrierPlace { metadata, owner: owner.clone(), task_state, in_list });
        self.places.carriers.extend(places);
    }

    /// Remembers the agent's own value, if what is guarded must not hide there. Also where a text should
    /// stand: a message that was put in the place of another has its mark in any field.
    fn opaque(&mut self, field: &WireField) {
        if self.guards && !field.value.is_empty() {
            self.places.opaque.push(field.value.clone());
        }
    }

    /// Remembers a field that is not read, if something can hide in it.
    fn unknown(&mut self, field: &WireField) {
        let holds = matches!(field.wire_type, WireType::Delimited | WireType::Group);
        if holds && !field.value.is_empty() {
            self.places.unknown.push(field.value.clone());
        }
    }

    /// Keeps a Message or Artifact. The user's messages are not ours to touch.
    fn outgoing(
        &mut self,
        kind: ObjectKind,
        content: &Range<usize>,
        length: Option<usize>,
        read: ReadFields,
        before: PlaceCount,
    ) {
        let is_users = kind != ObjectKind::Artifact && read.has_role && !read.has_other_role;
        let Some(length) = length.filter(|_| !is_users) else {
            self.places.unknown.truncate(before.unknown);
            self.places.opaque.truncate(before.opaque);
            return;
        };
        self.places.objects.push(ObjectPlace {
            kind,
            in_list: self.in_list,
            task_state: None,
            task_id: None,
            length,
            content: content.clone(),
            id: read.id,
            metadata: read.metadata,
            extensions: read.extensions,
            part_metadata: read.part_metadata,
        });
    }
}

const USER: i32 = 1;

/// An enum on the wire: readers keep its lower 32 bits.
fn enum_number(varint: u64) -> i32 {
    let [a, b, c, d, ..] = varint.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

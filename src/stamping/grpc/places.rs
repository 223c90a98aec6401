//! Finds, in one pass over a reply, every outgoing object and the places that a decision touches.

mod part;

use std::ops::Range;

use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::extension::ObjectKind;
use crate::protobuf::{WireError, WireField, WireReader, WireType};
use crate::stamping::ask::MAX_OBJECTS;
use crate::stamping::names::ManagedNames;

/// The number of a status's message.
pub(super) const STATUS_MESSAGE: u32 = 2;

/// What was found in a reply. Places are those in the bytes that were read.
#[derive(Debug, Default)]
pub(super) struct ReplyPlaces {
    /// Every message around something that may change; outer ones first.
    pub(super) lengths: Vec<LengthPlace>,
    pub(super) objects: Vec<ObjectPlace>,
    pub(super) carriers: Vec<CarrierPlace>,
    /// A status with a message was read.
    pub(super) has_status: bool,
    /// Statuses that have no message.
    pub(super) statuses: Vec<StatusPlace>,
    /// Fields that A2A does not have: nothing can be removed there.
    pub(super) unknown: Vec<Range<usize>>,
    /// The agent's own values: in them only what an extension guards must not hide.
    pub(super) opaque: Vec<Range<usize>>,
    /// A message of which there is one occurs twice; readers merge the two.
    pub(super) is_split: bool,
}

/// A message whose length stands before it.
#[derive(Debug)]
pub(super) struct LengthPlace {
    pub(super) parent: Option<usize>,
    /// The varint with the length.
    pub(super) prefix: Range<usize>,
    pub(super) content: Range<usize>,
}

/// A Message or Artifact that goes out.
#[derive(Debug)]
pub(super) struct ObjectPlace {
    pub(super) kind: ObjectKind,
    pub(super) in_list: bool,
    pub(super) task_state: Option<i32>,
    /// Of the Task or event that it stands in.
    pub(super) task_id: Option<Range<usize>>,
    /// Its place among the lengths.
    pub(super) length: usize,
    pub(super) content: Range<usize>,
    pub(super) id: Option<Range<usize>>,
    pub(super) metadata: Vec<StructPlace>,
    pub(super) extensions: Vec<UriPlace>,
    /// What its Parts carry.
    pub(super) part_metadata: Vec<StructPlace>,
}

/// `metadata` of a Task or an event: nothing is set there.
#[derive(Debug)]
pub(super) struct CarrierPlace {
    pub(super) metadata: StructPlace,
    /// The Task or event, of which a mark here judges everything.
    pub(super) owner: EnclosingPlace,
    pub(super) task_state: Option<i32>,
    pub(super) in_list: bool,
}

/// A status without a message.
#[derive(Debug)]
pub(super) struct StatusPlace {
    pub(super) content: Range<usize>,
    /// Its place among the lengths.
    pub(super) length: Option<usize>,
    pub(super) task_state: i32,
    pub(super) task_id: Option<Range<usize>>,
    pub(super) in_list: bool,
}

/// A Task or event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct EnclosingPlace {
    pub(super) message: ReplyType,
    pub(super) content: Range<usize>,
    /// Its place among the lengths; the reply itself has none.
    pub(super) length: Option<usize>,
}

/// One `metadata`.
#[derive(Debug)]
pub(super) struct StructPlace {
    pub(super) length: usize,
    pub(super) content: Range<usize>,
    pub(super) managed: Vec<EntryPlace>,
}

/// An entry of `metadata` under a managed key.
#[derive(Debug)]
pub(super) struct EntryPlace {
    pub(super) name: usize,
    pub(super) span: Range<usize>,
    /// `None` where the entry has several keys or values.
    pub(super) value: Option<Range<usize>>,
}

/// A managed URI in `extensions`.
#[derive(Debug)]
pub(super) struct UriPlace {
    pub(super) name: usize,
    pub(super) span: Range<usize>,
}

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

    /// Forgets everything, and keeps the room for it unless that is a lot.
    pub(super) fn clear(&mut self) {
        const MUCH: usize = 1024;
        if self.lengths.capacity().max(self.unknown.capacity()).max(self.opaque.capacity()) > MUCH {
            *self = Self::default();
        }
        self.lengths.clear();
        self.objects.clear();
        self.carriers.clear();
        self.has_status = false;
        self.statuses.clear();
        self.unknown.clear();
        self.opaque.clear();
        self.is_split = false;
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

    fn metadata(&mut self, field: &WireField, parent: Option<usize>) -> Result<StructPlace, WireError> {
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

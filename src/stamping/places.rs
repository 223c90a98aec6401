//! Finds, in one pass, every outgoing object of a document and the places that a decision about it
//! touches.

mod carrier;
mod list;
mod members;
mod parts;
mod payload;
mod shape;
mod status;
mod unread;

use std::ops::Range;

use smallvec::SmallVec;

pub(super) use self::carrier::{CarrierOwner, CarrierPlace};
pub(super) use self::list::{CarriedLists, ListForm, ListPlace, ManagedEntry};
use self::members::ReadMembers;
pub(super) use self::payload::PayloadShape;
use self::shape::{MemberKey, ReplyShape};
pub(super) use self::status::StatusPlace;
use super::ask::MAX_OBJECTS;
use super::names::ManagedNames;
use crate::extension::ObjectKind;
use crate::json::{JsonKind, JsonScan, JsonText, ScanError};

/// What was found in a document.
#[derive(Debug, Default)]
pub(super) struct ReplyPlaces<'a> {
    pub(super) objects: Vec<ObjectPlace<'a>>,
    pub(super) carriers: Vec<CarrierPlace<'a>>,
    /// A status with a message was read.
    pub(super) has_status: bool,
    /// Statuses that have no message.
    pub(super) statuses: SmallVec<[StatusPlace<'a>; 1]>,
    /// Values of no known shape, or in places where A2A has none: nothing can be removed there.
    pub(super) unknown: Vec<Range<usize>>,
    /// Values of known members that hold no objects: nothing can be removed there, either.
    pub(super) plain: Vec<Range<usize>>,
    /// Values that are the agent's own, a Part's content or foreign metadata: in them only what an
    /// extension guards must not hide.
    pub(super) opaque: Vec<Range<usize>>,
    /// What the reply is, or the innermost that it wraps; `None` where it reports an error, or nothing.
    pub(super) shape: Option<PayloadShape>,
    /// A Message has a role that A2A does not know, or Parts that are no array.
    pub(super) has_odd_object: bool,
    /// Objects have a `kind`, so Parts need one: JSON of A2A 0.3.
    pub(super) has_kinds: bool,
}

/// How much had been found when an object was opened.
#[derive(Clone, Copy, Debug)]
struct PlaceCount {
    objects: usize,
    carriers: usize,
    statuses: usize,
    unknown: usize,
    opaque: usize,
}

impl ReplyPlaces<'_> {
    fn count(&self) -> PlaceCount {
        PlaceCount {
            objects: self.objects.len(),
            carriers: self.carriers.len(),
            statuses: self.statuses.len(),
            unknown: self.unknown.len(),
            opaque: self.opaque.len(),
        }
    }
}

/// A Message or Artifact that goes out.
#[derive(Debug)]
pub(super) struct ObjectPlace<'a> {
    pub(super) kind: ObjectKind,
    /// It stands in an array of tasks or replies.
    pub(super) in_list: bool,
    pub(super) task_state: TaskState<'a>,
    /// Of the Task or event that it stands in.
    pub(super) task_id: Option<JsonText<'a>>,
    /// False in a reply that reports an error.
    pub(super) may_add: bool,
    pub(super) span: Range<usize>,
    pub(super) is_empty: bool,
    pub(super) id: Option<JsonText<'a>>,
    pub(super) metadata: Vec<ListPlace>,
    pub(super) extensions: Vec<ListPlace>,
    pub(super) parts: SmallVec<[Range<usize>; 1]>,
    /// What its Parts carry.
    pub(super) part_lists: Vec<CarriedLists>,
}

/// A document cannot be read to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct UnreadableReply {
    /// It ends, or breaks, behind content that may belong to a mark which is not there.
    pub(super) may_lack_a_mark: bool,
}

/// Reads a document.
pub(super) fn find_places<'a>(document: &'a [u8], names: &ManagedNames) -> Result<ReplyPlaces<'a>, UnreadableReply> {
    let places = ReplyPlaces::default();
    let scan = JsonScan::new(document);
    let mut reader = PlaceReader { document, scan, names, places, in_list: false, holds_content: false };
    match reader.document() {
        Ok(()) => Ok(reader.places),
        Err(_) => Err(UnreadableReply { may_lack_a_mark: reader.holds_content }),
    }
}

struct PlaceReader<'a, 'n> {
    document: &'a [u8],
    scan: JsonScan<'a>,
    names: &'n ManagedNames,
    places: ReplyPlaces<'a>,
    /// Inside an array of tasks or replies.
    in_list: bool,
    /// A Message, an Artifact or something that is not known has begun.
    holds_content: bool,
}

/// The `state` that an object or its `status` names.
type TaskState<'a> = Option<JsonText<'a>>;

impl<'a> PlaceReader<'a, '_> {
    fn document(&mut self) -> Result<(), ScanError> {
        match self.scan.kind()? {
            JsonKind::Array => drop(self.objects(ReplyShape::Document)?),
            _ => drop(self.object(ReplyShape::Document)?),
        }
        self.scan.end()
    }

    /// Reads the value that comes next as `shape`, and gives its task state, if any; anything but
    /// an object is skipped.
    fn object(&mut self, shape: ReplyShape) -> Result<Option<TaskState<'a>>, ScanError> {
        if self.scan.kind()? != JsonKind::Object {
            self.skip_unknown()?;
            return Ok(None);
        }
        let before = self.places.count();
        self.holds_content |= matches!(shape, ReplyShape::Object(_));
        if before.objects >= MAX_OBJECTS {
            return Err(ScanError { offset: self.scan.offset() });
        }
        let start = self.scan.enter()?;
        let mut read = ReadMembers::default();
        while let Some(key) = self.scan.next_key()? {
            read.count += 1;
            match MemberKey::of(&key, shape) {
                Some(member) => self.member(member, shape, &mut read)?,
                None => {
                    self.skip_unknown()?;
                }
            }
        }
        read.span = start..self.scan.offset();
        match shape {
            ReplyShape::Object(kind) => self.outgoing(kind, &mut read, before),
            ReplyShape::Document | ReplyShape::Payload => self.payload(&mut read, before),
            ReplyShape::Task | ReplyShape::Event => {
                self.enclose(&mut read, before, CarrierOwner::Enclosing);
                let task_id = if shape == ReplyShape::Task { read.own_id } else { read.task_id };
                self.give_task(task_id, before);
            }
            ReplyShape::Status => {
                self.note_status(&read);
                self.carry(&mut read, CarrierOwner::Status);
                self.give_state(read.state, before);
            }
        }
        Ok(Some(read.state))
    }

    /// Reads an array of objects of `shape`; anything but an array is skipped.
    fn objects(&mut self, shape: ReplyShape) -> Result<bool, ScanError> {
        if self.scan.kind()? != JsonKind::Array {
            self.skip_unknown()?;
            return Ok(false);
        }
        let outer = self.in_list;
        // Artifacts and messages of one task are no list.
        self.in_list |= !matches!(shape, ReplyShape::Object(_));
        self.scan.enter()?;
        while self.scan.next_element()? {
            self.object(shape)?;
        }
        self.in_list = outer;
        Ok(true)
    }

    fn member(&mut self, member: MemberKey, shape: ReplyShape, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        match member {
            MemberKey::Result => {
                read.wraps |= match self.scan.kind()? {
                    JsonKind::Array => self.objects(ReplyShape::Payload)?,
                    JsonKind::Null => self.skip_unknown().map(|_| true)?,
                    _ => self.object(ReplyShape::Payload)?.is_some(),
                };
            }
            MemberKey::Error => {
                read.is_error |= self.scan.kind()? != JsonKind::Null;
                read.wraps |= read.is_error;
                self.skip_plain()?;
            }
            MemberKey::ReferenceTaskIds => self.skip_plain()?,
            MemberKey::Task => read.wraps |= self.object(ReplyShape::Task)?.is_some(),
            MemberKey::Tasks => read.wraps |= self.objects(ReplyShape::Task)?,
            MemberKey::Message => read.wraps |= self.object(ReplyShape::Object(ObjectKind::Message))?.is_some(),
            MemberKey::Update => read.wraps |= self.object(ReplyShape::Event)?.is_some(),
            MemberKey::StatusMessage => self.status_message(read)?,
            MemberKey::Status => {
                let status = self.object(ReplyShape::Status)?;
                read.state = status.flatten().or(read.state);
            }
            MemberKey::Artifact => drop(self.object(ReplyShape::Object(ObjectKind::Artifact))?),
            MemberKey::Artifacts => drop(self.objects(ReplyShape::Object(ObjectKind::Artifact))?),
            MemberKey::History => drop(self.objects(ReplyShape::Object(ObjectKind::HistoryMessage))?),
            _ => self.own_member(member, shape, read)?,
        }
        Ok(())
    }

    /// Reads a member that says something about the object itself.
    fn own_member(
        &mut self,
        member: MemberKey,
        shape: ReplyShape,
        read: &mut ReadMembers<'a>,
    ) -> Result<(), ScanError> {
        match member {
            MemberKey::Metadata => read.metadata.push(self.metadata()?),
            MemberKey::Extensions => {
                self.holds_content = true;
                read.extensions.push(self.extensions()?);
            }
            MemberKey::Parts => self.parts(read)?,
            MemberKey::Role => self.role(read)?,
            MemberKey::State => read.state = self.text()?.or(read.state),
            MemberKey::Kind => {
                read.kind = self.text()?.or(read.kind);
                self.notice_kind(read.kind, &["task", "message", "status-update", "artifact-update"]);
            }
            MemberKey::Id => read.own_id = self.text()?.or(read.own_id),
            MemberKey::TaskId => read.task_id = self.text()?.or(read.task_id),
            MemberKey::ObjectId => read.id = self.text()?.or(read.id),
            _ => {
                debug_assert!(false, "{member:?} of {shape:?} is read elsewhere");
                self.scan.skip()?;
            }
        }
        Ok(())
    }

    fn text(&mut self) -> Result<Option<JsonText<'a>>, ScanError> {
        if self.scan.kind()? == JsonKind::String {
            return self.scan.text().map(Some);
        }
        self.skip_unknown()?;
        Ok(None)
    }

    fn notice_kind(&mut self, kind: Option<JsonText<'a>>, known: &[&str]) {
        self.places.has_kinds |= kind.is_some_and(|kind| known.iter().any(|one| kind.is(one)));
    }

    fn role(&mut self, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        let (is_users, is_agents) = if self.scan.kind()? == JsonKind::String {
            let role = self.scan.text()?;
            (role.is("user") || role.is("ROLE_USER"), role.is("agent") || role.is("ROLE_AGENT"))
        } else {
            let place = self.skip_unknown()?;
            let number = self.document.get(place);
            (number == Some(b"1"), number == Some(b"2"))
        };
        read.has_odd_role |= !is_users && !is_agents;
        read.has_role = true;
        read.has_other_role |= !is_users;
        Ok(())
    }

    /// Keeps a Message or Artifact. The user's messages are not ours to touch.
    fn outgoing(&mut self, kind: ObjectKind, read: &mut ReadMembers<'a>, before: PlaceCount) {
        if kind != ObjectKind::Artifact && read.is_users() {
            self.places.unknown.truncate(before.unknown);
            self.places.opaque.truncate(before.opaque);
            return;
        }
        self.places.has_odd_object |= read.has_odd_role || read.has_odd_parts;
        self.places.objects.push(ObjectPlace {
            kind,
            in_list: self.in_list,
            task_state: None,
            task_id: None,
            may_add: true,
            span: read.span.clone(),
            is_empty: read.count == 0,
            id: read.id,
            metadata: std::mem::take(&mut read.metadata),
            extensions: std::mem::take(&mut read.extensions),
            parts: std::mem::take(&mut read.parts),
            part_lists: std::mem::take(&mut read.part_lists),
        });
    }
}

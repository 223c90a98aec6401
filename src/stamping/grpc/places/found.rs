//! What is found in a reply.

use std::ops::Range;

use crate::extension::ObjectKind;
use crate::stamping::grpc::schema::ReplyType;

/// What was found in a reply. Places are those in the bytes that were read.
#[derive(Debug, Default)]
pub(in crate::stamping::grpc) struct ReplyPlaces {
    /// Every message around something that may change; outer ones first.
    pub(in crate::stamping::grpc) lengths: Vec<LengthPlace>,
    pub(in crate::stamping::grpc) objects: Vec<ObjectPlace>,
    pub(in crate::stamping::grpc) carriers: Vec<CarrierPlace>,
    /// A status with a message was read.
    pub(in crate::stamping::grpc) has_status: bool,
    /// Statuses that have no message.
    pub(in crate::stamping::grpc) statuses: Vec<StatusPlace>,
    /// Fields that A2A does not have: nothing can be removed there.
    pub(in crate::stamping::grpc) unknown: Vec<Range<usize>>,
    /// The agent's own values: in them only what an extension guards must not hide.
    pub(in crate::stamping::grpc) opaque: Vec<Range<usize>>,
    /// A message of which there is one occurs twice; readers merge the two.
    pub(in crate::stamping::grpc) is_split: bool,
}

/// A message whose length stands before it.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct LengthPlace {
    pub(in crate::stamping::grpc) parent: Option<usize>,
    /// The varint with the length.
    pub(in crate::stamping::grpc) prefix: Range<usize>,
    pub(in crate::stamping::grpc) content: Range<usize>,
}

/// A Message or Artifact that goes out.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct ObjectPlace {
    pub(in crate::stamping::grpc) kind: ObjectKind,
    pub(in crate::stamping::grpc) in_list: bool,
    pub(in crate::stamping::grpc) task_state: Option<i32>,
    /// Of the Task or event that it stands in.
    pub(in crate::stamping::grpc) task_id: Option<Range<usize>>,
    /// Its place among the lengths.
    pub(in crate::stamping::grpc) length: usize,
    pub(in crate::stamping::grpc) content: Range<usize>,
    pub(in crate::stamping::grpc) id: Option<Range<usize>>,
    pub(in crate::stamping::grpc) metadata: Vec<StructPlace>,
    pub(in crate::stamping::grpc) extensions: Vec<UriPlace>,
    /// What its Parts carry.
    pub(in crate::stamping::grpc) part_metadata: Vec<StructPlace>,
}

/// `metadata` of a Task or an event: nothing is set there.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct CarrierPlace {
    pub(in crate::stamping::grpc) metadata: StructPlace,
    /// The Task or event, of which a mark here judges everything.
    pub(in crate::stamping::grpc) owner: EnclosingPlace,
    pub(in crate::stamping::grpc) task_state: Option<i32>,
    pub(in crate::stamping::grpc) in_list: bool,
}

/// A status without a message.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct StatusPlace {
    pub(in crate::stamping::grpc) content: Range<usize>,
    /// Its place among the lengths.
    pub(in crate::stamping::grpc) length: Option<usize>,
    pub(in crate::stamping::grpc) task_state: i32,
    pub(in crate::stamping::grpc) task_id: Option<Range<usize>>,
    pub(in crate::stamping::grpc) in_list: bool,
}

/// A Task or event.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in crate::stamping::grpc) struct EnclosingPlace {
    pub(in crate::stamping::grpc) message: ReplyType,
    pub(in crate::stamping::grpc) content: Range<usize>,
    /// Its place among the lengths; the reply itself has none.
    pub(in crate::stamping::grpc) length: Option<usize>,
}

/// One `metadata`.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct StructPlace {
    pub(in crate::stamping::grpc) length: usize,
    pub(in crate::stamping::grpc) content: Range<usize>,
    pub(in crate::stamping::grpc) managed: Vec<EntryPlace>,
}

/// An entry of `metadata` under a managed key.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct EntryPlace {
    pub(in crate::stamping::grpc) name: usize,
    pub(in crate::stamping::grpc) span: Range<usize>,
    /// `None` where the entry has several keys or values.
    pub(in crate::stamping::grpc) value: Option<Range<usize>>,
}

/// A managed URI in `extensions`.
#[derive(Debug)]
pub(in crate::stamping::grpc) struct UriPlace {
    pub(in crate::stamping::grpc) name: usize,
    pub(in crate::stamping::grpc) span: Range<usize>,
}

impl ReplyPlaces {
    /// Forgets everything, and keeps the room for it unless that is a lot.
    pub(in crate::stamping::grpc) fn clear(&mut self) {
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

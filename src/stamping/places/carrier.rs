//! `metadata` and `extensions` that belong to no Message and no Artifact.

use std::ops::Range;

use super::members::ReadMembers;
use super::{CarriedLists, PlaceReader, TaskState};

/// The lists of something that encloses objects.
#[derive(Debug)]
pub(in super::super) struct CarrierPlace<'a> {
    pub(in super::super) lists: CarriedLists,
    pub(in super::super) owner: CarrierOwner,
    pub(in super::super) task_state: TaskState<'a>,
    pub(in super::super) in_list: bool,
    /// False in a reply that reports an error.
    pub(in super::super) may_add: bool,
}

/// What a mark in such a place stands beside.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(in super::super) enum CarrierOwner {
    /// All of a Task or event.
    Enclosing(Range<usize>),
    /// A status, whose Task or event has not been read to its end.
    Status,
    /// The reply, or what wraps its Tasks and Messages.
    Reply,
}

impl<'a> PlaceReader<'a, '_> {
    pub(super) fn carry(&mut self, read: &mut ReadMembers<'a>, owner: CarrierOwner) {
        let (metadata, extensions) = (std::mem::take(&mut read.metadata), std::mem::take(&mut read.extensions));
        for list in &extensions {
            self.note_unknown(list.value.clone());
        }
        let (in_list, task_state) = (self.in_list, read.state);
        let lists = CarriedLists::of(metadata, extensions);
        let places = lists.map(|lists| CarrierPlace { lists, owner, task_state, in_list, may_add: true });
        self.places.carriers.extend(places);
    }

    /// What a status says it says of its whole Task or event.
    pub(super) fn widen_status(&mut self, since: usize, owner: &CarrierOwner) {
        for carrier in self.places.carriers.iter_mut().skip(since).filter(|one| one.owner == CarrierOwner::Status) {
            carrier.owner = owner.clone();
        }
    }
}

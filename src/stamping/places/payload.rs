//! Tells what a reply is, and what encloses objects.

use std::ops::Range;

use super::members::ReadMembers;
use super::{CarrierOwner, PlaceCount, PlaceReader, TaskState};
use crate::extension::ObjectKind;
use crate::json::JsonText;

/// How the content of a reply is told.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum PayloadShape {
    /// By the name of the member that it stands under.
    Wrapped,
    /// By its own members.
    Bare,
    Unknown,
}

impl<'a> PlaceReader<'a, '_> {
    /// Tells what a document or result is. What was found in one that is nothing known is dropped.
    pub(super) fn payload(&mut self, read: &mut ReadMembers<'a>, before: PlaceCount) {
        let is_message = read.is_bare_message();
        let is_bare = is_message || read.is_bare_task() || read.is_bare_event();
        if !read.is_error && read.count > 0 {
            let shape = if is_bare { PayloadShape::Bare } else { PayloadShape::Unknown };
            let shape = if read.wraps && !is_message { PayloadShape::Wrapped } else { shape };
            self.places.shape.get_or_insert(shape);
        }
        if !(is_bare || read.wraps) {
            self.places.objects.truncate(before.objects);
            self.places.carriers.truncate(before.carriers);
            self.places.statuses.truncate(before.statuses);
            self.places.unknown.truncate(before.unknown);
            self.places.opaque.truncate(before.opaque);
            self.note_unknown(read.span.clone());
            return;
        }
        if is_message {
            self.widen_status(before.carriers, &CarrierOwner::Reply);
            if !read.is_users() {
                self.outgoing(ObjectKind::Message, read, before);
            }
            self.give_state(read.state, before);
        } else {
            std::mem::take(&mut read.parts).into_iter().for_each(|parts| self.note_unknown(parts));
            let is_one = !read.wraps;
            self.enclose(read, before, |span| match is_one {
                true => CarrierOwner::Enclosing(span),
                false => CarrierOwner::Reply,
            });
            if is_one {
                self.give_task(if read.is_bare_task() { read.own_id } else { read.task_id }, before);
            }
        }
        if read.is_error {
            self.places.objects.iter_mut().skip(before.objects).for_each(|object| object.may_add = false);
            self.places.carriers.iter_mut().skip(before.carriers).for_each(|carrier| carrier.may_add = false);
            self.places.statuses.iter_mut().skip(before.statuses).for_each(|status| status.may_add = false);
        }
    }

    /// Ends what encloses objects.
    pub(super) fn enclose(
        &mut self,
        read: &mut ReadMembers<'a>,
        before: PlaceCount,
        owner: impl FnOnce(Range<usize>) -> CarrierOwner,
    ) {
        let owner = owner(read.span.clone());
        self.widen_status(before.carriers, &owner);
        self.carry(read, owner);
        self.give_state(read.state, before);
    }

    pub(super) fn give_state(&mut self, state: TaskState<'a>, since: PlaceCount) {
        for object in self.places.objects.iter_mut().skip(since.objects) {
            object.task_state = object.task_state.or(state);
        }
        for carrier in self.places.carriers.iter_mut().skip(since.carriers) {
            carrier.task_state = carrier.task_state.or(state);
        }
    }

    pub(super) fn give_task(&mut self, id: Option<JsonText<'a>>, since: PlaceCount) {
        for object in self.places.objects.iter_mut().skip(since.objects) {
            object.task_id = object.task_id.or(id);
        }
        for status in self.places.statuses.iter_mut().skip(since.statuses) {
            status.task_id = status.task_id.or(id);
        }
    }
}

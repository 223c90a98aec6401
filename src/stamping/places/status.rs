//! Statuses of tasks that have no message.

use std::ops::Range;

use super::members::ReadMembers;
use super::{PlaceReader, TaskState};
use crate::json::{JsonKind, JsonText, ScanError};

/// A status without a message, and where one goes.
#[derive(Debug)]
pub(in super::super) struct StatusPlace<'a> {
    /// The value to put a message in the place of, such as `null`; empty where the member is missing.
    pub(in super::super) message: Range<usize>,
    /// It has other members.
    pub(in super::super) has_members: bool,
    pub(in super::super) task_state: TaskState<'a>,
    pub(in super::super) task_id: Option<JsonText<'a>>,
    pub(in super::super) in_list: bool,
    /// False in a reply that reports an error.
    pub(in super::super) may_add: bool,
}

impl<'a> PlaceReader<'a, '_> {
    /// Reads the message of a status.
    pub(super) fn status_message(&mut self, read: &mut ReadMembers<'a>) -> Result<(), ScanError> {
        if self.scan.kind()? == JsonKind::Object {
            read.has_status_message = true;
            self.places.has_status = true;
            return self.object(super::ReplyShape::Object(crate::extension::ObjectKind::StatusMessage)).map(drop);
        }
        read.no_status_message = Some(self.skip_unknown()?);
        Ok(())
    }

    /// Notes a status that was read and has no message.
    pub(super) fn note_status(&mut self, read: &ReadMembers<'a>) {
        if read.has_status_message || read.state.is_none() {
            return;
        }
        let end = read.span.end.saturating_sub(1);
        self.places.statuses.push(StatusPlace {
            message: read.no_status_message.clone().unwrap_or(end..end),
            has_members: read.count > 0,
            task_state: read.state,
            task_id: None,
            in_list: self.in_list,
            may_add: true,
        });
    }
}

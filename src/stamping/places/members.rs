//! What an object's own members say.

use std::ops::Range;

use smallvec::SmallVec;

use super::{CarriedLists, ListPlace, TaskState};
use crate::json::JsonText;

/// What was read of one object, so far.
#[derive(Debug, Default)]
pub(super) struct ReadMembers<'a> {
    pub(super) span: Range<usize>,
    pub(super) count: usize,
    pub(super) id: Option<JsonText<'a>>,
    pub(super) state: TaskState<'a>,
    pub(super) kind: Option<JsonText<'a>>,
    /// `id`, where it is a text.
    pub(super) own_id: Option<JsonText<'a>>,
    pub(super) task_id: Option<JsonText<'a>>,
    pub(super) has_role: bool,
    /// A `role` that is not the user's.
    pub(super) has_other_role: bool,
    /// A `role` that A2A does not know.
    pub(super) has_odd_role: bool,
    /// `parts` that are no array.
    pub(super) has_odd_parts: bool,
    /// A member that holds an object which is told by its place.
    pub(super) wraps: bool,
    pub(super) is_error: bool,
    pub(super) metadata: Vec<ListPlace>,
    pub(super) extensions: Vec<ListPlace>,
    pub(super) parts: SmallVec<[Range<usize>; 1]>,
    pub(super) part_lists: Vec<CarriedLists>,
    pub(super) has_status_message: bool,
    /// What stands in the place of one.
    pub(super) no_status_message: Option<Range<usize>>,
}

impl ReadMembers<'_> {
    fn is_kind(&self, kind: &str) -> bool {
        self.kind.is_some_and(|own| own.is(kind))
    }

    /// A message without role counts as the agent's, and so does one with two different roles.
    pub(super) fn is_users(&self) -> bool {
        self.has_role && !self.has_other_role
    }

    pub(super) fn is_bare_message(&self) -> bool {
        self.is_kind("message") || (self.has_role && !self.parts.is_empty())
    }

    pub(super) fn is_bare_task(&self) -> bool {
        self.is_kind("task") || (self.own_id.is_some() && self.state.is_some())
    }

    pub(super) fn is_bare_event(&self) -> bool {
        self.is_kind("status-update") || self.is_kind("artifact-update")
    }
}

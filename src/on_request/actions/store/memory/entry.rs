//! One entry of the store of one process.

use crate::on_request::actions::store::{ActionState, ClaimToken, LimitKey};

pub(super) struct Entry {
    pub(super) token: ClaimToken,
    pub(super) digest: [u8; 32],
    pub(super) state: EntryState,
    /// When the state ends, in microseconds.
    pub(super) until: u64,
    pub(super) remembered: u64,
    pub(super) assistant: LimitKey,
    pub(super) note: Vec<u8>,
}

pub(super) enum EntryState {
    /// What arrives later with the token is lost.
    Tombstone,
    Claimed,
    Started,
    Unknown,
    Done(Vec<u8>),
}

impl Entry {
    pub(super) fn turn(&mut self, state: EntryState, until: u64) {
        self.state = state;
        self.until = until;
    }

    /// Whether nothing of it counts any more. What was started counts on as unknown.
    pub(super) fn is_over(&self, now: u64) -> bool {
        let until = match self.state {
            EntryState::Started => self.until.saturating_add(self.remembered),
            _ => self.until,
        };
        until <= now
    }

    pub(super) fn is_overdue(&self, now: u64) -> bool {
        matches!(self.state, EntryState::Started) && self.until <= now
    }

    pub(super) fn told(&self, now: u64) -> Option<ActionState> {
        match &self.state {
            EntryState::Tombstone => None,
            EntryState::Claimed => Some(ActionState::Claimed),
            EntryState::Started if self.is_overdue(now) => Some(ActionState::Unknown),
            EntryState::Started => Some(ActionState::Started),
            EntryState::Unknown => Some(ActionState::Unknown),
            EntryState::Done(reply) => Some(ActionState::Done(reply.clone())),
        }
    }
}

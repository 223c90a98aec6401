//! The envelopes of one call.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::envelope::Envelope;

/// How many envelopes by id one call keeps.
pub(super) const MAX_ENVELOPES: usize = 1024;

/// An envelope as it is stamped.
#[derive(Debug)]
pub(super) struct ReadyEnvelope {
    pub(super) value: Value,
    /// It tells of a routine that goes on, and of nothing that this waits for.
    pub(super) waits_for_nothing: bool,
}

impl From<&Envelope> for ReadyEnvelope {
    fn from(envelope: &Envelope) -> Self {
        Self { value: envelope.to_value(), waits_for_nothing: waits_for_nothing(envelope) }
    }
}

pub(super) fn waits_for_nothing(envelope: &Envelope) -> bool {
    envelope.routine().is_some_and(|routine| !routine.status().is_end() && routine.pending_input().is_empty())
}

/// One call's state.
#[derive(Debug, Default)]
pub(super) struct ConverseSlot {
    envelopes: Mutex<Envelopes>,
    told_of_missing_input: AtomicBool,
    told_of_unreadable: AtomicBool,
    told_of_oddity: AtomicBool,
}

#[derive(Debug, Default)]
struct Envelopes {
    reply: Option<Arc<ReadyEnvelope>>,
    by_id: HashMap<String, Arc<ReadyEnvelope>>,
}

impl ConverseSlot {
    pub(super) fn set(&self, envelope: &Envelope) {
        let ready = Arc::new(ReadyEnvelope::from(envelope));
        self.envelopes().reply = Some(ready);
    }

    /// False where there is no room for one more.
    pub(super) fn set_for(&self, id: String, envelope: &Envelope) -> bool {
        let ready = Arc::new(ReadyEnvelope::from(envelope));
        let mut envelopes = self.envelopes();
        let has_room = envelopes.by_id.len() < MAX_ENVELOPES || envelopes.by_id.contains_key(&id);
        if has_room {
            envelopes.by_id.insert(id, ready);
        }
        has_room
    }

    pub(super) fn remove_for(&self, id: &str) {
        self.envelopes().by_id.remove(id);
    }

    pub(super) fn of_reply(&self) -> Option<Arc<ReadyEnvelope>> {
        self.envelopes().reply.clone()
    }

    pub(super) fn of_object(&self, id: &str) -> Option<Arc<ReadyEnvelope>> {
        self.envelopes().by_id.get(id).cloned()
    }

    /// True once for each call.
    pub(super) fn is_first_oddity(&self) -> bool {
        !self.told_of_oddity.swap(true, Ordering::Relaxed)
    }

    /// True once for each call.
    pub(super) fn is_first_missing_input(&self) -> bool {
        !self.told_of_missing_input.swap(true, Ordering::Relaxed)
    }

    /// True once for each call.
    pub(super) fn is_first_unreadable(&self) -> bool {
        !self.told_of_unreadable.swap(true, Ordering::Relaxed)
    }

    fn envelopes(&self) -> MutexGuard<'_, Envelopes> {
        self.envelopes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

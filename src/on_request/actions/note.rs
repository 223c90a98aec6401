//! A notice as a store keeps it, for whoever finds that nobody settled the action.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::staff::{StaffEvent, StaffNotice};
use crate::on_request::deciding::caller::Caller;

#[derive(Deserialize, Serialize)]
struct StoredNotice {
    staff: String,
    skill: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    assistant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acting_for: Option<String>,
    /// Seconds of Unix time.
    at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undo: Option<String>,
    key: String,
}

/// The notice without any word of the message.
pub(super) fn write_note(notice: &StaffNotice) -> Vec<u8> {
    let at = notice.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let stored = StoredNotice {
        staff: notice.staff.clone(),
        skill: notice.skill.as_str().to_owned(),
        assistant: notice.caller.id().map(str::to_owned),
        acting_for: notice.acting_for.clone(),
        at: at.as_secs(),
        undo: notice.undo.clone(),
        key: notice.idempotency_key.clone(),
    };
    serde_json::to_vec(&stored).unwrap_or_default()
}

/// The notice that the outcome is unknown.
pub(super) fn read_note(note: &[u8]) -> Option<StaffNotice> {
    let stored = serde_json::from_slice::<StoredNotice>(note).ok()?;
    Some(StaffNotice {
        event: StaffEvent::Unknown,
        staff: stored.staff,
        skill: stored.skill.into(),
        caller: stored.assistant.map_or_else(Caller::anonymous, Caller::assistant),
        acting_for: stored.acting_for,
        at: SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(stored.at))?,
        undo: stored.undo,
        idempotency_key: stored.key,
        words: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_finds_a_dead_action_can_say_for_whom_it_was() {
        let notice = StaffNotice {
            event: StaffEvent::Starting,
            staff: "Mair Evans".to_owned(),
            skill: "booking".into(),
            caller: Caller::assistant("a").with("a claim"),
            acting_for: Some("a reference".to_owned()),
            at: SystemTime::UNIX_EPOCH,
            undo: Some("cancel it".to_owned()),
            idempotency_key: "key".to_owned(),
            words: Some("what was written".to_owned()),
        };
        let note = write_note(&notice);
        assert!(!String::from_utf8_lossy(&note).contains("written"));
        let read = read_note(&note).unwrap();
        assert_eq!((read.assistant(), read.acting_for()), (Some("a"), Some("a reference")));
        assert_eq!((read.event(), read.undo(), read.words()), (StaffEvent::Unknown, Some("cancel it"), None));
    }
}

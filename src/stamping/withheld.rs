//! The object that goes out instead of one that is withheld.
//!
//! What is withheld can stand anywhere in an object: in its Parts, in an Artifact's `name` and
//! `description`, in the agent's own metadata, in members that only this agent knows. So nothing
//! of it stays but a closed list of ids and markers; the rest is made new.

use super::names::quoted;
use super::places::ObjectPlace;
use crate::json::{JsonKind, JsonScan, ScanError};

/// Members that say which object it is and where it belongs. They stay if they are scalars.
const IDENTITY: [&str; 10] = [
    "messageId",
    "message_id",
    "artifactId",
    "artifact_id",
    "contextId",
    "context_id",
    "taskId",
    "task_id",
    "role",
    "kind",
];

/// The members that stay of an object, with `text` as its only content.
pub(super) fn kept_members(document: &[u8], place: &ObjectPlace<'_>, text: &str, has_kinds: bool) -> String {
    let object = document.get(place.span.clone()).unwrap_or_default();
    let mut kept = KeptMembers::default();
    // It was read before, so this does not fail; if it did, nothing of the object would stay.
    if kept.read(object).is_err() {
        kept = KeptMembers::default();
    }
    let parts = if kept.has_content && !kept.has_parts { "content" } else { "parts" };
    let kind = if has_kinds { "\"kind\":\"text\"," } else { "" };
    let part = if text.is_empty() { String::new() } else { format!("{{{kind}\"text\":{}}}", quoted(text)) };
    kept.members.push(format!("\"{parts}\":[{part}]"));
    kept.members.join(",")
}

#[derive(Default)]
struct KeptMembers {
    members: Vec<String>,
    has_parts: bool,
    has_content: bool,
}

impl KeptMembers {
    fn read(&mut self, object: &[u8]) -> Result<(), ScanError> {
        let mut scan = JsonScan::new(object);
        scan.enter()?;
        while let Some(key) = scan.next_key()? {
            self.has_parts |= key.is("parts");
            self.has_content |= key.is("content");
            let is_scalar = matches!(scan.kind()?, JsonKind::String | JsonKind::Number);
            let value = scan.skip()?;
            let Some(name) = IDENTITY.iter().find(|name| key.is(name)) else { continue };
            let raw = object.get(value).and_then(|raw| std::str::from_utf8(raw).ok());
            if let Some(raw) = raw.filter(|_| is_scalar) {
                self.members.push(format!("\"{name}\":{raw}"));
            }
        }
        Ok(())
    }
}

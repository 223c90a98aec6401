//! What makes two requests the same action, in every binding.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::store::{ActionKey, LimitKey, TaskKey};
use crate::on_request::declared::skill::SkillId;

/// Up to here every integer is a double of its own.
const MAX_EXACT: u64 = 1 << 53;

/// A hash over texts, each behind its length: no two lists of texts run into one.
#[derive(Clone, Debug)]
struct LengthPrefixed(Sha256);

impl LengthPrefixed {
    fn new(purpose: &str) -> Self {
        let mut hash = Self(Sha256::new());
        hash.add(b"on-request/v1 action");
        hash.add(purpose.as_bytes());
        hash
    }

    fn add(&mut self, bytes: &[u8]) {
        self.0.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
        self.0.update(bytes);
    }

    /// A text, or its absence. Protobuf has no empty text, so it counts as absent.
    fn add_optional(&mut self, text: Option<&str>) {
        match text.filter(|text| !text.is_empty()) {
            Some(text) => {
                self.add(b"+");
                self.add(text.as_bytes());
            }
            None => self.add(b"-"),
        }
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// The keys of one instance's actions. What is the same for all of them is hashed once.
#[derive(Clone, Debug)]
pub(super) struct ActionHashes {
    key: LengthPrefixed,
    assistant_limit: LengthPrefixed,
    total_limit: LengthPrefixed,
    task: LengthPrefixed,
}

impl ActionHashes {
    pub(super) fn new(instance: &str) -> Self {
        let of = |purpose| {
            let mut hash = LengthPrefixed::new(purpose);
            hash.add(instance.as_bytes());
            hash
        };
        Self {
            key: of("key"),
            assistant_limit: of("assistant limit"),
            total_limit: of("total limit"),
            task: of("task"),
        }
    }

    /// The key of one action: the same message of the same assistant for the same skill.
    pub(super) fn action(&self, assistant: Option<&str>, message_id: &str, skill: &SkillId) -> ActionKey {
        let mut hash = self.key.clone();
        hash.add_optional(assistant);
        hash.add(message_id.as_bytes());
        hash.add(skill.as_str().as_bytes());
        ActionKey::new(hash.finish())
    }

    /// What the limit of one assistant counts. All that are not identified are one.
    pub(super) fn assistant_limit(&self, skill: &SkillId, assistant: Option<&str>) -> LimitKey {
        let mut hash = self.assistant_limit.clone();
        hash.add(skill.as_str().as_bytes());
        hash.add_optional(assistant);
        LimitKey::new(hash.finish())
    }

    /// One task of this instance.
    pub(super) fn task(&self, id: &str) -> TaskKey {
        let mut hash = self.task.clone();
        hash.add(id.as_bytes());
        TaskKey::new(hash.finish())
    }

    /// What the limit in total counts.
    pub(super) fn total_limit(&self, skill: &SkillId) -> LimitKey {
        let mut hash = self.total_limit.clone();
        hash.add(skill.as_str().as_bytes());
        LimitKey::new(hash.finish())
    }
}

/// The digest of an object, however it was written. `None` for a number that is no double.
pub(super) fn object_digest(members: &Map<String, Value>) -> Option<[u8; 32]> {
    let mut hash = LengthPrefixed::new("digest");
    add_members(&mut hash, members)?;
    Some(hash.finish())
}

fn add_members(hash: &mut LengthPrefixed, members: &Map<String, Value>) -> Option<()> {
    add_kind(hash, "object", members.len().to_string().as_bytes());
    let mut members = members.iter().collect::<Vec<_>>();
    members.sort_by_key(|(name, _)| name.as_str());
    for (name, value) in members {
        hash.add(name.as_bytes());
        add_value(hash, value)?;
    }
    Some(())
}

fn add_kind(hash: &mut LengthPrefixed, kind: &str, content: &[u8]) {
    hash.add(kind.as_bytes());
    hash.add(content);
}

/// A value whose text is the same however it was written: members by name, numbers as doubles, as
/// protobuf has them. `None` for a number that is no double.
fn add_value(hash: &mut LengthPrefixed, value: &Value) -> Option<()> {
    match value {
        Value::Null => hash.add(b"null"),
        Value::Bool(true) => hash.add(b"true"),
        Value::Bool(false) => hash.add(b"false"),
        Value::Number(number) => {
            let is_exact = number.as_u64().is_none_or(|number| number <= MAX_EXACT)
                && number.as_i64().is_none_or(|number| number.unsigned_abs() <= MAX_EXACT);
            let number = number.as_f64().filter(|number| is_exact && number.is_finite())?;
            // Both zeros are one.
            let number = if number == 0.0 { 0.0 } else { number };
            add_kind(hash, "number", &number.to_be_bytes());
        }
        Value::String(text) => add_kind(hash, "string", text.as_bytes()),
        Value::Array(values) => {
            add_kind(hash, "array", values.len().to_string().as_bytes());
            values.iter().try_for_each(|value| add_value(hash, value))?;
        }
        Value::Object(members) => add_members(hash, members)?,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assistants_of_any_name_never_share_a_key() {
        let skill = SkillId::from("booking");
        let names = [None, Some("a"), Some("a:b"), Some("{a}"), Some("{a}:b"), Some("-"), Some("+")];
        let hashes = ActionHashes::new("i");
        let keys = names.map(|name| hashes.action(name, "m", &skill));
        let limits = names.map(|name| hashes.assistant_limit(&skill, name));
        assert_eq!(keys.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
        assert_eq!(limits.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
        let moved = [("i", "a", "bm"), ("ia", "b", "m"), ("i", "ab", "m")];
        let keys =
            moved.map(|(instance, assistant, id)| ActionHashes::new(instance).action(Some(assistant), id, &skill));
        assert_eq!(keys.iter().collect::<std::collections::BTreeSet<_>>().len(), moved.len());
    }
}

//! The text Parts of a Message or Artifact that a handler holds as JSON.

use serde_json::{Map, Value, json};

use crate::binding::{Binding, ProtocolVersion, ReplyTarget};

/// Writes text Parts as the caller reads them.
pub(in crate::on_request) struct TextParts {
    has_kinds: bool,
}

impl TextParts {
    pub(in crate::on_request) fn of(target: &ReplyTarget) -> Self {
        Self { has_kinds: (target.binding, target.version) == (Binding::JsonRpc, ProtocolVersion::V0_3) }
    }

    /// Puts `text` in the place of the first text Part, and removes the others; all other Parts stay.
    pub(in crate::on_request) fn replace(&self, object: &mut Value, text: &str) {
        self.edit(object, |parts| {
            let first = parts.iter().position(is_text).unwrap_or_default();
            parts.retain(|part| !is_text(part));
            parts.insert(first.min(parts.len()), text.into());
        });
    }

    /// Adds `text` behind all Parts, unless one of the texts `says` it already.
    pub(in crate::on_request) fn add_unless(&self, object: &mut Value, text: &str, says: impl Fn(&str) -> bool) {
        self.edit(object, |parts| {
            let mut texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
            if !texts.any(says) {
                parts.push(text.into());
            }
        });
    }

    /// What `change` leaves as a string becomes a text Part.
    fn edit(&self, object: &mut Value, change: impl FnOnce(&mut Vec<Value>)) {
        let Some(members) = object.as_object_mut() else { return };
        let name = if members.contains_key("content") && !members.contains_key("parts") { "content" } else { "parts" };
        let mut parts = match members.remove(name) {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let has_kinds = self.has_kinds || has_kind(members) || parts.iter().filter_map(Value::as_object).any(has_kind);
        change(&mut parts);
        for part in &mut parts {
            if let Some(text) = part.as_str().map(str::to_owned) {
                *part = if has_kinds { json!({"kind": "text", "text": text}) } else { json!({"text": text}) };
            }
        }
        members.insert(name.into(), parts.into());
    }
}

fn is_text(part: &Value) -> bool {
    part.get("text").is_some()
}

fn has_kind(members: &Map<String, Value>) -> bool {
    members.contains_key("kind")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: TextParts = TextParts { has_kinds: false };
    const OLD: TextParts = TextParts { has_kinds: true };

    #[test]
    fn a_text_comes_in_the_place_of_the_texts_and_all_other_parts_stay() {
        let table = [
            (&NEW, json!({"parts": [{"text": "a"}]}), json!({"parts": [{"text": "x"}]})),
            (
                &NEW,
                json!({"parts": [{"data": 1}, {"text": "a"}, {"url": "u"}, {"text": "b"}]}),
                json!({"parts": [{"data": 1}, {"text": "x"}, {"url": "u"}]}),
            ),
            (&NEW, json!({"content": [{"raw": ""}]}), json!({"content": [{"text": "x"}, {"raw": ""}]})),
            (&NEW, json!({"parts": null}), json!({"parts": [{"text": "x"}]})),
            (&NEW, json!({}), json!({"parts": [{"text": "x"}]})),
            (&OLD, json!({}), json!({"parts": [{"kind": "text", "text": "x"}]})),
            (&NEW, json!({"kind": "message"}), json!({"kind": "message", "parts": [{"kind": "text", "text": "x"}]})),
        ];
        for (spelling, mut object, expected) in table {
            spelling.replace(&mut object, "x");
            assert_eq!(object, expected);
        }
    }

    #[test]
    fn a_text_is_added_where_no_other_says_it() {
        let says = |text: &str| text.contains("here");
        for (mut object, is_added) in [
            (json!({"parts": [{"text": "ask"}, {"text": "ask here"}]}), false),
            (json!({"parts": [{"text": "ask"}, {"data": "here"}]}), true),
            (json!({"parts": []}), true),
        ] {
            let before = object["parts"].as_array().unwrap().len();
            NEW.add_unless(&mut object, "x here", says);
            let parts = object["parts"].as_array().unwrap();
            assert_eq!(parts.len(), before + usize::from(is_added), "{object}");
            assert!(!is_added || parts[before] == json!({"text": "x here"}));
        }
        let mut no_object = json!("words");
        NEW.add_unless(&mut no_object, "x", says);
        assert_eq!(no_object, json!("words"));
    }
}

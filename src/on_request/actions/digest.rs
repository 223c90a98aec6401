//! What makes two requests the same action, in every binding.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::store::{ActionKey, LimitKey};
use crate::binding::{IncomingMessage, PartContent};
use crate::json::read_value;
use crate::on_request::skill::SkillId;

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

    /// A text, or that there is none; an empty one is none, as in protobuf.
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
}

impl ActionHashes {
    pub(super) fn new(instance: &str) -> Self {
        let of = |purpose| {
            let mut hash = LengthPrefixed::new(purpose);
            hash.add(instance.as_bytes());
            hash
        };
        Self { key: of("key"), assistant_limit: of("assistant limit"), total_limit: of("total limit") }
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

    /// What the limit in total counts.
    pub(super) fn total_limit(&self, skill: &SkillId) -> LimitKey {
        let mut hash = self.total_limit.clone();
        hash.add(skill.as_str().as_bytes());
        LimitKey::new(hash.finish())
    }
}

/// What a message asks for, whatever binding it came in: its ids, its metadata and its request's, then
/// of each Part its kind and its text, address, bytes or data. `None` where something in it can be read in more than one way.
pub(super) fn message_digest(message: &IncomingMessage) -> Option<[u8; 32]> {
    let mut hash = LengthPrefixed::new("digest");
    hash.add_optional(message.context_id().as_deref());
    hash.add_optional(message.task_id().as_deref());
    // For whom it is asked stands there, and whatever else an agent goes by.
    let (of_message, of_request) = message.all_metadata();
    add_metadata(&mut hash, of_message.into_iter())?;
    add_metadata(&mut hash, of_request)?;
    for content in message.contents() {
        match content? {
            PartContent::Text(text) => add_kind(&mut hash, "text", text.as_bytes()),
            PartContent::Url(url) => add_kind(&mut hash, "url", url.as_bytes()),
            PartContent::Raw(raw) => add_kind(&mut hash, "raw", plain_base64(&raw).as_bytes()),
            PartContent::File(file) => add_file(&mut hash, file)?,
            PartContent::Data(data) => {
                hash.add(b"data");
                add_value(&mut hash, &read_value(data)?)?;
            }
        }
    }
    Some(hash.finish())
}

/// Metadata of one place. Where it stands in the request differs by binding, so only its order counts;
/// none, `null` and an empty object are alike.
fn add_metadata<'a>(hash: &mut LengthPrefixed, metadata: impl Iterator<Item = &'a [u8]>) -> Option<()> {
    for metadata in metadata {
        let metadata = read_value(metadata)?;
        if !metadata.is_null() && metadata.as_object().is_none_or(|members| !members.is_empty()) {
            add_value(hash, &metadata)?;
        }
    }
    hash.add(b"end of metadata");
    Some(())
}

fn add_kind(hash: &mut LengthPrefixed, kind: &str, content: &[u8]) {
    hash.add(kind.as_bytes());
    hash.add(content);
}

/// 0.3's file, like the Part of 1.0 that says the same.
fn add_file(hash: &mut LengthPrefixed, file: &[u8]) -> Option<()> {
    let Value::Object(file) = read_value(file)? else { return None };
    let member = |names: [&str; 4]| {
        let mut found = names.iter().filter_map(|name| file.get(*name)).filter(|value| !value.is_null());
        let first = found.next();
        if found.next().is_some() { None } else { Some(first) }
    };
    let bytes = member(["bytes", "fileWithBytes", "file_with_bytes", "raw"])?;
    let address = member(["uri", "fileWithUri", "file_with_uri", "url"])?;
    match (bytes, address) {
        (Some(bytes), None) => add_kind(hash, "raw", plain_base64(bytes.as_str()?).as_bytes()),
        (None, Some(address)) => add_kind(hash, "url", address.as_str()?.as_bytes()),
        (None, None) => add_kind(hash, "raw", b""),
        (Some(_), Some(_)) => return None,
    }
    Some(())
}

/// Base64 of either alphabet without padding: ProtoJSON reads both.
fn plain_base64(text: &str) -> String {
    let letters = text.trim_end_matches('=').chars();
    letters
        .map(|letter| match letter {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect()
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
        Value::Object(members) => {
            add_kind(hash, "object", members.len().to_string().as_bytes());
            let mut members = members.iter().collect::<Vec<_>>();
            members.sort_by_key(|(name, _)| name.as_str());
            for (name, value) in members {
                hash.add(name.as_bytes());
                add_value(hash, value)?;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn digest(message: &Value) -> Option<[u8; 32]> {
        message_digest(&IncomingMessage::from_value(message, None).unwrap())
    }

    fn of_parts(parts: &Value) -> Option<[u8; 32]> {
        digest(&json!({"messageId": "m", "parts": parts}))
    }

    #[test]
    fn twins_have_one_digest_however_they_are_written() {
        let twins = [
            (json!([{"text": "a\u{e9}"}]), json!([{"kind": "text", "text": "a\u{e9}"}])),
            (json!([{"raw": "-_8="}]), json!([{"raw": "+/8"}])),
            (json!([{"raw": "eA=="}]), json!([{"file": {"bytes": "eA==", "name": "x"}}])),
            (json!([{"url": "https://x.example/y"}]), json!([{"file": {"fileWithUri": "https://x.example/y"}}])),
            (json!([{"data": {"a": 1, "b": [2.0, 0]}}]), json!([{"data": {"b": [2, -0.0], "a": 1.0}}])),
        ];
        for (one, other) in twins {
            assert!(of_parts(&one).is_some());
            assert_eq!(of_parts(&one), of_parts(&other), "{one}");
        }
        let empty = json!({"messageId": "m", "contextId": "", "taskId": "", "parts": []});
        assert_eq!(digest(&empty), digest(&json!({"messageId": "other", "parts": []})), "the id is part of the key");
    }

    #[test]
    fn e2_what_asks_for_something_else_has_another_digest() {
        let all = [
            json!({"parts": []}),
            json!({"parts": [{"text": ""}]}),
            json!({"parts": [{"text": "a"}]}),
            json!({"parts": [{"text": "a"}, {"text": "b"}]}),
            json!({"parts": [{"text": "b"}, {"text": "a"}]}),
            json!({"parts": [{"text": "ab"}]}),
            json!({"parts": [{"url": "a"}]}),
            json!({"parts": [{"raw": "aaaa"}]}),
            json!({"parts": [{"data": "a"}]}),
            json!({"parts": [{"data": ["a"]}]}),
            json!({"parts": [{"data": {"a": null}}]}),
            json!({"parts": [{"data": {"a": [null]}}]}),
            json!({"parts": [{"data": 1}]}),
            json!({"parts": [{"data": true}]}),
            json!({"contextId": "c", "parts": []}),
            json!({"taskId": "c", "parts": []}),
            json!({"contextId": "c", "taskId": "t", "parts": []}),
            json!({"parts": [], "metadata": {"x": 1}}),
            json!({"parts": [], "metadata": {"x": 2}}),
        ];
        let digests = all.iter().map(|message| digest(message).unwrap());
        assert_eq!(digests.collect::<std::collections::BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn what_can_be_read_in_two_ways_has_no_digest() {
        assert_eq!(of_parts(&json!([{"file": {"bytes": "eA==", "uri": "u"}}])), None);
        assert_eq!(of_parts(&json!([{"file": {"bytes": "eA==", "fileWithBytes": "eQ=="}}])), None);
        assert_eq!(of_parts(&json!([{"file": {"bytes": 1}}])), None);
        for beyond in [json!(9_007_199_254_740_993_u64), json!(-9_007_199_254_740_993_i64)] {
            assert_eq!(of_parts(&json!([{"data": beyond}])), None, "over gRPC it would be another number");
        }
    }

    #[test]
    fn e2_metadata_of_every_place_is_part_of_it() {
        let of = |json: &str| {
            let body = bytes::Bytes::from(json.to_owned());
            let uri = http::Uri::from_static("/rpc");
            let headers = http::HeaderMap::new();
            let head = crate::binding::RequestHead {
                method: &http::Method::POST,
                uri: &uri,
                headers: &headers,
                route: crate::binding::RouteFacts::default(),
            };
            message_digest(&crate::binding::read_request(head, &body, &[]).ok()?.message?)
        };
        let message = r#""message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}"#;
        let call = |params: &str, top: &str| {
            let (params, top) = (params.replace('\'', "\""), top.replace('\'', "\""));
            of(&format!(
                r#"{{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {{{message}{params}}}{top}}}"#
            ))
        };
        let bodies = [
            call("", ""),
            call(", 'metadata': {'a': 1}", ""),
            call(", 'metadata': {'a': 1}", ", 'metadata': {'for': 'one'}"),
            call(", 'metadata': {'a': 1}", ", 'metadata': {'for': 'another'}"),
        ];
        assert!(bodies.iter().all(Option::is_some));
        assert_eq!(bodies.iter().collect::<std::collections::BTreeSet<_>>().len(), bodies.len());
        assert_eq!(call(", 'metadata': {}", ", 'metadata': null"), call("", ""));
    }

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

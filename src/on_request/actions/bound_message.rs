//! What an action is bound to: everything that the agent can read in the request's message.
//!
//! The digest is taken of this form, and the person is shown this form, so that both are the same
//! set. It is the same in every binding and version; what has no such form has no digest.

use serde_json::{Map, Value};

use super::digest::object_digest;
use crate::binding::IncomingMessage;

/// The longest text that a person is asked to confirm, or that staff are told, in bytes.
const MAX_WORDS: usize = 16 << 10;
/// They send a message, and differ by version and by how the answer comes.
const SENDING_METHODS: [&str; 4] = ["SendMessage", "SendStreamingMessage", "message/send", "message/stream"];

type Members = Map<String, Value>;

/// A request's message, neutral of binding, without its `messageId`, which is in the action's key,
/// and without `configuration`, which says how to answer and not what to do.
pub(super) struct BoundMessage {
    members: Members,
    digest: [u8; 32],
}

impl BoundMessage {
    /// `None` where something in the request can be read in more than one way, or has no neutral
    /// form. `retried` are the keys of metadata that the next attempt may change.
    pub(super) fn of(message: &IncomingMessage, retried: &[String]) -> Option<Self> {
        let reading = Reading { wraps_data: message.wraps_data(), retried };
        let Value::Object(body) = message.whole_request()? else { return None };
        let members = reading.body(body, message.path_tenant())?;
        let digest = object_digest(&members)?;
        Some(Self { members, digest })
    }

    pub(super) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Whether a Part holds the bytes of a file, which nobody can show.
    pub(super) fn holds_bytes(&self) -> bool {
        self.has_part_with("raw")
    }

    /// Whether a Part holds the address of a file: what is there can change after it was seen.
    pub(super) fn holds_address(&self) -> bool {
        self.has_part_with("url")
    }

    fn has_part_with(&self, name: &str) -> bool {
        let parts = self.members.get("parts").and_then(Value::as_array);
        parts.is_some_and(|parts| parts.iter().any(|part| part.get(name).is_some()))
    }

    /// All of it, each member with its place: `("parts[0].text", "Please book")`. A text is as it
    /// was sent, all else JSON.
    pub(super) fn shown(&self) -> Vec<(String, String)> {
        let mut shown = Vec::new();
        for (name, value) in in_order(&self.members) {
            match value {
                Value::Array(parts) if name == "parts" => {
                    parts.iter().enumerate().for_each(|(index, part)| show_part(index, part, &mut shown));
                }
                _ => shown.push((name.clone(), text_of(value))),
            }
        }
        shown
    }

    /// All of it in lines; `None` where it is too much to be read.
    pub(super) fn words(&self) -> Option<String> {
        let lines = self.shown().into_iter().map(|(place, text)| format!("{place}: {}", on_one_line(&text)));
        Some(lines.collect::<Vec<_>>().join("\n")).filter(|words| words.len() <= MAX_WORDS)
    }
}

fn show_part(index: usize, part: &Value, shown: &mut Vec<(String, String)>) {
    match part.as_object().filter(|members| !members.is_empty()) {
        Some(members) => {
            let members = in_order(members).into_iter();
            shown.extend(members.map(|(name, value)| (format!("parts[{index}].{name}"), text_of(value))));
        }
        None => shown.push((format!("parts[{index}]"), text_of(part))),
    }
}

/// By name: what other crates switch on in serde_json must not change what a person sees.
fn in_order(members: &Members) -> Vec<(&String, &Value)> {
    let mut members = members.iter().collect::<Vec<_>>();
    members.sort_by_key(|(name, _)| name.as_str());
    members
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A text that could be taken for another line, or that hides something, is written with escapes.
fn on_one_line(text: &str) -> String {
    let is_plain =
        |character: char| character == ' ' || character.escape_debug().count() == 1 || matches!(character, '"' | '\'');
    if text.chars().all(is_plain) { text.to_owned() } else { text.escape_debug().to_string() }
}

/// How a request is read.
struct Reading<'a> {
    wraps_data: bool,
    retried: &'a [String],
}

impl Reading<'_> {
    /// The request is the body itself, or stands in JSON-RPC's `params`.
    fn body(&self, mut body: Members, path_tenant: Option<&str>) -> Option<Members> {
        let mut bound = Members::new();
        let mut request = if has_message(&body) {
            std::mem::take(&mut body)
        } else {
            let Some(Value::Object(request)) = body.remove("params") else { return None };
            // Which call it is, not what it asks for.
            body.remove("id");
            body.remove("jsonrpc");
            body.remove("configuration");
            if body.get("method").and_then(Value::as_str).is_some_and(|name| SENDING_METHODS.contains(&name)) {
                body.remove("method");
            }
            request
        };
        let message = take_one(&mut request, &["message", "request"])?;
        let Some(Value::Object(message)) = message else { return None };
        self.message(message, &mut bound)?;
        request.remove("configuration");
        let tenant = one_tenant(take_one(&mut request, &["tenant"])?, path_tenant)?;
        put_text(&mut bound, "tenant", tenant);
        // Where metadata stands differs by binding, so only the order counts.
        let metadata = [request.remove("metadata"), body.remove("metadata")];
        let metadata = metadata.into_iter().filter_map(|metadata| self.metadata(metadata)).collect::<Vec<_>>();
        put_list(&mut bound, "requestMetadata", Some(Value::Array(metadata)));
        put_others(&mut bound, "otherMembersOfRequest", request);
        put_others(&mut bound, "otherMembersOfCall", body);
        Some(bound)
    }

    fn message(&self, mut message: Members, bound: &mut Members) -> Option<()> {
        take_one(&mut message, &["messageId", "message_id"])?;
        put_text(bound, "contextId", take_one(&mut message, &["contextId", "context_id"])?);
        put_text(bound, "taskId", take_one(&mut message, &["taskId", "task_id"])?);
        put_text(bound, "role", message.remove("role").map(plain_role));
        put_list(bound, "extensions", message.remove("extensions"));
        put_list(bound, "referenceTaskIds", take_one(&mut message, &["referenceTaskIds", "reference_task_ids"])?);
        if let Some(metadata) = self.metadata(message.remove("metadata")) {
            bound.insert("metadata".to_owned(), metadata);
        }
        if message.get("kind").is_some_and(|kind| kind == "message" || kind.is_null()) {
            message.remove("kind");
        }
        match take_one(&mut message, &["parts", "content"])? {
            None | Some(Value::Null) => {}
            Some(Value::Array(parts)) => {
                let parts = parts.into_iter().map(|part| self.part(part)).collect::<Option<Vec<_>>>()?;
                put_list(bound, "parts", Some(Value::Array(parts)));
            }
            Some(_) => return None,
        }
        put_others(bound, "otherMembersOfMessage", message);
        Some(())
    }

    fn part(&self, part: Value) -> Option<Value> {
        let Value::Object(mut part) = part else { return None };
        let mut bound = Members::new();
        let data = self.data(part.remove("data"));
        for name in ["text", "url"] {
            if let Some(text) = part.remove(name).filter(|text| !text.is_null()) {
                bound.insert(name.to_owned(), text);
            }
        }
        if let Some(raw) = part.remove("raw").filter(|raw| !raw.is_null()) {
            bound.insert("raw".to_owned(), plain_base64(raw.as_str()?).into());
        }
        put_text(&mut bound, "filename", part.remove("filename"));
        put_text(&mut bound, "mediaType", take_one(&mut part, &["mediaType", "media_type"])?);
        if let Some(Value::Object(file)) = take_one(&mut part, &["file"])? {
            read_file(file, &mut bound)?;
        }
        // `null` is content where there is no other.
        let has_other = ["text", "url", "raw"].iter().any(|name| bound.contains_key(*name));
        if let Some(data) = data.filter(|data| !data.is_null() || !has_other) {
            bound.insert("data".to_owned(), data);
        }
        if let Some(metadata) = self.metadata(part.remove("metadata")) {
            bound.insert("metadata".to_owned(), metadata);
        }
        let says_what_it_holds = match part.get("kind").and_then(Value::as_str) {
            Some("text") => bound.contains_key("text"),
            Some("data") => bound.contains_key("data"),
            Some("file") => bound.contains_key("raw") || bound.contains_key("url"),
            _ => part.get("kind").is_some_and(Value::is_null),
        };
        if says_what_it_holds {
            part.remove("kind");
        }
        put_others(&mut bound, "otherMembers", part);
        Some(Value::Object(bound))
    }

    /// The value of `data` without what 0.3's ProtoJSON wraps around it.
    fn data(&self, data: Option<Value>) -> Option<Value> {
        match data? {
            Value::Object(mut wrapper) if self.wraps_data && wrapper.len() == 1 && wrapper.contains_key("data") => {
                wrapper.remove("data")
            }
            data => Some(data),
        }
    }

    /// None, `null` and an empty object are alike.
    fn metadata(&self, metadata: Option<Value>) -> Option<Value> {
        match metadata? {
            Value::Object(mut members) => {
                members.retain(|key, _| !self.retried.contains(key));
                if members.is_empty() { None } else { Some(Value::Object(members)) }
            }
            Value::Null => None,
            other => Some(other),
        }
    }
}

/// The tenant that body and path name; two different ones are in doubt.
fn one_tenant(in_body: Option<Value>, in_path: Option<&str>) -> Option<Option<Value>> {
    match (in_body.filter(|tenant| tenant != ""), in_path) {
        (Some(in_body), Some(in_path)) if in_body != in_path => None,
        (in_body, in_path) => Some(in_body.or_else(|| in_path.map(Into::into))),
    }
}

/// Whether one of the members is the message. Only an object counts, as in the reader of requests.
fn has_message(members: &Members) -> bool {
    ["message", "request"].iter().any(|name| members.get(*name).is_some_and(Value::is_object))
}

/// 0.3's file, like the Part of 1.0 that says the same. What is said in both places is in doubt.
fn read_file(mut file: Members, bound: &mut Members) -> Option<()> {
    let bytes = take_one(&mut file, &["bytes", "fileWithBytes", "file_with_bytes", "raw"])?;
    let address = take_one(&mut file, &["uri", "fileWithUri", "file_with_uri", "url"])?;
    let (name, content) = match (bytes, address) {
        (Some(bytes), None) => ("raw", plain_base64(bytes.as_str()?)),
        (None, Some(address)) => ("url", address.as_str()?.to_owned()),
        (None, None) => ("raw", String::new()),
        (Some(_), Some(_)) => return None,
    };
    put_once(bound, name, Some(content.into()))?;
    put_once(bound, "filename", take_one(&mut file, &["name", "filename"])?)?;
    put_once(bound, "mediaType", take_one(&mut file, &["mimeType", "mime_type", "mediaType", "media_type"])?)?;
    put_others(bound, "otherMembersOfFile", file);
    Some(())
}

/// The one member under any of its names; `null` counts as absent. `None` if there are two.
fn take_one(members: &mut Members, names: &[&str]) -> Option<Option<Value>> {
    let mut found = names.iter().filter_map(|name| members.remove(*name)).filter(|value| !value.is_null());
    let first = found.next();
    if found.next().is_some() { None } else { Some(first) }
}

/// Protobuf has no empty text, so it counts as absent.
fn put_text(bound: &mut Members, name: &str, value: Option<Value>) {
    if let Some(value) = value.filter(|value| !value.is_null() && value != "") {
        bound.insert(name.to_owned(), value);
    }
}

fn put_once(bound: &mut Members, name: &str, value: Option<Value>) -> Option<()> {
    let Some(value) = value.filter(|value| value != "" || name == "raw" || name == "url") else { return Some(()) };
    if bound.insert(name.to_owned(), value).is_some() { None } else { Some(()) }
}

/// Protobuf has no empty list, so it counts as absent.
fn put_list(bound: &mut Members, name: &str, list: Option<Value>) {
    if let Some(list) = list.filter(|list| !list.is_null() && list.as_array().is_none_or(|list| !list.is_empty())) {
        bound.insert(name.to_owned(), list);
    }
}

/// What nobody here knows. An agent may.
fn put_others(bound: &mut Members, name: &str, others: Members) {
    if !others.is_empty() {
        bound.insert(name.to_owned(), Value::Object(others));
    }
}

/// The role, whatever the version writes for it.
fn plain_role(role: Value) -> Value {
    match (role.as_str(), role.as_u64()) {
        (Some("ROLE_USER" | "user"), _) | (_, Some(1)) => "user".into(),
        (Some("ROLE_AGENT" | "agent"), _) | (_, Some(2)) => "agent".into(),
        (Some("ROLE_UNSPECIFIED"), _) | (_, Some(0)) => Value::Null,
        _ => role,
    }
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

#[cfg(test)]
mod tests;

//! The Task or event that goes out instead of one whose content is withheld.
//!
//! A mark beside objects judges all that it stands beside, and that may be anywhere: in other
//! metadata, in members that only this agent knows, in objects without a mark. So nothing stays but
//! a closed list of ids, the state and the user's own messages, with one text as status or artifact.

use std::ops::Range;

use super::names::quoted;
use crate::binding::{Binding, ProtocolVersion};
use crate::call::A2aCall;
use crate::extension::ObjectKind;
use crate::json::{JsonKind, JsonScan, JsonText, ScanError};

/// Members that say which Task or event it is. They stay if they are texts or numbers.
const IDENTITY: [&str; 6] = ["id", "contextId", "context_id", "taskId", "task_id", "kind"];

/// Members of events that are true or false.
const FLAGS: [&str; 4] = ["final", "append", "lastChunk", "last_chunk"];

/// How a Message is written for the caller.
#[derive(Debug)]
pub(super) struct StandInShape {
    has_kinds: bool,
    is_agents: &'static str,
    parts: &'static str,
}

impl StandInShape {
    pub(super) fn of(call: &A2aCall, has_kinds: bool) -> Self {
        let target = call.reply_target();
        let is_old = target.version == ProtocolVersion::V0_3;
        let has_kinds = has_kinds || is_old && target.binding == Binding::JsonRpc;
        let is_proto = is_old && target.binding == Binding::HttpJson;
        Self {
            has_kinds,
            is_agents: if has_kinds { "agent" } else { "ROLE_AGENT" },
            parts: if is_proto { "content" } else { "parts" },
        }
    }

    /// A Message of the agent's. `id` is JSON, and so are the `marks` that follow its Parts.
    pub(super) fn message(&self, id: &str, text: &str, marks: &str) -> String {
        let kind = if self.has_kinds { "\"kind\":\"message\"," } else { "" };
        let comma = if marks.is_empty() { "" } else { "," };
        let (role, name, parts) = (self.is_agents, self.parts, self.parts(text));
        format!("{{{kind}\"messageId\":{id},\"role\":\"{role}\",\"{name}\":{parts}{comma}{marks}}}")
    }

    fn parts(&self, text: &str) -> String {
        format!("[{}]", self.part(text))
    }

    /// A text Part.
    pub(super) fn part(&self, text: &str) -> String {
        let kind = if self.has_kinds { "\"kind\":\"text\"," } else { "" };
        format!("{{{kind}\"text\":{}}}", quoted(text))
    }

    /// The member that holds the Parts of an object.
    pub(super) fn parts_name(&self, kind: ObjectKind) -> &'static str {
        if kind == ObjectKind::Artifact { "parts" } else { self.parts }
    }
}

/// The id of a message that is made for a task: the same in each poll.
pub(super) fn message_id(task: &str, suffix: Option<&str>) -> String {
    format!("{task}-{}", suffix.unwrap_or("withheld"))
}

/// What stays of one Task or event. The texts are JSON.
#[derive(Debug, Default)]
pub(super) struct Enclosing<'a> {
    pub(super) span: Range<usize>,
    identity: Vec<(&'static str, &'a str)>,
    /// Its own id, or that of its task.
    id: Option<JsonText<'a>>,
    status: Option<StatusRest<'a>>,
    /// The id of its artifact.
    artifact: Option<Option<&'a str>>,
    users_messages: Vec<&'a str>,
}

#[derive(Debug, Default)]
struct StatusRest<'a> {
    state: Option<&'a str>,
    timestamp: Option<&'a str>,
    message_id: Option<&'a str>,
}

impl<'a> Enclosing<'a> {
    /// `None` where there is neither a status nor an artifact: it is no Task and no event.
    pub(super) fn read(document: &'a [u8], span: &Range<usize>) -> Option<Self> {
        let mut rest = Self { span: span.clone(), ..Self::default() };
        rest.members(document.get(span.clone())?).ok()?;
        (rest.status.is_some() || rest.artifact.is_some()).then_some(rest)
    }

    /// What stands in the place of its content.
    pub(super) fn kind(&self) -> ObjectKind {
        if self.status.is_some() { ObjectKind::StatusMessage } else { ObjectKind::Artifact }
    }

    fn members(&mut self, object: &'a [u8]) -> Result<(), ScanError> {
        let mut scan = JsonScan::new(object);
        scan.enter()?;
        while let Some(key) = scan.next_key()? {
            let kind = scan.kind()?;
            if kind == JsonKind::String && ["id", "taskId", "task_id"].iter().any(|name| key.is(name)) {
                let text = scan.text()?;
                self.id = Some(text);
                self.keep(&key, &IDENTITY, object, text.outer());
                continue;
            }
            let value = scan.skip()?;
            match kind {
                JsonKind::String | JsonKind::Number => self.keep(&key, &IDENTITY, object, value),
                JsonKind::Bool => self.keep(&key, &FLAGS, object, value),
                JsonKind::Object if key.is("status") => self.status = Some(StatusRest::read(part(object, value))?),
                JsonKind::Object if key.is("artifact") => {
                    self.artifact = Some(text_member(part(object, value), &["artifactId", "artifact_id"])?);
                }
                JsonKind::Array if key.is("history") => self.history(part(object, value))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn keep(&mut self, key: &JsonText<'_>, names: &[&'static str], object: &'a [u8], value: Range<usize>) {
        let name = names.iter().find(|name| key.is(name));
        let raw = std::str::from_utf8(part(object, value)).ok();
        self.identity.extend(name.copied().zip(raw));
    }

    fn history(&mut self, array: &'a [u8]) -> Result<(), ScanError> {
        let mut scan = JsonScan::new(array);
        scan.enter()?;
        while scan.next_element()? {
            let is_object = scan.kind()? == JsonKind::Object;
            let message = part(array, scan.skip()?);
            if is_object && is_users(message)? {
                self.users_messages.extend(std::str::from_utf8(message));
            }
        }
        Ok(())
    }

    /// The whole object, with `text` as its content and `marks` as further members of that.
    pub(super) fn sealed(&self, text: &str, marks: &[u8], shape: &StandInShape) -> Vec<u8> {
        let mut members = self.identity.iter().map(|(name, raw)| format!("\"{name}\":{raw}")).collect::<Vec<_>>();
        let marks = String::from_utf8_lossy(marks);
        let comma = if marks.is_empty() { "" } else { "," };
        if let Some(status) = &self.status {
            let named = |name: &str, raw: Option<&str>| raw.map(|raw| format!("\"{name}\":{raw},")).unwrap_or_default();
            let (state, timestamp) = (named("state", status.state), named("timestamp", status.timestamp));
            let id = status.message_id.map_or_else(|| self.new_message_id(), str::to_owned);
            let message = shape.message(&id, text, &marks);
            members.push(format!("\"status\":{{{state}{timestamp}\"message\":{message}}}"));
        } else if let Some(id) = &self.artifact {
            let id = id.map(|raw| format!("\"artifactId\":{raw},")).unwrap_or_default();
            members.push(format!("\"artifact\":{{{id}\"parts\":{}{comma}{marks}}}", shape.parts(text)));
        }
        if !self.users_messages.is_empty() {
            members.push(format!("\"history\":[{}]", self.users_messages.join(",")));
        }
        format!("{{{}}}", members.join(",")).into_bytes()
    }

    /// The same for each poll of a task.
    fn new_message_id(&self) -> String {
        let id = self.id.as_ref().and_then(|id| id.decode().ok()).unwrap_or_default();
        quoted(&message_id(&id, None))
    }
}

impl<'a> StatusRest<'a> {
    fn read(status: &'a [u8]) -> Result<Self, ScanError> {
        let mut rest = Self {
            state: text_member(status, &["state"])?,
            timestamp: text_member(status, &["timestamp"])?,
            message_id: None,
        };
        let mut scan = JsonScan::new(status);
        scan.enter()?;
        while let Some(key) = scan.next_key()? {
            let is_message = scan.kind()? == JsonKind::Object && ["message", "update"].iter().any(|name| key.is(name));
            let value = scan.skip()?;
            if is_message {
                rest.message_id = text_member(part(status, value), &["messageId", "message_id"])?;
            }
        }
        Ok(rest)
    }
}

/// The text, as JSON, of the last member of an object with one of these names.
fn text_member<'a>(object: &'a [u8], names: &[&str]) -> Result<Option<&'a str>, ScanError> {
    let mut scan = JsonScan::new(object);
    let mut found = None;
    scan.enter()?;
    while let Some(key) = scan.next_key()? {
        let is_text = scan.kind()? == JsonKind::String && names.iter().any(|name| key.is(name));
        let value = scan.skip()?;
        if is_text {
            found = std::str::from_utf8(part(object, value)).ok();
        }
    }
    Ok(found)
}

/// Whether a message says that it is the user's, and nothing else.
fn is_users(message: &[u8]) -> Result<bool, ScanError> {
    let mut scan = JsonScan::new(message);
    let (mut has_role, mut has_other) = (false, false);
    scan.enter()?;
    while let Some(key) = scan.next_key()? {
        if !key.is("role") {
            scan.skip()?;
            continue;
        }
        has_role = true;
        has_other |= if scan.kind()? == JsonKind::String {
            let role = scan.text()?;
            !(role.is("user") || role.is("ROLE_USER"))
        } else {
            part(message, scan.skip()?) != b"1"
        };
    }
    Ok(has_role && !has_other)
}

fn part(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

//! The reply of an action that was done, kept for its duplicates.

use serde_json::{Value, json};
use uuid::Uuid;

use super::deferred::{DeferredSlot, is_task};
use super::store::hex;
use crate::binding::{Binding, ProtocolVersion, ReplyDraft, ReplyTarget};

/// The longest reply that is kept, in bytes. Of a longer one only that there was one.
const MAX_REPLY: usize = 64 << 10;

/// What was answered, in the spelling of the binding that asked first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RecordedReply {
    object: Value,
    /// The digest of what was asked for. The same id with other words does not get this reply.
    asked: String,
    /// The id of the Message that tells of it in words.
    words_id: String,
    spelling: ReplySpelling,
}

/// Of JSON there are three spellings: 0.3's JSON-RPC, 0.3's ProtoJSON, and 1.0's ProtoJSON, which
/// the bindings of 1.0 share.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct ReplySpelling {
    binding: Binding,
    version: ProtocolVersion,
}

impl ReplySpelling {
    fn of(target: &ReplyTarget) -> Self {
        Self { binding: target.binding, version: target.version }
    }

    fn binding_name(self) -> &'static str {
        match self.binding {
            Binding::JsonRpc => "json-rpc",
            Binding::HttpJson => "http-json",
            Binding::Grpc => "grpc",
        }
    }

    fn version_name(self) -> &'static str {
        match self.version {
            ProtocolVersion::V0_3 => "0.3",
            ProtocolVersion::V1_0 => "1.0",
        }
    }

    fn read(binding: &str, version: &str) -> Option<Self> {
        let bindings = [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc];
        let versions = [ProtocolVersion::V0_3, ProtocolVersion::V1_0];
        let all = bindings.into_iter().flat_map(|binding| versions.map(|version| Self { binding, version }));
        all.into_iter().find(|one| one.binding_name() == binding && one.version_name() == version)
    }

    /// Whether a Message is written alike in both.
    fn writes_like(self, other: Self) -> bool {
        self == other || (self.version == ProtocolVersion::V1_0 && other.version == ProtocolVersion::V1_0)
    }
}

impl RecordedReply {
    pub(super) fn new(object: Value, asked: &[u8; 32], target: &ReplyTarget) -> Self {
        Self { object, asked: hex(asked), words_id: Uuid::new_v4().to_string(), spelling: ReplySpelling::of(target) }
    }

    /// Whether it answers what has this digest.
    pub(super) fn answers(&self, asked: &[u8; 32]) -> bool {
        self.asked == hex(asked)
    }

    /// The bytes for the store; none where the reply is too long to be kept.
    pub(super) fn write(&self) -> Vec<u8> {
        let record = json!({
            "binding": self.spelling.binding_name(),
            "version": self.spelling.version_name(),
            "asked": self.asked,
            "reply": self.object,
        });
        let written = record.to_string().into_bytes();
        if written.len() > MAX_REPLY { Vec::new() } else { written }
    }

    /// `None` where there is nothing that could be answered.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let record = serde_json::from_slice::<Value>(bytes).ok()?;
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        let spelling = ReplySpelling::read(text("binding")?, text("version")?)?;
        let object = record.get("reply").filter(|reply| reply.is_object())?.clone();
        Some(Self { object, asked: text("asked")?.to_owned(), words_id: Uuid::new_v4().to_string(), spelling })
    }

    /// Remembers that what is answered again says the truth about a deferred action.
    pub(super) fn tell(&self, slot: &DeferredSlot) {
        slot.told(&self.words_id);
        slot.told_all(&self.object);
    }

    pub(super) fn is_task(&self) -> bool {
        is_task(&self.object)
    }

    /// The Message or Task as the asking binding has it. A Message is told in any, in its text where
    /// it is spelled otherwise. A Task is the asking binding's own only where it was asked for there;
    /// elsewhere its id is told in words that claim nothing.
    pub(super) fn in_binding_of(&self, target: &ReplyTarget) -> RecordedAnswer {
        let asking = ReplySpelling::of(target);
        if self.spelling == asking || (!self.is_task() && self.spelling.writes_like(asking)) {
            return RecordedAnswer::Object(self.object.clone());
        }
        RecordedAnswer::Draft(self.draft())
    }

    /// The reply in words, for a binding that is no JSON.
    pub(super) fn draft(&self) -> ReplyDraft {
        let member = |name: &str| self.object.get(name).and_then(Value::as_str).map(str::to_owned);
        let mut draft = ReplyDraft::answering(None, self.in_words());
        draft.context_id = member("contextId");
        draft.message_id = member("messageId").filter(|_| !self.is_task()).unwrap_or_else(|| self.words_id.clone());
        draft
    }

    /// What the text says; of a Task, and of a Message without text, only that it was received.
    fn in_words(&self) -> String {
        let id = || self.object.get("id").and_then(Value::as_str).unwrap_or_default();
        match self.is_task() {
            true => format!("This request was received before. Its task is {}.", id()),
            false => match message_text(&self.object) {
                text if text.is_empty() => "This request was received before.".to_owned(),
                text => text,
            },
        }
    }
}

/// A recorded reply for one caller.
pub(super) enum RecordedAnswer {
    Object(Value),
    Draft(ReplyDraft),
}

/// The text of a Message in any spelling, its Parts joined by line feeds.
fn message_text(message: &Value) -> String {
    let parts = message.get("parts").or_else(|| message.get("content")).and_then(Value::as_array);
    let texts = parts.into_iter().flatten().filter_map(|part| part.get("text").and_then(Value::as_str));
    texts.collect::<Vec<_>>().join("\n")
}

//! Turns the decision about an object into edits of its `metadata` and `extensions`.

use std::ops::Range;

use super::enclosing::Enclosing;
use super::lengths::WireEdits;
use super::places::{EntryPlace, ObjectPlace, STATUS_MESSAGE, StatusPlace, StructPlace};
use super::schema::{ObjectNumbers, ReplySchema};
use super::view::json_of;
use crate::extension::ObjectKind;
use crate::protobuf::{
    ProtoJsonText, WireReader, WireType, put_bytes, put_tag, put_value, put_varint, struct_entry, struct_entry_length,
};
use crate::stamping::decision::{KeySets, ListedUri, ObjectDecision};
use crate::stamping::enclosing::message_id;
use crate::stamping::names::ManagedNames;

/// The number of a Message's `role`, the only member of what stays that is no text.
const ROLE: u32 = 4;
const AGENT: u64 = 2;

/// The edits of one reply.
pub(super) struct EditWriter<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) names: &'a ManagedNames,
    pub(super) schema: ReplySchema,
    pub(super) edits: &'a mut WireEdits,
    pub(super) sets: &'a mut EncodedSets,
    /// A value that protobuf does not have kept something from being added.
    pub(super) left_unstamped: bool,
}

/// The values that are set on one object, as protobuf.
#[derive(Debug, Default)]
pub(super) struct EncodedSets {
    of: KeySets,
    bytes: Vec<u8>,
    sets: Vec<EncodedSet>,
}

#[derive(Debug)]
struct EncodedSet {
    key: usize,
    value: Range<usize>,
    /// Where the entry stands that has the value already.
    kept: Option<usize>,
}

impl EncodedSets {
    /// Forgets the values if they take a lot of room.
    pub(super) fn trim(&mut self) {
        const MUCH: usize = 4 << 10;
        if self.bytes.capacity() > MUCH {
            *self = Self::default();
        }
    }

    fn value(&self, set: &EncodedSet) -> &[u8] {
        self.bytes.get(set.value.clone()).unwrap_or_default()
    }

    /// Key and value of what is not there yet.
    fn missing<'a>(&'a self, names: &'a ManagedNames) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        let missing = self.sets.iter().filter(|set| set.kept.is_none());
        missing.map(|set| (names.key_name(set.key), self.value(set)))
    }
}

impl EditWriter<'_> {
    /// Removes what goes from the metadata of something that is no Message and no Artifact.
    pub(super) fn carried(&mut self, metadata: &StructPlace, decision: &ObjectDecision) {
        for entry in metadata.managed.iter().filter(|entry| decision.removed_keys.contains(&entry.name)) {
            self.edits.remove(entry.span.clone(), metadata.length);
        }
    }

    /// Puts what stays of a Task or event in its place, with a text and what the extensions set on it.
    pub(super) fn seal(&mut self, enclosing: &Enclosing<'_>, decision: &mut ObjectDecision, text: &str) {
        self.encode(decision);
        let numbers = self.schema.numbers(enclosing.kind());
        let start = self.edits.text.len();
        put_text_part(&mut self.edits.text, numbers, text);
        self.put_metadata(numbers.metadata);
        for one in &decision.listed {
            self.put_uri(numbers.extensions, one);
        }
        let content = self.edits.text.split_off(start);
        enclosing.put_sealed(&content, &mut self.edits.text);
        self.edits.replace(enclosing.place.content.clone(), start, enclosing.place.length);
    }

    pub(super) fn object(&mut self, place: &ObjectPlace, decision: &mut ObjectDecision) {
        if let Some(text) = decision.text.take() {
            self.write_text(place, &text);
        }
        if let Some(text) = decision.added_text.take() {
            self.add_text(place, &text);
        }
        self.encode(decision);
        self.metadata(place, decision);
        if let Some(last) = place.metadata.last() {
            let start = self.edits.text.len();
            self.put_entries();
            if self.edits.text.len() > start {
                self.edits.replace(last.content.end..last.content.end, start, Some(last.length));
            }
        }
        self.extensions(place, decision);
        let numbers = self.schema.numbers(place.kind);
        let start = self.edits.text.len();
        for one in decision.listed.iter().filter(|one| place.extensions.iter().all(|entry| entry.name != one.uri)) {
            self.put_uri(numbers.extensions, one);
        }
        if place.metadata.is_empty() {
            self.put_metadata(numbers.metadata);
        }
        if self.edits.text.len() > start {
            self.edits.replace(place.content.end..place.content.end, start, Some(place.length));
        }
    }

    /// Puts an object with `text` as its only content in the place of one that is withheld. Of that
    /// nothing stays but a closed list of ids and the role; what other extensions set is added.
    pub(super) fn withhold(&mut self, place: &ObjectPlace, decision: &mut ObjectDecision, text: &str) {
        self.encode(decision);
        let numbers = self.schema.numbers(place.kind);
        let start = self.edits.text.len();
        let mut fields = WireReader::new(self.bytes, &place.content);
        // The object was read before; if the reading ended early, less of it would stay.
        while let Ok(Some(field)) = fields.next_field() {
            let is_role = field.number == ROLE && field.wire_type == WireType::Varint;
            let is_id = field.number != ROLE && field.is_delimited();
            if numbers.ids.contains(&field.number) && (is_role || is_id) {
                self.edits.text.extend_from_slice(self.bytes.get(field.span).unwrap_or_default());
            }
        }
        if !text.is_empty() {
            put_text_part(&mut self.edits.text, numbers, text);
        }
        self.put_metadata(numbers.metadata);
        for one in &decision.listed {
            self.put_uri(numbers.extensions, one);
        }
        self.edits.replace(place.content.clone(), start, Some(place.length));
    }

    /// Gives a status that has no message one with `text` and what the extensions set on it.
    pub(super) fn status_message(&mut self, place: &StatusPlace, decision: &mut ObjectDecision, text: &str) {
        self.encode(decision);
        let numbers = self.schema.numbers(ObjectKind::StatusMessage);
        let start = self.edits.text.len();
        let task = place.task_id.clone().and_then(|id| self.bytes.get(id)).unwrap_or_default();
        let id = message_id(&String::from_utf8_lossy(task), decision.id_suffix.as_deref());
        put_bytes(&mut self.edits.text, 1, id.as_bytes());
        put_tag(&mut self.edits.text, ROLE, WireType::Varint);
        put_varint(&mut self.edits.text, AGENT);
        put_text_part(&mut self.edits.text, numbers, text);
        self.put_metadata(numbers.metadata);
        for one in &decision.listed {
            self.put_uri(numbers.extensions, one);
        }
        let message = self.edits.text.split_off(start);
        put_bytes(&mut self.edits.text, STATUS_MESSAGE, &message);
        self.edits.replace(place.content.end..place.content.end, start, place.length);
    }

    fn put_uri(&mut self, number: u32, listed: &ListedUri) {
        let uri = self.names.uris().get(listed.uri).map(String::as_bytes).unwrap_or_default();
        put_bytes(&mut self.edits.text, number, uri);
    }

    /// A `metadata` of what is not there yet, if anything is not.
    fn put_metadata(&mut self, number: u32) {
        let length = self.sets.missing(self.names).map(|(key, value)| struct_entry_length(key, value)).sum::<usize>();
        if length > 0 {
            put_tag(&mut self.edits.text, number, WireType::Delimited);
            put_varint(&mut self.edits.text, u64::try_from(length).unwrap_or(u64::MAX));
            self.put_entries();
        }
    }

    fn put_entries(&mut self) {
        for (key, value) in self.sets.missing(self.names) {
            struct_entry(&mut self.edits.text, key, value);
        }
    }

    /// Writes the values as protobuf, unless they are those of the object before. One that protobuf
    /// does not have is not set, and what stands in its place goes.
    fn encode(&mut self, decision: &mut ObjectDecision) {
        let encoded = &mut *self.sets;
        if encoded.of == decision.sets {
            encoded.sets.iter_mut().for_each(|set| set.kept = None);
            return;
        }
        encoded.bytes.clear();
        encoded.sets.clear();
        let wanted = decision.sets.len();
        decision.sets.retain(|set| {
            let start = encoded.bytes.len();
            let is_written = put_value(&mut encoded.bytes, &set.value).is_ok();
            if is_written {
                encoded.sets.push(EncodedSet { key: set.key, value: start..encoded.bytes.len(), kept: None });
            } else {
                encoded.bytes.truncate(start);
                decision.removed_keys.push(set.key);
                self.left_unstamped = true;
            }
            is_written
        });
        std::mem::swap(&mut encoded.of, &mut decision.sets);
        if encoded.sets.len() < wanted {
            let is_set = |key: &usize| encoded.sets.iter().any(|set| set.key == *key);
            decision
                .listed
                .retain(|one| self.names.owned_by(one.extension).is_some_and(|owned| owned.keys.iter().any(is_set)));
        }
    }

    /// Removes what goes from every `metadata`, and notes what is there already.
    fn metadata(&mut self, place: &ObjectPlace, decision: &ObjectDecision) {
        if place.metadata.iter().all(|metadata| metadata.managed.is_empty()) {
            return;
        }
        let mut sets = std::mem::take(&mut self.sets.sets);
        for set in &mut sets {
            let mut entries = place.metadata.iter().flat_map(|one| &one.managed).filter(|one| one.name == set.key);
            let kept = entries.find(|entry| self.holds(entry, self.sets.value(set)));
            set.kept = kept.map(|entry| entry.span.start);
        }
        for metadata in &place.metadata {
            for entry in &metadata.managed {
                let goes = match sets.iter().find(|set| set.key == entry.name) {
                    Some(set) => set.kept != Some(entry.span.start),
                    None => decision.removed_keys.contains(&entry.name),
                };
                if goes {
                    self.edits.remove(entry.span.clone(), metadata.length);
                }
            }
        }
        self.sets.sets = sets;
    }

    /// Whether an entry has the value already.
    fn holds(&self, entry: &EntryPlace, wanted: &[u8]) -> bool {
        let Some(value) = &entry.value else { return false };
        if self.bytes.get(value.clone()) == Some(wanted) {
            return true;
        }
        // Both go the same way, so that rounding is the same.
        let parsed = |json: String| serde_json::from_str::<serde_json::Value>(&json).ok();
        let mut text = ProtoJsonText::new(usize::MAX);
        let wanted = text.value(wanted, &(0..wanted.len())).ok().and_then(|()| parsed(text.into_string()));
        wanted.is_some() && json_of(self.bytes, entry).and_then(parsed) == wanted
    }

    /// Removes other spellings, duplicates and what is not listed any more.
    fn extensions(&mut self, place: &ObjectPlace, decision: &ObjectDecision) {
        let mut seen = Vec::new();
        for entry in &place.extensions {
            let owner = decision.listed.iter().find(|one| self.is_spelling(entry.name, one));
            let goes = match owner {
                // The URI as the client asked for it, once; no other spelling beside it.
                Some(one) => one.uri != entry.name || seen.contains(&entry.name),
                None => decision.removed_uris.contains(&entry.name),
            };
            if goes {
                self.edits.remove(entry.span.clone(), place.length);
            } else if !seen.contains(&entry.name) {
                seen.push(entry.name);
            }
        }
    }

    fn is_spelling(&self, uri: usize, listed: &ListedUri) -> bool {
        self.names.owned_by(listed.extension).is_some_and(|owned| owned.uris.contains(&uri))
    }
}

pub(super) fn put_text_part(out: &mut Vec<u8>, numbers: ObjectNumbers, text: &str) {
    let mut part = Vec::new();
    put_bytes(&mut part, 1, text.as_bytes());
    put_bytes(out, numbers.parts, &part);
}

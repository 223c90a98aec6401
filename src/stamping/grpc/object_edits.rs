//! Turns the decision about an object into edits of its `metadata` and `extensions`.

use std::ops::Range;

use super::lengths::WireEdits;
use super::places::{EntryPlace, ObjectPlace, StructPlace};
use super::schema::ReplySchema;
use super::view::json_of;
use crate::protobuf::{ProtoJsonText, WireReader, put_bytes, put_value, struct_entry};
use crate::stamping::ask::{ListedUri, ObjectDecision};
use crate::stamping::names::ManagedNames;

/// The edits of one reply.
pub(super) struct EditWriter<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) names: &'a ManagedNames,
    pub(super) schema: ReplySchema,
    pub(super) edits: WireEdits,
    /// A value that protobuf does not have kept something from being added.
    pub(super) left_unstamped: bool,
}

/// The values that are set, as protobuf.
#[derive(Default)]
struct EncodedSets {
    bytes: Vec<u8>,
    /// Key and place of each.
    sets: Vec<(usize, Range<usize>)>,
}

impl EncodedSets {
    fn value(&self, place: &Range<usize>) -> &[u8] {
        self.bytes.get(place.clone()).unwrap_or_default()
    }
}

impl EditWriter<'_> {
    /// Removes every managed key.
    pub(super) fn clear(&mut self, carrier: &StructPlace) {
        for entry in &carrier.managed {
            self.edits.remove(entry.span.clone(), carrier.length);
        }
    }

    pub(super) fn object(&mut self, place: &ObjectPlace, mut decision: ObjectDecision) {
        let encoded = self.encode(&mut decision);
        let numbers = self.schema.numbers(place.kind);
        let entries = self.metadata(place, &decision, &encoded);
        if let Some(last) = place.metadata.last().filter(|_| !entries.is_empty()) {
            let start = self.edits.text.len();
            self.edits.text.extend_from_slice(&entries);
            self.edits.replace(last.content.end..last.content.end, start, Some(last.length));
        }
        self.extensions(place, &decision);
        let start = self.edits.text.len();
        for one in decision.listed.iter().filter(|one| place.extensions.iter().all(|entry| entry.name != one.uri)) {
            self.put_uri(numbers.extensions, one);
        }
        if place.metadata.is_empty() && !entries.is_empty() {
            put_bytes(&mut self.edits.text, numbers.metadata, &entries);
        }
        if self.edits.text.len() > start {
            self.edits.replace(place.content.end..place.content.end, start, Some(place.length));
        }
    }

    /// Puts an object with `text` as its only content in the place of one that is withheld. Of that
    /// nothing stays but a closed list of ids and the role; what other extensions set is added.
    pub(super) fn withhold(&mut self, place: &ObjectPlace, mut decision: ObjectDecision, text: &str) {
        let encoded = self.encode(&mut decision);
        let numbers = self.schema.numbers(place.kind);
        let start = self.edits.text.len();
        let mut fields = WireReader::new(self.bytes, &place.content);
        // The object was read before; if the reading ended early, less of it would stay.
        while let Ok(Some(field)) = fields.next_field() {
            let is_role = field.number == 4;
            if numbers.ids.contains(&field.number) && field.is_delimited() != is_role {
                self.edits.text.extend_from_slice(self.bytes.get(field.span).unwrap_or_default());
            }
        }
        let mut part = Vec::new();
        put_bytes(&mut part, 1, text.as_bytes());
        put_bytes(&mut self.edits.text, numbers.parts, &part);
        let mut entries = Vec::new();
        for (key, value) in &encoded.sets {
            struct_entry(&mut entries, self.names.key_name(*key), encoded.value(value));
        }
        if !entries.is_empty() {
            put_bytes(&mut self.edits.text, numbers.metadata, &entries);
        }
        for one in &decision.listed {
            self.put_uri(numbers.extensions, one);
        }
        self.edits.replace(place.content.clone(), start, Some(place.length));
    }

    fn put_uri(&mut self, number: u32, listed: &ListedUri) {
        let uri = self.names.uris().get(listed.uri).map(String::as_bytes).unwrap_or_default();
        put_bytes(&mut self.edits.text, number, uri);
    }

    /// Writes the values as protobuf. One that protobuf does not have is not set, and what stands
    /// in its place goes.
    fn encode(&mut self, decision: &mut ObjectDecision) -> EncodedSets {
        let mut encoded = EncodedSets::default();
        for set in &decision.sets {
            let start = encoded.bytes.len();
            if put_value(&mut encoded.bytes, &set.value).is_ok() {
                encoded.sets.push((set.key, start..encoded.bytes.len()));
            } else {
                encoded.bytes.truncate(start);
                decision.removed_keys.push(set.key);
                self.left_unstamped = true;
            }
        }
        if encoded.sets.len() < decision.sets.len() {
            let is_set = |key: &usize| encoded.sets.iter().any(|(set, _)| set == key);
            decision
                .listed
                .retain(|one| self.names.owned_by(one.extension).is_some_and(|owned| owned.keys.iter().any(is_set)));
        }
        encoded
    }

    /// Removes what goes from every `metadata`, and gives the entries that are missing then.
    fn metadata(&mut self, place: &ObjectPlace, decision: &ObjectDecision, encoded: &EncodedSets) -> Vec<u8> {
        let mut added = Vec::new();
        let mut kept = Vec::new();
        for (key, value) in &encoded.sets {
            let value = encoded.value(value);
            let mut entries = place.metadata.iter().flat_map(|one| &one.managed).filter(|one| one.name == *key);
            match entries.find(|entry| self.holds(entry, value)) {
                Some(entry) => kept.push(entry.span.start),
                None => struct_entry(&mut added, self.names.key_name(*key), value),
            }
        }
        for metadata in &place.metadata {
            for entry in &metadata.managed {
                let is_set = encoded.sets.iter().any(|(key, _)| *key == entry.name);
                let goes = if is_set {
                    !kept.contains(&entry.span.start)
                } else {
                    decision.removed_keys.contains(&entry.name)
                };
                if goes {
                    self.edits.remove(entry.span.clone(), metadata.length);
                }
            }
        }
        added
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
            } else {
                seen.push(entry.name);
            }
        }
    }

    fn is_spelling(&self, uri: usize, listed: &ListedUri) -> bool {
        self.names.owned_by(listed.extension).is_some_and(|owned| owned.uris.contains(&uri))
    }
}

//! Shows the objects of a reply to the extensions, as they would see them in JSON.

use smallvec::SmallVec;

use super::places::{CarrierPlace, EntryPlace, ObjectPlace, ReplyPlaces, StatusPlace, StructPlace};
use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, ObjectText, OutgoingObject};
use crate::protobuf::{ProtoJsonText, WireReader};
use crate::stamping::ask::{AskedCarrier, ExtensionAsker, ObjectStanding, judgeable_value};
use crate::stamping::decision::{Forbidden, ObjectDecision};
use crate::stamping::{DocumentRules, StampingSetup};

/// Asks about the objects of one reply.
pub(super) struct ObjectAsker<'a> {
    setup: &'a StampingSetup,
    call: &'a A2aCall,
    bytes: &'a [u8],
    schema: ReplySchema,
    adding: bool,
    artifact_count: usize,
    /// How many Artifacts carry each key, by the key's place among the names; empty if none does.
    marked_artifacts: Vec<usize>,
}

impl<'a> ObjectAsker<'a> {
    pub(super) fn new(
        setup: &'a StampingSetup,
        call: &'a A2aCall,
        bytes: &'a [u8],
        schema: ReplySchema,
        rules: DocumentRules,
        places: &'a ReplyPlaces,
    ) -> Self {
        let mut marked_artifacts = Vec::new();
        let carries = |object: &&ObjectPlace| object.kind == ObjectKind::Artifact && !object.metadata.is_empty();
        let artifacts = places.objects.iter().filter(carries);
        for key in artifacts.flat_map(carried_keys) {
            marked_artifacts.resize(setup.names.keys().len(), 0);
            if let Some(count) = marked_artifacts.get_mut(key) {
                *count += 1;
            }
        }
        let artifact_count = places.objects.iter().filter(|object| object.kind == ObjectKind::Artifact).count();
        Self { setup, call, bytes, schema, adding: rules.adding, artifact_count, marked_artifacts }
    }

    pub(super) fn decide(&self, place: &ObjectPlace, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let asker = self.asker();
        let in_parts = || place.part_metadata.iter().flat_map(|metadata| &metadata.managed);
        if !self.setup.guarded.is_empty() && in_parts().next().is_some() {
            let object = self.view(place, in_parts(), &mut ObjectDecision::default());
            decision.withheld = asker.withheld_for_its_parts(object)?;
        }
        let object = self.view(place, entries(place), decision);
        let carries_names = !place.extensions.is_empty() || entries(place).next().is_some();
        let standing = ObjectStanding { carries_names, may_add: self.adding };
        asker.decide(object, standing, decision)
    }

    fn asker(&self) -> ExtensionAsker<'a> {
        ExtensionAsker { setup: self.setup, call: self.call }
    }

    /// Decides about what a Task or an event carries.
    pub(super) fn carrier(&self, place: &CarrierPlace, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        self.carried(self.enclosing(ObjectKind::Enclosing, place), &place.metadata, false, decision)
    }

    /// Decides about what a Part carries.
    pub(super) fn part(&self, metadata: &StructPlace, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        self.carried(OutgoingObject::new(ObjectKind::Enclosing, false), metadata, true, decision)
    }

    fn carried(
        &self,
        object: OutgoingObject<'a>,
        metadata: &StructPlace,
        is_part: bool,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        decision.clear();
        let object = self.with_values(object, metadata.managed.iter(), decision);
        let keys: SmallVec<[usize; 4]> = metadata.managed.iter().map(|entry| entry.name).collect();
        self.asker().decide_carried(object, AskedCarrier { keys: &keys, is_part }, decision)
    }

    /// What the extensions set on the text that stands for all of a Task or event.
    pub(super) fn stand_in(
        &self,
        kind: ObjectKind,
        place: &CarrierPlace,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        decision.clear();
        let object = self.enclosing(kind, place).with_content_withheld();
        self.asker().decide(object, ObjectStanding { carries_names: false, may_add: self.adding }, decision)
    }

    /// Decides about a message that a status lacks.
    pub(super) fn absent(&self, place: &StatusPlace, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let mut object = OutgoingObject::new(ObjectKind::StatusMessage, false).with_absence();
        let task = place.task_id.clone().and_then(|id| self.bytes.get(id));
        let state = ObjectText::Read(self.schema.state_name(place.task_state));
        object.set_place(Some(state), task.map(|bytes| ObjectText::Unread { bytes, read: text_of }), None);
        object = object.with_artifact_count(self.artifact_count);
        if place.in_list {
            object = object.with_list();
        }
        for key in self.marked_artifacts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(key, _)| key) {
            object = object.with_marked_sibling(self.setup.names.key_name(key));
        }
        self.asker().decide(object, ObjectStanding { carries_names: false, may_add: self.adding }, decision)
    }

    fn enclosing(&self, kind: ObjectKind, place: &CarrierPlace) -> OutgoingObject<'a> {
        let mut object = OutgoingObject::new(kind, false);
        object.set_place(place.task_state.map(|state| ObjectText::Read(self.schema.state_name(state))), None, None);
        if place.in_list { object.with_list() } else { object }
    }

    fn view<'e>(
        &self,
        place: &ObjectPlace,
        managed: impl Iterator<Item = &'e EntryPlace>,
        decision: &mut ObjectDecision,
    ) -> OutgoingObject<'a> {
        let mut managed = managed.peekable();
        let is_marked = managed.peek().is_some();
        let mut object = OutgoingObject::new(place.kind, false);
        let state = place.task_state.map(|state| ObjectText::Read(self.schema.state_name(state)));
        let text = |place: &Option<std::ops::Range<usize>>| {
            let bytes = self.bytes.get(place.clone()?)?;
            Some(ObjectText::Unread { bytes, read: text_of })
        };
        object.set_place(state, text(&place.task_id), text(&place.id));
        if place.in_list {
            object = object.with_list();
        }
        object = self.with_values(object, managed, decision);
        if is_marked || self.call.has_withheld() {
            object = object.with_text(self.text(place));
        }
        object = object.with_artifact_count(self.artifact_count);
        if !self.marked_artifacts.is_empty() {
            let carried = if place.kind == ObjectKind::Artifact { carried_keys(place) } else { Vec::new() };
            for (key, count) in self.marked_artifacts.iter().enumerate() {
                if *count > usize::from(carried.contains(&key)) {
                    object = object.with_marked_sibling(self.setup.names.key_name(key));
                }
            }
        }
        object
    }

    fn with_values<'e>(
        &self,
        mut object: OutgoingObject<'a>,
        managed: impl Iterator<Item = &'e EntryPlace>,
        decision: &mut ObjectDecision,
    ) -> OutgoingObject<'a> {
        for entry in managed {
            let name = self.setup.names.key_name(entry.name);
            object = match json_of(self.bytes, entry).and_then(|json| judgeable_value(json.as_bytes())) {
                Some(value) => object.with_metadata(name, value),
                None => {
                    decision.removed_keys.push(entry.name);
                    object.with_unreadable(name)
                }
            };
        }
        object
    }

    /// The text of the object's text Parts, joined by line feeds.
    fn text(&self, place: &ObjectPlace) -> String {
        let mut texts = Vec::new();
        let mut fields = WireReader::new(self.bytes, &place.content);
        // The object was read before, so the reading does not end early.
        while let Ok(Some(part)) = fields.next_field() {
            let role = self.schema.role(ReplyType::Object(place.kind), part.number);
            if role != Some(FieldRole::Many(ReplyType::Part)) || !part.is_delimited() {
                continue;
            }
            let mut content = WireReader::new(self.bytes, &part.value);
            while let Ok(Some(field)) = content.next_field() {
                let is_text = self.schema.role(ReplyType::Part, field.number) == Some(FieldRole::Text);
                if is_text && field.is_delimited() {
                    texts.extend(std::str::from_utf8(field.bytes(self.bytes)).ok());
                }
            }
        }
        texts.join("\n")
    }
}

fn text_of(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// The value of an entry as JSON; `None` where JSON has no such value.
pub(super) fn json_of(bytes: &[u8], entry: &EntryPlace) -> Option<String> {
    let value = entry.value.as_ref()?;
    // Quotes and escapes take space; more than that is no value anybody judges.
    let mut text = ProtoJsonText::new(8 * value.len() + 64);
    text.value(bytes, value).ok()?;
    Some(text.into_string())
}

fn entries(place: &ObjectPlace) -> impl Iterator<Item = &EntryPlace> {
    place.metadata.iter().flat_map(|metadata: &StructPlace| &metadata.managed)
}

/// The managed keys in an object's metadata, each once.
fn carried_keys(place: &ObjectPlace) -> Vec<usize> {
    let mut keys: Vec<_> = entries(place).map(|entry| entry.name).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

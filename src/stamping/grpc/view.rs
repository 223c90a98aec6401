//! Shows the objects of a reply to the extensions, as they would see them in JSON.

use super::places::{CarrierPlace, EntryPlace, ObjectPlace, ReplyPlaces, StructPlace};
use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, ObjectText, OutgoingObject};
use crate::protobuf::{ProtoJsonText, WireReader};
use crate::stamping::ask::{BesideBudget, ExtensionAsker, Forbidden, ObjectDecision, ObjectStanding, judgeable_value};
use crate::stamping::{DocumentRules, StampingSetup};

/// Asks about the objects of one reply.
pub(super) struct ObjectAsker<'a> {
    setup: &'a StampingSetup,
    call: &'a A2aCall,
    bytes: &'a [u8],
    schema: ReplySchema,
    adding: bool,
    /// How many Artifacts carry each key, by the key's place among the names; empty if none does.
    marked_artifacts: Vec<usize>,
    /// Managed keys beside the objects. Where one is guarded it counts for the objects there.
    carriers: &'a [CarrierPlace],
    budget: BesideBudget,
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
        let carriers = if setup.guarded.is_empty() { &[] } else { places.carriers.as_slice() };
        Self {
            setup,
            call,
            bytes,
            schema,
            adding: rules.adding,
            marked_artifacts,
            carriers,
            budget: BesideBudget::default(),
        }
    }

    pub(super) fn decide(&self, place: &ObjectPlace, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let asker = ExtensionAsker { setup: self.setup, call: self.call };
        let carriers = || self.carriers.iter().filter(|carrier| carrier.speaks_about(place));
        let beside = || carriers().flat_map(|carrier| &carrier.metadata.managed);
        if beside().next().is_some() {
            self.budget.spend(beside().map(|entry| entry.span.len() + 64).sum())?;
            let object = self.view(place, beside(), &mut ObjectDecision::default());
            decision.withheld = asker.withheld_for_what_is_beside(object)?;
        }
        let object = self.view(place, entries(place), decision);
        let carries_names = !place.extensions.is_empty() || entries(place).next().is_some();
        let standing = ObjectStanding { carries_names, may_add: self.adding };
        asker.decide(object, standing, decision)
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
        if is_marked {
            object = object.with_text(self.text(place));
        }
        if place.kind == ObjectKind::Artifact && !self.marked_artifacts.is_empty() {
            let carried = carried_keys(place);
            for (key, count) in self.marked_artifacts.iter().enumerate() {
                if *count > usize::from(carried.contains(&key)) {
                    object = object.with_marked_sibling(self.setup.names.key_name(key));
                }
            }
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

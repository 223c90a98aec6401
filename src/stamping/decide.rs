//! Shows every object of a JSON document to the extensions.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::ask::{AskedCarrier, ExtensionAsker, ObjectStanding, judgeable_value};
use super::decision::{Forbidden, ObjectDecision};
use super::places::{CarriedLists, CarrierPlace, ManagedEntry, ObjectPlace, ReplyPlaces, StatusPlace};
use super::{DocumentRules, StampingSetup};
use crate::binding::Operation;
use crate::call::A2aCall;
use crate::extension::{ObjectKind, ObjectText, OutgoingObject};
use crate::json::{JsonKind, JsonScan, JsonText, ScanError, unescaped};

/// Asks about the objects of one document.
pub(super) struct ObjectAsker<'a> {
    setup: &'a StampingSetup,
    call: &'a A2aCall,
    document: &'a [u8],
    adding: bool,
    /// The reply is to `ListTasks`, whatever its shape.
    lists: bool,
    artifact_count: usize,
    /// How many Artifacts carry each key, by the key's place among the names; empty if none does.
    marked_artifacts: Vec<usize>,
}

impl<'a> ObjectAsker<'a> {
    pub(super) fn new(
        setup: &'a StampingSetup,
        call: &'a A2aCall,
        document: &'a [u8],
        rules: DocumentRules,
        places: &'a ReplyPlaces<'_>,
    ) -> Self {
        let mut marked_artifacts = Vec::new();
        let carries = |object: &&ObjectPlace<'_>| object.kind == ObjectKind::Artifact && !object.metadata.is_empty();
        let artifacts = places.objects.iter().filter(carries);
        for key in artifacts.flat_map(carried_keys) {
            marked_artifacts.resize(setup.names.keys().len(), 0);
            if let Some(count) = marked_artifacts.get_mut(key) {
                *count += 1;
            }
        }
        let lists = call.reading().is_some_and(|reading| reading.operation == Some(Operation::ListTasks));
        let artifact_count = places.objects.iter().filter(|object| object.kind == ObjectKind::Artifact).count();
        Self { setup, call, document, adding: rules.adding, lists, artifact_count, marked_artifacts }
    }

    pub(super) fn decide(&self, place: &'a ObjectPlace<'a>, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let asker = self.asker();
        let in_parts = || place.part_lists.iter().flat_map(CarriedLists::entries);
        if !self.setup.guarded.is_empty() && in_parts().next().is_some() {
            let object = self.view(place, in_parts(), &mut ObjectDecision::default());
            decision.withheld = asker.withheld_for_its_parts(object)?;
        }
        let own = place.metadata.iter().flat_map(|metadata| &metadata.managed);
        let object = self.view(place, own, decision);
        let mut lists = place.metadata.iter().chain(&place.extensions);
        let carries_names = lists.any(|list| !list.managed.is_empty());
        let standing = ObjectStanding { carries_names, may_add: self.adding && place.may_add };
        asker.decide(object, standing, decision)
    }

    fn asker(&self) -> ExtensionAsker<'a> {
        ExtensionAsker { setup: self.setup, call: self.call }
    }

    /// Decides about what a Task, an event or a reply carries.
    pub(super) fn carrier(&self, place: &CarrierPlace<'_>, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        let mut object = OutgoingObject::new(ObjectKind::Enclosing, false);
        object.set_place(place.task_state.and_then(object_text), None, None);
        if place.in_list || self.lists {
            object = object.with_list();
        }
        self.carried(object, &place.lists, false, decision)
    }

    /// Decides about what a Part carries.
    pub(super) fn part(&self, lists: &CarriedLists, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        self.carried(OutgoingObject::new(ObjectKind::Enclosing, false), lists, true, decision)
    }

    fn carried(
        &self,
        object: OutgoingObject<'_>,
        lists: &CarriedLists,
        is_part: bool,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        decision.clear();
        let object = self.with_values(object, lists.entries(), decision);
        let keys: SmallVec<[usize; 4]> = lists.entries().map(|entry| entry.name).collect();
        self.asker().decide_carried(object, AskedCarrier { keys: &keys, is_part }, decision)
    }

    /// What the extensions set on the text that stands for all of a Task or event.
    pub(super) fn stand_in(
        &self,
        kind: ObjectKind,
        place: &CarrierPlace<'_>,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        decision.clear();
        let mut object = OutgoingObject::new(kind, false).with_content_withheld();
        object.set_place(place.task_state.and_then(object_text), None, None);
        if place.in_list || self.lists {
            object = object.with_list();
        }
        let standing = ObjectStanding { carries_names: false, may_add: self.adding && place.may_add };
        self.asker().decide(object, standing, decision)
    }

    /// Decides about a message that a status lacks.
    pub(super) fn absent(&self, place: &StatusPlace<'a>, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let mut object = OutgoingObject::new(ObjectKind::StatusMessage, false).with_absence();
        object.set_place(place.task_state.and_then(object_text), place.task_id.and_then(object_text), None);
        object = object.with_artifact_count(self.artifact_count);
        if place.in_list || self.lists {
            object = object.with_list();
        }
        for key in self.marked_artifacts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(key, _)| key) {
            object = object.with_marked_sibling(self.setup.names.key_name(key));
        }
        let standing = ObjectStanding { carries_names: false, may_add: self.adding && place.may_add };
        self.asker().decide(object, standing, decision)
    }

    /// The object as the extensions see it. A managed value that cannot be parsed, or names a member
    /// twice, goes, whatever they say of it: nobody could judge it.
    fn view(
        &self,
        place: &'a ObjectPlace<'a>,
        managed: impl Iterator<Item = &'a ManagedEntry>,
        decision: &mut ObjectDecision,
    ) -> OutgoingObject<'a> {
        let mut managed = managed.peekable();
        let is_marked = managed.peek().is_some();
        let mut object = OutgoingObject::new(place.kind, false);
        let text = |text: Option<JsonText<'a>>| text.and_then(object_text);
        object.set_place(text(place.task_state), text(place.task_id), text(place.id));
        if place.in_list || self.lists {
            object = object.with_list();
        }
        object = self.with_values(object, managed, decision);
        if is_marked || self.call.has_withheld() {
            object = object.with_text(self.text(place).unwrap_or_default());
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

    fn with_values<'o, 'e>(
        &self,
        mut object: OutgoingObject<'o>,
        managed: impl Iterator<Item = &'e ManagedEntry>,
        decision: &mut ObjectDecision,
    ) -> OutgoingObject<'o>
    where
        'a: 'o,
    {
        for entry in managed {
            let json = self.document.get(entry.value.clone()).unwrap_or_default();
            let name = self.setup.names.key_name(entry.name);
            object = match judgeable_value(json) {
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
    fn text(&self, place: &ObjectPlace<'_>) -> Result<String, ScanError> {
        let mut texts: Vec<Cow<'_, str>> = Vec::new();
        for parts in &place.parts {
            let mut scan = JsonScan::new(self.document.get(parts.clone()).unwrap_or_default());
            if scan.kind()? != JsonKind::Array {
                continue;
            }
            scan.enter()?;
            while scan.next_element()? {
                if scan.kind()? != JsonKind::Object {
                    scan.skip()?;
                    continue;
                }
                scan.enter()?;
                while let Some(key) = scan.next_key()? {
                    if key.is("text") && scan.kind()? == JsonKind::String {
                        texts.extend(scan.text()?.decode().ok());
                    } else {
                        scan.skip()?;
                    }
                }
            }
        }
        Ok(texts.join("\n"))
    }
}

/// A text as extensions see it. One with an escape is read at once.
fn object_text(text: JsonText<'_>) -> Option<ObjectText<'_>> {
    match text.raw() {
        (bytes, false) => Some(ObjectText::Unread { bytes, read: unescaped }),
        (_, true) => text.decode().ok().map(ObjectText::Read),
    }
}

/// The managed keys in an object's metadata, each once.
fn carried_keys(place: &ObjectPlace<'_>) -> Vec<usize> {
    let mut keys: Vec<_> = place.metadata.iter().flat_map(|one| &one.managed).map(|entry| entry.name).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

//! Shows every object of a JSON document to the extensions.

use std::borrow::Cow;

use super::ask::{BesideBudget, ExtensionAsker, Forbidden, ObjectDecision, ObjectStanding, judgeable_value};
use super::places::{CarrierPlace, ManagedEntry, ObjectPlace, ReplyPlaces};
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
        let carriers = if setup.guarded.is_empty() { &[] } else { places.carriers.as_slice() };
        Self {
            setup,
            call,
            document,
            adding: rules.adding,
            lists,
            marked_artifacts,
            carriers,
            budget: BesideBudget::default(),
        }
    }

    pub(super) fn decide(&self, place: &'a ObjectPlace<'a>, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        decision.clear();
        let asker = ExtensionAsker { setup: self.setup, call: self.call };
        let carriers = || self.carriers.iter().filter(|carrier| carrier.speaks_about(place));
        let beside = || carriers().flat_map(|carrier| &carrier.metadata.managed);
        if beside().next().is_some() {
            self.budget.spend(beside().map(|entry| entry.value.len() + 64).sum())?;
            let object = self.view(place, beside(), &mut ObjectDecision::default());
            decision.withheld = asker.withheld_for_what_is_beside(object)?;
        }
        let own = place.metadata.iter().flat_map(|metadata| &metadata.managed);
        let object = self.view(place, own, decision);
        let mut lists = place.metadata.iter().chain(&place.extensions);
        let carries_names = lists.any(|list| !list.managed.is_empty());
        let standing = ObjectStanding { carries_names, may_add: self.adding && place.may_add };
        asker.decide(object, standing, decision)
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
        if is_marked {
            object = object.with_text(self.text(place).unwrap_or_default());
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

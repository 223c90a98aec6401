//! Asks every extension about every object, and holds each answer against what is active.

use std::borrow::Cow;

use serde_json::Value;

use super::names::OwnedNames;
use super::places::{CarrierPlace, ManagedEntry, ObjectPlace, ReplyPlaces};
use super::{DocumentRules, StampingExtension, StampingSetup};
use crate::binding::Operation;
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::json::{JsonKind, JsonScan, ScanError};
use crate::observer::ExtensionsEvent;
use crate::shield::shielded;

/// What is done to one object.
#[derive(Debug, Default)]
pub(super) struct ObjectDecision {
    /// Each key at most once.
    pub(super) sets: Vec<KeySet>,
    /// Keys to remove, unless they are set.
    pub(super) removed_keys: Vec<usize>,
    pub(super) listed: Vec<ListedUri>,
    pub(super) removed_uris: Vec<usize>,
    /// The text that stands for the object's content.
    pub(super) withheld: Option<String>,
}

/// One key and its value.
#[derive(Debug)]
pub(super) struct KeySet {
    pub(super) key: usize,
    pub(super) value: Value,
    /// The value as JSON.
    pub(super) json: String,
}

/// A URI to list.
#[derive(Debug)]
pub(super) struct ListedUri {
    /// As the client asked for it.
    pub(super) uri: usize,
    /// Whose URI it is; the other spellings go.
    pub(super) extension: usize,
}

/// An extension stops the document, for this reason.
#[derive(Debug)]
pub(super) struct Forbidden(pub(super) String);

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
        let artifacts = places.objects.iter().filter(|object| object.kind == ObjectKind::Artifact);
        for key in artifacts.flat_map(carried_keys) {
            marked_artifacts.resize(setup.names.keys().len(), 0);
            if let Some(count) = marked_artifacts.get_mut(key) {
                *count += 1;
            }
        }
        let lists = call.reading().is_some_and(|reading| reading.operation == Some(Operation::ListTasks));
        let carriers = if setup.guarded.is_empty() { &[] } else { places.carriers.as_slice() };
        Self { setup, call, document, adding: rules.adding, lists, marked_artifacts, carriers }
    }

    /// Whether the objects of a document can be asked about at all.
    pub(super) fn check(&self, places: &ReplyPlaces<'_>) -> Result<(), Forbidden> {
        if self.carriers.len().saturating_mul(places.objects.len()) > MAX_PAIRS {
            return Err(Forbidden("too many metadata keys of an extension stand beside Messages and Artifacts".into()));
        }
        Ok(())
    }

    pub(super) fn decide(&self, place: &'a ObjectPlace<'a>) -> Result<ObjectDecision, Forbidden> {
        let mut decision = ObjectDecision::default();
        self.ask_about_carriers(place, &mut decision)?;
        let own = place.metadata.iter().flat_map(|metadata| &metadata.managed);
        let mut object = self.view(place, own, &mut decision);
        let lists = place.metadata.iter().chain(&place.extensions);
        let carries_names = lists.into_iter().any(|list| !list.managed.is_empty());
        let extensions = self.setup.extensions.iter().zip(self.setup.names.owned());
        for (place_of_extension, (extension, owned)) in extensions.enumerate() {
            let activation = self.call.activation();
            let active = activation.is_active(extension.index);
            let spelling = activation.spelling(&self.call.setup().declared, extension.index);
            object.set_asked(active, spelling.filter(|_| active).cloned());
            let stamp = self.ask(extension, &object);
            if stamp.withhold.is_some() {
                self.call.watch();
            }
            if let Some(why) = stamp.forbid {
                return Err(Forbidden(why));
            }
            if !active && !carries_names && stamp.withhold.is_none() {
                // Nothing to remove, and nothing is added.
                continue;
            }
            let uri = spelling.unwrap_or(&extension.uri);
            let uri = self.setup.names.place_of_uri(uri.as_str());
            let listed = uri.map(|uri| ListedUri { uri, extension: place_of_extension });
            let asked = AskedExtension { extension, owned, active, may_add: self.adding && place.may_add };
            self.add(stamp, &asked, listed, &mut decision);
        }
        Ok(decision)
    }

    /// What stands beside an object, in its Parts, its Task or its event, can only withhold it: there
    /// are no marks there by the specification, but one that is guarded must not fail open.
    fn ask_about_carriers(&self, place: &'a ObjectPlace<'a>, decision: &mut ObjectDecision) -> Result<(), Forbidden> {
        let beside = self.carriers.iter().filter(|carrier| carrier.speaks_about(place));
        let mut entries = beside.flat_map(|carrier| &carrier.metadata.managed).peekable();
        if entries.peek().is_none() {
            return Ok(());
        }
        let mut object = self.view(place, entries, &mut ObjectDecision::default());
        for extension in self.setup.extensions.iter().filter(|one| one.extension.gate().is_some()) {
            object.set_asked(false, None);
            let stamp = self.ask(extension, &object);
            if let Some(why) = stamp.forbid {
                return Err(Forbidden(why));
            }
            if let Some(text) = stamp.withhold {
                self.call.watch();
                decision.withheld.get_or_insert(text);
            }
        }
        Ok(())
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
        if let Some(state) = place.task_state.and_then(|state| state.decode().ok()) {
            object = object.with_task_state(state);
        }
        if let Some(id) = place.id.and_then(|id| id.decode().ok()) {
            object = object.with_id(id);
        }
        if place.in_list || self.lists {
            object = object.with_list();
        }
        for entry in managed {
            let json = self.document.get(entry.value.clone()).unwrap_or_default();
            let name = self.setup.names.key_name(entry.name);
            let value = serde_json::from_slice(json).ok().filter(|_| has_unique_keys(json));
            object = match value {
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
        if place.kind == ObjectKind::Artifact {
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

    /// A stamp that panics has not said that its keys may leave.
    fn ask(&self, extension: &StampingExtension, object: &OutgoingObject<'_>) -> Stamp {
        shielded(|| extension.extension.stamp(object, self.call)).unwrap_or_else(|_| {
            self.notice(extension, "its stamp panicked; what belongs to it was removed");
            Stamp::remove()
        })
    }

    fn add(&self, stamp: Stamp, asked: &AskedExtension<'_>, listed: Option<ListedUri>, decision: &mut ObjectDecision) {
        if let Some(text) = stamp.withhold {
            asked.remove(decision);
            decision.withheld.get_or_insert(text);
            return;
        }
        if !asked.active {
            // What goes out carries data of exactly the active extensions, whatever `stamp` says.
            return asked.remove(decision);
        }
        let mut sets_any = false;
        for (key, value) in stamp.set {
            let Some(set) = self.key_set(asked, key.as_deref(), value) else { continue };
            sets_any = true;
            if asked.may_add {
                decision.sets.retain(|earlier| earlier.key != set.key);
                decision.sets.push(set);
            } else {
                // A value that may not be written must not leave the agent's own in its place.
                decision.removed_keys.push(set.key);
            }
        }
        if stamp.remove {
            decision.removed_keys.extend(&asked.owned.keys);
        }
        if asked.may_add && sets_any {
            decision.listed.extend(listed);
        } else if stamp.remove {
            decision.removed_uris.extend(&asked.owned.uris);
        }
    }

    fn key_set(&self, asked: &AskedExtension<'_>, key: Option<&str>, value: Value) -> Option<KeySet> {
        let key = match key {
            None => asked.owned.keys.first().copied(),
            Some(key) => self.setup.names.place_of_key(key).filter(|key| asked.owned.keys.contains(key)),
        };
        let Some(key) = key else {
            self.notice(asked.extension, "it set a metadata key that it does not own; ignored");
            return None;
        };
        let Ok(json) = serde_json::to_string(&value) else {
            self.notice(asked.extension, "its value is no JSON; ignored");
            return None;
        };
        Some(KeySet { key, value, json })
    }

    fn notice(&self, extension: &StampingExtension, what: &'static str) {
        self.call.observe(&ExtensionsEvent::noticed(&extension.uri, what));
    }
}

/// Comparisons of objects with what stands beside them; more would take long.
const MAX_PAIRS: usize = 1 << 22;

/// The extension whose answer is looked at.
struct AskedExtension<'a> {
    extension: &'a StampingExtension,
    owned: &'a OwnedNames,
    active: bool,
    may_add: bool,
}

impl AskedExtension<'_> {
    fn remove(&self, decision: &mut ObjectDecision) {
        decision.removed_keys.extend(&self.owned.keys);
        decision.removed_uris.extend(&self.owned.uris);
    }
}

/// The managed keys in an object's metadata, each once.
fn carried_keys(place: &ObjectPlace<'_>) -> Vec<usize> {
    let mut keys: Vec<_> = place.metadata.iter().flat_map(|one| &one.managed).map(|entry| entry.name).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether an object names each of its members once; readers differ on which of two counts.
fn has_unique_keys(json: &[u8]) -> bool {
    fn keys<'a>(scan: &mut JsonScan<'a>) -> Result<Vec<Cow<'a, str>>, ScanError> {
        let mut keys = Vec::new();
        scan.enter()?;
        while let Some(key) = scan.next_key()? {
            keys.extend(key.decode());
            scan.skip()?;
        }
        keys.sort_unstable();
        Ok(keys)
    }
    let mut scan = JsonScan::new(json);
    if scan.kind() != Ok(JsonKind::Object) {
        return true;
    }
    keys(&mut scan).is_ok_and(|keys| keys.windows(2).all(|two| two.first() != two.last()))
}

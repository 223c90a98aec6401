//! Asks every extension about one object, whatever the object is written in.

use std::borrow::Cow;

use serde_json::Value;
use smallvec::SmallVec;

use super::decision::{Forbidden, KeySet, ListedUri, ObjectDecision};
use super::names::OwnedNames;
use super::{StampingExtension, StampingSetup};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::json::{JsonKind, JsonScan, ScanError, read_value};
use crate::observer::ExtensionsEvent;
use crate::shield::shielded;
use crate::uri::ExtensionUri;

/// How many objects of one document are kept: each takes many times the bytes that a short one has
/// there.
pub(super) const MAX_OBJECTS: usize = 1 << 16;

/// Asks the extensions about objects.
pub(super) struct ExtensionAsker<'a> {
    pub(super) setup: &'a StampingSetup,
    pub(super) call: &'a A2aCall,
}

/// What the place of an object says about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ObjectStanding {
    /// A managed name stands in its `metadata` or `extensions`.
    pub(super) carries_names: bool,
    pub(super) may_add: bool,
}

impl ExtensionAsker<'_> {
    /// Asks about one object. `decision` holds what was decided while it was read.
    pub(super) fn decide(
        &self,
        object: OutgoingObject<'_>,
        standing: ObjectStanding,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        // It is shown with what lives no longer than this.
        let mut object: OutgoingObject<'_> = object;
        let mut withholding = SmallVec::new();
        self.ask_all(&mut object, standing, decision, &mut withholding)?;
        if decision.withheld.is_none() {
            return Ok(());
        }
        let (text, id_suffix) = (decision.withheld.take(), decision.id_suffix.take());
        let mut own = std::mem::take(&mut decision.own);
        // What the others set may tell of the content that is gone.
        decision.clear();
        if withholding.len() < self.setup.extensions.len() {
            decision.withheld = text.clone();
            self.ask_all(&mut object.with_content_withheld(), standing, decision, &mut withholding)?;
            own.sets.append(&mut decision.own.sets);
            own.listed.append(&mut decision.own.listed);
        }
        decision.withheld = text;
        decision.id_suffix = id_suffix;
        decision.sets.append(&mut own.sets);
        decision.listed.append(&mut own.listed);
        Ok(())
    }

    /// Asks the extensions that do not withhold it, and notes those that do by their place.
    fn ask_all<'o>(
        &'o self,
        object: &mut OutgoingObject<'o>,
        standing: ObjectStanding,
        decision: &mut ObjectDecision,
        withholding: &mut SmallVec<[usize; 2]>,
    ) -> Result<(), Forbidden> {
        let extensions = self.setup.extensions.iter().zip(self.setup.names.owned());
        for (place_of_extension, (extension, owned)) in extensions.enumerate() {
            if withholding.contains(&place_of_extension) {
                continue;
            }
            let activation = self.call.activation();
            let active = activation.is_active(extension.index);
            let spelling = activation.spelling(&self.call.setup().declared, extension.index);
            object.set_asked(active, spelling.filter(|_| active));
            let stamp = self.ask(extension, object);
            if stamp.withhold.is_some() {
                self.call.watch();
                withholding.push(place_of_extension);
            }
            if let Some(why) = stamp.forbid {
                return Err(Forbidden(why));
            }
            if let Some(text) = &stamp.text {
                decision.text.get_or_insert_with(|| text.clone());
            }
            if let Some(text) = &stamp.added_text {
                decision.added_text.get_or_insert_with(|| text.clone());
            }
            if !active && !standing.carries_names && stamp.withhold.is_none() {
                // Nothing to remove, and nothing is added.
                continue;
            }
            let uri = spelling.unwrap_or(&extension.uri);
            let asked = AskedExtension { extension, place_of_extension, owned, uri, active, may_add: standing.may_add };
            self.add(stamp, &asked, decision);
        }
        Ok(())
    }

    /// Asks about an object that is shown with the managed values which stand in its Parts. By the
    /// specification there are no marks there, but one that is guarded must not fail open. It can only
    /// withhold.
    pub(super) fn withheld_for_its_parts(&self, mut object: OutgoingObject<'_>) -> Result<Option<String>, Forbidden> {
        object.set_asked(false, None);
        let mut withheld = None;
        for extension in self.setup.extensions.iter().filter(|one| one.extension.gate().is_some()) {
            let stamp = self.ask(extension, &object);
            if let Some(why) = stamp.forbid {
                return Err(Forbidden(why));
            }
            withheld = withheld.or(stamp.withhold);
        }
        if withheld.is_some() {
            self.call.watch();
        }
        Ok(withheld)
    }

    /// Asks about what encloses objects, or about a Part of one, as `asked`. What an active extension
    /// has there stays, unless it guards what it marks: such a mark judges what it stands beside, and
    /// never leaves. Nothing is set.
    pub(super) fn decide_carried(
        &self,
        object: OutgoingObject<'_>,
        asked: AskedCarrier<'_>,
        decision: &mut ObjectDecision,
    ) -> Result<(), Forbidden> {
        // It is shown with what lives no longer than this.
        let mut object: OutgoingObject<'_> = object;
        for (extension, owned) in self.setup.extensions.iter().zip(self.setup.names.owned()) {
            let activation = self.call.activation();
            let active = activation.is_active(extension.index);
            let is_guard = extension.extension.gate().is_some();
            let stands = owned.keys.iter().any(|key| asked.keys.contains(key));
            let mut stays = active && !is_guard;
            if stands && !(is_guard && asked.is_part) {
                let spelling = activation.spelling(&self.call.setup().declared, extension.index);
                object.set_asked(active, spelling.filter(|_| active));
                let stamp = self.ask(extension, &object);
                if let Some(why) = stamp.forbid {
                    return Err(Forbidden(why));
                }
                if let Some(text) = stamp.withhold {
                    self.call.watch();
                    decision.withheld.get_or_insert(text);
                }
                stays &= !stamp.remove || !stamp.set.is_empty();
            }
            if stays {
                continue;
            }
            decision.removed_uris.extend_from_slice(&owned.uris);
            if stands {
                decision.removed_keys.extend_from_slice(&owned.keys);
                self.notice(
                    extension,
                    "its data was removed from a Task, an event or a Part, where it does not belong",
                );
            }
        }
        Ok(())
    }

    /// Whether no extension with a gate would keep or withhold anything for this value under its key.
    pub(super) fn is_no_mark(&self, key: &str, value: Value) -> bool {
        let mut object = OutgoingObject::new(ObjectKind::Artifact, false).with_metadata(key, value);
        object.set_asked(true, None);
        let is_nothing = |stamp: Stamp| stamp.set.is_empty() && stamp.withhold.is_none() && stamp.forbid.is_none();
        let mut gated = self.setup.extensions.iter().filter(|one| one.extension.gate().is_some());
        gated.all(|one| shielded(|| one.extension.stamp(&object, self.call)).is_ok_and(is_nothing))
    }

    /// A stamp that panics has not said that its keys may leave; where its extension guards what it
    /// marks, nor that what they mark may.
    fn ask(&self, extension: &StampingExtension, object: &OutgoingObject<'_>) -> Stamp {
        shielded(|| extension.extension.stamp(object, self.call)).unwrap_or_else(|_| {
            let is_marked =
                extension.keys.iter().any(|key| object.metadata(key).is_some() || object.is_unreadable(key));
            if is_marked && extension.extension.gate().is_some() {
                return Stamp::forbid("the stamp of an extension that guards what it marks panicked");
            }
            self.notice(extension, "its stamp panicked; what belongs to it was removed");
            Stamp::remove()
        })
    }

    fn add(&self, stamp: Stamp, asked: &AskedExtension<'_>, decision: &mut ObjectDecision) {
        if let Some(text) = stamp.withhold {
            asked.remove(decision);
            decision.withheld.get_or_insert(text);
            decision.id_suffix = decision.id_suffix.take().or(stamp.id_suffix);
            if asked.active && asked.may_add {
                let sets = stamp.set.into_iter().filter_map(|(key, value)| self.key_set(asked, key.as_deref(), value));
                decision.own.sets.extend(sets);
                let uri = self.setup.names.place_of_uri(asked.uri.as_str()).filter(|_| !decision.own.sets.is_empty());
                let listed = uri.map(|uri| ListedUri { uri, extension: asked.place_of_extension });
                decision.own.listed.extend(listed);
            }
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
            decision.removed_keys.extend_from_slice(&asked.owned.keys);
        }
        if asked.may_add && sets_any {
            let uri = self.setup.names.place_of_uri(asked.uri.as_str());
            decision.listed.extend(uri.map(|uri| ListedUri { uri, extension: asked.place_of_extension }));
        } else if stamp.remove {
            decision.removed_uris.extend_from_slice(&asked.owned.uris);
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
        Some(KeySet { key, value })
    }

    fn notice(&self, extension: &StampingExtension, what: &'static str) {
        self.call.observe(&ExtensionsEvent::noticed(&extension.uri, what));
    }
}

/// Where managed keys stand that belong to no Message and no Artifact.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedCarrier<'a> {
    /// Those that stand there.
    pub(super) keys: &'a [usize],
    /// It is a Part: what is guarded there was judged with its object.
    pub(super) is_part: bool,
}

/// The extension whose answer is looked at.
struct AskedExtension<'a> {
    extension: &'a StampingExtension,
    place_of_extension: usize,
    owned: &'a OwnedNames,
    /// As the client asked for it.
    uri: &'a ExtensionUri,
    active: bool,
    may_add: bool,
}

impl AskedExtension<'_> {
    fn remove(&self, decision: &mut ObjectDecision) {
        decision.removed_keys.extend_from_slice(&self.owned.keys);
        decision.removed_uris.extend_from_slice(&self.owned.uris);
    }
}

/// A value that an extension can judge. `None` where it cannot be parsed, or names a member twice.
pub(super) fn judgeable_value(json: &[u8]) -> Option<Value> {
    read_value(json).filter(|_| has_unique_keys(json))
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

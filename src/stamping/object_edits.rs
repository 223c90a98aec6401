//! Turns the decision about an object into edits of its `metadata` and `extensions`.
//!
//! Every duplicate of a member is treated, since readers differ in which one they take. A removed
//! entry goes with one adjoining comma; white space and everything else stays.

use std::ops::Range;

use serde_json::Value;
use smallvec::SmallVec;

use super::decision::{KeySet, KeySets, ListedUri, NewWords, ObjectDecision};
use super::enclosing::{Enclosing, StandInShape, message_id};
use super::member_text::{add, push_elements, push_members, push_metadata, push_value};
use super::names::{ManagedNames, quoted};
use super::places::{CarriedLists, ListForm, ListPlace, ManagedEntry, ObjectPlace, StatusPlace};
use super::splice::Edits;
use super::withheld::kept_members;
use crate::json::read_value;

/// The edits of one document.
pub(super) struct EditWriter<'a> {
    pub(super) document: &'a [u8],
    names: &'a ManagedNames,
    pub(super) edits: Edits,
    /// What is set on the current object.
    sets: KeySets,
    /// The new members that were written last, of the same values.
    created: Option<CreatedMembers>,
    /// A `metadata` or `extensions` of the wrong type kept something from being added.
    pub(super) left_unstamped: bool,
}

struct CreatedMembers {
    listed: SmallVec<[ListedUri; 2]>,
    text: Range<usize>,
}

/// Room for a few short texts, so that the first does not grow it several times.
const ROOM: usize = 128;

/// What happens to one managed entry.
#[derive(Clone, Copy)]
enum EntryFate {
    Stays,
    Goes,
    /// It gets the value of this set.
    Becomes(usize),
}

impl<'a> EditWriter<'a> {
    pub(super) fn new(document: &'a [u8], names: &'a ManagedNames) -> Self {
        Self { document, names, edits: Edits::default(), sets: KeySets::new(), created: None, left_unstamped: false }
    }

    /// Removes what goes from the lists of something that is no Message and no Artifact.
    pub(super) fn carried(&mut self, lists: &CarriedLists, decision: &ObjectDecision) {
        for (lists, gone) in [(&lists.metadata, &decision.removed_keys), (&lists.extensions, &decision.removed_uris)] {
            for list in lists {
                let goes = |index: usize| list.managed.get(index).is_none_or(|entry| gone.contains(&entry.name));
                self.edit_entries(list, |index| if goes(index) { EntryFate::Goes } else { EntryFate::Stays });
            }
        }
    }

    /// What stays of a Task or event of which only a text leaves; `None` where it is neither.
    pub(super) fn enclosing(&self, span: &Range<usize>) -> Option<Enclosing<'a>> {
        Enclosing::read(self.document, span)
    }

    /// Puts what stays of a Task or event in its place, with a text and what the extensions set on it.
    pub(super) fn seal(
        &mut self,
        enclosing: &Enclosing<'_>,
        decision: &mut ObjectDecision,
        shape: &StandInShape,
        text: &str,
    ) {
        self.take_sets(decision);
        let mut marks = Vec::new();
        push_members(self.names, &self.sets, !self.sets.is_empty(), &decision.listed, &mut marks);
        let start = self.edits.start(ROOM);
        self.edits.text.extend_from_slice(&enclosing.sealed(text, &marks, shape));
        self.edits.replace(enclosing.span.clone(), start);
    }

    pub(super) fn object(
        &mut self,
        place: &ObjectPlace<'_>,
        decision: &mut ObjectDecision,
        shape: impl FnOnce() -> StandInShape,
    ) {
        let gets_parts = NewWords::take(decision).is_some_and(|words| self.write_words(place, &words, &shape()));
        let is_empty = place.is_empty && !gets_parts;
        self.take_sets(decision);
        let is_stamped = self.metadata(place, decision);
        let listed = if is_stamped { decision.listed.as_slice() } else { &[] };
        self.extensions(place, decision, listed);
        let adds_uris = place.extensions.is_empty() && !listed.is_empty();
        let adds_metadata = place.metadata.is_empty() && !self.sets.is_empty();
        if adds_uris && adds_metadata && !is_empty {
            self.create_both(place, listed);
        } else if adds_uris || adds_metadata {
            let start = self.edits.start(ROOM);
            let out = &mut self.edits.text;
            add(out, if is_empty { "" } else { "," });
            push_members(self.names, &self.sets, adds_metadata, if adds_uris { listed } else { &[] }, out);
            self.edits.insert(place.span.end.saturating_sub(1), start);
        }
    }

    /// Adds both members to an object that has others. Often they are those of the object before.
    fn create_both(&mut self, place: &ObjectPlace<'_>, listed: &[ListedUri]) {
        let at = place.span.end.saturating_sub(1);
        if let Some(created) = self.created.as_ref().filter(|created| created.listed.as_slice() == listed) {
            return self.edits.put(at..at, created.text.clone());
        }
        let start = self.edits.start(self.created_length(listed));
        let out = &mut self.edits.text;
        add(out, ",");
        push_members(self.names, &self.sets, true, listed, out);
        self.created = Some(CreatedMembers { listed: listed.into(), text: start..self.edits.text.len() });
        self.edits.insert(at, start);
    }

    /// Puts an object with `text` as its only content, and what other extensions set, in the place
    /// of one that is withheld.
    pub(super) fn withhold(
        &mut self,
        place: &ObjectPlace<'_>,
        decision: &mut ObjectDecision,
        text: &str,
        has_kinds: bool,
    ) {
        self.take_sets(decision);
        let start = self.edits.start(ROOM);
        let out = &mut self.edits.text;
        add(out, "{");
        add(out, &kept_members(self.document, place, text, has_kinds));
        let has_sets = !self.sets.is_empty();
        if has_sets || !decision.listed.is_empty() {
            add(out, ",");
            push_members(self.names, &self.sets, has_sets, &decision.listed, out);
        }
        add(out, "}");
        self.edits.replace(place.span.clone(), start);
    }

    /// Gives a status that has no message one with `text` and what the extensions set on it.
    pub(super) fn status_message(
        &mut self,
        place: &StatusPlace<'_>,
        decision: &mut ObjectDecision,
        shape: &StandInShape,
        text: &str,
    ) {
        self.take_sets(decision);
        let mut marks = Vec::new();
        push_members(self.names, &self.sets, !self.sets.is_empty(), &decision.listed, &mut marks);
        let task = place.task_id.and_then(|id| id.decode().ok()).unwrap_or_default();
        let id = message_id(&task, decision.id_suffix.as_deref());
        let message = shape.message(&quoted(&id), text, &String::from_utf8_lossy(&marks));
        let start = self.edits.start(ROOM);
        if place.message.is_empty() {
            add(&mut self.edits.text, if place.has_members { ",\"message\":" } else { "\"message\":" });
        }
        add(&mut self.edits.text, &message);
        self.edits.replace(place.message.clone(), start);
    }

    /// How long both members are with the comma before them, if the values are short texts: what is
    /// made in the right length needs no more room where it becomes a piece of the reply.
    fn created_length(&self, listed: &[ListedUri]) -> usize {
        let frame = ",\"extensions\":[],\"metadata\":{}".len() - 2;
        let uris = listed.iter().map(|one| self.names.quoted_uri(one.uri).len() + 1).sum::<usize>();
        let value = |value: &Value| value.as_str().map_or(ROOM, |text| text.len() + 2);
        let sets = self.sets.iter().map(|set| self.names.quoted_key(set.key).len() + value(&set.value) + 2);
        frame + uris + sets.sum::<usize>()
    }

    /// Takes what is set on the next object. Often it is the same as on the last.
    fn take_sets(&mut self, decision: &mut ObjectDecision) {
        if self.sets != decision.sets {
            self.created = None;
            std::mem::swap(&mut self.sets, &mut decision.sets);
        }
    }

    /// Edits every `metadata`. False where nothing could be set.
    fn metadata(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision) -> bool {
        let mut is_stamped = place.metadata.is_empty();
        let sets_any = !self.sets.is_empty();
        for metadata in &place.metadata {
            match metadata.form {
                ListForm::Null if sets_any => {
                    let start = self.edits.start(ROOM);
                    let out = &mut self.edits.text;
                    add(out, "{");
                    push_metadata(self.names, &self.sets, out);
                    add(out, "}");
                    self.edits.replace(metadata.value.clone(), start);
                }
                ListForm::Null => {}
                ListForm::Other => {
                    self.left_unstamped |= sets_any;
                    continue;
                }
                ListForm::List => self.metadata_object(metadata, decision),
            }
            is_stamped = true;
        }
        is_stamped
    }

    fn metadata_object(&mut self, metadata: &ListPlace, decision: &ObjectDecision) {
        let removed = |entry: &ManagedEntry| {
            if decision.removed_keys.contains(&entry.name) { EntryFate::Goes } else { EntryFate::Stays }
        };
        let mut fates: SmallVec<[EntryFate; 4]> = metadata.managed.iter().map(removed).collect();
        let mut added = Vec::new();
        for (place, set) in self.sets.iter().enumerate() {
            let occurrences = || metadata.managed.iter().enumerate().filter(|(_, entry)| entry.name == set.key);
            let equal = occurrences().find(|(_, entry)| self.holds(entry, set)).map(|(index, _)| index);
            let Some(kept) = equal.or_else(|| occurrences().next().map(|(index, _)| index)) else {
                added.push(set);
                continue;
            };
            for (index, _) in occurrences() {
                if let Some(fate) = fates.get_mut(index) {
                    *fate = match (index == kept, equal) {
                        (false, _) => EntryFate::Goes,
                        (true, Some(_)) => EntryFate::Stays,
                        (true, None) => EntryFate::Becomes(place),
                    };
                }
            }
        }
        let mut text = Vec::new();
        push_metadata(self.names, added, &mut text);
        self.edit_list(metadata, &fates, &text);
    }

    /// Whether an entry has the value already.
    fn holds(&self, entry: &ManagedEntry, set: &KeySet) -> bool {
        let json = self.document.get(entry.value.clone()).unwrap_or_default();
        read_value(json).is_some_and(|value| value == set.value)
    }

    /// Edits every `extensions`.
    fn extensions(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision, listed: &[ListedUri]) {
        for extensions in &place.extensions {
            match extensions.form {
                ListForm::Null if !listed.is_empty() => {
                    let start = self.edits.start(ROOM);
                    let out = &mut self.edits.text;
                    add(out, "[");
                    push_elements(self.names, listed, out);
                    add(out, "]");
                    self.edits.replace(extensions.value.clone(), start);
                }
                ListForm::Null => {}
                ListForm::Other => self.left_unstamped |= !listed.is_empty(),
                ListForm::List => self.extensions_array(extensions, decision, listed),
            }
        }
    }

    fn extensions_array(&mut self, extensions: &ListPlace, decision: &ObjectDecision, listed: &[ListedUri]) {
        let mut seen: SmallVec<[usize; 4]> = SmallVec::new();
        let mut fates: SmallVec<[EntryFate; 4]> = SmallVec::new();
        for entry in &extensions.managed {
            let owner = listed.iter().find(|one| self.is_spelling(entry.name, one));
            let goes = match owner {
                // The URI as the client asked for it, once; no other spelling beside it.
                Some(one) => one.uri != entry.name || seen.contains(&entry.name),
                None => decision.removed_uris.contains(&entry.name),
            };
            if !goes && !seen.contains(&entry.name) {
                seen.push(entry.name);
            }
            fates.push(if goes { EntryFate::Goes } else { EntryFate::Stays });
        }
        let mut missing = Vec::new();
        push_elements(self.names, listed.iter().filter(|one| !seen.contains(&one.uri)), &mut missing);
        self.edit_list(extensions, &fates, &missing);
    }

    fn is_spelling(&self, uri: usize, listed: &ListedUri) -> bool {
        self.names.owned_by(listed.extension).is_some_and(|owned| owned.uris.contains(&uri))
    }

    fn edit_list(&mut self, list: &ListPlace, fates: &[EntryFate], added: &[u8]) {
        let gone = self.edit_entries(list, |index| fates.get(index).copied().unwrap_or(EntryFate::Goes));
        if !added.is_empty() {
            let start = self.edits.start(ROOM);
            add(&mut self.edits.text, if list.count > gone { "," } else { "" });
            self.edits.text.extend_from_slice(added);
            self.edits.insert(list.value.end.saturating_sub(1), start);
        }
    }

    /// Does to every managed entry what its fate is, and says how many go.
    fn edit_entries(&mut self, list: &ListPlace, fate: impl Fn(usize) -> EntryFate) -> usize {
        let mut gone = 0;
        for (index, entry) in list.managed.iter().enumerate() {
            match fate(index) {
                EntryFate::Stays => {}
                EntryFate::Becomes(set) => {
                    let start = self.edits.start(ROOM);
                    if let Some(set) = self.sets.get(set) {
                        push_value(&set.value, &mut self.edits.text);
                    }
                    self.edits.replace(entry.value.clone(), start);
                }
                EntryFate::Goes => {
                    let has_left_neighbour = entry.ordinal > gone;
                    self.edits.remove(self.with_comma(entry, has_left_neighbour));
                    gone += 1;
                }
            }
        }
        gone
    }

    /// The entry and the comma before it, or the one after it where nothing that stays is before.
    fn with_comma(&self, entry: &ManagedEntry, has_left_neighbour: bool) -> std::ops::Range<usize> {
        let before = self.document.get(..entry.span.start).unwrap_or_default();
        let after = self.document.get(entry.span.end..).unwrap_or_default();
        let mut range = entry.span.clone();
        if has_left_neighbour {
            let space = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            range.start = range.start.saturating_sub(space + 1);
        } else {
            let space = after.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            if after.get(space) == Some(&b',') {
                range.end += space + 1;
            }
        }
        range
    }
}

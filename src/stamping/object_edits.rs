//! Turns the decision about an object into edits of its `metadata` and `extensions`.
//!
//! Every duplicate of a member is treated, since readers differ in which one they take. A removed
//! entry goes with one adjoining comma; white space and everything else stays.

use super::ask::{KeySet, ListedUri, ObjectDecision};
use super::names::ManagedNames;
use super::places::{ListForm, ListPlace, ManagedEntry, ObjectPlace};
use super::splice::Edit;

/// The edits of one document.
pub(super) struct EditWriter<'a> {
    pub(super) document: &'a [u8],
    pub(super) names: &'a ManagedNames,
    pub(super) edits: Vec<Edit>,
    /// A `metadata` or `extensions` of the wrong type kept something from being added.
    pub(super) left_unstamped: bool,
}

/// What happens to one managed entry.
enum EntryFate {
    Stays,
    Goes,
    Becomes(String),
}

impl EditWriter<'_> {
    /// Removes every managed key.
    pub(super) fn clear(&mut self, carrier: &ListPlace) {
        let fates = carrier.managed.iter().map(|_| EntryFate::Goes).collect();
        self.edit_list(carrier, fates, "");
    }

    pub(super) fn object(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision) {
        let is_stamped = self.metadata(place, decision);
        let listed = if is_stamped { decision.listed.as_slice() } else { &[] };
        self.extensions(place, decision, listed);
        let new_sets = if place.metadata.is_empty() { decision.sets.as_slice() } else { &[] };
        let new_uris = if place.extensions.is_empty() { listed } else { &[] };
        if !new_sets.is_empty() || !new_uris.is_empty() {
            let text = exact_text(|out| {
                out.add(if place.is_empty { "" } else { "," });
                push_members(self.names, new_sets, new_uris, out);
            });
            self.edits.push(Edit::insert(place.span.end.saturating_sub(1), text));
        }
    }

    /// Edits every `metadata`. False where nothing could be set.
    fn metadata(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision) -> bool {
        let mut is_stamped = place.metadata.is_empty();
        for metadata in &place.metadata {
            match metadata.form {
                ListForm::Null if !decision.sets.is_empty() => {
                    let object = exact_text(|out| {
                        out.add("{");
                        push_metadata(self.names, &decision.sets, out);
                        out.add("}");
                    });
                    self.edits.push(Edit::replace(metadata.value.clone(), object));
                }
                ListForm::Null => {}
                ListForm::Other => {
                    self.left_unstamped |= !decision.sets.is_empty();
                    continue;
                }
                ListForm::List => self.metadata_object(metadata, decision),
            }
            is_stamped = true;
        }
        is_stamped
    }

    fn metadata_object(&mut self, metadata: &ListPlace, decision: &ObjectDecision) {
        let mut fates: Vec<_> = metadata
            .managed
            .iter()
            .map(|entry| if decision.removed_keys.contains(&entry.name) { EntryFate::Goes } else { EntryFate::Stays })
            .collect();
        let mut added = Vec::new();
        for set in &decision.sets {
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
                        (true, None) => EntryFate::Becomes(set.json.clone()),
                    };
                }
            }
        }
        let added = exact_text(|out| push_metadata(self.names, added.iter().copied(), out));
        self.edit_list(metadata, fates, &added);
    }

    /// Whether an entry has the value already.
    fn holds(&self, entry: &ManagedEntry, set: &KeySet) -> bool {
        let json = self.document.get(entry.value.clone()).unwrap_or_default();
        json == set.json.as_bytes()
            || serde_json::from_slice::<serde_json::Value>(json).is_ok_and(|value| value == set.value)
    }

    /// Edits every `extensions`.
    fn extensions(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision, listed: &[ListedUri]) {
        for extensions in &place.extensions {
            match extensions.form {
                ListForm::Null if !listed.is_empty() => {
                    let array = exact_text(|out| {
                        out.add("[");
                        push_elements(self.names, listed, out);
                        out.add("]");
                    });
                    self.edits.push(Edit::replace(extensions.value.clone(), array));
                }
                ListForm::Null => {}
                ListForm::Other => self.left_unstamped |= !listed.is_empty(),
                ListForm::List => self.extensions_array(extensions, decision, listed),
            }
        }
    }

    fn extensions_array(&mut self, extensions: &ListPlace, decision: &ObjectDecision, listed: &[ListedUri]) {
        let mut seen = Vec::new();
        let mut fates = Vec::with_capacity(extensions.managed.len());
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
        let missing = || listed.iter().filter(|one| !seen.contains(&one.uri));
        let missing = exact_text(|out| push_elements(self.names, missing(), out));
        self.edit_list(extensions, fates, &missing);
    }

    fn is_spelling(&self, uri: usize, listed: &ListedUri) -> bool {
        self.names.owned_by(listed.extension).is_some_and(|owned| owned.uris.contains(&uri))
    }

    fn edit_list(&mut self, list: &ListPlace, fates: Vec<EntryFate>, added: &str) {
        let mut gone = 0;
        for (entry, fate) in list.managed.iter().zip(fates) {
            match fate {
                EntryFate::Stays => {}
                EntryFate::Becomes(text) => self.edits.push(Edit::replace(entry.value.clone(), text)),
                EntryFate::Goes => {
                    let has_left_neighbour = entry.ordinal > gone;
                    self.edits.push(Edit::remove(self.with_comma(entry, has_left_neighbour)));
                    gone += 1;
                }
            }
        }
        if !added.is_empty() {
            let comma = if list.count > gone { "," } else { "" };
            self.edits.push(Edit::insert(list.value.end.saturating_sub(1), format!("{comma}{added}")));
        }
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

/// New members of an object as JSON, without a comma at either end.
pub(super) fn created_members(names: &ManagedNames, sets: &[KeySet], listed: &[ListedUri]) -> String {
    exact_text(|out| push_members(names, sets, listed, out))
}

fn push_members(names: &ManagedNames, sets: &[KeySet], listed: &[ListedUri], out: &mut dyn JsonSink) {
    if !listed.is_empty() {
        out.add("\"extensions\":[");
        push_elements(names, listed, out);
        out.add("]");
    }
    if !sets.is_empty() {
        out.add(if listed.is_empty() { "\"metadata\":{" } else { ",\"metadata\":{" });
        push_metadata(names, sets, out);
        out.add("}");
    }
}

/// Members of `metadata` as JSON.
fn push_metadata<'a>(names: &ManagedNames, sets: impl IntoIterator<Item = &'a KeySet>, out: &mut dyn JsonSink) {
    for (index, set) in sets.into_iter().enumerate() {
        for piece in [if index == 0 { "" } else { "," }, names.quoted_key(set.key), ":", &set.json] {
            out.add(piece);
        }
    }
}

/// Elements of `extensions` as JSON.
fn push_elements<'a>(names: &ManagedNames, listed: impl IntoIterator<Item = &'a ListedUri>, out: &mut dyn JsonSink) {
    for (index, one) in listed.into_iter().enumerate() {
        out.add(if index == 0 { "" } else { "," });
        out.add(names.quoted_uri(one.uri));
    }
}

/// Takes pieces of JSON, or only their length.
trait JsonSink {
    fn add(&mut self, piece: &str);
}

impl JsonSink for String {
    fn add(&mut self, piece: &str) {
        self.push_str(piece);
    }
}

impl JsonSink for usize {
    fn add(&mut self, piece: &str) {
        *self += piece.len();
    }
}

/// The pieces in a string that has exactly their length, which becomes [`Bytes`](bytes::Bytes)
/// without another allocation.
fn exact_text(push: impl Fn(&mut dyn JsonSink)) -> String {
    let mut length = 0;
    push(&mut length);
    let mut text = String::with_capacity(length);
    push(&mut text);
    text
}

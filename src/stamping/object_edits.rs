//! Turns the decision about an object into edits of its `metadata` and `extensions`.
//!
//! Every duplicate of a member is treated, since readers differ in which one they take. A removed
//! entry goes with one adjoining comma; white space and everything else stays.

use super::decide::{KeySet, ListedUri, ObjectDecision};
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
        self.edit_list(carrier, fates, &[]);
    }

    pub(super) fn object(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision) {
        let mut members = Vec::new();
        let is_stamped = self.metadata(place, decision, &mut members);
        let listed = if is_stamped { decision.listed.as_slice() } else { &[] };
        self.extensions(place, decision, listed, &mut members);
        if members.is_empty() {
            return;
        }
        let comma = if place.is_empty { "" } else { "," };
        let text = format!("{comma}{}", members.join(","));
        self.edits.push(Edit::insert(place.span.end.saturating_sub(1), text));
    }

    /// Edits or creates `metadata`. False where nothing could be set.
    fn metadata(&mut self, place: &ObjectPlace<'_>, decision: &ObjectDecision, members: &mut Vec<String>) -> bool {
        let names = self.names;
        let object = || {
            let members: Vec<_> = decision.sets.iter().map(|set| member(names, set)).collect();
            format!("{{{}}}", members.join(","))
        };
        if place.metadata.is_empty() {
            if !decision.sets.is_empty() {
                members.push(format!("\"metadata\":{}", object()));
            }
            return true;
        }
        let mut is_stamped = false;
        for metadata in &place.metadata {
            match metadata.form {
                ListForm::Null if !decision.sets.is_empty() => {
                    self.edits.push(Edit::replace(metadata.value.clone(), object()));
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
                added.push(member(self.names, set));
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
        self.edit_list(metadata, fates, &added);
    }

    /// Whether an entry has the value already.
    fn holds(&self, entry: &ManagedEntry, set: &KeySet) -> bool {
        let json = self.document.get(entry.value.clone()).unwrap_or_default();
        json == set.json.as_bytes()
            || serde_json::from_slice::<serde_json::Value>(json).is_ok_and(|value| value == set.value)
    }

    /// Edits or creates `extensions`.
    fn extensions(
        &mut self,
        place: &ObjectPlace<'_>,
        decision: &ObjectDecision,
        listed: &[ListedUri],
        members: &mut Vec<String>,
    ) {
        if place.extensions.is_empty() && !listed.is_empty() {
            members.insert(0, format!("\"extensions\":[{}]", elements(listed).join(",")));
        }
        for extensions in &place.extensions {
            match extensions.form {
                ListForm::Null if !listed.is_empty() => {
                    let text = format!("[{}]", elements(listed).join(","));
                    self.edits.push(Edit::replace(extensions.value.clone(), text));
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
            let owner = listed.iter().find(|one| one.spellings.contains(&entry.name));
            let goes = match owner {
                // The URI as the client asked for it, once; no other spelling beside it.
                Some(one) => {
                    self.names.place_of_uri(one.uri.as_str()) != Some(entry.name) || seen.contains(&entry.name)
                }
                None => decision.removed_uris.contains(&entry.name),
            };
            if !goes {
                seen.push(entry.name);
            }
            fates.push(if goes { EntryFate::Goes } else { EntryFate::Stays });
        }
        let is_there =
            |one: &&ListedUri| self.names.place_of_uri(one.uri.as_str()).is_some_and(|uri| seen.contains(&uri));
        let missing = elements(listed.iter().filter(|one| !is_there(one)));
        self.edit_list(extensions, fates, &missing);
    }

    fn edit_list(&mut self, list: &ListPlace, fates: Vec<EntryFate>, added: &[String]) {
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
            self.edits.push(Edit::insert(list.value.end.saturating_sub(1), format!("{comma}{}", added.join(","))));
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

/// A member of `metadata` as JSON.
pub(super) fn member(names: &ManagedNames, set: &KeySet) -> String {
    format!("{}:{}", quoted(names.key_name(set.key)), set.json)
}

/// Elements of `extensions` as JSON.
pub(super) fn elements<'a>(listed: impl IntoIterator<Item = &'a ListedUri>) -> Vec<String> {
    listed.into_iter().map(|one| quoted(one.uri.as_str())).collect()
}

/// A string as JSON.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

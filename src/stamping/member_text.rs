//! New members and elements as JSON.

use serde_json::Value;

use super::decision::{KeySet, ListedUri};
use super::names::ManagedNames;

pub(super) fn add(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// New members of an object as JSON, without a comma at either end.
pub(super) fn push_members(
    names: &ManagedNames,
    sets: &[KeySet],
    has_metadata: bool,
    listed: &[ListedUri],
    out: &mut Vec<u8>,
) {
    if !listed.is_empty() {
        add(out, "\"extensions\":[");
        push_elements(names, listed, out);
        add(out, "]");
    }
    if has_metadata {
        add(out, if listed.is_empty() { "\"metadata\":{" } else { ",\"metadata\":{" });
        push_metadata(names, sets, out);
        add(out, "}");
    }
}

/// Members of `metadata` as JSON.
pub(super) fn push_metadata<'a>(names: &ManagedNames, sets: impl IntoIterator<Item = &'a KeySet>, out: &mut Vec<u8>) {
    for (index, set) in sets.into_iter().enumerate() {
        add(out, if index == 0 { "" } else { "," });
        add(out, names.quoted_key(set.key));
        add(out, ":");
        push_value(&set.value, out);
    }
}

/// A value as JSON. Writing one into memory does not fail; if it did, `null` would stand there.
pub(super) fn push_value(value: &Value, out: &mut Vec<u8>) {
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        add(out, "null");
    }
}

/// Elements of `extensions` as JSON.
pub(super) fn push_elements<'a>(
    names: &ManagedNames,
    listed: impl IntoIterator<Item = &'a ListedUri>,
    out: &mut Vec<u8>,
) {
    for (index, one) in listed.into_iter().enumerate() {
        add(out, if index == 0 { "" } else { "," });
        add(out, names.quoted_uri(one.uri));
    }
}

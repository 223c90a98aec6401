//! Whether a reply carries an extension's data where it should, and nowhere else.

use serde_json::Value;

use crate::extension::A2aExtension;

/// Checks a reply against what A2A says about extensions (A2A §4.6.2).
///
/// Active: every Message and Artifact that carries one of the extension's keys lists its URI, once.
/// Not active: none carries a key or lists the URI. Never a key on a Task, an event or a Part.
///
/// `reply` is a whole reply, or a part of one, such as an event or one Message. That anything was
/// stamped at all is not checked, since an extension may leave objects as they are: see
/// [`assert_stamped`]. Nor is what never got so far: a [`Stamp::set_key`](crate::Stamp::set_key) under a key
/// that [`metadata_keys`](A2aExtension::metadata_keys) does not name leaves no trace. Of `extension` only its
/// names are asked; it need not be bound to a card.
///
/// ```
/// # use tower_a2a_extensions::{A2aCall, A2aExtension, ExtensionUri, MessageGate, OutgoingObject, Stamp};
/// use serde_json::json;
/// use tower_a2a_extensions::testing;
///
/// # struct Mood;
/// # impl A2aExtension for Mood {
/// #     fn uri(&self) -> ExtensionUri { ExtensionUri::from_static("https://example.com/mood/v1") }
/// #     fn gate(&self) -> Option<&dyn MessageGate> { None }
/// #     fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp { Stamp::keep() }
/// # }
/// let reply = json!({"message": {
///     "role": "ROLE_AGENT",
///     "parts": [],
///     "extensions": ["https://example.com/mood/v1"],
///     "metadata": {"https://example.com/mood/v1": "cheerful"},
/// }});
/// testing::assert_conformant(&reply, &Mood, true);
/// assert_eq!(testing::conformance_faults(&reply, &Mood, false).len(), 2);
/// ```
///
/// # Panics
///
/// With all faults, where there are any.
#[track_caller]
pub fn assert_conformant(reply: &Value, extension: &dyn A2aExtension, active: bool) {
    let faults = conformance_faults(reply, extension, active);
    assert!(faults.is_empty(), "the reply does not conform:\n{}", faults.join("\n"));
}

/// The faults that [`assert_conformant`] would name, each with a JSON pointer.
#[must_use]
pub fn conformance_faults(reply: &Value, extension: &dyn A2aExtension, active: bool) -> Vec<String> {
    let keys = extension.metadata_keys().into_iter().map(String::from).collect();
    let mut check = ReplyCheck { uri: extension.uri().as_str().to_owned(), keys, active, faults: Vec::new() };
    for (pointer, object) in objects(reply) {
        check.object(&pointer, object);
    }
    check.faults
}

/// Checks that every Message and Artifact which the agent sends in `reply` was stamped: it carries
/// one of the extension's keys, and lists its URI or one of its aliases.
///
/// For extensions that stamp all of them. `reply` is a whole reply, or a part of one; what the user
/// said is left out. Of `extension` only its names are asked, so one that is bound to no card will do:
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::converse::{CONVERSE_URI, Converse};
/// use tower_a2a_extensions::testing;
///
/// let metadata = json!({CONVERSE_URI.as_str(): {"author": "agent"}});
/// let reply = json!({"role": "ROLE_AGENT", "parts": [], "extensions": [CONVERSE_URI.as_str()], "metadata": metadata});
/// testing::assert_stamped(&reply, &Converse::new());
/// ```
///
/// What was left as it is does not pass:
///
/// ```should_panic
/// # use tower_a2a_extensions::{A2aCall, A2aExtension, ExtensionUri, MessageGate, OutgoingObject, Stamp};
/// use serde_json::json;
/// use tower_a2a_extensions::testing;
///
/// # struct Mood;
/// # impl A2aExtension for Mood {
/// #     fn uri(&self) -> ExtensionUri { ExtensionUri::from_static("https://example.com/mood/v1") }
/// #     fn gate(&self) -> Option<&dyn MessageGate> { None }
/// #     fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp { Stamp::keep() }
/// # }
/// let reply = json!({"message": {"role": "ROLE_AGENT", "parts": []}});
/// testing::assert_conformant(&reply, &Mood, true); // nothing is wrong with it …
/// testing::assert_stamped(&reply, &Mood); // … but /message carries nothing: this panics
/// ```
///
/// # Panics
///
/// With a JSON pointer to each that was not, and where `reply` holds neither Message nor Artifact.
#[track_caller]
pub fn assert_stamped(reply: &Value, extension: &dyn A2aExtension) {
    let keys = extension.metadata_keys();
    let mut uris = extension.aliases();
    uris.push(extension.uri());
    let sent = objects(reply).into_iter().filter(|(_, object)| may_carry(object)).collect::<Vec<_>>();
    assert!(!sent.is_empty(), "the reply holds no Message and no Artifact of the agent: {reply}");
    let mut faults = Vec::new();
    for (pointer, object) in sent {
        let metadata = object.get("metadata");
        if !keys.iter().any(|key| metadata.is_some_and(|metadata| metadata.get(key.as_ref()).is_some())) {
            faults.push(format!("{pointer}/metadata carries none of the extension's keys"));
        }
        let mut listed = object.get("extensions").and_then(Value::as_array).into_iter().flatten();
        if !listed.any(|listed| listed.as_str().is_some_and(|listed| uris.iter().any(|uri| *uri == listed))) {
            faults.push(format!("{pointer}/extensions does not list the extension"));
        }
    }
    assert!(faults.is_empty(), "the reply is not stamped throughout:\n{}", faults.join("\n"));
}

struct ReplyCheck {
    uri: String,
    keys: Vec<String>,
    active: bool,
    faults: Vec<String>,
}

impl ReplyCheck {
    fn object(&mut self, pointer: &str, object: &Value) {
        let metadata = object.get("metadata");
        let carried =
            self.keys.iter().filter(|key| metadata.is_some_and(|metadata| metadata.get(key).is_some())).count();
        let listed = object
            .get("extensions")
            .and_then(Value::as_array)
            .map_or(0, |list| list.iter().filter(|uri| uri.as_str() == Some(&self.uri)).count());
        let may_carry = may_carry(object);
        if carried > 0 && !(self.active && may_carry) {
            self.faults.push(format!(
                "{pointer}/metadata carries data of the extension, which is not active or has no place here"
            ));
        }
        if listed > 0 && !self.active && may_carry {
            self.faults.push(format!("{pointer}/extensions lists the inactive extension"));
        }
        if self.active && may_carry && carried > 0 && listed != 1 {
            self.faults.push(format!("{pointer}/extensions lists the extension {listed} times"));
        }
    }
}

/// Every object of the reply with its JSON pointer, except what the user said and what stands
/// inside metadata.
fn objects(reply: &Value) -> Vec<(String, &Value)> {
    let mut objects = Vec::new();
    let mut open = vec![(String::new(), reply)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(_) if is_users(value) => {}
            Value::Object(members) => {
                let inside = members.iter().filter(|(name, _)| *name != "metadata" && *name != "data");
                open.extend(inside.map(|(name, value)| (format!("{pointer}/{name}"), value)));
                objects.push((pointer, value));
            }
            Value::Array(elements) => {
                let inside = elements.iter().enumerate();
                open.extend(inside.map(|(index, value)| (format!("{pointer}/{index}"), value)));
            }
            _ => {}
        }
    }
    objects
}

/// Whether it is a Message or an Artifact.
fn may_carry(object: &Value) -> bool {
    object.get("parts").or(object.get("content")).is_some_and(Value::is_array)
}

fn is_users(value: &Value) -> bool {
    matches!(value.get("role"), Some(role) if role == "user" || role == "ROLE_USER" || role == 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::call::A2aCall;
    use crate::extension::{MessageGate, OutgoingObject, Stamp};
    use crate::uri::ExtensionUri;

    const URI: &str = "https://example.com/mood/v1";

    struct Mood;

    impl A2aExtension for Mood {
        fn uri(&self) -> ExtensionUri {
            ExtensionUri::from_static(URI)
        }

        fn aliases(&self) -> Vec<ExtensionUri> {
            vec![ExtensionUri::from_static("https://example.com/mood/v0")]
        }

        fn gate(&self) -> Option<&dyn MessageGate> {
            None
        }

        fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
            Stamp::keep()
        }
    }

    fn stamped(uri: &str) -> Value {
        json!({"role": "ROLE_AGENT", "parts": [], "extensions": ["urn:x:other", uri], "metadata": {URI: "calm"}})
    }

    /// What [`assert_stamped`] says of a reply; empty where it says nothing.
    fn complaint(reply: &Value) -> String {
        let checked = std::panic::catch_unwind(|| assert_stamped(reply, &Mood));
        checked.err().map_or_else(String::new, |panic| *panic.downcast::<String>().unwrap())
    }

    #[test]
    fn what_was_stamped_throughout_passes_whole_and_in_part() {
        let user = json!({"role": "ROLE_USER", "parts": []});
        let task = json!({"id": "t", "artifacts": [stamped(URI)], "history": [user, stamped(URI)]});
        for reply in [json!({"jsonrpc": "2.0", "id": 1, "result": {"task": task}}), task, stamped(URI)] {
            assert_eq!(complaint(&reply), "");
        }
        assert_eq!(complaint(&stamped("https://example.com/mood/v0")), "", "an alias");
    }

    #[test]
    fn what_was_not_stamped_is_named_by_its_pointer() {
        let plain = json!({"artifactId": "a", "parts": []});
        let said = complaint(&json!({"result": {"task": {"artifacts": [stamped(URI), plain]}}}));
        assert!(said.contains("/result/task/artifacts/1/metadata"), "{said}");
        assert!(said.contains("/result/task/artifacts/1/extensions"), "{said}");
        assert!(!said.contains("/artifacts/0/"), "{said}");

        let half = json!({"parts": [], "metadata": {URI: 1}, "extensions": null});
        assert_eq!(complaint(&half).lines().skip(1).collect::<Vec<_>>(), ["/extensions does not list the extension"]);
    }

    #[test]
    fn a_reply_with_nothing_to_stamp_was_not_stamped() {
        let user = json!({"message": {"role": "ROLE_USER", "parts": []}});
        for reply in [json!({}), json!(null), user, json!({"task": {"id": "t", "metadata": {URI: 1}}})] {
            assert!(complaint(&reply).contains("no Message and no Artifact"), "{reply}");
        }
    }
}

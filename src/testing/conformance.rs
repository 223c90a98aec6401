//! Whether a reply carries an extension's data where it should, and nowhere else.

use serde_json::Value;

use crate::extension::A2aExtension;

/// Checks a reply against what A2A says about extensions (A2A §4.6.2).
///
/// Active: every Message and Artifact that carries one of the extension's keys lists its URI, once.
/// Not active: none carries a key or lists the URI. Never a key on a Task, an event or a Part.
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
pub fn assert_conformant(reply: &Value, extension: &dyn A2aExtension, active: bool) {
    let faults = conformance_faults(reply, extension, active);
    assert!(faults.is_empty(), "the reply does not conform:\n{}", faults.join("\n"));
}

/// The faults that [`assert_conformant`] would name, each with a JSON pointer.
#[must_use]
pub fn conformance_faults(reply: &Value, extension: &dyn A2aExtension, active: bool) -> Vec<String> {
    let keys = extension.metadata_keys().into_iter().map(String::from).collect();
    let mut check = ReplyCheck { uri: extension.uri().as_str().to_owned(), keys, active, faults: Vec::new() };
    check.visit(reply);
    check.faults
}

struct ReplyCheck {
    uri: String,
    keys: Vec<String>,
    active: bool,
    faults: Vec<String>,
}

impl ReplyCheck {
    /// Walks every object of the reply, except what the user said and what stands inside metadata.
    fn visit(&mut self, reply: &Value) {
        let mut open = vec![(String::new(), reply)];
        while let Some((pointer, value)) = open.pop() {
            match value {
                Value::Object(_) if is_users(value) => {}
                Value::Object(members) => {
                    self.object(&pointer, value);
                    let inside = members.iter().filter(|(name, _)| *name != "metadata" && *name != "data");
                    open.extend(inside.map(|(name, value)| (format!("{pointer}/{name}"), value)));
                }
                Value::Array(elements) => {
                    let inside = elements.iter().enumerate();
                    open.extend(inside.map(|(index, value)| (format!("{pointer}/{index}"), value)));
                }
                _ => {}
            }
        }
    }

    fn object(&mut self, pointer: &str, object: &Value) {
        let metadata = object.get("metadata");
        let carried =
            self.keys.iter().filter(|key| metadata.is_some_and(|metadata| metadata.get(key).is_some())).count();
        let listed = object
            .get("extensions")
            .and_then(Value::as_array)
            .map_or(0, |list| list.iter().filter(|uri| uri.as_str() == Some(&self.uri)).count());
        let may_carry = object.get("parts").or(object.get("content")).is_some_and(Value::is_array);
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

fn is_users(value: &Value) -> bool {
    matches!(value.get("role"), Some(role) if role == "user" || role == "ROLE_USER" || role == 1)
}

//! Whether an assistant says that it acts for a named person, and which skill it says it asks for.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::binding::IncomingMessage;
use crate::on_request::declared::skill::SkillIds;

/// Letters to Unicode that show nothing: the Hangul fillers.
const FILLERS: [char; 4] = ['\u{115F}', '\u{1160}', '\u{3164}', '\u{FFA0}'];

/// The longest reference to a person that is read, in bytes.
const MAX_REFERENCE: usize = 256;

/// Says whether the sender of a message acts for a named person (OR-5.4).
///
/// The specification leaves open how that is shown (its open question 1). [`OwnAssertion`] is the
/// default; `actingFor` and `skillId` in requests are this crate's own convention. A closure can
/// accept another proof in the message instead. Where it panics, the answer is no.
///
/// ```
/// use tower_a2a_extensions::IncomingMessage;
/// use tower_a2a_extensions::on_request::OnRequest;
///
/// let on_request = OnRequest::new()
///     .assertion(|message: &IncomingMessage| message.metadata("https://example.com/delegation").next().is_some());
/// ```
pub trait PersonAssertion: Send + Sync + 'static {
    /// Whether the sender acts for a named person.
    fn acts_for_a_person(&self, message: &IncomingMessage) -> bool;
}

impl<F> PersonAssertion for F
where
    F: Fn(&IncomingMessage) -> bool + Send + Sync + 'static,
{
    fn acts_for_a_person(&self, message: &IncomingMessage) -> bool {
        self(message)
    }
}

impl<A: PersonAssertion + ?Sized> PersonAssertion for Arc<A> {
    fn acts_for_a_person(&self, message: &IncomingMessage) -> bool {
        self.as_ref().acts_for_a_person(message)
    }
}

/// The assistant's own word: `metadata[uri].actingFor` of the message or the request.
///
/// `{"actingFor": "opaque reference"}`: a string of at most 256 bytes, trimmed, with a letter or
/// digit. Anything else counts as absent, and so do two different values.
///
/// # Security
///
/// Anybody can write this. To open a skill is to accept it (OR-5.5).
#[derive(Clone, Debug)]
pub struct OwnAssertion {
    keys: Arc<[String]>,
}

impl OwnAssertion {
    pub(in crate::on_request) fn new(keys: &[String]) -> Self {
        Self { keys: keys.into() }
    }
}

impl PersonAssertion for OwnAssertion {
    fn acts_for_a_person(&self, message: &IncomingMessage) -> bool {
        acting_for(message, &self.keys).is_some()
    }
}

/// The person that the assistant says it acts for: `metadata[uri].actingFor`.
pub(in crate::on_request) fn acting_for(message: &IncomingMessage, keys: &[String]) -> Option<String> {
    let mut named: Option<String> = None;
    for value in own_values(message, keys) {
        match read_reference(&value) {
            Reference::Absent => {}
            Reference::Malformed => return None,
            Reference::Person(person) if named.as_deref().is_none_or(|other| other == person) => {
                named = Some(person.into_owned());
            }
            Reference::Person(_) => return None,
        }
    }
    named
}

enum Reference<'a> {
    Absent,
    Malformed,
    Person(Cow<'a, str>),
}

fn read_reference(value: &Value) -> Reference<'_> {
    match value.get("actingFor") {
        None | Some(Value::Null) => Reference::Absent,
        Some(Value::String(text)) => match text.trim() {
            person if person.len() <= MAX_REFERENCE && person.chars().any(names_somebody) => {
                Reference::Person(person.into())
            }
            _ => Reference::Malformed,
        },
        Some(_) => Reference::Malformed,
    }
}

fn names_somebody(character: char) -> bool {
    character.is_alphanumeric() && !FILLERS.contains(&character)
}

/// The skills that the caller itself names: `metadata[uri].skillId`.
pub(in crate::on_request) fn named_skills(message: &IncomingMessage, keys: &[String]) -> SkillIds {
    own_values(message, keys)
        .filter_map(|value| value.get("skillId").and_then(Value::as_str).map(str::to_owned))
        .collect()
}

/// What stands under our keys, in the message and in the request.
fn own_values<'a>(message: &'a IncomingMessage, keys: &'a [String]) -> impl Iterator<Item = Value> + 'a {
    keys.iter().flat_map(|key| message.metadata(key))
}

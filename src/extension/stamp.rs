//! What an extension does to an outgoing object.

use std::borrow::Cow;

use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// What an extension does to an [`OutgoingObject`](super::OutgoingObject).
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::Stamp;
///
/// let stamp = Stamp::set(json!({"author": "agent"})).and(Stamp::set_key("https://example.com/old", 1));
/// assert_ne!(stamp, Stamp::keep());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct Stamp {
    pub(crate) set: SmallVec<[(Option<Cow<'static, str>>, Value); 1]>,
    pub(crate) remove: bool,
    pub(crate) withhold: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) added_text: Option<String>,
    pub(crate) id_suffix: Option<String>,
    pub(crate) forbid: Option<String>,
}

impl Stamp {
    /// Leaves the object as it is.
    pub fn keep() -> Self {
        Self::default()
    }

    /// Sets the extension's first key to `value` and lists its URI in `extensions`. A value that
    /// equals what stands there leaves the bytes alone.
    pub fn set(value: impl Into<Value>) -> Self {
        Self { set: smallvec![(None, value.into())], ..Self::default() }
    }

    /// Like [`set`](Self::set), under another of the extension's keys.
    pub fn set_key(key: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        Self { set: smallvec![(Some(key.into()), value.into())], ..Self::default() }
    }

    /// Removes every key of the extension, and its URI from `extensions`. Together with a
    /// [`set`](Self::set) only what is not set goes.
    pub fn remove() -> Self {
        Self { remove: true, ..Self::default() }
    }

    /// Replaces all that the object holds by one text, and removes the extension's keys and URI. For what
    /// this caller must not get, though the reply may go out. A value that the same stamp
    /// [sets](Self::set) leaves with the text. An empty text leaves no Part at all: for later chunks of
    /// what was withheld before.
    ///
    /// Said of an [absent](super::OutgoingObject::is_absent) message, it makes one with this text.
    pub fn withhold(text: impl Into<String>) -> Self {
        Self { withhold: Some(text.into()), ..Self::default() }
    }

    /// Puts one text Part in the place of the object's text Parts; all its other Parts and members stay.
    /// For words that are not true. [`withhold`](Self::withhold) wins over it.
    pub fn with_text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Adds one text Part behind the object's own. For what a reader must learn beside the agent's words.
    pub fn add_text(text: impl Into<String>) -> Self {
        Self { added_text: Some(text.into()), ..Self::default() }
    }

    /// Names a message that is made where there was none: its `messageId` is the task's id, `-` and this,
    /// so that every poll of the task shows the same.
    pub fn with_id_suffix(mut self, suffix: impl Into<String>) -> Self {
        self.id_suffix = Some(suffix.into());
        self
    }

    /// Stops the reply: the caller gets `InvalidAgentResponseError`, or the stream ends. The
    /// exception; where it can be, [`withhold`](Self::withhold) is better. `why` is for the
    /// observer, the caller does not see it. Wins over everything.
    pub fn forbid(why: impl Into<String>) -> Self {
        Self { forbid: Some(why.into()), ..Self::default() }
    }

    /// Does both.
    pub fn and(mut self, other: Self) -> Self {
        self.set.extend(other.set);
        Self {
            set: self.set,
            remove: self.remove || other.remove,
            withhold: self.withhold.or(other.withhold),
            text: self.text.or(other.text),
            added_text: self.added_text.or(other.added_text),
            id_suffix: self.id_suffix.or(other.id_suffix),
            forbid: self.forbid.or(other.forbid),
        }
    }
}

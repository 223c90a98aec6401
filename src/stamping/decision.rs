//! What the extensions decided about one object.

use serde_json::Value;
use smallvec::SmallVec;

/// What is done to one object.
#[derive(Debug, Default)]
pub(super) struct ObjectDecision {
    /// Each key at most once.
    pub(super) sets: KeySets,
    /// Keys to remove, unless they are set.
    pub(super) removed_keys: SmallVec<[usize; 2]>,
    pub(super) listed: SmallVec<[ListedUri; 2]>,
    pub(super) removed_uris: SmallVec<[usize; 2]>,
    /// The text that stands for the object's content.
    pub(super) withheld: Option<String>,
    /// The text that stands for its text Parts.
    pub(super) text: Option<String>,
    /// A text Part behind the object's own.
    pub(super) added_text: Option<String>,
    /// How a message is named that is made where there was none.
    pub(super) id_suffix: Option<String>,
    /// What leaves with the text of an object that is withheld.
    pub(super) own: OwnSets,
}

/// What is set on one object: most extensions set one value.
pub(super) type KeySets = SmallVec<[KeySet; 1]>;

impl ObjectDecision {
    /// Forgets what was decided about another object.
    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.removed_keys.clear();
        self.listed.clear();
        self.removed_uris.clear();
        self.withheld = None;
        self.text = None;
        self.added_text = None;
        self.id_suffix = None;
        self.own = OwnSets::default();
    }
}

/// What the extensions that withhold an object set on it.
#[derive(Debug, Default)]
pub(super) struct OwnSets {
    pub(super) sets: KeySets,
    pub(super) listed: SmallVec<[ListedUri; 2]>,
}

/// One key and its value.
#[derive(Debug, PartialEq)]
pub(super) struct KeySet {
    pub(super) key: usize,
    pub(super) value: Value,
}

/// A URI to list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ListedUri {
    /// As the client asked for it.
    pub(super) uri: usize,
    /// Whose URI it is; the other spellings go.
    pub(super) extension: usize,
}

/// An extension stops the document, for this reason.
#[derive(Debug)]
pub(super) struct Forbidden(pub(super) String);

/// The words that an object gets.
pub(super) struct NewWords {
    /// They come in the place of its text Parts.
    pub(super) instead: Option<String>,
    /// They come behind all its Parts.
    pub(super) behind: Option<String>,
}

impl NewWords {
    pub(super) fn take(decision: &mut ObjectDecision) -> Option<Self> {
        let words = Self { instead: decision.text.take(), behind: decision.added_text.take() };
        (words.instead.is_some() || words.behind.is_some()).then_some(words)
    }
}

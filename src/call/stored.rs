//! What is active on a call, in a form that outlives it.

use serde::{Deserialize, Serialize};

use super::ActivatedExtensions;

/// The extensions that are active on a call, to be kept beside a push configuration or in a session
/// of a custom binding.
///
/// It serialises as a plain array of URIs, as the client spelled them. Made a call again by
/// [`ReplyFilter::call_for`](crate::ReplyFilter::call_for); what the card does not declare by then
/// is ignored.
///
/// ```
/// use tower_a2a_extensions::StoredActivation;
///
/// let stored = StoredActivation::from_iter(["https://example.com/mood/v1"]);
/// let json = serde_json::to_string(&stored)?;
/// assert_eq!(json, r#"["https://example.com/mood/v1"]"#);
/// assert_eq!(serde_json::from_str::<StoredActivation>(&json)?, stored);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(transparent)]
pub struct StoredActivation(Vec<String>);

impl StoredActivation {
    /// The URIs in client order.
    pub fn uris(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether nothing was active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// URIs that a client asked for by other means than the header.
impl<S: Into<String>> FromIterator<S> for StoredActivation {
    fn from_iter<I: IntoIterator<Item = S>>(uris: I) -> Self {
        Self(uris.into_iter().map(Into::into).collect())
    }
}

impl ActivatedExtensions {
    /// What is active now, to be stored. Handlers that still [`decline`](Self::decline) something
    /// do that first.
    #[must_use]
    pub fn to_stored(&self) -> StoredActivation {
        self.iter().map(|uri| uri.as_str()).collect()
    }
}

//! What agents say is active though the card does not declare it.

use std::sync::{Mutex, PoisonError};

use crate::uri::ExtensionUri;

/// More are not told of.
const MAX_CLAIMED: usize = 64;

/// The URIs that were told of, each once for a layer: an agent says the same in every reply.
#[derive(Default)]
pub(super) struct ClaimedUris(Mutex<Vec<ExtensionUri>>);

impl ClaimedUris {
    pub(super) fn note(&self, uri: &ExtensionUri) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = told.len() < MAX_CLAIMED && !told.contains(uri);
        if is_new {
            told.push(uri.clone());
        }
        is_new
    }
}

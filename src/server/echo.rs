//! What the echo of a reply says beside, or against, the agent's own.

use http::HeaderMap;

use super::admission::AdmittedCall;
use crate::call::A2aCall;
use crate::negotiation::requested_members;
use crate::observer::ExtensionsEvent;
use crate::uri::ExtensionUri;

impl AdmittedCall {
    /// Tells the observer where the agent's own echo names what no card around it declares. One SDK adds
    /// extensions to its card after that was handed over.
    pub(super) fn notice_claims(&self, headers: &HeaderMap) {
        if self.config.setup.observer.is_none() {
            return;
        }
        let calls = [self.outer(), Some(&self.call), self.call.inner()];
        let is_declared =
            |uri: &str| calls.iter().flatten().any(|call: &&A2aCall| call.setup().declared.index_of(uri).is_some());
        let named = requested_members(headers).filter_map(|member| std::str::from_utf8(member).ok());
        for uri in named.filter(|uri| !is_declared(uri)).filter_map(|uri| ExtensionUri::new(uri).ok()) {
            if self.config.claimed.note(&uri) {
                let what = "the agent says that it is active, but the card does not declare it: it was not echoed";
                self.call.observe(&ExtensionsEvent::noticed(&uri, what));
            }
        }
    }

    /// Whether this layer implements the extension, under any of its spellings.
    pub(super) fn implements(&self, uri: &ExtensionUri) -> bool {
        let index = self.config.setup.declared.index_of(uri.as_str());
        index.is_some_and(|index| self.config.extensions.iter().any(|one| one.index == index))
    }
}

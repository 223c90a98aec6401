//! What goes out: finding the objects in a reply, asking the extensions, changing only what they
//! decide. Everything here is pure: bytes in, slices of the same bytes with changes between out.

use std::sync::Arc;

use bytes::Bytes;

use crate::call::A2aCall;
use crate::extension::A2aExtension;
use crate::uri::ExtensionUri;

/// One installed extension, ready to be asked.
pub(crate) struct StampingExtension {
    pub(crate) extension: Arc<dyn A2aExtension>,
    /// Its place among the declared ones, see [`Activation`](crate::negotiation::Activation).
    pub(crate) index: usize,
    pub(crate) uri: ExtensionUri,
    pub(crate) aliases: Vec<ExtensionUri>,
    pub(crate) keys: Vec<String>,
}

/// Stamps replies with the decisions of the installed extensions.
#[derive(Clone)]
pub(crate) struct ReplyStamper {
    extensions: Arc<[StampingExtension]>,
}

/// What became of one document or event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stamped {
    /// Nothing was to be changed: the same bytes go on.
    Unchanged,
    /// The bytes to send instead: slices of the original with changes between.
    Changed(Vec<Bytes>),
    /// It cannot be read, holds no managed key, and goes on as it is. Why, for the observer.
    Unstamped(&'static str),
    /// It must not leave. Why, for the observer.
    Stopped(String),
}

impl ReplyStamper {
    pub(crate) fn new(extensions: Vec<StampingExtension>) -> Self {
        Self { extensions: extensions.into() }
    }

    /// Whether there is a key that could have to be added or removed.
    pub(crate) fn manages_anything(&self) -> bool {
        self.extensions.iter().any(|one| !one.keys.is_empty())
    }

    /// Stamps one JSON document: a reply, the payload of an event, or a push notification.
    /// `adding` is false for replies that report an error: then nothing is added, only removed.
    pub(crate) fn document(&self, _document: &Bytes, _call: &A2aCall, _rules: DocumentRules) -> Stamped {
        Stamped::Unchanged
    }
}
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocumentRules {
    pub(crate) adding: bool,
    pub(crate) operation: bool,
}
pub(crate) struct KeySearch;
pub(crate) struct KeyHit;
impl KeySearch {
    pub(crate) fn push(&mut self, _c: &Bytes, _o: &mut std::collections::VecDeque<Bytes>) -> Result<(), KeyHit> {
        Ok(())
    }
    pub(crate) fn finish(&mut self, _o: &mut std::collections::VecDeque<Bytes>) {}
}
pub(crate) struct EventStamper;
pub(crate) struct StreamStop {
    pub(crate) why: String,
}
impl EventStamper {
    pub(crate) fn push(
        &mut self,
        _c: Bytes,
        _s: &ReplyStamper,
        _: &A2aCall,
        _o: &mut std::collections::VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        Ok(())
    }
    pub(crate) fn finish(
        &mut self,
        _s: &ReplyStamper,
        _: &A2aCall,
        _o: &mut std::collections::VecDeque<Bytes>,
    ) -> Result<(), StreamStop> {
        Ok(())
    }
}
impl ReplyStamper {
    pub(crate) fn key_search(&self) -> KeySearch {
        KeySearch
    }
    pub(crate) fn events(&self, _: usize) -> EventStamper {
        EventStamper
    }
    pub(crate) fn whole_stream(&self, _: &Bytes, _: &A2aCall, _: usize) -> Result<Vec<Bytes>, String> {
        Ok(vec![])
    }
}

//! What goes out: finding the objects in a reply, asking the extensions, changing only what they
//! decide. Everything here is pure: bytes in, slices of the same bytes with changes between out.
//!
//! *Adding fails open, withholding fails closed.* A document goes through four steps:
//! [`places`] finds every outgoing object in one pass, [`decide`] asks the extensions about each,
//! [`object_edits`] turns the answers into edits, and [`splice`] cuts the document at them.
//! [`sse`] does the same event by event. Where a body cannot be read, [`search`] looks for the
//! extensions' keys in the raw bytes, so that nothing leaves that should have been removed.

mod ask;
mod decide;
mod decision;
mod document;
mod enclosing;
mod filter;
#[cfg(feature = "grpc")]
mod grpc;
mod hidden;
mod member_text;
mod misshapen;
mod names;
mod object_edits;
mod places;
mod search;
mod splice;
mod sse;
mod text_parts;
mod withheld;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

pub use self::filter::{PayloadStopKind, PayloadStoppedError, ReplyFilter};
#[cfg(feature = "grpc")]
pub(crate) use self::grpc::FrameStamper;
use self::names::ManagedNames;
pub(crate) use self::search::{KeySearch, Searched};
pub(crate) use self::sse::{EventStamper, StreamStop};
use crate::call::A2aCall;
use crate::extension::A2aExtension;
use crate::shield::shielded;
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

/// Stamps replies with the decisions of the installed extensions. A clone is a pointer.
#[derive(Clone)]
pub(crate) struct ReplyStamper(Arc<StampingSetup>);

struct StampingSetup {
    extensions: Vec<StampingExtension>,
    names: Arc<ManagedNames>,
    /// Those of extensions with a gate: what they mark may be for one caller only.
    guarded: Arc<ManagedNames>,
}

/// What the server knows about a document that its bytes do not say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct DocumentRules {
    /// Whether anything may be added. False for replies that report an error: from those things
    /// are only removed.
    pub(crate) adding: bool,
    /// Whether it is the reply to an operation other than a card. If so, a document of no known
    /// shape that has a managed key as an object key is stopped.
    pub(crate) operation: bool,
}

/// What leaves instead of one document or frame; a short frame is one piece.
pub(crate) type StampedPieces = SmallVec<[Bytes; 1]>;

/// What became of one document or event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stamped {
    /// Nothing was to be changed: the same bytes go on.
    Unchanged,
    /// The bytes to send instead: slices of the original with changes between.
    Changed(StampedPieces),
    /// It cannot be read, holds no managed key, and goes on as it is. Why, for the observer.
    Unstamped(&'static str),
    /// It must not leave. Why, for the observer.
    Stopped(String),
}

impl ReplyStamper {
    pub(crate) fn new(extensions: Vec<StampingExtension>) -> Self {
        let names = Arc::new(ManagedNames::new(&extensions));
        let guarding = extensions.iter().filter(|one| one.extension.gate().is_some());
        let guarded = Arc::new(ManagedNames::new(guarding));
        Self(Arc::new(StampingSetup { extensions, names, guarded }))
    }

    /// Whether there is a key or URI that could have to be added or removed.
    pub(crate) fn manages_anything(&self) -> bool {
        !self.0.names.is_empty()
    }

    /// Tells the extensions that a payload comes. One that panics has seen nothing.
    pub(super) fn begin_payload(&self, call: &A2aCall) {
        for one in &self.0.extensions {
            drop(shielded(|| one.extension.begin_payload(call)));
        }
    }

    /// Whether an extension has a gate, so that what it marks may be for one caller only.
    pub(crate) fn guards_anything(&self) -> bool {
        !self.0.guarded.is_empty()
    }

    /// Whether an installed extension is active on the call, so that something may be added.
    pub(crate) fn may_add(&self, call: &A2aCall) -> bool {
        self.0.extensions.iter().any(|one| call.activation().is_active(one.index))
    }

    /// A search for the managed keys, for bodies that are not parsed.
    pub(crate) fn key_search(&self) -> KeySearch {
        KeySearch::new(Arc::clone(&self.0.names))
    }

    /// Stamps one JSON document: a reply, the payload of an event, or a push notification.
    ///
    /// What could not be added to single objects is told to the call's observer; what is returned
    /// as [`Stamped::Unstamped`] and [`Stamped::Stopped`] is for the caller to tell.
    pub(crate) fn document(&self, document: &Bytes, call: &A2aCall, rules: DocumentRules) -> Stamped {
        match self.edits(document, call, rules) {
            document::Edited::Edits(edits) if edits.list.is_empty() => Stamped::Unchanged,
            document::Edited::Edits(edits) => Stamped::Changed(splice::splice(document, edits)),
            document::Edited::Unstamped(why) => Stamped::Unstamped(why),
            document::Edited::Stopped(why) => Stamped::Stopped(why),
        }
    }
}

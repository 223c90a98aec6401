//! The trait that every extension implements, ours and yours.

mod gate;
mod object;
mod stamp;

use std::any::Any;
use std::borrow::Cow;

pub use self::gate::{Answer, Gate, GateFuture, MessageGate};
pub(crate) use self::object::ObjectText;
pub use self::object::{ObjectKind, OutgoingObject};
pub use self::stamp::Stamp;
use crate::call::{A2aCall, CallFacts};
use crate::card::{AgentCard, DeclaredExtension};
use crate::findings::Findings;
use crate::uri::ExtensionUri;

#[doc = include_str!("extension/guide.md")]
pub trait A2aExtension: Any + Send + Sync {
    /// The URI that the card declares and clients ask for.
    fn uri(&self) -> ExtensionUri;

    /// Other URIs of the same extension, for example after a renaming; each is compared exactly. At
    /// most 255, and none that another extension of the layer goes by.
    fn aliases(&self) -> Vec<ExtensionUri> {
        Vec::new()
    }

    /// The keys of `metadata` that belong to this extension. [`Stamp::set`] writes the first, and
    /// [`Stamp::remove`] removes all. By default the URI is the only one. At least one, and none
    /// that another extension of the layer owns.
    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        vec![self.uri().into()]
    }

    /// Reads what the card declares. Called once for each build; an error in `findings` stops it.
    fn bind(&mut self, card: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
        let _ = (card, declared, findings);
    }

    /// Sees every request before its body is read, whether or not the extension is active, and
    /// may keep in a [slot](A2aCall::slot) what gate, handler and stamp need of its head. Payloads
    /// of a [`ReplyFilter`](crate::ReplyFilter) have no head: it is not called for them.
    fn begin(&self, facts: &CallFacts<'_>, call: &A2aCall) {
        let _ = (facts, call);
    }

    /// Sees the call of a payload of a [`ReplyFilter`](crate::ReplyFilter) before it is stamped.
    fn begin_payload(&self, call: &A2aCall) {
        let _ = call;
    }

    /// Whether a client that asked for the extension gets it on this request. Not asked for an
    /// extension that the card requires.
    fn activate(&self, facts: &CallFacts<'_>) -> bool {
        let _ = facts;
        true
    }

    /// The gate that every message passes, if there is one. Whether there is one is settled at
    /// build; it is asked for again for each message. There is no default, so that a gate cannot
    /// be forgotten.
    fn gate(&self) -> Option<&dyn MessageGate>;

    /// What an outgoing object carries. Called for every outgoing Message, `status.message`,
    /// Artifact and agent message of `history`, whether the extension is active or not; never for
    /// a message of the user. An object whose content another extension withholds is asked about
    /// [once more](OutgoingObject::is_withheld). Where one of the extension's keys stands elsewhere, on a
    /// Task, an event or a Part, it is asked about that as [`ObjectKind::Enclosing`].
    fn stamp(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp;
}

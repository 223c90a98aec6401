//! The handle by which a handler hands over envelopes.

use std::fmt;
use std::sync::Arc;

use super::CONVERSE_URI;
use super::card::ConverseDeclaration;
use super::envelope::Envelope;
use super::extension::Converse;
use super::slot::{ConverseSlot, MAX_ENVELOPES};
use crate::call::A2aCall;
use crate::observer::ExtensionsEvent;

/// What the reply to one call says of itself. A clone is a pointer.
///
/// With the feature `axum` it is an extractor; elsewhere it is made [of the call](Self::of). The
/// handler hands over one envelope for the whole reply, or one for an object by its id:
///
/// ```
/// # #[cfg(feature = "axum")] {
/// use axum::Json;
/// use serde_json::{Value, json};
/// use tower_a2a_extensions::ConverseReply;
/// use tower_a2a_extensions::converse::{Author, Citation, Envelope, EnvelopeError, Ownership};
///
/// async fn agent(reply: ConverseReply, Json(_): Json<Value>) -> Json<Value> {
///     let envelope = Envelope::builder(Author::Agent)
///         .ownership(Ownership::ai_owned())
///         .citation(Citation::new("doc-4", "chunk-1", "Menu"))
///         .build();
///     // Whatever comes of the envelope, the guest gets the answer.
///     if let Ok(envelope) = envelope {
///         reply.set(envelope);
///     }
///     Json(json!({"message": {"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": "Fish and chips."}]}}))
/// }
/// # }
/// ```
///
/// The layer stamps when a reply leaves. While a stream runs, what is set before an event is yielded
/// is what the event carries, and the next event can carry another. Where a channel stands between
/// the agent and the stream, an event may leave later than the agent goes on, and all of them would
/// carry the last envelope: there, [write it into](Envelope::write_into) the object that is sent. The
/// same holds over gRPC: tonic encodes all items that are ready before the first leaves. There, hand
/// it over [by id](Self::set_for).
///
/// # Which envelope an object carries
///
/// 1. the one that was handed over for its id;
/// 2. one that the agent wrote itself under the extension's URI, if it can be read;
/// 3. the one that was handed over for the reply, except on messages of `history`, which are of other
///    turns: those say that no assessment was recorded, and name no author. Where something was [withheld or refused](A2aCall::has_withheld) only its author and
///    ownership, since the rest may tell of that;
/// 4. the [fallback](super::Converse::fallback).
///
/// While the client has not activated the extension, none leaves, whatever is set.
#[derive(Clone)]
pub struct ConverseReply {
    call: A2aCall,
    slot: Arc<ConverseSlot>,
}

impl ConverseReply {
    /// The most envelopes by id that one call keeps: 1024.
    pub const MAX_ENVELOPES: usize = MAX_ENVELOPES;

    /// The handle of a call. Also of a [`ReplyFilter`](crate::ReplyFilter)'s, for what a push payload
    /// or a binding of your own carries:
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tower_a2a_extensions::converse::{Author, CONVERSE_URI, ConverseDeclaration, Envelope, McpEndpoint};
    /// use tower_a2a_extensions::{A2aExtensionsLayer, ConverseReply, StoredActivation};
    ///
    /// let converse = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
    /// let card = json!({"name": "Clerk", "capabilities": {"extensions": [converse]}, "skills": []});
    /// let filter = A2aExtensionsLayer::new(card)?.filter();
    ///
    /// let call = filter.call_for(&StoredActivation::from_iter([CONVERSE_URI.as_str()]));
    /// ConverseReply::of(&call).set(Envelope::not_recorded(Author::Human));
    /// let event = json!({"message": {"messageId": "m-1", "role": "ROLE_AGENT", "parts": []}});
    /// let sent: Value = serde_json::from_slice(&filter.stamp(event.to_string(), &call)?)?;
    /// assert_eq!(sent["message"]["metadata"][CONVERSE_URI.as_str()]["author"], "human");
    /// # Ok::<(), tower_a2a_extensions::BoxError>(())
    /// ```
    ///
    /// On a call of a layer without Converse, and on a [detached](A2aCall::detached) one, what is set
    /// goes nowhere.
    #[must_use]
    pub fn of(call: &A2aCall) -> Self {
        Self { call: call.clone(), slot: call.slot() }
    }

    /// Whether the client gets envelopes. What costs much to find out need not be found out otherwise.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.call.activated().contains(CONVERSE_URI.as_str())
    }

    /// What the card declares: the routines, and how an input of theirs is read. `None` where the
    /// layer has no Converse.
    ///
    /// ```
    /// use serde_json::Value;
    /// use tower_a2a_extensions::ConverseReply;
    /// use tower_a2a_extensions::converse::{Author, Envelope, EnvelopeError, Invocation, Ownership};
    ///
    /// /// What a typed call of `book_table` comes to, and what the reply says of it.
    /// fn called(reply: &ConverseReply, data: &Value) -> Result<Option<u64>, EnvelopeError> {
    ///     let Some(declared) = reply.declaration() else { return Ok(None) };
    ///     let (invocation, guests) = match declared.read_value("book_table", data) {
    ///         Ok(input) => return Ok(input.get("partySize").and_then(Value::as_u64)),
    ///         Err(error) => (Invocation::from(&error), None),
    ///     };
    ///     let envelope = Envelope::builder(Author::Agent).ownership(Ownership::ai_owned()).invocation(invocation);
    ///     reply.set(envelope.build()?);
    ///     Ok(guests)
    /// }
    ///
    /// let nowhere = ConverseReply::of(&tower_a2a_extensions::A2aCall::detached());
    /// assert_eq!(called(&nowhere, &Value::Null), Ok(None));
    /// ```
    #[must_use]
    pub fn declaration(&self) -> Option<&ConverseDeclaration> {
        self.call.extension::<Converse>()?.declaration()
    }

    /// Sets the envelope of the reply, from now on.
    ///
    /// What a routine of the card waits for gets the card's description of its slot, if it has none.
    pub fn set(&self, envelope: Envelope) {
        self.slot.set(&self.completed(envelope));
    }

    /// Sets the envelope of every object with this `messageId` or `artifactId`, from now on.
    ///
    /// An artifact's id is its own only within its task: in a list of tasks two may have the same.
    ///
    /// # Errors
    ///
    /// [`EnvelopeLimitError`] where the call keeps [as many](Self::MAX_ENVELOPES) for other ids. The
    /// object leaves all the same, with the envelope that it has without this one.
    pub fn set_for(&self, id: impl Into<String>, envelope: Envelope) -> Result<(), EnvelopeLimitError> {
        if self.slot.set_for(id.into(), &self.completed(envelope)) { Ok(()) } else { Err(EnvelopeLimitError) }
    }

    /// Adds what the card knows, and tells the observer of what is odd.
    fn completed(&self, mut envelope: Envelope) -> Envelope {
        if let Some(declared) = self.declaration() {
            envelope.describe_slots(declared);
        }
        if let Some(oddity) = envelope.oddities().first().filter(|_| self.slot.is_first_oddity()) {
            self.call.observe(&ExtensionsEvent::noticed(&CONVERSE_URI, format!("an envelope is odd: {oddity}")));
        }
        envelope
    }

    /// Forgets the envelope of this id: in a long stream, once its event cannot be under way any more.
    pub fn remove_for(&self, id: &str) {
        self.slot.remove_for(id);
    }
}

/// Shows the call, no envelope.
impl fmt::Debug for ConverseReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConverseReply").field("call", &self.call).finish_non_exhaustive()
    }
}

/// The call keeps [as many envelopes by id](ConverseReply::MAX_ENVELOPES) as it can.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct EnvelopeLimitError;

impl fmt::Display for EnvelopeLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a call keeps no more than {MAX_ENVELOPES} envelopes by id")
    }
}

impl std::error::Error for EnvelopeLimitError {}

//! The filter that replies pass, as a plain function.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::document::is_whole;
use super::{DocumentRules, ReplyStamper, Stamped};
use crate::call::{A2aCall, CallSetup, StoredActivation};
use crate::negotiation::Activation;
use crate::observer::ExtensionsEvent;

/// What an agent sends is the answer to an operation, whichever way it goes.
const PAYLOAD: DocumentRules = DocumentRules { adding: true, operation: true };

/// Does to one JSON payload what the layer does to a reply: for push notifications and bindings of
/// your own, which do not go through the layer.
///
/// Made by [`A2aExtensionsLayer::filter`](crate::A2aExtensionsLayer::filter). A clone is a pointer;
/// no server and no runtime is needed. A payload is a `StreamResponse`, a bare Task (0.3's push
/// notifications), a JSON-RPC response or anything else that A2A sends as a reply.
///
/// A webhook sender keeps [what was active](StoredActivation) when its client asked for push
/// notifications, and stamps what it sends:
///
/// ```
/// use bytes::Bytes;
/// use tower_a2a_extensions::{A2aCall, ActivatedExtensions, PayloadStoppedError, ReplyFilter, StoredActivation};
/// # use serde_json::json;
/// # use tower_a2a_extensions::{A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OutgoingObject, Stamp};
/// # struct Mood;
/// # impl A2aExtension for Mood {
/// #     fn uri(&self) -> ExtensionUri { ExtensionUri::from_static("https://example.com/mood/v1") }
/// #     fn gate(&self) -> Option<&dyn MessageGate> { None }
/// #     fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
/// #         if object.is_active() { Stamp::set("calm") } else { Stamp::remove() }
/// #     }
/// # }
/// # let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": "https://example.com/mood/v1"}]}});
/// # let layer = A2aExtensionsLayer::builder(card).extension(Mood).build()?;
///
/// /// A row of the table of push configurations.
/// struct PushConfig {
///     url: String,
///     active: String,
/// }
///
/// fn subscribe(url: &str, activated: &ActivatedExtensions) -> serde_json::Result<PushConfig> {
///     Ok(PushConfig { url: url.to_owned(), active: serde_json::to_string(&activated.to_stored())? })
/// }
///
/// /// One for each task and configuration: it remembers what was withheld.
/// fn push_call(filter: &ReplyFilter, config: &PushConfig) -> A2aCall {
///     filter.call_for(&serde_json::from_str::<StoredActivation>(&config.active).unwrap_or_default())
/// }
///
/// fn push_body(filter: &ReplyFilter, call: &A2aCall, event: &str) -> Result<Bytes, PayloadStoppedError> {
///     filter.stamp(event.to_owned(), call) // what is an error here is not sent
/// }
///
/// let filter = layer.filter();
/// let asked = filter.call_for(&StoredActivation::from_iter(["https://example.com/mood/v1"]));
/// let config = subscribe("https://client.example.com/push", &asked.activated())?;
/// assert_eq!(config.active, r#"["https://example.com/mood/v1"]"#);
///
/// let event = r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[]}}}"#;
/// let body = push_body(&filter, &push_call(&filter, &config), event)?;
/// let sent: serde_json::Value = serde_json::from_slice(&body)?;
/// assert_eq!(sent["artifactUpdate"]["artifact"]["metadata"]["https://example.com/mood/v1"], "calm");
///
/// // A client that asked for nothing gets the agent's own bytes.
/// assert_eq!(push_body(&filter, &filter.call_for(&StoredActivation::default()), event)?, event);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Security
///
/// It strips, withholds and stops as in a reply. Nobody is known to ask for a payload: a call made
/// of what was stored holds no permit and is nobody's, so what was given to somebody is withheld
/// from its payloads.
#[derive(Clone)]
pub struct ReplyFilter {
    stamper: ReplyStamper,
    setup: Arc<CallSetup>,
    max_document: usize,
}

impl ReplyFilter {
    pub(crate) fn new(stamper: ReplyStamper, setup: Arc<CallSetup>, max_document: usize) -> Self {
        Self { stamper, setup, max_document }
    }

    /// A call of this layer on which the stored extensions are active, as far as the card still
    /// declares them. No extension sees a request head for it.
    ///
    /// Keep it for the payloads of one task to one client: what an extension withholds of an
    /// artifact it also withholds of that artifact's later chunks.
    #[must_use]
    pub fn call_for(&self, stored: &StoredActivation) -> A2aCall {
        let uris = stored.uris().map(str::as_bytes);
        A2aCall::nobodys(Arc::clone(&self.setup), Activation::negotiate(&self.setup.declared, uris))
    }

    /// The payload as it may leave for the client of `call`. Where nothing is to be changed, and
    /// where it cannot be read but holds no key of an extension, these are the same bytes.
    ///
    /// If another layer made the call, only its active URIs count.
    ///
    /// # Errors
    ///
    /// [`PayloadStoppedError`] where it must not leave. Why is told to the layer's observer.
    pub fn stamp(&self, payload: impl Into<Bytes>, call: &A2aCall) -> Result<Bytes, PayloadStoppedError> {
        let payload = payload.into();
        if !self.stamper.manages_anything() {
            return Ok(payload);
        }
        let call = self.own(call);
        self.stamper.begin_payload(&call);
        if payload.len() > self.max_document {
            return self.unread(payload, &call);
        }
        match self.stamper.document(&payload, &call, PAYLOAD) {
            Stamped::Unchanged => Ok(payload),
            Stamped::Changed(slices) => Ok(slices.concat().into()),
            Stamped::Unstamped(why) => {
                call.observe(&ExtensionsEvent::LeftUnstamped { why: why.into() });
                Ok(payload)
            }
            Stamped::Stopped(why) => {
                let kind = if is_whole(&payload) { PayloadStopKind::Forbidden } else { PayloadStopKind::Unreadable };
                Err(stopped(&call, &why, kind))
            }
        }
    }

    /// A payload that is too long to be held and changed.
    fn unread(&self, payload: Bytes, call: &A2aCall) -> Result<Bytes, PayloadStoppedError> {
        if call.is_watched() || self.stamper.guards_anything() || self.stamper.has_managed_key(&payload) {
            let why = "a payload over the limit may have an extension's metadata key, or follows what was withheld";
            return Err(stopped(call, why, PayloadStopKind::TooLarge));
        }
        if self.stamper.may_add(call) {
            let why = "a payload is longer than the limit".into();
            call.observe(&ExtensionsEvent::LeftUnstamped { why });
        }
        Ok(payload)
    }

    /// The call as this layer knows it: what is active is kept by place, and places differ.
    fn own(&self, call: &A2aCall) -> A2aCall {
        let own = [Some(call), call.inner()].into_iter().flatten().find(|call| call.is_of(&self.setup));
        own.cloned().unwrap_or_else(|| self.call_for(&call.activated().to_stored()))
    }
}

fn stopped(call: &A2aCall, why: &str, kind: PayloadStopKind) -> PayloadStoppedError {
    call.observe(&ExtensionsEvent::Stopped { why: why.to_owned().into() });
    PayloadStoppedError(kind)
}

impl fmt::Debug for ReplyFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplyFilter").field("max_document", &self.max_document).finish_non_exhaustive()
    }
}

/// A payload must not leave. It says nothing of what the payload holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PayloadStoppedError(PayloadStopKind);

impl PayloadStoppedError {
    /// What kind of stop it is.
    #[must_use]
    pub fn kind(&self) -> PayloadStopKind {
        self.0
    }
}

/// Why a payload must not leave.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum PayloadStopKind {
    /// An extension forbids it, or its key stands where A2A has no `metadata`.
    Forbidden,
    /// It cannot be read, and holds an extension's key.
    Unreadable,
    /// It is longer than `max_response_document`, and holds an extension's key.
    TooLarge,
}

impl fmt::Display for PayloadStoppedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            PayloadStopKind::Forbidden => "the payload holds what must not leave",
            PayloadStopKind::Unreadable => "the payload cannot be read, and holds an extension's key",
            PayloadStopKind::TooLarge => "the payload is too long to be changed, and holds an extension's key",
        })
    }
}

impl std::error::Error for PayloadStoppedError {}

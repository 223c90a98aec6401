//! One call: what gate, handler and stamp share.

mod caching;
mod facts;
mod registry;
mod stored;
mod withholding;

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use http::{Extensions, HeaderMap};

use self::caching::CachingBan;
pub use self::facts::CallFacts;
pub(crate) use self::registry::CALL_KEY;
use self::registry::Registration;
pub use self::registry::{CallRegistry, HeaderLookup};
pub use self::stored::StoredActivation;
use self::withholding::InsteadOfError;
use crate::binding::{Binding, IncomingMessage, ProtocolVersion, ReplyTarget, RequestReading};
use crate::negotiation::{Activation, DeclaredUris, DeclineError};
use crate::observer::{ExtensionsEvent, ExtensionsObserver};
use crate::shield::shielded;
use crate::uri::ExtensionUri;

/// What a layer's calls have in common. The extensions stand here as `dyn Any`, so that this room
/// knows no trait above it.
pub(crate) struct CallSetup {
    pub(crate) declared: DeclaredUris,
    pub(crate) extensions: Vec<Arc<dyn Any + Send + Sync>>,
    pub(crate) observer: Option<Arc<dyn ExtensionsObserver>>,
    pub(crate) decision_timeout: Duration,
    pub(crate) strict: bool,
}

impl Default for CallSetup {
    fn default() -> Self {
        Self {
            declared: DeclaredUris::default(),
            extensions: Vec::new(),
            observer: None,
            decision_timeout: Duration::from_secs(5),
            strict: false,
        }
    }
}

/// Everything known about one call. A clone is a pointer.
///
/// The layer puts one into the [`http::Extensions`] of every request it hands on, and nothing else.
///
/// ```
/// use tower_a2a_extensions::A2aCall;
///
/// let call = A2aCall::detached();
/// assert!(!call.activated().contains("https://example.com/timestamp/v1"));
/// assert_eq!(call.binding(), None);
/// ```
///
/// With the feature `axum` it is an extractor, and so are [`ActivatedExtensions`] and
/// [`OnRequestGuard`](crate::OnRequestGuard):
///
/// ```
/// # #[cfg(feature = "axum")] {
/// use axum::{Json, Router, routing::post};
/// use serde_json::{Value, json};
/// use tower_a2a_extensions::A2aCall;
///
/// async fn agent(call: A2aCall, Json(request): Json<Value>) -> Json<Value> {
///     let asked = call.message().map(|message| message.text().into_owned());
///     Json(json!({"jsonrpc": "2.0", "id": request["id"], "result": {"asked": asked}}))
/// }
///
/// let app: Router = Router::new().route("/a2a/v1", post(agent)); // and then the layer
/// # }
/// ```
#[derive(Clone)]
pub struct A2aCall(Arc<CallState>);

struct CallState {
    setup: Arc<CallSetup>,
    activation: Activation,
    reading: OnceLock<RequestReading>,
    slots: Mutex<Vec<(TypeId, Arc<dyn Any + Send + Sync>)>>,
    registration: OnceLock<Registration>,
    /// The headers by which the client asked, for another layer further in.
    asked: HeaderMap,
    /// The call that another layer further in has made of the same request.
    inner: OnceLock<A2aCall>,
    /// It belongs to no request.
    nobodys: bool,
    /// Something was withheld: what follows in the same reply is looked at, marked or not.
    watched: AtomicBool,
    /// The caller was refused something, and the reply says so.
    refused: AtomicBool,
    /// What the caller gets in place of an error of the agent.
    instead_of_error: OnceLock<InsteadOfError>,
    /// An error of the agent is left alone, whatever was refused.
    keeps_errors: AtomicBool,
    /// How many documents and events of the reply have been looked at.
    documents: AtomicU64,
    /// Whatever leaves is shown to the extensions, marked or not.
    shown: AtomicBool,
    /// The shape of a reply was looked at, and a fault in one was told.
    shape_seen: AtomicBool,
    shape_told: AtomicBool,
    caching: CachingBan,
}

impl A2aCall {
    pub(crate) fn new(setup: Arc<CallSetup>, activation: Activation) -> Self {
        Self::asking(setup, activation, HeaderMap::new())
    }

    /// A call that belongs to no request: whoever reads what it lets through is not known.
    pub(crate) fn nobodys(setup: Arc<CallSetup>, activation: Activation) -> Self {
        Self::with(setup, activation, HeaderMap::new(), true)
    }

    /// A call of a request that asked with these headers.
    pub(crate) fn asking(setup: Arc<CallSetup>, activation: Activation, asked: HeaderMap) -> Self {
        Self::with(setup, activation, asked, false)
    }

    fn with(setup: Arc<CallSetup>, activation: Activation, asked: HeaderMap, nobodys: bool) -> Self {
        Self(Arc::new(CallState {
            setup,
            activation,
            reading: OnceLock::new(),
            slots: Mutex::default(),
            registration: OnceLock::new(),
            asked,
            inner: OnceLock::new(),
            nobodys,
            watched: AtomicBool::new(false),
            refused: AtomicBool::new(false),
            instead_of_error: OnceLock::new(),
            keeps_errors: AtomicBool::new(false),
            documents: AtomicU64::new(0),
            shown: AtomicBool::new(false),
            shape_seen: AtomicBool::new(false),
            shape_told: AtomicBool::new(false),
            caching: CachingBan::default(),
        }))
    }

    /// The call of a request that went through the layer.
    #[must_use]
    pub fn of(extensions: &Extensions) -> Option<&Self> {
        extensions.get()
    }

    /// A call that belongs to no request and no layer: nothing is active, no extension is installed.
    #[must_use]
    pub fn detached() -> Self {
        Self::new(Arc::default(), Activation::default())
    }

    /// The extensions that are active on this call.
    #[must_use]
    pub fn activated(&self) -> ActivatedExtensions {
        ActivatedExtensions(Self::clone(self))
    }

    /// The binding the caller uses, where the layer had to find it out.
    #[must_use]
    pub fn binding(&self) -> Option<Binding> {
        self.0.reading.get().filter(|reading| reading.operation.is_some()).map(|reading| reading.target.binding)
    }

    /// The message that came in, where the layer had to read it: while an extension with a
    /// [gate](crate::A2aExtension::gate) is installed. Else the body goes to the handler unread, and it
    /// reads its own.
    #[must_use]
    pub fn message(&self) -> Option<&IncomingMessage> {
        self.0.reading.get()?.message.as_ref()
    }

    /// The installed extension of type `E`.
    #[must_use]
    pub fn extension<E: Any>(&self) -> Option<&E> {
        self.0.setup.extensions.iter().find_map(|extension| extension.downcast_ref())
    }

    /// This call's `T`, made where it is first asked for.
    ///
    /// `T` must not hold an [`A2aCall`] or something made of one: neither would ever be dropped.
    #[must_use]
    pub fn slot<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut slots = self.0.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let found = slots.iter().find(|(id, _)| *id == TypeId::of::<T>()).map(|(_, slot)| Arc::clone(slot));
        match found.and_then(|slot| slot.downcast().ok()) {
            Some(slot) => slot,
            None => {
                let slot = Arc::new(T::default());
                slots.push((TypeId::of::<T>(), slot.clone()));
                slot
            }
        }
    }

    /// Tells the layer's [`ExtensionsObserver`], if there is one. Its panics end here.
    pub fn observe(&self, event: &ExtensionsEvent<'_>) {
        if let Some(observer) = &self.0.setup.observer {
            // A failing observer must not change what the caller gets.
            drop(shielded(|| observer.observe(event)));
        }
    }

    /// The headers by which the client asked, as they came.
    pub(crate) fn asked(&self) -> &HeaderMap {
        &self.0.asked
    }

    /// Notes the call that another layer further in makes of the same request.
    pub(crate) fn set_inner(&self, inner: &Self) {
        drop(self.0.inner.set(inner.clone()));
    }

    pub(crate) fn inner(&self) -> Option<&Self> {
        self.0.inner.get()
    }

    /// Whether nobody is known to ask: the call is of a [`ReplyFilter`](crate::ReplyFilter).
    #[must_use]
    pub fn is_nobodys(&self) -> bool {
        self.0.nobodys
    }

    /// Whether a layer with this setup made the call.
    pub(crate) fn is_of(&self, setup: &Arc<CallSetup>) -> bool {
        Arc::ptr_eq(&self.0.setup, setup)
    }

    /// The version whose shapes the caller uses, where the layer had to find it out.
    #[must_use]
    pub fn protocol_version(&self) -> Option<ProtocolVersion> {
        self.0.reading.get().filter(|reading| reading.operation.is_some()).map(|reading| reading.target.version)
    }

    /// How long a decision about this call may take.
    #[must_use]
    pub fn decision_timeout(&self) -> Duration {
        self.0.setup.decision_timeout
    }

    /// Whether oddities in the agent's replies are errors.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.0.setup.strict
    }

    pub(crate) fn setup(&self) -> &CallSetup {
        &self.0.setup
    }

    pub(crate) fn activation(&self) -> &Activation {
        &self.0.activation
    }

    /// Keeps what was read of the request. Only the first reading counts.
    pub(crate) fn set_reading(&self, reading: RequestReading) {
        drop(self.0.reading.set(reading));
    }

    pub(crate) fn reading(&self) -> Option<&RequestReading> {
        self.0.reading.get()
    }

    /// Where a reply goes that the layer or a handler makes for this call.
    pub(crate) fn reply_target(&self) -> ReplyTarget {
        let target = self.0.reading.get().map(|reading| reading.target.clone());
        target.unwrap_or_else(ReplyTarget::unread)
    }

    /// The active URIs in client order.
    pub(crate) fn active_uris(&self) -> impl Iterator<Item = &ExtensionUri> {
        self.0.activation.uris(&self.0.setup.declared)
    }
}

/// Shows the binding and what is active, never the message.
impl fmt::Debug for A2aCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let active = self.active_uris().collect::<Vec<_>>();
        f.debug_struct("A2aCall").field("binding", &self.binding()).field("active", &active).finish_non_exhaustive()
    }
}

/// The extensions that are active on one call. A clone is a pointer.
#[derive(Clone, Debug)]
pub struct ActivatedExtensions(A2aCall);

impl ActivatedExtensions {
    /// Whether the extension is active; any of its spellings will do.
    #[must_use]
    pub fn contains(&self, uri: &str) -> bool {
        let index = self.0.setup().declared.index_of(uri);
        index.is_some_and(|index| self.0.activation().is_active(index))
    }

    /// The active URIs in the order and the spelling the client asked for them.
    pub fn iter(&self) -> impl Iterator<Item = &ExtensionUri> {
        self.0.active_uris()
    }

    /// Switches an extension off for this call. What is not active anyway stays so.
    ///
    /// # Errors
    ///
    /// [`DeclineError`] where the head with the echo has left, or the card requires the extension.
    pub fn decline(&self, uri: &str) -> Result<(), DeclineError> {
        let declared = &self.0.setup().declared;
        match declared.index_of(uri) {
            Some(index) if declared.is_required(index) => Err(DeclineError::Required),
            Some(index) => self.0.activation().decline(index),
            None => Ok(()),
        }
    }
}

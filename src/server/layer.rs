//! The layer and its builder.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;
use tower_layer::Layer;

use super::builder::A2aExtensionsBuilder;
use super::config::{LayerConfig, LayerOptions};
use super::service::A2aExtensionsService;
use crate::call::{CallRegistry, CallSetup};
use crate::card::AgentCard;
use crate::findings::{BuildError, Findings};
use crate::stamping::ReplyFilter;

/// Gives the service behind it A2A extension support, in every binding.
///
/// One line on the router that holds the A2A routes:
///
/// ```
/// # use serde_json::json;
/// use axum::{Router, routing::post};
/// use tower_a2a_extensions::A2aExtensionsLayer;
///
/// # let card = json!({"name": "Clerk", "skills": []});
/// let agent: Router = Router::new().route("/a2a/v1", post(async || "…")).layer(A2aExtensionsLayer::new(card)?);
/// # Ok::<(), tower_a2a_extensions::BuildError>(())
/// ```
///
/// Routes that are added after `.layer` are not covered: that is how axum works. Auth goes outside
/// (in axum: a later `.layer` call), and so do compression and decompression; the guide shows the
/// orders. With axum's `nest` it goes around the nested router, not inside: `nest` takes the prefix
/// off the path, and then the paths of the card's interfaces are not known again. Where it has to
/// stand inside, say so with [`mounted_at`](A2aExtensionsBuilder::mounted_at).
///
/// The service behind it is polled ready before `call`, and is held ready while the request's body
/// is read and the gates decide. Limits such as tower's `ConcurrencyLimit` therefore go outside:
/// inside, a client that sends slowly holds a place for up to
/// [`request_body_timeout`](A2aExtensionsBuilder::request_body_timeout).
///
/// There are no type parameters, and a clone is a pointer.
#[derive(Clone)]
pub struct A2aExtensionsLayer {
    config: Arc<LayerConfig>,
}

impl A2aExtensionsLayer {
    pub(super) fn of(config: LayerConfig) -> Self {
        Self { config: Arc::new(config) }
    }

    /// Every extension that the card declares and this crate knows, with its defaults.
    ///
    /// `card` is whatever serialises to an Agent Card: an [`AgentCard`], a [`serde_json::Value`] or
    /// an SDK's card type.
    ///
    /// Any other declared extension is negotiated and echoed, but nothing is stamped, until its
    /// implementation is given with [`extension`](A2aExtensionsBuilder::extension). A
    /// [finding](Self::findings) notes each:
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::{A2aExtensionsLayer, Severity};
    ///
    /// let card = json!({"capabilities": {"extensions": [{"uri": "https://example.com/mood/v1"}]}});
    /// let layer = A2aExtensionsLayer::new(card)?;
    /// let note = layer.findings().iter().next().unwrap();
    /// assert_eq!(note.severity, Severity::Note);
    /// assert!(note.message.contains("nothing is stamped"));
    /// # Ok::<(), tower_a2a_extensions::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every problem of the card.
    pub fn new(card: impl Serialize) -> Result<Self, BuildError> {
        Self::builder(card).build()
    }

    /// Like [`new`](Self::new), with extensions, limits and switches of your own.
    pub fn builder(card: impl Serialize) -> A2aExtensionsBuilder {
        A2aExtensionsBuilder {
            card: AgentCard::from_serialize(card),
            extensions: Vec::new(),
            options: LayerOptions::default(),
            observer: None,
            decision_timeout: CallSetup::default().decision_timeout,
            strict: false,
        }
    }

    /// The register for agents that see headers only, for example SDK executors. Requests carry the
    /// key from the first call of this function on; before it costs nothing.
    #[must_use]
    pub fn calls(&self) -> CallRegistry {
        self.config.registers_calls.store(true, Ordering::Relaxed);
        self.config.registry.clone()
    }

    /// The filter that replies pass, as a plain function: for push notifications and bindings of
    /// your own.
    ///
    /// With the live call of a request to this layer it still lets through what was given to that
    /// request's own caller. With a call made of what was stored it never does: the receiver gets
    /// the referral, and fetches what it was given with `GetTask`.
    #[must_use]
    pub fn filter(&self) -> ReplyFilter {
        let config = &self.config;
        let max_document = config.options.max_response_document;
        ReplyFilter::new(config.stamper.clone(), Arc::clone(&config.setup), max_document)
    }

    /// The warnings and notes of the build. Print them where the layer is built.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.config.findings
    }
}

impl<S> Layer<S> for A2aExtensionsLayer {
    type Service = A2aExtensionsService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        A2aExtensionsService::new(inner, Arc::clone(&self.config))
    }
}

impl fmt::Debug for A2aExtensionsLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aExtensionsLayer").field("keys", &self.config.managed_keys).finish_non_exhaustive()
    }
}

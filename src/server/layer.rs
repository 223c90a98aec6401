//! The layer and its builder.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use http::request;
use serde::Serialize;
use tower_layer::Layer;

use super::build::build_config;
use super::config::{LayerConfig, LayerOptions};
use super::service::A2aExtensionsService;
use crate::call::{CallRegistry, CallSetup};
use crate::card::AgentCard;
use crate::extension::A2aExtension;
use crate::findings::{BuildError, Findings};
use crate::observer::ExtensionsObserver;
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

/// Configures an [`A2aExtensionsLayer`].
///
/// ```
/// # use serde_json::json;
/// use std::time::Duration;
/// use tower_a2a_extensions::A2aExtensionsLayer;
///
/// # let url = "https://clerk.example/a2a";
/// # let interface = json!({"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"});
/// # let card = json!({"name": "Clerk", "skills": [], "supportedInterfaces": [interface]});
/// let layer = A2aExtensionsLayer::builder(card)
///     .max_request_body(256 * 1024)
///     .request_body_timeout(Duration::from_secs(10))
///     .only(|parts| parts.uri.path().starts_with("/a2a/"))
///     .build()?;
/// assert!(layer.findings().is_empty());
/// # Ok::<(), tower_a2a_extensions::BuildError>(())
/// ```
#[must_use]
pub struct A2aExtensionsBuilder {
    pub(super) card: Result<AgentCard, BuildError>,
    pub(super) extensions: Vec<Box<dyn A2aExtension>>,
    pub(super) options: LayerOptions,
    pub(super) observer: Option<Arc<dyn ExtensionsObserver>>,
    pub(super) decision_timeout: Duration,
    pub(super) strict: bool,
}

impl A2aExtensionsBuilder {
    /// Adds an extension. The card has to declare it. On Request is installed with its defaults
    /// where the card declares it and it is not added here.
    pub fn extension(mut self, extension: impl A2aExtension) -> Self {
        self.extensions.push(Box::new(extension));
        self
    }

    /// Looks at requests for which `filter` says yes, and lets all others pass untouched.
    ///
    /// # Security
    ///
    /// What the filter leaves out is not gated and not stripped.
    pub fn only(mut self, filter: impl Fn(&request::Parts) -> bool + Send + Sync + 'static) -> Self {
        self.options.only = Some(Arc::new(filter));
        self
    }

    /// Says what stands before every path that the layer sees, where a router or proxy around it
    /// takes that off, as axum's `nest` does: the card's URLs have it.
    ///
    /// ```
    /// # use serde_json::json;
    /// use axum::{Router, routing::post};
    /// use tower_a2a_extensions::A2aExtensionsLayer;
    ///
    /// let card = json!({
    ///     "name": "Clerk",
    ///     "supportedInterfaces": [
    ///         {"url": "https://clerk.example/a2a/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
    ///     ],
    /// });
    /// let layer = A2aExtensionsLayer::builder(card.clone()).mounted_at("/a2a/rest").build()?;
    /// assert!(layer.findings().is_empty());
    /// let inside: Router = Router::new().route("/message:send", post(async || "…")).layer(layer);
    /// let app: Router = Router::new().nest("/a2a/rest", inside);
    ///
    /// let elsewhere = A2aExtensionsLayer::builder(card).mounted_at("/other").build()?;
    /// assert!(!elsewhere.findings().is_empty(), "the card serves nothing there");
    /// # Ok::<(), tower_a2a_extensions::BuildError>(())
    /// ```
    pub fn mounted_at(mut self, path: impl AsRef<str>) -> Self {
        let path = path.as_ref().trim_matches('/');
        self.options.mount = if path.is_empty() { String::new() } else { format!("/{path}") };
        self
    }

    /// Shows what the layer does to an observer.
    pub fn observer(mut self, observer: impl ExtensionsObserver) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Whether responses name the active extensions in their header. On by default.
    pub fn echo(mut self, echo: bool) -> Self {
        self.options.echo = echo;
        self
    }

    /// Whether oddities in the agent's replies, which are otherwise observed or corrected only, are
    /// errors: marks in wrong places, and shapes that clients of the call cannot read. Never for a list of tasks. Off by default.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Whether requests may change to another protocol, for example a WebSocket. Off by default
    /// while a gate is installed.
    ///
    /// # Security
    ///
    /// Nothing that goes over an upgraded connection is gated, stamped or stripped.
    pub fn allow_upgrades(mut self, allow: bool) -> Self {
        self.options.allow_upgrades = allow;
        self
    }

    /// How many bytes the body of a JSON request or of a gRPC call may have, 2 MiB by default. Longer
    /// ones get 413, over gRPC INVALID_ARGUMENT.
    pub fn max_request_body(mut self, bytes: usize) -> Self {
        self.options.max_request_body = bytes;
        self
    }

    /// How long such a body may take in all, 30 s by default. Slower ones get 408, over gRPC
    /// INVALID_ARGUMENT. It needs tokio's timer; without one a body that is not there at once is
    /// refused.
    pub fn request_body_timeout(mut self, timeout: Duration) -> Self {
        self.options.request_body_timeout = timeout;
        self
    }

    /// How long a decision may take, 5 s by default. Slower ones are referrals. It needs tokio's
    /// timer; without one a decision that waits at all is a referral.
    pub fn decision_timeout(mut self, timeout: Duration) -> Self {
        self.decision_timeout = timeout;
        self
    }

    /// How many bytes of a JSON reply, or of the message of a unary gRPC reply, are held to stamp it,
    /// 16 MiB by default.
    ///
    /// Longer ones leave unstamped, and end where an extension's key shows. Where an extension has a
    /// gate they become an error instead: content stands in front of its mark as a rule, and would
    /// have left before that is seen.
    pub fn max_response_document(mut self, bytes: usize) -> Self {
        self.options.max_response_document = bytes;
        self
    }

    /// How many bytes of one event or gRPC message of a stream are held to stamp it, 1 MiB by default.
    ///
    /// Where an extension has a gate it is the larger of this and
    /// [`max_response_document`](Self::max_response_document), and a longer event ends the stream.
    pub fn max_event(mut self, bytes: usize) -> Self {
        self.options.max_event = bytes;
        self
    }

    /// How long after its request [`CallRegistry`] finds a call, at most, 1 h by default. One that
    /// is gone before, with its reply and every clone, is not found again; one that was found is not
    /// ended by this.
    pub fn guard_ttl(mut self, ttl: Duration) -> Self {
        self.options.guard_ttl = ttl;
        self
    }

    /// Builds the layer.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every problem of card and configuration: a card that is no object, an
    /// extension that is not declared, declared twice or under no valid URI, more than 63
    /// declarations, two extensions with a URI, an alias or a metadata key in common, one without
    /// any key or with more than 255 aliases, and whatever the extensions find, for example On Request its OR-3.1 to 3.9.
    pub fn build(self) -> Result<A2aExtensionsLayer, BuildError> {
        build_config(self).map(|config| A2aExtensionsLayer { config: Arc::new(config) })
    }
}

impl fmt::Debug for A2aExtensionsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aExtensionsBuilder").field("extensions", &self.extensions.len()).finish_non_exhaustive()
    }
}

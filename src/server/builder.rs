//! The builder of the layer: what stands fixed before the first request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::request;

use super::config::LayerOptions;
use crate::card::AgentCard;
use crate::extension::A2aExtension;
use crate::findings::BuildError;
use crate::observer::ExtensionsObserver;

/// Configures an [`A2aExtensionsLayer`](crate::A2aExtensionsLayer).
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

    /// How long after its request [`CallRegistry`](crate::CallRegistry) finds a call, at most, 1 h by default. One that
    /// is gone before, with its reply and every clone, is not found again; one that was found is not
    /// ended by this.
    pub fn guard_ttl(mut self, ttl: Duration) -> Self {
        self.options.guard_ttl = ttl;
        self
    }
}

impl fmt::Debug for A2aExtensionsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("A2aExtensionsBuilder").field("extensions", &self.extensions.len()).finish_non_exhaustive()
    }
}

//! What one built layer knows. Everything here is settled before the first request.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::request;

use super::claims::ClaimedUris;
use crate::binding::{IncomingMessage, ProtocolVersion};
use crate::call::{A2aCall, CallRegistry, CallSetup};
use crate::deadline::Deadline;
use crate::error::{A2aError, A2aErrorKind};
use crate::extension::{A2aExtension, Gate};
use crate::findings::Findings;
use crate::shield::shielded;
use crate::stamping::ReplyStamper;

/// Which requests the layer looks at.
pub(super) type RequestFilter = dyn Fn(&request::Parts) -> bool + Send + Sync;

/// The limits and switches of the builder, with their defaults.
#[derive(Clone)]
pub(super) struct LayerOptions {
    pub(super) max_request_body: usize,
    pub(super) request_body_timeout: Duration,
    pub(super) max_response_document: usize,
    pub(super) max_event: usize,
    pub(super) guard_ttl: Duration,
    pub(super) echo: bool,
    pub(super) allow_upgrades: bool,
    pub(super) only: Option<Arc<RequestFilter>>,
    /// Without a slash at its end; empty where nothing is taken off the paths.
    pub(super) mount: String,
}

impl Default for LayerOptions {
    fn default() -> Self {
        Self {
            max_request_body: 2 << 20,
            request_body_timeout: Duration::from_secs(30),
            max_response_document: 16 << 20,
            max_event: 1 << 20,
            guard_ttl: Duration::from_secs(3600),
            echo: true,
            allow_upgrades: false,
            only: None,
            mount: String::new(),
        }
    }
}

/// An installed extension and its place among the declared ones.
pub(super) struct InstalledExtension {
    pub(super) extension: Arc<dyn A2aExtension>,
    pub(super) index: usize,
    pub(super) keys: Vec<String>,
}

/// What the card says about how the agent can be reached.
#[derive(Clone, Debug, Default)]
pub(super) struct OfferedService {
    /// The protocol versions of all interfaces; empty where the card lists no interface.
    pub(super) versions: Vec<String>,
    pub(super) streaming: bool,
    /// The paths of all interfaces, and whether they are HTTP+JSON.
    pub(super) paths: Vec<(String, bool)>,
    /// What a router around the layer has taken off the front of every path; often nothing.
    pub(super) mount: String,
}

impl OfferedService {
    /// Whether the card serves A2A at this path: JSON-RPC at exactly one, HTTP+JSON below its own.
    /// Below the root everything is, so that says nothing.
    pub(super) fn serves(&self, path: &str) -> bool {
        let path = &*self.whole_path(path);
        self.paths.iter().any(|(served, http_json)| match *http_json && !served.trim_matches('/').is_empty() {
            true => is_under(path, served),
            false => path.trim_end_matches('/') == served.trim_end_matches('/'),
        })
    }

    pub(super) fn serves_http_json(&self, path: &str) -> bool {
        let path = &*self.whole_path(path);
        self.paths.iter().any(|(served, http_json)| *http_json && is_under(path, served))
    }

    /// The path as the card's URLs have it.
    fn whole_path<'a>(&self, path: &'a str) -> Cow<'a, str> {
        if self.mount.is_empty() { Cow::Borrowed(path) } else { Cow::Owned(format!("{}{path}", self.mount)) }
    }

    /// Whether one of the interfaces is at, below or above the mount.
    pub(super) fn fits_mount(&self) -> bool {
        let fits = |(served, _): &(String, bool)| is_under(served, &self.mount) || is_under(&self.mount, served);
        self.paths.is_empty() || self.paths.iter().any(fits)
    }

    /// Whether the card offers what a request uses; a gate never answers for what it does not.
    pub(super) fn check(&self, requested: &str, shape: ProtocolVersion, streaming: bool) -> Result<(), A2aError> {
        let lists = |version: &str| {
            self.versions.is_empty() || self.versions.iter().any(|listed| same_version(listed, version))
        };
        if !lists(requested) || !lists(shape.as_str()) {
            let error =
                A2aError::new(A2aErrorKind::VersionNotSupported, "this agent does not speak the requested A2A version");
            return Err(error.with_metadata("supportedVersions", self.versions.join(",")));
        }
        if streaming && !self.streaming {
            return Err(A2aError::new(A2aErrorKind::UnsupportedOperation, "this agent does not stream"));
        }
        Ok(())
    }
}

fn is_under(path: &str, served: &str) -> bool {
    let rest = path.strip_prefix(served.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `Major.Minor` counts; a card may add a patch number.
fn same_version(listed: &str, requested: &str) -> bool {
    let (listed, requested) = (listed.trim().split('.'), requested.trim().split('.'));
    listed.take(2).eq(requested.take(2))
}

/// What comes of gates that could not decide.
pub(super) fn undecided() -> Gate {
    Gate::Refuse(A2aError::new(A2aErrorKind::Internal, "the request could not be decided"))
}

/// The inside of a layer; every clone of layer and service points to one.
pub(super) struct LayerConfig {
    pub(super) setup: Arc<CallSetup>,
    pub(super) extensions: Vec<InstalledExtension>,
    /// The extensions that have a gate, by their place in `extensions`.
    pub(super) gates: Vec<usize>,
    pub(super) stamper: ReplyStamper,
    pub(super) managed_keys: Vec<String>,
    pub(super) service: OfferedService,
    pub(super) options: LayerOptions,
    pub(super) findings: Findings,
    pub(super) registry: CallRegistry,
    pub(super) registers_calls: AtomicBool,
    pub(super) claimed: ClaimedUris,
}

impl LayerConfig {
    pub(super) fn has_gate(&self) -> bool {
        !self.gates.is_empty()
    }

    /// Whether the layer looks at a request. A filter that panics has not left it out.
    pub(super) fn covers(&self, parts: &request::Parts) -> bool {
        self.options.only.as_ref().is_none_or(|only| shielded(|| only(parts)).unwrap_or(true))
    }

    pub(super) fn registers_calls(&self) -> bool {
        self.registers_calls.load(Ordering::Relaxed)
    }

    /// Asks the gates in card order; the first that does not pass decides. A gate limits its own
    /// time; one that does not is given up after twice the time for a decision.
    pub(super) async fn ask_gates(&self, message: &IncomingMessage, call: &A2aCall) -> Gate {
        for index in &self.gates {
            let Some(gate) = self.extensions.get(*index).and_then(|installed| installed.extension.gate()) else {
                return undecided();
            };
            let mut deadline = Deadline::new(call.decision_timeout().saturating_mul(2));
            match deadline.run(gate.decide(message, call)).await {
                Ok(Gate::Pass) => {}
                Ok(decided) => return decided,
                Err(_) => return undecided(),
            }
        }
        Gate::Pass
    }
}

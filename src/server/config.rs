//! What one built layer knows. Everything here is settled before the first request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::request;

use super::claims::ClaimedUris;
use super::offered::OfferedService;
use crate::binding::IncomingMessage;
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

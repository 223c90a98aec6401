//! The observer that writes `tracing` events.

use super::{ExtensionsEvent, ExtensionsObserver};
use crate::findings::Severity;
use crate::uri::ExtensionUri;

const TARGET: &str = "tower_a2a_extensions";

/// Writes what happens as `tracing` events with the target `tower_a2a_extensions`.
///
/// Warnings are what somebody has to see to: stopped and unstamped replies, warnings of a build,
/// decisions that came of a fault, and refusals because the layer, an extension or the agent failed.
/// Notes of a build, other decisions, oddities and refusals that are the client's own doing are
/// information; negotiation is for debugging. No event holds a word of a message, a person or a claim.
///
/// ```
/// use tower_a2a_extensions::{A2aExtensionsLayer, TracingObserver};
///
/// let layer = A2aExtensionsLayer::builder(serde_json::json!({"name": "Clerk"})).observer(TracingObserver::new()).build();
/// assert!(layer.is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TracingObserver(());

impl TracingObserver {
    /// The observer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl ExtensionsObserver for TracingObserver {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        match event {
            ExtensionsEvent::Found { finding } => match finding.severity {
                Severity::Note => tracing::info!(target: TARGET, finding = %finding, "found while building the layer"),
                Severity::Warning | Severity::Error => {
                    tracing::warn!(target: TARGET, finding = %finding, "found while building the layer");
                }
            },
            ExtensionsEvent::Negotiated { activated, ignored } => {
                let activated = activated.iter().map(|uri| uri.as_str()).collect::<Vec<_>>().join(", ");
                tracing::debug!(target: TARGET, activated, ignored, "extensions negotiated");
            }
            ExtensionsEvent::Refused { kind, why } => {
                let (fault, kind) = (kind.is_fault(), kind.as_str());
                if fault {
                    tracing::warn!(target: TARGET, kind, why = why.as_ref(), "request refused");
                } else {
                    tracing::info!(target: TARGET, kind, why = why.as_ref(), "request refused");
                }
            }
            ExtensionsEvent::Decided { extension, subject, reason, is_fault } => {
                let extension = ExtensionUri::as_str(extension);
                if *is_fault {
                    tracing::warn!(target: TARGET, extension, subject, reason, "call decided");
                } else {
                    tracing::info!(target: TARGET, extension, subject, reason, "call decided");
                }
            }
            ExtensionsEvent::Noticed { extension, what } => {
                let extension = ExtensionUri::as_str(extension);
                tracing::info!(target: TARGET, extension, what = what.as_ref(), "oddity noticed");
            }
            ExtensionsEvent::LeftUnstamped { why } => {
                tracing::warn!(target: TARGET, why = why.as_ref(), "reply left unstamped");
            }
            ExtensionsEvent::Misshapen { what } => {
                tracing::warn!(target: TARGET, what = what.as_ref(), "reply misshapen");
            }
            ExtensionsEvent::Stopped { why } => {
                tracing::warn!(target: TARGET, why = why.as_ref(), "reply stopped");
            }
        }
    }
}

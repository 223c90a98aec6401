//! `Converse`: what is configured, and the extension that the layer installs.

use std::sync::Arc;

use serde_json::Value;

use super::CONVERSE_URI;
use super::card::{ConverseDeclaration, check};
use super::envelope::{Author, Envelope};
use super::stamp::stamp;
use crate::call::A2aCall;
use crate::card::{AgentCard, DeclaredExtension};
use crate::extension::{A2aExtension, MessageGate, OutgoingObject, Stamp};
use crate::findings::Findings;
use crate::uri::ExtensionUri;

/// The Converse extension, and its configuration.
///
/// The layer installs it where the card declares it. Hand one to the builder to configure it:
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::converse::{Author, ConverseDeclaration, Envelope, McpEndpoint, Ownership};
/// use tower_a2a_extensions::{A2aExtensionsLayer, Converse};
///
/// let converse = ConverseDeclaration::new(McpEndpoint::new("https://mcp.example.com/a"));
/// let card = json!({"name": "Clerk", "capabilities": {"extensions": [converse]}, "skills": []});
///
/// // No person can take over here.
/// let always_the_agent = Envelope::builder(Author::Agent).ownership(Ownership::ai_owned()).build()?;
/// let layer = A2aExtensionsLayer::builder(card).extension(Converse::new().fallback(always_the_agent)).build()?;
/// # Ok::<(), tower_a2a_extensions::BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Converse {
    fallback: Value,
    declaration: Option<Arc<ConverseDeclaration>>,
}

impl Converse {
    /// The defaults.
    #[must_use]
    pub fn new() -> Self {
        Self { fallback: Envelope::not_recorded(Author::Agent).citing_nothing().to_value(), declaration: None }
    }

    pub(super) fn declaration(&self) -> Option<&ConverseDeclaration> {
        self.declaration.as_deref()
    }

    /// Sets the envelope of objects for which none was handed over, of what the layer says itself,
    /// such as a referral, and of what another extension withheld. By default it says that the agent
    /// wrote it, that [no assessment](Envelope::not_recorded) ran, and that nothing is cited. It does not
    /// say who owns the conversation: nobody told.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "an envelope is handed over")]
    pub fn fallback(mut self, envelope: Envelope) -> Self {
        self.fallback = envelope.to_value();
        self
    }
}

impl Default for Converse {
    fn default() -> Self {
        Self::new()
    }
}

impl A2aExtension for Converse {
    fn uri(&self) -> ExtensionUri {
        CONVERSE_URI
    }

    fn bind(&mut self, card: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
        self.declaration = check(card, declared, findings);
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
        stamp(&self.fallback, object, call)
    }
}

//! One hook that sees what the layer does, without a word of any message.

#[cfg(feature = "tracing")]
mod tracing;

use std::borrow::Cow;

#[cfg(feature = "tracing")]
pub use self::tracing::TracingObserver;

use crate::error::A2aErrorKind;
use crate::findings::Finding;
use crate::uri::ExtensionUri;

/// Sees negotiation, decisions and what was left undone; for logs and metrics.
///
/// It never gets text, people or claims. It is called on the request's path: hand work over and
/// return. A panic in it is caught and ignored.
///
/// ```
/// use std::sync::Mutex;
/// use tower_a2a_extensions::{ExtensionUri, ExtensionsEvent, ExtensionsObserver};
///
/// #[derive(Default)]
/// struct Lines(Mutex<Vec<String>>);
///
/// impl ExtensionsObserver for Lines {
///     fn observe(&self, event: &ExtensionsEvent<'_>) {
///         let line = match event {
///             ExtensionsEvent::Decided { subject, reason, .. } => format!("decided {subject} {reason}"),
///             ExtensionsEvent::Refused { kind, why, .. } => format!("refused {kind}: {why}"),
///             _ => return, // fields and events may be added later
///         };
///         self.0.lock().unwrap().push(line);
///     }
/// }
///
/// let lines = Lines::default();
/// let uri = ExtensionUri::from_static("https://agent-capability.org/ext/on-request/v1");
/// lines.observe(&ExtensionsEvent::decided(&uri, "service-pricing", "not-opened"));
/// assert_eq!(*lines.0.lock().unwrap(), ["decided service-pricing not-opened"]);
/// ```
pub trait ExtensionsObserver: Send + Sync + 'static {
    /// Something happened.
    fn observe(&self, event: &ExtensionsEvent<'_>);
}

/// What an [`ExtensionsObserver`] sees.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ExtensionsEvent<'a> {
    /// The build of the layer found something, and succeeded.
    #[non_exhaustive]
    Found {
        /// What, and where in the card.
        finding: &'a Finding,
    },
    /// The header was read.
    #[non_exhaustive]
    Negotiated {
        /// The declared URIs the client asked for and got.
        activated: Vec<&'a ExtensionUri>,
        /// How many members of the header named nothing that the card declares. The comparison is
        /// exact: with a trailing slash it is another URI.
        ignored: usize,
    },
    /// A required extension was missing, or the request could not be read.
    #[non_exhaustive]
    Refused {
        /// What the caller was told; [`A2aErrorKind::as_str`] is its stable word.
        kind: A2aErrorKind,
        /// Why, in words for the operator.
        why: Cow<'a, str>,
    },
    /// An extension decided a call, for example On Request about a skill.
    #[non_exhaustive]
    Decided {
        /// The extension.
        extension: &'a ExtensionUri,
        /// What was decided about: a skill's id.
        subject: &'a str,
        /// Why, as a stable word: for On Request that of
        /// [`Reason::as_str`](crate::on_request::Reason::as_str).
        reason: &'static str,
        /// Whether it came of something that does not work, and not of rules and policy alone.
        is_fault: bool,
    },
    /// An extension found something odd, for example a mark in the wrong place.
    #[non_exhaustive]
    Noticed {
        /// The extension.
        extension: &'a ExtensionUri,
        /// What, in words for the operator.
        what: Cow<'a, str>,
    },
    /// A reply left without what the active extensions would have added.
    #[non_exhaustive]
    LeftUnstamped {
        /// Why, in words for the operator.
        why: Cow<'a, str>,
    },
    /// A reply has a shape that clients of the call cannot read, for example a bare Message as the
    /// `result` of JSON-RPC 1.0. Told once for each call; under
    /// [`strict`](crate::A2aExtensionsBuilder::strict) the reply is stopped as well.
    #[non_exhaustive]
    Misshapen {
        /// What is wrong, in words for the operator.
        what: Cow<'a, str>,
    },
    /// A reply was stopped because something in it must not leave.
    #[non_exhaustive]
    Stopped {
        /// Why, in words for the operator.
        why: Cow<'a, str>,
    },
}

impl<'a> ExtensionsEvent<'a> {
    /// A decision, for an extension's own use with [`A2aCall::observe`](crate::A2aCall::observe).
    #[must_use]
    pub fn decided(extension: &'a ExtensionUri, subject: &'a str, reason: &'static str) -> Self {
        Self::Decided { extension, subject, reason, is_fault: false }
    }

    /// A decision that came of something that does not work, for example a policy that failed: for
    /// an extension's own use with [`A2aCall::observe`](crate::A2aCall::observe).
    #[must_use]
    pub fn decided_by_fault(extension: &'a ExtensionUri, subject: &'a str, reason: &'static str) -> Self {
        Self::Decided { extension, subject, reason, is_fault: true }
    }

    /// Something odd, for an extension's own use with [`A2aCall::observe`](crate::A2aCall::observe).
    #[must_use]
    pub fn noticed(extension: &'a ExtensionUri, what: impl Into<Cow<'a, str>>) -> Self {
        Self::Noticed { extension, what: what.into() }
    }
}

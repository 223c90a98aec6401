//! Who the operator is, as somebody else attests (OR-5.6 a).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::BoxError;

/// The level that says that a domain belongs to a named, registered business (On Request, Annex B).
const LEGAL_ENTITY: u8 = 2;

/// What was attested about a domain, and for how long. It is for the source to have verified it.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tower_a2a_extensions::on_request::actions::Attestation;
///
/// let now = SystemTime::now();
/// let attestation = Attestation::new("larkfield.example", 2, now + Duration::from_secs(3_600));
/// assert!(attestation.holds_for("larkfield.example", now));
/// assert!(!attestation.holds_for("larkfield.example", now + Duration::from_secs(3_600)), "it has ended");
/// assert!(!attestation.holds_for("ask.larkfield.example", now), "of another domain");
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Attestation {
    subject: String,
    level: u8,
    valid_from: Option<SystemTime>,
    valid_until: SystemTime,
}

impl Attestation {
    /// An attestation of `subject`, a domain, that ends at `valid_until`.
    #[must_use]
    pub fn new(subject: impl Into<String>, level: u8, valid_until: SystemTime) -> Self {
        Self { subject: subject.into(), level, valid_from: None, valid_until }
    }

    /// Sets when it begins. Default: it has begun.
    #[must_use]
    pub fn with_valid_from(mut self, from: SystemTime) -> Self {
        self.valid_from = Some(from);
        self
    }

    /// Whether it attests, at `now`, that `domain` belongs to a named business: level 2 or above, of
    /// exactly this domain (letters of either case), begun and not ended.
    #[must_use]
    pub fn holds_for(&self, domain: &str, now: SystemTime) -> bool {
        self.level >= LEGAL_ENTITY
            && !domain.is_empty()
            && self.subject.eq_ignore_ascii_case(domain)
            && self.valid_from.is_none_or(|from| from <= now)
            && now < self.valid_until
    }
}

/// Says what is attested about the operator. It is asked for each action, twice: at the decision
/// and again right before the start. A source that takes longer than the layer's `decision_timeout`,
/// fails or panics is one without an attestation.
///
/// An [`Attestation`] is a source that never changes; a closure returns a future.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use tower_a2a_extensions::BoxError;
/// use tower_a2a_extensions::on_request::actions::{Attestation, AttestationSource};
///
/// struct Framework;
///
/// impl AttestationSource for Framework {
///     async fn attestation(&self) -> Result<Option<Attestation>, BoxError> {
///         // Fetched, verified and kept for a while by code that knows the framework.
///         Ok(Some(Attestation::new("larkfield.example", 2, SystemTime::now() + Duration::from_secs(60))))
///     }
/// }
///
/// let closure = || async { Ok::<_, BoxError>(None) };
/// # fn is_source(_: impl AttestationSource) {}
/// # is_source(Framework);
/// # is_source(closure);
/// ```
pub trait AttestationSource: Send + Sync + 'static {
    /// What is attested now, if anything is.
    ///
    /// # Errors
    ///
    /// Where it cannot be found out. The action is then referred.
    fn attestation(&self) -> impl Future<Output = Result<Option<Attestation>, BoxError>> + Send;
}

impl AttestationSource for Attestation {
    async fn attestation(&self) -> Result<Option<Self>, BoxError> {
        Ok(Some(self.clone()))
    }
}

impl<F, R, E> AttestationSource for F
where
    F: Fn() -> R + Send + Sync + 'static,
    R: Future<Output = Result<Option<Attestation>, E>> + Send,
    E: Into<BoxError>,
{
    fn attestation(&self) -> impl Future<Output = Result<Option<Attestation>, BoxError>> + Send {
        let asking = self();
        async move { asking.await.map_err(Into::into) }
    }
}

type Attesting<'a> = Pin<Box<dyn Future<Output = Result<Option<Attestation>, BoxError>> + Send + 'a>>;

trait ErasedSource: Send + Sync {
    fn ask(&self) -> Attesting<'_>;
}

impl<S: AttestationSource> ErasedSource for S {
    fn ask(&self) -> Attesting<'_> {
        // Asked inside the block, so that a closure that panics does so while it is polled.
        Box::pin(async move { self.attestation().await })
    }
}

/// A source of whatever type.
#[derive(Clone)]
pub(super) struct AnySource(Arc<dyn ErasedSource>);

impl AnySource {
    pub(super) fn new(source: impl AttestationSource) -> Self {
        Self(Arc::new(source))
    }

    pub(super) fn ask(&self) -> Attesting<'_> {
        self.0.ask()
    }
}

impl fmt::Debug for AnySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AttestationSource")
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn or_5_6_a_only_a_current_level_2_attestation_of_the_own_domain_holds() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        let hour = Duration::from_secs(3_600);
        let held = Attestation::new("larkfield.example", 2, now + hour);
        let rows = [
            (held.clone(), true),
            (Attestation::new("LARKFIELD.example", 3, now + hour), true),
            (held.clone().with_valid_from(now), true),
            (held.clone().with_valid_from(now + Duration::from_secs(1)), false),
            (Attestation::new("larkfield.example", 1, now + hour), false),
            (Attestation::new("larkfield.example", 0, now + hour), false),
            (Attestation::new("larkfield.example", 2, now), false),
            (Attestation::new("larkfield.example", 2, now - hour), false),
            (Attestation::new("larkfield.example.evil.example", 2, now + hour), false),
            (Attestation::new("evil-larkfield.example", 2, now + hour), false),
            (Attestation::new("", 2, now + hour), false),
        ];
        for (attestation, holds) in rows {
            assert_eq!(attestation.holds_for("larkfield.example", now), holds, "{attestation:?}");
        }
        assert!(!Attestation::new("", 2, now + hour).holds_for("", now), "no domain is nobody's");
    }
}

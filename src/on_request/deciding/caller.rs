//! Who asks.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::call::CallFacts;

/// Who asks: an authenticated assistant or nobody, and whether it acts for a named person.
///
/// ```
/// use tower_a2a_extensions::on_request::Caller;
///
/// struct Plan(&'static str);
///
/// let caller = Caller::assistant("assistant-7").acting_for_a_person(true).with(Plan("gold"));
/// assert_eq!(caller.id(), Some("assistant-7"));
/// assert_eq!(caller.get::<Plan>().map(|plan| plan.0), Some("gold"));
/// assert!(Caller::assistant("  ").is_anonymous(), "a blank id names nobody");
/// ```
#[derive(Clone, Default)]
pub struct Caller {
    id: Option<Arc<str>>,
    acting: Option<bool>,
    claims: Vec<Arc<dyn Any + Send + Sync>>,
    failed: bool,
}

impl Caller {
    /// A caller of whom nothing is known.
    #[must_use]
    pub fn anonymous() -> Self {
        Self::default()
    }

    /// A caller whose identity an outer layer has established. A blank id is anonymous.
    #[must_use]
    pub fn assistant(id: impl Into<String>) -> Self {
        let id = Some(Arc::from(id.into())).filter(|id: &Arc<str>| !id.trim().is_empty());
        Self { id, ..Self::default() }
    }

    /// Says whether it acts for a named person, from a source better than its own assertion. The
    /// [assertion](crate::on_request::OnRequest::assertion) is then not read.
    #[must_use]
    pub fn acting_for_a_person(mut self, yes: bool) -> Self {
        self.acting = Some(yes);
        self
    }

    /// Adds something the policy needs, found again by its type. It must not hold an
    /// [`A2aCall`](crate::A2aCall): the call keeps its caller.
    #[must_use]
    pub fn with<T: Any + Send + Sync>(mut self, claims: T) -> Self {
        self.claims.push(Arc::new(claims));
        self
    }

    /// What was added by this type; the last of several.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.claims.iter().rev().find_map(|claims| claims.downcast_ref())
    }

    /// The assistant's id, if it is known.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether the assistant is not known.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.id.is_none()
    }

    /// Whether it acts for a named person (OR-5.4). Nothing said means no.
    #[must_use]
    pub fn acts_for_a_person(&self) -> bool {
        self.acting.unwrap_or(false)
    }

    pub(in crate::on_request) fn says_nothing_of_a_person(&self) -> bool {
        self.acting.is_none()
    }

    /// The caller of a call whose identification panicked.
    pub(in crate::on_request) fn unidentifiable() -> Self {
        Self { failed: true, ..Self::default() }
    }

    pub(in crate::on_request) fn is_unidentifiable(&self) -> bool {
        self.failed
    }
}

/// Says whether there is an id, not which; no claims.
impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("anonymous", &self.is_anonymous())
            .field("acts_for_a_person", &self.acts_for_a_person())
            .finish_non_exhaustive()
    }
}

/// Says who asks, from what an outer auth layer has established.
///
/// It sees the head of every request. What it needs must already be there: the auth layer has to
/// stand outside this one. Where it stands inside, nothing is found, and the call is referred.
///
/// ```
/// use tower_a2a_extensions::CallFacts;
/// use tower_a2a_extensions::on_request::{Caller, IdentifyCaller};
///
/// #[derive(Clone)]
/// struct Claims { client_id: String }
///
/// let identify = |facts: &CallFacts<'_>| {
///     Some(Caller::assistant(facts.extensions().get::<Claims>()?.client_id.as_str()))
/// };
/// let mut request = http::Request::new(());
/// assert!(identify.identify(&CallFacts::of_request(&request)).is_none());
///
/// request.extensions_mut().insert(Claims { client_id: "assistant-7".into() });
/// let caller = identify.identify(&CallFacts::of_request(&request)).unwrap();
/// assert_eq!(caller.id(), Some("assistant-7"));
/// ```
pub trait IdentifyCaller: Send + Sync + 'static {
    /// The caller, or `None` where it is not known.
    fn identify(&self, facts: &CallFacts<'_>) -> Option<Caller>;
}

impl<F> IdentifyCaller for F
where
    F: Fn(&CallFacts<'_>) -> Option<Caller> + Send + Sync + 'static,
{
    fn identify(&self, facts: &CallFacts<'_>) -> Option<Caller> {
        self(facts)
    }
}

impl<I: IdentifyCaller + ?Sized> IdentifyCaller for Arc<I> {
    fn identify(&self, facts: &CallFacts<'_>) -> Option<Caller> {
        self.as_ref().identify(facts)
    }
}

/// Every call is this caller's. For tests, and agents with one client.
impl IdentifyCaller for Caller {
    fn identify(&self, _facts: &CallFacts<'_>) -> Option<Caller> {
        Some(self.clone())
    }
}

//! Which skill a message asks for: ids, sets of ids, resolvers.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::Arc;

use crate::binding::IncomingMessage;
use crate::error::BoxError;

/// The id of a skill of the card. Compared exactly; a clone is a pointer.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct SkillId(Arc<str>);

impl SkillId {
    /// The id as it stands in the card.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SkillId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl From<String> for SkillId {
    fn from(id: String) -> Self {
        Self(id.into())
    }
}

impl From<&Self> for SkillId {
    fn from(id: &Self) -> Self {
        id.clone()
    }
}

impl Borrow<str> for SkillId {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for SkillId {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for SkillId {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for SkillId {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Debug for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a [`SkillResolver`] found: a set of ids, or that it could not tell.
///
/// It is made of an id, an option, an array or vector of ids, an iterator, or a `Result` of one
/// of these. An id that the card does not know is ignored later.
///
/// ```
/// use tower_a2a_extensions::on_request::SkillIds;
///
/// assert!(SkillIds::from(None::<&str>).is_empty());
/// assert!(SkillIds::from(["service-pricing", "opening-hours"]).contains("opening-hours"));
/// assert!(SkillIds::from(Err::<&str, _>("the classifier is down")).is_failed());
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SkillIds {
    ids: BTreeSet<SkillId>,
    failed: bool,
}

impl SkillIds {
    /// The message names no skill that the resolver knows.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// The resolver could not tell. The message is then referred.
    #[must_use]
    pub fn failed() -> Self {
        Self { ids: BTreeSet::new(), failed: true }
    }

    /// Whether the resolver could not tell.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.failed
    }

    /// Whether no skill was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Whether this skill was found.
    #[must_use]
    pub fn contains(&self, id: &str) -> bool {
        self.ids.contains(id)
    }

    /// The ids that were found, each once.
    pub fn iter(&self) -> impl Iterator<Item = &SkillId> {
        self.ids.iter()
    }

    /// Both sets together. A failure of either is kept.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.ids.extend(other.ids);
        Self { ids: self.ids, failed: self.failed || other.failed }
    }
}

impl<T: Into<SkillId>> FromIterator<T> for SkillIds {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        Self { ids: ids.into_iter().map(Into::into).collect(), failed: false }
    }
}

impl From<&str> for SkillIds {
    fn from(id: &str) -> Self {
        Self::from_iter([id])
    }
}

impl From<String> for SkillIds {
    fn from(id: String) -> Self {
        Self::from_iter([id])
    }
}

impl From<SkillId> for SkillIds {
    fn from(id: SkillId) -> Self {
        Self::from_iter([id])
    }
}

impl<T: Into<SkillId>> From<Option<T>> for SkillIds {
    fn from(id: Option<T>) -> Self {
        id.into_iter().collect()
    }
}

impl<T: Into<SkillId>> From<Vec<T>> for SkillIds {
    fn from(ids: Vec<T>) -> Self {
        ids.into_iter().collect()
    }
}

impl<T: Into<SkillId>, const N: usize> From<[T; N]> for SkillIds {
    fn from(ids: [T; N]) -> Self {
        ids.into_iter().collect()
    }
}

impl<T: Into<Self>, E: Into<BoxError>> From<Result<T, E>> for SkillIds {
    fn from(ids: Result<T, E>) -> Self {
        ids.map_or_else(|_| Self::failed(), Into::into)
    }
}

/// Finds out which skills a message asks for.
///
/// A2A messages name no skill, so this is where the operator's knowledge comes in: keywords, a
/// classifier, a table. Every resolver runs, the sets are united, and the most restricted skill
/// wins. A resolver that panics, fails or hangs makes the message referred.
///
/// Closures are synchronous; a type of your own may await:
///
/// ```
/// use tower_a2a_extensions::IncomingMessage;
/// use tower_a2a_extensions::on_request::{OnRequest, SkillIds, SkillResolver};
///
/// struct Classifier;
///
/// impl SkillResolver for Classifier {
///     async fn resolve(&self, message: &IncomingMessage) -> SkillIds {
///         let asked = message.text().to_lowercase();
///         std::future::ready(asked.contains("price").then_some("service-pricing")).await.into()
///     }
/// }
///
/// let keyword = |message: &IncomingMessage| message.text().contains("cost").then_some("service-pricing");
/// let on_request = OnRequest::new().resolver(keyword.and_also(Classifier));
/// ```
pub trait SkillResolver: Send + Sync + 'static {
    /// The skills that the message asks for.
    fn resolve(&self, message: &IncomingMessage) -> impl Future<Output = SkillIds> + Send;

    /// Asks `other` as well, and unites what both find.
    fn and_also<R: SkillResolver>(self, other: R) -> UnitedResolvers<Self, R>
    where
        Self: Sized,
    {
        UnitedResolvers(self, other)
    }
}

impl<F, I> SkillResolver for F
where
    F: Fn(&IncomingMessage) -> I + Send + Sync + 'static,
    I: Into<SkillIds>,
{
    fn resolve(&self, message: &IncomingMessage) -> impl Future<Output = SkillIds> + Send {
        ready(self(message).into())
    }
}

impl<R: SkillResolver> SkillResolver for Arc<R> {
    fn resolve(&self, message: &IncomingMessage) -> impl Future<Output = SkillIds> + Send {
        self.as_ref().resolve(message)
    }
}

/// Two resolvers, both asked. Made by [`SkillResolver::and_also`].
#[derive(Clone, Copy, Debug)]
pub struct UnitedResolvers<A, B>(A, B);

impl<A: SkillResolver, B: SkillResolver> SkillResolver for UnitedResolvers<A, B> {
    async fn resolve(&self, message: &IncomingMessage) -> SkillIds {
        let found = self.0.resolve(message).await;
        found.union(self.1.resolve(message).await)
    }
}

/// A resolver of whatever type.
pub(in crate::on_request) trait ErasedResolver: Send + Sync {
    fn resolve_erased<'a>(
        &'a self,
        message: &'a IncomingMessage,
    ) -> Pin<Box<dyn Future<Output = SkillIds> + Send + 'a>>;
}

impl<R: SkillResolver> ErasedResolver for R {
    fn resolve_erased<'a>(
        &'a self,
        message: &'a IncomingMessage,
    ) -> Pin<Box<dyn Future<Output = SkillIds> + Send + 'a>> {
        // The call stands inside the block: a panic in it is one of polling, and caught there.
        Box::pin(async move { self.resolve(message).await })
    }
}

//! The operator's decision, after the rules of the specification.

use std::fmt;
use std::future::{Future, IntoFuture, Ready, ready};
use std::pin::Pin;
use std::sync::Arc;

use super::skill_call::SkillCall;
use crate::error::BoxError;

/// What a [`Policy`] says.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// Give it, where the rules allow that.
    Give,
    /// Refer the person to the operator.
    Refer,
}

/// So that a synchronous closure can return a verdict as it is.
impl IntoFuture for Verdict {
    type Output = Self;
    type IntoFuture = Ready<Self>;

    fn into_future(self) -> Self::IntoFuture {
        ready(self)
    }
}

/// What a policy's future may end with: a [`Verdict`], or a `Result` of one.
pub trait IntoVerdict {
    /// The verdict, or what went wrong. An error refers.
    ///
    /// # Errors
    ///
    /// Where the policy could not decide.
    fn into_verdict(self) -> Result<Verdict, BoxError>;
}

impl IntoVerdict for Verdict {
    fn into_verdict(self) -> Result<Verdict, BoxError> {
        Ok(self)
    }
}

impl<E: Into<BoxError>> IntoVerdict for Result<Verdict, E> {
    fn into_verdict(self) -> Result<Verdict, BoxError> {
        self.map_err(Into::into)
    }
}

/// Decides whether a skill's information is given, where the [rules](crate::on_request::rules) allow it.
///
/// A policy can refuse what the rules allow; it is never asked about what they refuse. One that
/// panics, fails or takes longer than the layer's `decision_timeout` refers.
///
/// Closures over a [`SkillCall`] are policies, in each of these forms:
///
/// ```
/// use std::sync::Arc;
/// use tower_a2a_extensions::BoxError;
/// use tower_a2a_extensions::on_request::{OnRequest, Policy, SkillCall, Verdict, with_state};
///
/// async fn ask_the_desk(_call: SkillCall) -> Result<Verdict, std::io::Error> {
///     Ok(Verdict::Give)
/// }
///
/// #[derive(Clone)]
/// struct Desk;
///
/// impl Policy for Desk {
///     async fn decide(&self, call: &SkillCall) -> Result<Verdict, BoxError> {
///         let known: bool = "true".parse()?;
///         Ok(if known && call.caller().id().is_some() { Verdict::Give } else { Verdict::Refer })
///     }
/// }
///
/// OnRequest::new().policy(Verdict::Refer);
/// OnRequest::new().policy(|_: SkillCall| Verdict::Give);
/// OnRequest::new().policy(|call: SkillCall| async move {
///     if call.skill() == "service-pricing" { Verdict::Give } else { Verdict::Refer }
/// });
/// OnRequest::new().policy(async |_: SkillCall| Verdict::Give);
/// OnRequest::new().policy(ask_the_desk);
/// OnRequest::new().policy(Arc::new(Desk).and(ask_the_desk));
/// OnRequest::new().policy(with_state(Desk, async |desk: Desk, call: SkillCall| desk.decide(&call).await));
/// ```
pub trait Policy: Send + Sync + 'static {
    /// Decides one call. Write it as `async fn`.
    ///
    /// # Errors
    ///
    /// Where it cannot decide. The call is then referred.
    fn decide(&self, call: &SkillCall) -> impl Future<Output = Result<Verdict, BoxError>> + Send;

    /// Gives only where this policy and `other` both give. `other` is asked second.
    fn and<P: Policy>(self, other: P) -> BothPolicies<Self, P>
    where
        Self: Sized,
    {
        BothPolicies(self, other)
    }
}

impl<F, R> Policy for F
where
    F: Fn(SkillCall) -> R + Send + Sync + 'static,
    R: IntoFuture,
    R::IntoFuture: Send,
    R::Output: IntoVerdict,
{
    fn decide(&self, call: &SkillCall) -> impl Future<Output = Result<Verdict, BoxError>> + Send {
        let deciding = self(call.clone()).into_future();
        async move { deciding.await.into_verdict() }
    }
}

impl<P: Policy> Policy for Arc<P> {
    fn decide(&self, call: &SkillCall) -> impl Future<Output = Result<Verdict, BoxError>> + Send {
        self.as_ref().decide(call)
    }
}

/// Always the same.
impl Policy for Verdict {
    async fn decide(&self, _call: &SkillCall) -> Result<Self, BoxError> {
        Ok(*self)
    }
}

/// Two policies that must both give. Made by [`Policy::and`].
#[derive(Clone, Copy, Debug)]
pub struct BothPolicies<A, B>(A, B);

impl<A: Policy, B: Policy> Policy for BothPolicies<A, B> {
    async fn decide(&self, call: &SkillCall) -> Result<Verdict, BoxError> {
        match self.0.decide(call).await? {
            Verdict::Give => self.1.decide(call).await,
            Verdict::Refer => Ok(Verdict::Refer),
        }
    }
}

/// A policy of a closure that needs something: a database, a client, a table.
///
/// An `async` closure that captures cannot be called twice, so the state is handed to it instead,
/// cloned for each call. A plain closure that returns an `async move` block works too. Either names
/// the types of both arguments.
///
/// ```
/// use std::collections::BTreeSet;
/// use std::sync::Arc;
/// use tower_a2a_extensions::on_request::{SkillCall, Verdict, with_state};
///
/// let partners = Arc::new(BTreeSet::from(["assistant-7"]));
/// let policy = with_state(partners, async |partners: Arc<BTreeSet<&str>>, call: SkillCall| {
///     match call.caller().id() {
///         Some(id) if partners.contains(id) => Verdict::Give,
///         _ => Verdict::Refer,
///     }
/// });
///
/// let policy = with_state("assistant-7", |partner: &str, call: SkillCall| async move {
///     if call.caller().id() == Some(partner) { Verdict::Give } else { Verdict::Refer }
/// });
/// ```
pub fn with_state<S, F, R>(state: S, policy: F) -> impl Policy
where
    S: Clone + Send + Sync + 'static,
    F: Fn(S, SkillCall) -> R + Send + Sync + 'static,
    R: IntoFuture + 'static,
    R::IntoFuture: Send,
    R::Output: IntoVerdict,
{
    move |call: SkillCall| policy(state.clone(), call)
}

/// A policy of whatever type, where one has to be named or chosen at run time. A clone is a pointer.
///
/// ```
/// use tower_a2a_extensions::on_request::{AnyPolicy, SkillCall, Verdict};
///
/// let by_flag = |strict: bool| -> AnyPolicy {
///     if strict { AnyPolicy::new(Verdict::Refer) } else { AnyPolicy::new(|_: SkillCall| Verdict::Give) }
/// };
/// let policy = by_flag(true);
/// ```
#[derive(Clone)]
pub struct AnyPolicy(Arc<dyn ErasedPolicy>);

impl AnyPolicy {
    /// Hides the type of a policy.
    #[must_use]
    pub fn new(policy: impl Policy) -> Self {
        Self(Arc::new(policy))
    }
}

impl Policy for AnyPolicy {
    async fn decide(&self, call: &SkillCall) -> Result<Verdict, BoxError> {
        self.0.decide_erased(call).await
    }
}

impl fmt::Debug for AnyPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyPolicy").finish_non_exhaustive()
    }
}

type Deciding<'a> = Pin<Box<dyn Future<Output = Result<Verdict, BoxError>> + Send + 'a>>;

trait ErasedPolicy: Send + Sync {
    fn decide_erased<'a>(&'a self, call: &'a SkillCall) -> Deciding<'a>;
}

impl<P: Policy> ErasedPolicy for P {
    fn decide_erased<'a>(&'a self, call: &'a SkillCall) -> Deciding<'a> {
        // The call stands inside the block: a closure that panics before there is a future does
        // so while this one is polled.
        Box::pin(async move { self.decide(call).await })
    }
}

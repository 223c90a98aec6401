//! The specification as a pure function, and the words for what was decided.

use super::caller::Caller;
use super::declaration::{OnRequestSkill, SkillKind};

/// Why a call was decided as it was. For the operator and for tests, never for the caller.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Rules and policy agree: it is given (OR-5.4).
    Given,
    /// The skill is public (OR-5.2).
    Public,
    /// The skill needs sign-in, which is the agent's own (OR-5.9).
    SignIn,
    /// The card has no such skill.
    UnknownSkill,
    /// The card does not open the skill to assistants (OR-5.3).
    NotOpened,
    /// The skill is opened, but neither card nor configuration says whether it is an action.
    KindUnstated,
    /// The caller acts for no named person (OR-5.4).
    ActsForNobody,
    /// A condition of OR-5.6 is not met (OR-5.7).
    ActionConditions,
    /// Callers are identified, and this one is not known.
    NotIdentified,
    /// Finding out who asks panicked.
    IdentificationPanicked,
    /// A resolver panicked, failed or took too long.
    ResolverFailed,
    /// The policy refused.
    PolicyRefused,
    /// The policy returned an error.
    PolicyFailed,
    /// The policy panicked.
    PolicyPanicked,
    /// The policy was not ready within the decision timeout.
    TimedOut,
    /// The policy was not ready at once, and there is no timer to limit it: no tokio runtime, or
    /// one whose time driver is off.
    NoTimer,
}

impl Reason {
    /// A stable word, for logs and metrics.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Public => "public",
            Self::SignIn => "sign-in",
            Self::UnknownSkill => "unknown-skill",
            Self::NotOpened => "not-opened",
            Self::KindUnstated => "kind-unstated",
            Self::ActsForNobody => "acts-for-nobody",
            Self::ActionConditions => "action-conditions",
            Self::NotIdentified => "not-identified",
            Self::IdentificationPanicked => "identification-panicked",
            Self::ResolverFailed => "resolver-failed",
            Self::PolicyRefused => "policy-refused",
            Self::PolicyFailed => "policy-failed",
            Self::PolicyPanicked => "policy-panicked",
            Self::TimedOut => "timed-out",
            Self::NoTimer => "no-timer",
        }
    }

    /// Whether it says that something does not work: a policy or resolver, the runtime, or what card
    /// and configuration say of a skill. Not that a caller is referred as the rules have it.
    #[must_use]
    pub fn is_fault(self) -> bool {
        match self {
            Self::UnknownSkill
            | Self::KindUnstated
            | Self::IdentificationPanicked
            | Self::ResolverFailed
            | Self::PolicyFailed
            | Self::PolicyPanicked
            | Self::TimedOut
            | Self::NoTimer => true,
            Self::Given
            | Self::Public
            | Self::SignIn
            | Self::NotOpened
            | Self::ActsForNobody
            | Self::ActionConditions
            | Self::NotIdentified
            | Self::PolicyRefused => false,
        }
    }

    /// Whether an agent may give what was asked for.
    #[must_use]
    pub fn gives(self) -> bool {
        matches!(self, Self::Given | Self::Public)
    }
}

/// What the specification says of an on-request skill and a caller, before any policy.
///
/// A policy can refuse what this allows. It cannot allow what this refuses.
///
/// ```
/// use tower_a2a_extensions::on_request::{Caller, OnRequestSkill, Reason, SkillKind, rules};
///
/// let closed = OnRequestSkill::new("service-pricing", "https://ask.example.com/talk");
/// let assistant = Caller::assistant("assistant-7").acting_for_a_person(true);
/// assert_eq!(rules(&closed, &assistant), Err(Reason::NotOpened));
///
/// let opened = closed.with_assistant_access(true).with_kind(SkillKind::Information);
/// assert_eq!(rules(&opened, &Caller::assistant("crawler")), Err(Reason::ActsForNobody));
/// assert_eq!(rules(&opened, &assistant), Ok(()));
/// ```
///
/// # Errors
///
/// The [`Reason`] to refer (OR-5.3, OR-5.4, OR-5.7). An action is always referred: the conditions
/// of OR-5.6 cannot be shown yet.
pub fn rules(skill: &OnRequestSkill, caller: &Caller) -> Result<(), Reason> {
    if !skill.assistant_access() {
        return Err(Reason::NotOpened);
    }
    match skill.kind() {
        SkillKind::Unstated => Err(Reason::KindUnstated),
        _ if !caller.acts_for_a_person() => Err(Reason::ActsForNobody),
        SkillKind::Action => Err(Reason::ActionConditions),
        SkillKind::Information => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::Reason as R;

    #[test]
    fn every_reason_has_a_word_of_its_own_and_is_a_fault_or_not() {
        let faults = [
            (R::UnknownSkill, "unknown-skill"),
            (R::KindUnstated, "kind-unstated"),
            (R::IdentificationPanicked, "identification-panicked"),
            (R::ResolverFailed, "resolver-failed"),
            (R::PolicyFailed, "policy-failed"),
            (R::PolicyPanicked, "policy-panicked"),
            (R::TimedOut, "timed-out"),
            (R::NoTimer, "no-timer"),
        ];
        let others = [
            (R::Given, "given"),
            (R::Public, "public"),
            (R::SignIn, "sign-in"),
            (R::NotOpened, "not-opened"),
            (R::ActsForNobody, "acts-for-nobody"),
            (R::ActionConditions, "action-conditions"),
            (R::NotIdentified, "not-identified"),
            (R::PolicyRefused, "policy-refused"),
        ];
        for (reasons, is_fault) in [(faults, true), (others, false)] {
            for (reason, word) in reasons {
                assert_eq!((reason.as_str(), reason.is_fault()), (word, is_fault));
                assert!(!(reason.gives() && reason.is_fault()));
            }
        }
    }
}

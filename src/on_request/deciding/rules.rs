//! The specification as a pure function, and the words for what was decided.

use super::caller::Caller;
use crate::on_request::declared::declaration::{OnRequestSkill, SkillKind};

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
    /// Rules, policy and attestation allow an action; whether it is started is for the guard to say.
    ActionAllowed,
    /// Every condition of OR-5.6 holds, and the action was started.
    ActionStarted,
    /// The same message was carried out before.
    DoneBefore,
    /// An action was asked for by a message without an id, which could not be told from another.
    NoMessageId,
    /// No level-2 attestation of the operator is valid now (OR-5.6 a).
    NotAttested,
    /// The named member of staff could not be told (OR-5.6 b).
    StaffNotTold,
    /// A limit on the action is used up (OR-5.6 c).
    LimitReached,
    /// Another request had the same message id (OR-5.6 c).
    OtherRequest,
    /// The same message is being carried out (OR-5.6 c).
    StillRunning,
    /// The same message was started before, and nobody knows what became of it (OR-5.6 c).
    OutcomeUnknown,
    /// The person has not confirmed what cannot be undone (OR-5.6 d).
    NotConfirmed,
    /// The message can be read in more than one way, so that its duplicates could not be told.
    Undigestible,
    /// Nothing could settle the action afterwards: no timer can be had, or too many are held already.
    NotSettleable,
    /// The claim was not held any more when the action was about to start.
    ClaimLost,
    /// The store of actions failed, or did not answer in time.
    StoreFailed,
    /// The store of actions has no room, or none for this assistant.
    StoreFull,
    /// The store of actions has lost what it held, and waits until all of that would be forgotten.
    StoreEmptied,
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
            Self::ActionAllowed => "action-allowed",
            Self::ActionStarted => "action-started",
            Self::DoneBefore => "done-before",
            Self::NoMessageId => "no-message-id",
            Self::NotAttested => "not-attested",
            Self::StaffNotTold => "staff-not-told",
            Self::LimitReached => "limit-reached",
            Self::OtherRequest => "other-request",
            Self::StillRunning => "still-running",
            Self::OutcomeUnknown => "outcome-unknown",
            Self::NotConfirmed => "not-confirmed",
            Self::Undigestible => "undigestible",
            Self::NotSettleable => "not-settleable",
            Self::ClaimLost => "claim-lost",
            Self::StoreFailed => "store-failed",
            Self::StoreFull => "store-full",
            Self::StoreEmptied => "store-emptied",
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
            | Self::NoTimer
            | Self::NotAttested
            | Self::StaffNotTold
            | Self::OutcomeUnknown
            | Self::NotSettleable
            | Self::StoreFailed
            | Self::StoreFull
            | Self::StoreEmptied => true,
            Self::Given
            | Self::Public
            | Self::SignIn
            | Self::NotOpened
            | Self::ActsForNobody
            | Self::ActionConditions
            | Self::NotIdentified
            | Self::PolicyRefused
            | Self::ActionAllowed
            | Self::ActionStarted
            | Self::DoneBefore
            | Self::NoMessageId
            | Self::LimitReached
            | Self::OtherRequest
            | Self::StillRunning
            | Self::NotConfirmed
            | Self::Undigestible
            | Self::ClaimLost => false,
        }
    }

    /// Whether an agent may give what was asked for.
    #[must_use]
    pub fn gives(self) -> bool {
        matches!(self, Self::Given | Self::Public | Self::ActionAllowed | Self::ActionStarted)
    }

    /// Whether an action may have been done by this or an earlier request with the same message: then
    /// nothing is said of it.
    pub(in crate::on_request) fn leaves_outcome_open(self) -> bool {
        matches!(
            self,
            Self::DoneBefore
                | Self::OtherRequest
                | Self::StillRunning
                | Self::OutcomeUnknown
                | Self::ClaimLost
                | Self::NotSettleable
                | Self::StoreFailed
                | Self::StoreEmptied
        )
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
/// The [`Reason`] to refer (OR-5.3, OR-5.4, OR-5.7). Of an action always
/// [`ActionConditions`](Reason::ActionConditions): whether OR-5.6 holds is not in the card, see
/// [`actions`](crate::on_request::actions).
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
            (R::NotAttested, "not-attested"),
            (R::StaffNotTold, "staff-not-told"),
            (R::OutcomeUnknown, "outcome-unknown"),
            (R::NotSettleable, "not-settleable"),
            (R::StoreFailed, "store-failed"),
            (R::StoreFull, "store-full"),
            (R::StoreEmptied, "store-emptied"),
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
            (R::ActionAllowed, "action-allowed"),
            (R::ActionStarted, "action-started"),
            (R::DoneBefore, "done-before"),
            (R::NoMessageId, "no-message-id"),
            (R::LimitReached, "limit-reached"),
            (R::OtherRequest, "other-request"),
            (R::StillRunning, "still-running"),
            (R::NotConfirmed, "not-confirmed"),
            (R::Undigestible, "undigestible"),
            (R::ClaimLost, "claim-lost"),
            (R::Given, "given"),
            (R::Public, "public"),
            (R::SignIn, "sign-in"),
            (R::NotOpened, "not-opened"),
            (R::ActsForNobody, "acts-for-nobody"),
            (R::ActionConditions, "action-conditions"),
            (R::NotIdentified, "not-identified"),
            (R::PolicyRefused, "policy-refused"),
        ];
        for (reasons, is_fault) in [(&faults[..], true), (&others[..], false)] {
            for (reason, word) in reasons {
                assert_eq!((reason.as_str(), reason.is_fault()), (*word, is_fault));
                assert!(!(reason.gives() && reason.is_fault()));
            }
        }
    }
}

//! The way to an action, in the order of the conditions (OR-5.6).

use std::time::{Duration, SystemTime};

use super::bound_message::BoundMessage;
use super::config::Actions;
use super::confirmation::ConfirmationQuestion;
use super::held_claim::HeldClaim;
use super::note::write_note;
use super::recorded::RecordedReply;
use super::staff::{StaffEvent, StaffNotice};
use super::store::{ActionClaim, ActionKey, ClaimOutcome, ClaimToken};
use super::terms::ActionTerms;
use crate::binding::IncomingMessage;
use crate::deadline::Deadline;
use crate::on_request::deciding::caller::Caller;
use crate::on_request::deciding::rules::Reason;
use crate::on_request::declared::skill::SkillId;
use crate::shield::{Shielded, shielded};

/// What `work` answers, where it does so in time, without an error and without a panic.
pub(super) async fn answer<T, E>(deadline: &mut Deadline, work: impl Future<Output = Result<T, E>>) -> Option<T> {
    match deadline.run(Shielded::new(work)).await {
        Ok(Ok(Ok(answer))) => Some(answer),
        _ => None,
    }
}

/// One request for one action.
pub(super) struct ActionRequest<'a> {
    pub(super) actions: &'a Actions,
    pub(super) terms: &'a ActionTerms,
    pub(super) caller: &'a Caller,
    /// The person that the message names.
    pub(super) acting_for: Option<String>,
    pub(super) message: &'a IncomingMessage,
    pub(super) skill: &'a SkillId,
    pub(super) limit: Duration,
}

/// What a request comes to, if it is not refused.
pub(super) enum Performed {
    /// It was started, and is for the agent to do now.
    Started(StartedAction),
    /// It was done before.
    Before(RecordedReply),
}

/// An action that was started now.
pub(super) struct StartedAction {
    pub(super) key: ActionKey,
    /// The digest of what is asked for.
    pub(super) asked: [u8; 32],
    pub(super) claim: HeldClaim,
    pub(super) allowed: Duration,
}

impl ActionRequest<'_> {
    /// The key of the action, if the message can have one.
    pub(super) fn key(&self) -> Option<ActionKey> {
        let id = self.message.message_id().filter(|id| !id.is_empty())?;
        Some(self.actions.hashes().action(self.caller.id(), &id, self.skill))
    }

    /// The digest of what is asked for, if that has one meaning.
    pub(super) fn digest(&self) -> Option<[u8; 32]> {
        BoundMessage::of(self.message, self.terms.retried()).map(|bound| bound.digest())
    }

    /// Everything between the decision and the start. Whatever is dropped or fails on the way, the
    /// claim is settled.
    pub(super) async fn perform(&self) -> Result<Performed, Reason> {
        let mut deadline = Deadline::new(self.limit);
        let key = self.key().ok_or(Reason::NoMessageId)?;
        let bound = BoundMessage::of(self.message, self.terms.retried()).ok_or(Reason::Undigestible)?;
        let digest = bound.digest();
        let confirmed = match self.terms.cannot_be_undone() {
            // What was asked for before needs no second yes, and must not use one up.
            Some(_) if self.is_known(&key, &mut deadline).await? => false,
            Some(what) => match self.confirm(what, key, &bound, &mut deadline).await {
                Ok(()) => true,
                // Its twin has used the yes meanwhile: what comes of that is answered.
                Err(_) if self.is_known(&key, &mut deadline).await? => false,
                Err(reason) => return Err(reason),
            },
            None => true,
        };
        let notice = self.notice(&key, &bound);
        let token = ClaimToken::random();
        let claim = self.claim(key, token, digest, &notice);
        let mut held = HeldClaim::new(self.actions, key, token, notice.clone()).ok_or(Reason::NotSettleable)?;
        let store = &self.actions.services().store;
        match answer(&mut deadline, async { store.claim(&claim).await }).await {
            Some(ClaimOutcome::Claimed) if confirmed => {}
            // It was forgotten since it was looked for. The claim is given up.
            Some(ClaimOutcome::Claimed) => return Err(Reason::NotConfirmed),
            Some(outcome) => {
                held.disarm();
                return self.not_claimed(&key, digest, outcome).await;
            }
            None => return Err(Reason::StoreFailed),
        }
        // Before they are told: whoever hangs up meanwhile must not leave them with half of it.
        held.staff_told();
        self.tell_staff(notice, &mut deadline).await?;
        if deadline.run(self.actions.is_attested()).await != Ok(true) {
            return Err(Reason::NotAttested);
        }
        held.start_sent();
        match answer(&mut deadline, async { store.start(&key, token, self.terms.allowed()).await }).await {
            Some(true) => {
                Ok(Performed::Started(StartedAction { key, asked: digest, claim: held, allowed: self.terms.allowed() }))
            }
            Some(false) => Err(Reason::ClaimLost),
            None => Err(Reason::StoreFailed),
        }
    }

    /// OR-5.6 (d), before anything is claimed.
    async fn confirm(
        &self,
        what: &str,
        key: ActionKey,
        bound: &BoundMessage,
        deadline: &mut Deadline,
    ) -> Result<(), Reason> {
        let has_unseen = bound.holds_bytes() || bound.holds_address() && !self.terms.confirms_addresses();
        let words = bound.words().filter(|_| !has_unseen).ok_or(Reason::NotConfirmed)?;
        let question = ConfirmationQuestion {
            skill: self.skill.clone(),
            caller: self.caller.clone(),
            acting_for: self.acting_for.clone(),
            key,
            digest: bound.digest(),
            cannot_be_undone: what.to_owned(),
            members: bound.shown(),
            words,
        };
        let confirmed = answer(deadline, async { self.actions.confirmer().ask(&question).await }).await;
        confirmed.filter(|yes| *yes).map(drop).ok_or(Reason::NotConfirmed)
    }

    /// Whether the store has an entry for the message.
    async fn is_known(&self, key: &ActionKey, deadline: &mut Deadline) -> Result<bool, Reason> {
        self.state(key, deadline).await.map(|state| state.is_some())
    }

    fn notice(&self, key: &ActionKey, bound: &BoundMessage) -> StaffNotice {
        StaffNotice {
            event: StaffEvent::Starting,
            staff: self.terms.staff_name().to_owned(),
            skill: self.skill.clone(),
            caller: self.caller.clone(),
            acting_for: self.acting_for.clone(),
            at: shielded(|| self.actions.now()).unwrap_or(SystemTime::UNIX_EPOCH),
            undo: self.terms.undo().map(str::to_owned),
            idempotency_key: key.to_string(),
            words: if self.terms.tells_words() { bound.words() } else { None },
        }
    }

    /// OR-5.6 (c), as one step of the store.
    fn claim(&self, key: ActionKey, token: ClaimToken, digest: [u8; 32], notice: &StaffNotice) -> ActionClaim {
        let hashes = self.actions.hashes();
        let (per_assistant, in_total) = self.terms.limits_or_nothing();
        let assistant = (hashes.assistant_limit(self.skill, self.caller.id()), per_assistant);
        ActionClaim::new(key, token)
            .with_digest(digest)
            .with_limits(assistant, (hashes.total_limit(self.skill), in_total))
            // What may still be on its way to the start when the deadline is over cannot start then.
            .with_lease(self.limit.saturating_add(Duration::from_secs(5)))
            .with_remembered(self.terms.kept())
            .with_note(write_note(notice))
    }

    /// OR-5.6 (b).
    async fn tell_staff(&self, notice: StaffNotice, deadline: &mut Deadline) -> Result<(), Reason> {
        let staff = self.actions.services().staff.as_ref().ok_or(Reason::StaffNotTold)?;
        answer(deadline, async { staff.tell(notice).await }).await.ok_or(Reason::StaffNotTold)
    }

    async fn not_claimed(&self, key: &ActionKey, digest: [u8; 32], outcome: ClaimOutcome) -> Result<Performed, Reason> {
        match outcome {
            ClaimOutcome::Taken { digest: first, .. } if first != digest => Err(Reason::OtherRequest),
            ClaimOutcome::Taken { state, .. } => self.repeat(key, state).await,
            ClaimOutcome::Limited => Err(Reason::LimitReached),
            ClaimOutcome::Full => Err(Reason::StoreFull),
            ClaimOutcome::Emptied => Err(Reason::StoreEmptied),
            ClaimOutcome::Lost | ClaimOutcome::Claimed => Err(Reason::ClaimLost),
        }
    }
}

//! What the store knows of a message before anybody is asked anything about it.

use std::time::Duration;

use super::perform::{ActionRequest, Performed, answer};
use super::recorded::RecordedReply;
use super::store::{ActionKey, ActionState};
use crate::binding::IncomingMessage;
use crate::call::A2aCall;
use crate::deadline::Deadline;
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::deciding::rules::Reason;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::shield::Shielded;

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

impl ActionRequest<'_> {
    /// What the same message came to before, whatever card, attestation or limits say now; `None`
    /// where nobody has asked for it.
    pub(super) async fn before(&self) -> Option<Result<Performed, Reason>> {
        let key = self.key()?;
        let mut deadline = Deadline::new(self.limit);
        match self.state(&key, &mut deadline).await {
            Ok(None) => None,
            Ok(Some(state)) => Some(self.repeat(&key, state).await),
            Err(reason) => Some(Err(reason)),
        }
    }

    pub(super) async fn state(&self, key: &ActionKey, deadline: &mut Deadline) -> Result<Option<ActionState>, Reason> {
        answer(deadline, async { self.actions.services().store.state(key).await }).await.ok_or(Reason::StoreFailed)
    }

    /// Waits for what the first request becomes.
    pub(super) async fn repeat(&self, key: &ActionKey, mut state: ActionState) -> Result<Performed, Reason> {
        let mut waiting = Deadline::new(self.actions.wait());
        let mut pause = FIRST_PAUSE;
        let mut place = None;
        loop {
            match state {
                ActionState::Done(reply) => return self.recorded(&reply),
                ActionState::Unknown => return Err(Reason::OutcomeUnknown),
                ActionState::Claimed | ActionState::Started => {}
            }
            // Waiting costs the store; who floods it with duplicates is answered at once.
            let Ok(taken) = place.map_or_else(|| self.actions.waiters().try_acquire(), Ok) else {
                return Err(Reason::StillRunning);
            };
            place = Some(taken);
            if self.actions.wait().is_zero() || waiting.run(tokio::time::sleep(pause)).await.is_err() {
                return Err(Reason::StillRunning);
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
            state = match waiting.run(Shielded::new(async { self.actions.services().store.state(key).await })).await {
                Ok(Ok(Ok(Some(state)))) => state,
                // The first was given up: whether this one may be done is for the next request.
                Ok(Ok(Ok(None))) => return Err(Reason::ClaimLost),
                Ok(_) => return Err(Reason::StoreFailed),
                Err(_) => return Err(Reason::StillRunning),
            };
        }
    }

    /// Never to somebody who cannot be told from others, and never for other words.
    fn recorded(&self, reply: &[u8]) -> Result<Performed, Reason> {
        let recorded = RecordedReply::read(reply).filter(|_| !self.caller.is_anonymous()).ok_or(Reason::DoneBefore)?;
        match self.digest().is_some_and(|asked| recorded.answers(&asked)) {
            true => Ok(Performed::Before(recorded)),
            false => Err(Reason::OtherRequest),
        }
    }
}

impl BoundOnRequest {
    /// Whether an action may have been done by an earlier request with the same message, so that
    /// nobody may say that it was not. A store that cannot be asked may know.
    pub(in crate::on_request) async fn may_have_been_done(
        &self,
        call: &A2aCall,
        message: &IncomingMessage,
        skill: &OnRequestSkill,
    ) -> bool {
        let Some((actions, terms)) = self.action_setup(skill) else { return false };
        let caller = self.asking(call);
        // A gate has twice the time of a decision, and has decided before.
        let limit = call.decision_timeout() / 2;
        let request =
            ActionRequest { actions, terms, caller: &caller, acting_for: None, message, skill: skill.id(), limit };
        let Some(key) = request.key() else { return false };
        request.state(&key, &mut Deadline::new(limit)).await != Ok(None)
    }
}

//! The permit to carry out one action, once.

use std::fmt;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::time::Instant;
use uuid::Uuid;

use super::deferred::DeferredReply;
use super::held_claim::HeldClaim;
use super::perform::StartedAction;
use super::recorded::RecordedReply;
use super::reply::ActionReply;
use super::store::ActionKey;
use crate::deadline::Deadline;
use crate::error::BoxError;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;
use crate::on_request::disclosing::guard::OnRequestGuard;
use crate::shield::Shielded;

/// How long a reply waits for the store to record it. Then that goes on without it.
const RECORDING: Duration = Duration::from_secs(2);

/// That one action may be carried out now, once. Only [`OnRequestGuard::perform`] makes one, and it
/// has no clone.
///
/// [`run`](Self::run) is the first choice. Who does the work elsewhere says with
/// [`complete`](Self::complete) what was answered. A permit that is dropped leaves an action of which
/// nobody knows whether it was done: staff are told, and the same message is never run again.
///
/// # Never twice
///
/// What stands in a store can be lost, and a process can die between the booking and its record. The
/// last word is the booking system's: hand it the [`idempotency_key`](Self::idempotency_key), under a
/// unique constraint.
#[must_use = "a permit that is dropped leaves an action of unknown outcome"]
pub struct ActionPermit {
    skill: SkillId,
    idempotency_key: String,
    /// `None` for a public skill, which needs none.
    claim: Option<HeldClaim>,
    listed: Option<ListedAction>,
    time_allowed: Duration,
    started: Instant,
    guard: OnRequestGuard,
}

/// An action that the card lists.
struct ListedAction {
    skill: OnRequestSkill,
    key: ActionKey,
    /// The digest of what was asked for.
    asked: [u8; 32],
}

impl ActionPermit {
    pub(super) fn started(guard: &OnRequestGuard, skill: &OnRequestSkill, action: StartedAction) -> Self {
        let StartedAction { key, asked, claim, allowed: time_allowed } = action;
        Self {
            skill: skill.id().clone(),
            idempotency_key: key.to_string(),
            claim: Some(claim),
            listed: Some(ListedAction { skill: skill.clone(), key, asked }),
            time_allowed,
            started: Instant::now(),
            guard: guard.clone(),
        }
    }

    /// For a skill that the card does not list: On Request says nothing of it.
    pub(super) fn public(guard: &OnRequestGuard, skill: SkillId) -> Self {
        Self {
            skill,
            idempotency_key: Uuid::new_v4().simple().to_string(),
            claim: None,
            listed: None,
            time_allowed: Duration::MAX,
            started: Instant::now(),
            guard: guard.clone(),
        }
    }

    /// The skill it is for.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.skill.as_str()
    }

    /// The key of this action for the booking system: 64 hexadecimal digits, the same for every
    /// request, in every binding and replica, that asks for the same. Of a skill that the card does not
    /// list it is a fresh one each time.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// Makes replies that say that staff complete the action later. `None` where the card does not call
    /// it `deferred`.
    ///
    /// ```
    /// use serde_json::Value;
    /// use tower_a2a_extensions::on_request::actions::{ActionPermit, ActionReply};
    ///
    /// async fn request(permit: ActionPermit) -> Result<Value, ActionReply> {
    ///     let deferred = permit.deferred();
    ///     permit
    ///         .run(async move {
    ///             // The request is put on the desk of the staff here.
    ///             let deferred = deferred.ok_or("the card says that it is done at once")?;
    ///             Ok(deferred.message("We have your request."))
    ///         })
    ///         .await
    /// }
    /// ```
    #[must_use]
    pub fn deferred(&self) -> Option<DeferredReply> {
        let sentence = self.guard.bound().unfinished_text(&self.listed.as_ref()?.skill)?;
        Some(DeferredReply::new(self.guard.call(), sentence))
    }

    /// Runs `action` on a task of its own, so that a client that hangs up does not cut it, and records
    /// what it returns: the Message or Task to answer with, as JSON in the caller's version. A booking
    /// that was turned down is an answer too; an error is for what may or may not have been done.
    ///
    /// # Errors
    ///
    /// A [reply in doubt](ActionReply::is_in_doubt), which does not say whether anything was done: where `action` fails or panics, where
    /// the permit was held for longer than the time allowed and nothing is run any more, and where it
    /// takes longer than the [time allowed](super::ActionTerms::time_allowed). In the latter case it
    /// goes on, and what it returns is recorded.
    pub async fn run<F>(self, action: F) -> Result<Value, ActionReply>
    where
        F: Future<Output = Result<Value, BoxError>> + Send + 'static,
    {
        let (guard, listed) = (self.guard.clone(), self.listed.as_ref().map(|listed| listed.skill.clone()));
        // What is over counts as unknown, and staff may have acted on that.
        let left = self.time_allowed.checked_sub(self.started.elapsed()).filter(|left| !left.is_zero());
        let in_doubt = || match &listed {
            Some(skill) => guard.in_doubt(skill),
            None => guard.in_doubt_of_public(),
        };
        let (Ok(runtime), Some(left)) = (Handle::try_current(), left) else { return Err(in_doubt()) };
        let running = runtime.spawn(async move {
            match Shielded::new(action).await {
                Ok(Ok(reply)) => Some(self.complete(reply).await),
                // The permit is dropped: the outcome is unknown.
                Ok(Err(_)) | Err(_) => None,
            }
        });
        match Deadline::new(left).run(running).await {
            Ok(Ok(Some(reply))) => Ok(reply),
            Ok(Ok(None) | Err(_)) | Err(_) => Err(in_doubt()),
        }
    }

    /// Records that the action is done and answered with `reply`, the Message or Task as JSON in the
    /// caller's version, and returns what to answer with. Duplicates get the same.
    ///
    /// If the action is deferred, the layer corrects two kinds of reply: a Message that
    /// [`deferred`](Self::deferred) did not make, and a Task that says COMPLETED. Both get a text that says
    /// that staff complete it (OR-5.8). If the store does not answer within two seconds, recording goes on
    /// by itself.
    #[must_use = "what is returned is to be answered"]
    pub async fn complete(mut self, reply: Value) -> Value {
        let reply = match &self.listed {
            Some(listed) => self.guard.bound().without_false_completion(self.guard.call(), &listed.skill, reply),
            None => reply,
        };
        let (Some(mut claim), Some(ListedAction { key, asked, .. })) = (self.claim.take(), &self.listed) else {
            return reply;
        };
        let record = RecordedReply::new(reply.clone(), asked, &self.guard.call().reply_target()).write();
        claim.replied(&record);
        let Some(store) = claim.services().map(|services| services.store.clone()) else { return reply };
        if let Some(services) = claim.services() {
            // What staff have to complete is known to all replicas before it is said.
            let deferring = Shielded::new(services.deferred.store(services.store.as_ref()));
            drop(Deadline::new(RECORDING).run(deferring).await);
        }
        let recording =
            claim.token().map(|token| Shielded::new(async move { store.complete(key, token, &record).await }));
        if let Some(recording) = recording
            && let Ok(Ok(Ok(_))) = Deadline::new(RECORDING).run(recording).await
        {
            claim.recorded();
        }
        reply
    }
}

impl fmt::Debug for ActionPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionPermit").field("skill", &self.skill).finish_non_exhaustive()
    }
}

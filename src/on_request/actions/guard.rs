//! The guard's side of actions.

use super::deferred::DeferredSlot;
use super::in_doubt::DoubtReply;
use super::perform::{ActionRequest, Performed};
use super::permit::ActionPermit;
use super::reply::ActionReply;
use crate::deadline::Deadline;
use crate::on_request::deciding::assertion::acting_for;
use crate::on_request::deciding::decision::Decision;
use crate::on_request::deciding::rules::Reason;
use crate::on_request::declared::catalog::CatalogEntry;
use crate::on_request::declared::declaration::{Completion, OnRequestSkill};
use crate::on_request::declared::skill::SkillId;
use crate::on_request::declared::wording::in_doubt_without_address;
use crate::on_request::disclosing::guard::OnRequestGuard;
use crate::on_request::disclosing::referral::Referral;
use crate::on_request::disclosing::slot::OnRequestSlot;

impl OnRequestGuard {
    /// Asks to carry out an action, and starts it where all conditions of OR-5.6 hold: the operator is
    /// attested, the person has confirmed what cannot be undone, neither a limit nor a duplicate
    /// stands against it, and the named member of staff was told.
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tower_a2a_extensions::OnRequestGuard;
    /// use tower_a2a_extensions::on_request::actions::ActionReply;
    ///
    /// async fn book(guard: &OnRequestGuard) -> Result<Value, ActionReply> {
    ///     let permit = guard.perform("arrangement-booking").await?;
    ///     let key = permit.idempotency_key().to_owned();
    ///     permit
    ///         .run(async move {
    ///             // The diary's unique constraint on `key` has the last word.
    ///             Ok(json!({"messageId": key, "role": "ROLE_AGENT", "parts": [{"text": "Booked for Tuesday at ten."}]}))
    ///         })
    ///         .await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// What was answered before, where the same message was carried out already, whatever the card, the
    /// attestation or the limits say now. A [reply in doubt](ActionReply::is_in_doubt) where it may have
    /// been. Else a referral where anything needed is missing, late or unreachable (OR-5.7).
    pub async fn perform(&self, skill: impl Into<SkillId>) -> Result<ActionPermit, ActionReply> {
        let id = skill.into();
        match self.bound().catalog().entry(id.as_str()) {
            Some(CatalogEntry::Public) => {
                self.bound().observe(self.call(), &Decision::new(id.clone(), Reason::Public));
                Ok(ActionPermit::public(self, id))
            }
            Some(CatalogEntry::OnRequest(skill)) => self.perform_on_request(skill).await,
            Some(CatalogEntry::SignIn) | None => Err(self.refer(id.as_str()).into()),
        }
    }

    async fn perform_on_request(&self, skill: &OnRequestSkill) -> Result<ActionPermit, ActionReply> {
        let call = self.call();
        let (caller, limit) = (self.bound().asking(call), call.decision_timeout());
        let setup = self.bound().action_setup(skill).zip(call.message());
        let request = setup.map(|((actions, terms), message)| ActionRequest {
            actions,
            terms,
            caller: &caller,
            acting_for: acting_for(message, self.bound().keys()),
            message,
            skill: skill.id(),
            limit,
        });
        // What was done stays done, whatever card, policy or attestation say by now.
        if let Some(request) = &request
            && let Some(before) = request.before().await
        {
            return self.performed(skill, before);
        }
        let decision = self.bound().decide_once(call, skill, &mut Deadline::new(limit)).await;
        if !decision.is_given() {
            return Err(self.refer(skill.id().as_str()).into());
        }
        let Some(request) = request else { return Err(self.refer_because(skill, Reason::ActionConditions)) };
        self.performed(skill, request.perform().await)
    }

    fn performed(
        &self,
        skill: &OnRequestSkill,
        performed: Result<Performed, Reason>,
    ) -> Result<ActionPermit, ActionReply> {
        // Whatever comes of it is of this caller alone.
        self.call().forbid_caching();
        match performed {
            Ok(Performed::Started(started)) => {
                self.say(skill, Reason::ActionStarted);
                self.answers_for(skill);
                Ok(ActionPermit::started(self, skill, started))
            }
            Ok(Performed::Before(reply)) => {
                self.say(skill, Reason::DoneBefore);
                self.answers_for(skill);
                reply.tell(&self.call().slot::<DeferredSlot>());
                Err(ActionReply::recorded(reply, self.call().reply_target()))
            }
            Err(reason) => Err(self.refer_because(skill, reason)),
        }
    }

    /// From now on the reply of this call is looked at, if the action is deferred (OR-5.8).
    fn answers_for(&self, skill: &OnRequestSkill) {
        self.call().slot::<OnRequestSlot>().perform(skill);
        self.refuses_no_more(skill);
        if skill.completion() == Some(Completion::Deferred) {
            self.call().show();
        }
    }

    fn say(&self, skill: &OnRequestSkill, reason: Reason) {
        self.bound().observe(self.call(), &Decision::new(skill.id().clone(), reason));
    }

    fn refer_because(&self, skill: &OnRequestSkill, reason: Reason) -> ActionReply {
        self.say(skill, reason);
        match reason.leaves_outcome_open() {
            true => self.in_doubt(skill),
            false => Referral::of_skill(self.bound(), self.call(), skill).into(),
        }
    }

    /// A reply that does not say whether anything was done.
    pub(super) fn in_doubt(&self, skill: &OnRequestSkill) -> ActionReply {
        self.call().slot::<DeferredSlot>().doubt(skill.id());
        self.refuses_no_more(skill);
        ActionReply::in_doubt(DoubtReply::new(self.call(), self.bound().in_doubt_text(skill)))
    }

    /// The same of a skill that the card does not list.
    pub(super) fn in_doubt_of_public(&self) -> ActionReply {
        ActionReply::in_doubt(DoubtReply::new(self.call(), in_doubt_without_address().to_owned()))
    }
}

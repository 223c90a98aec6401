//! The guard's side of actions.

use serde_json::Value;

use super::perform::{ActionRequest, Performed};
use super::permit::ActionPermit;
use super::recorded::is_task;
use super::reply::ActionReply;
use crate::binding::ReplyDraft;
use crate::deadline::Deadline;
use crate::on_request::assertion::acting_for;
use crate::on_request::catalog::CatalogEntry;
use crate::on_request::decision::Decision;
use crate::on_request::declaration::{Completion, OnRequestSkill};
use crate::on_request::guard::OnRequestGuard;
use crate::on_request::mark::FinalState;
use crate::on_request::referral::{Referral, write_status};
use crate::on_request::rules::Reason;
use crate::on_request::skill::SkillId;
use crate::on_request::slot::OnRequestSlot;

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
    /// A referral where anything needed is missing, late, unreachable or doubtful (OR-5.7); what was
    /// answered before where the same message was carried out already.
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
        let mut deadline = Deadline::new(call.decision_timeout());
        let decision = self.bound().decide_once(call, skill, &mut deadline).await;
        if !decision.is_given() {
            return Err(self.refer(skill.id().as_str()).into());
        }
        let (Some((actions, terms)), Some(message)) = (self.bound().action_setup(skill), call.message()) else {
            return Err(self.refer_because(skill, Reason::ActionConditions));
        };
        let caller = self.bound().asking(call);
        let limit = call.decision_timeout();
        let acting_for = acting_for(message, self.bound().keys());
        let request = ActionRequest { actions, terms, caller: &caller, acting_for, message, skill: skill.id(), limit };
        // Whatever comes of it is of this caller alone.
        call.forbid_caching();
        match request.perform().await {
            Ok(Performed::Started(key, claim)) => {
                self.say(skill, Reason::ActionStarted);
                self.answers_for(skill);
                Ok(ActionPermit::started(self, skill, key, terms.allowed(), claim))
            }
            Ok(Performed::Before(reply)) => {
                self.say(skill, Reason::DoneBefore);
                self.answers_for(skill);
                Err(ActionReply::recorded(reply, call.reply_target()))
            }
            Err(reason) => Err(self.refer_because(skill, reason)),
        }
    }

    /// From now on the reply of this call is looked at, if the action is deferred (OR-5.8).
    fn answers_for(&self, skill: &OnRequestSkill) {
        self.call().slot::<OnRequestSlot>().perform(skill);
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
            true => self.refer_in_doubt(skill),
            false => Referral::of_skill(self.bound(), self.call(), skill).into(),
        }
    }

    /// A referral that does not say whether anything was done.
    pub(super) fn refer_in_doubt(&self, skill: &OnRequestSkill) -> ActionReply {
        Referral::in_doubt(self.bound(), self.call(), skill).into()
    }

    pub(super) fn unavailable_reply(&self) -> ActionReply {
        Referral::unavailable(self.call()).into()
    }

    /// A Task that calls a deferred action COMPLETED says in words that it is not (OR-5.8).
    pub(super) fn without_false_completion(&self, skill: &OnRequestSkill, mut reply: Value) -> Value {
        let Some(text) = self.bound().unfinished_text(skill).filter(|_| is_task(&reply)) else { return reply };
        let state = reply.pointer("/status/state").and_then(Value::as_str);
        let is_completed = state.is_some_and(|state| FinalState::Completed.is(state));
        if let Some(task) = reply.as_object_mut().filter(|_| is_completed) {
            let draft = ReplyDraft::answering(self.call().message(), text);
            write_status(task, &self.call().reply_target(), None, draft);
        }
        reply
    }
}

//! The guard: what protects data inside the agent.

use std::fmt;

use super::held::{Disclosed, Held};
use super::permit::DisclosurePermit;
use super::referral::Referral;
use super::refusals::RefusalSlot;
use super::slot::OnRequestSlot;
use crate::call::A2aCall;
use crate::deadline::Deadline;
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::builder::OnRequest;
use crate::on_request::deciding::decision::Decision;
use crate::on_request::deciding::rules::Reason;
use crate::on_request::declared::catalog::CatalogEntry;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;

/// Asks, for one call, whether on-request information may be given. A clone is a pointer.
///
/// It is an extractor with the feature `axum`. Everywhere else, as in a service of tonic, it comes
/// from the request's extensions: `A2aCall::of(extensions).and_then(OnRequestGuard::of)`. Keep it out
/// of the call's own [slots](A2aCall::slot).
#[derive(Clone)]
pub struct OnRequestGuard {
    call: A2aCall,
    bound: BoundOnRequest,
}

impl OnRequestGuard {
    /// The guard of a call, where its layer has On Request installed.
    #[must_use]
    pub fn of(call: &A2aCall) -> Option<Self> {
        let bound = call.extension::<OnRequest>()?.bound()?.clone();
        Some(Self { call: call.clone(), bound })
    }

    /// Asks and opens in one step. The first choice: no id to mistype, no permit to mix up.
    ///
    /// Answer with an [`artifact`](Disclosed::artifact) of it: in the text of a Message the value
    /// would carry no mark.
    ///
    /// # Errors
    ///
    /// The [`Referral`] to answer with, see [`disclose`](Self::disclose).
    pub async fn open<'a, T>(&self, held: &'a Held<T>) -> Result<Disclosed<'a, T>, Referral> {
        let permit = self.disclose(held.skill()).await?;
        Ok(Disclosed::new(held, permit))
    }

    /// Asks for a skill whose information stands elsewhere. What is then given is an Artifact,
    /// [marked](DisclosurePermit::mark) by the permit or on its way out.
    ///
    /// # Errors
    ///
    /// A [`Referral`] where rules or policy refuse (OR-5.3, OR-5.4), and for every action (OR-5.7); of an
    /// action that the same message may have started before it does not say that it was not done.
    /// One without an address where the card has no such skill, or the skill needs sign-in
    /// (OR-5.9): a mistyped id gives nothing.
    pub async fn disclose(&self, skill: impl Into<SkillId>) -> Result<DisclosurePermit, Referral> {
        let id = skill.into();
        match self.bound.catalog().entry(id.as_str()) {
            Some(CatalogEntry::Public) => {
                self.bound.observe(&self.call, &Decision::new(id.clone(), Reason::Public));
                Ok(self.permit(id, None))
            }
            Some(CatalogEntry::OnRequest(skill)) => self.disclose_on_request(skill).await,
            Some(CatalogEntry::SignIn) | None => Err(Referral::unknown(&self.bound, &self.call, id)),
        }
    }

    async fn disclose_on_request(&self, skill: &OnRequestSkill) -> Result<DisclosurePermit, Referral> {
        if skill.is_action() {
            // Only `perform` starts one. To be told about an action is not to be let do it.
            self.bound
                .observe(&self.call, &Decision::new(skill.id().clone(), self.bound.refuse_to_tell(&self.call, skill)));
            return Err(match self.may_have_been_done(skill).await {
                true => {
                    self.refuses_no_more(skill);
                    Referral::in_doubt(&self.bound, &self.call, skill)
                }
                false => Referral::of_skill(&self.bound, &self.call, skill),
            });
        }
        let mut deadline = Deadline::new(self.call.decision_timeout());
        let decision = self.bound.decide_once(&self.call, skill, &mut deadline).await;
        if !decision.is_given() {
            return Err(Referral::of_skill(&self.bound, &self.call, skill));
        }
        self.call.slot::<OnRequestSlot>().permit(skill.id());
        self.call.forbid_caching();
        Ok(self.permit(skill.id().clone(), Some(skill)))
    }

    async fn may_have_been_done(&self, action: &OnRequestSkill) -> bool {
        match self.call.message() {
            Some(message) => self.bound.may_have_been_done(&self.call, message, action).await,
            None => false,
        }
    }

    /// Nothing in this call says any more that the action was refused before: it was done, or may have been.
    pub(in crate::on_request) fn refuses_no_more(&self, action: &OnRequestSkill) {
        self.call.slot::<RefusalSlot>().perform(action.id());
        self.call.keep_errors();
    }

    fn permit(&self, id: SkillId, skill: Option<&OnRequestSkill>) -> DisclosurePermit {
        DisclosurePermit::new(id, skill.cloned(), &self.bound, &self.call)
    }

    /// What to answer where something is asked for that no permit is for.
    pub(in crate::on_request) fn refer(&self, id: &str) -> Referral {
        Referral::of_id(&self.bound, &self.call, id)
    }

    pub(in crate::on_request) fn bound(&self) -> &BoundOnRequest {
        &self.bound
    }

    pub(in crate::on_request) fn call(&self) -> &A2aCall {
        &self.call
    }
}

impl fmt::Debug for OnRequestGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnRequestGuard").field("call", &self.call).finish_non_exhaustive()
    }
}

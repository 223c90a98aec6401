//! On Request for one card: it knows the skills and decides.

mod concerned;

use std::fmt;
use std::sync::Arc;

use super::actions::{ActionTerms, Actions};
use super::deciding::assertion::{OwnAssertion, PersonAssertion};
use super::deciding::caller::Caller;
use super::deciding::decision::Decision;
use super::deciding::mark_key::MarkKey;
use super::deciding::policy::{Policy, Verdict};
use super::deciding::rules::{Reason, rules};
use super::deciding::skill_call::SkillCall;
use super::declared::catalog::{CatalogEntry, SkillCatalog};
use super::declared::declaration::{OnRequestDeclaration, OnRequestSkill};
use super::declared::examples::ExampleIndex;
use super::declared::skill::SkillId;
use super::declared::wording::{in_doubt_text, unfinished_text};
use super::disclosing::slot::OnRequestSlot;
use super::settings::OnRequestSettings;
use crate::binding::IncomingMessage;
use crate::call::A2aCall;
use crate::card::AgentCard;
use crate::deadline::{Deadline, DeadlineFault};
use crate::findings::Findings;
use crate::observer::ExtensionsEvent;
use crate::shield::{Shielded, shielded};
use crate::uri::ExtensionUri;

pub(super) use concerned::FoundSkills;

/// On Request, bound to a card: the only thing that decides. A clone is a pointer.
///
/// It is made by [`OnRequest::for_card`](super::OnRequest::for_card), and needs no server, no
/// tower and no runtime.
#[derive(Clone)]
pub struct BoundOnRequest(Arc<BoundState>);

struct BoundState {
    uri: ExtensionUri,
    /// The keys in `metadata`, the card's spelling first.
    keys: Vec<String>,
    catalog: SkillCatalog,
    examples: ExampleIndex,
    assertion: Arc<dyn PersonAssertion>,
    mark_key: MarkKey,
    settings: OnRequestSettings,
    findings: Findings,
}

impl BoundOnRequest {
    pub(super) fn new(
        card: &AgentCard,
        uris: Vec<ExtensionUri>,
        params: &OnRequestDeclaration,
        settings: OnRequestSettings,
    ) -> Self {
        let keys = uris.iter().map(|uri| uri.as_str().to_owned()).collect::<Vec<_>>();
        let assertion = settings.assertion.clone().unwrap_or_else(|| Arc::new(OwnAssertion::new(&keys)));
        Self(Arc::new(BoundState {
            uri: uris.into_iter().next().unwrap_or(super::ON_REQUEST_URI),
            keys,
            catalog: SkillCatalog::new(card, params, &settings.kinds),
            examples: ExampleIndex::new(card),
            assertion,
            mark_key: settings.mark_key.clone().unwrap_or_else(MarkKey::of_process),
            settings,
            findings: Findings::default(),
        }))
    }

    pub(super) fn with_findings(self, findings: Findings) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(state) => Self(Arc::new(BoundState { findings, ..state })),
            Err(state) => Self(state),
        }
    }

    /// Warnings and notes about the card.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.0.findings
    }

    /// The on-request skills, in the order of the declaration.
    pub fn skills(&self) -> impl Iterator<Item = &OnRequestSkill> {
        self.0.catalog.all_on_request()
    }

    /// Decides one call: the rules of the specification, then the policy.
    ///
    /// It has no timer and needs no runtime: where the policy hangs, so does this. The gate and the
    /// guard limit it.
    pub async fn decide(&self, call: &SkillCall) -> Decision {
        let reason = match self.0.catalog.entry(call.skill()) {
            None => Reason::UnknownSkill,
            Some(CatalogEntry::Public) => Reason::Public,
            Some(CatalogEntry::SignIn) => Reason::SignIn,
            Some(CatalogEntry::OnRequest(skill)) => self.decide_on_request(skill, call).await,
        };
        Decision::new(call.skill_id().clone(), reason)
    }

    async fn decide_on_request(&self, skill: &OnRequestSkill, call: &SkillCall) -> Reason {
        let call = &call.with_caller(self.with_assertion(call.caller(), call.message()));
        if call.caller().is_unidentifiable() {
            return Reason::IdentificationPanicked;
        }
        let action = self.action_setup(skill);
        match (rules(skill, call.caller()), action) {
            (Ok(()), _) => {}
            // What the rules cannot see without terms.
            (Err(Reason::ActionConditions), Some((actions, terms))) => {
                if let Err(reason) = self.check_action(actions, terms, call).await {
                    return reason;
                }
            }
            (Err(reason), _) => return reason,
        }
        let settings = &self.0.settings;
        if action.is_none() && !self.serves(call.caller()) {
            return Reason::NotIdentified;
        }
        match Shielded::new(settings.policy.decide(call)).await {
            Ok(Ok(Verdict::Give)) if action.is_some() => Reason::ActionAllowed,
            Ok(Ok(Verdict::Give)) => Reason::Given,
            Ok(Ok(Verdict::Refer)) => Reason::PolicyRefused,
            Ok(Err(error)) => {
                // Its destructor is the operator's code as well.
                drop(shielded(|| drop(error)));
                Reason::PolicyFailed
            }
            Err(_) => Reason::PolicyPanicked,
        }
    }

    /// What of OR-5.6 can be told before anything is claimed: who asks, for which message, and (a).
    async fn check_action(&self, actions: &Actions, terms: &ActionTerms, call: &SkillCall) -> Result<(), Reason> {
        if call.caller().is_anonymous() && !terms.allows_anonymous() {
            return Err(Reason::NotIdentified);
        }
        let id = call.message().and_then(IncomingMessage::message_id);
        if id.is_none_or(|id| id.is_empty()) {
            return Err(Reason::NoMessageId);
        }
        if !actions.is_attested().await {
            return Err(Reason::NotAttested);
        }
        Ok(())
    }

    pub(super) fn actions(&self) -> Option<&Actions> {
        self.0.settings.actions.as_ref()
    }

    /// On what terms an opened action is carried out, where it may be at all.
    pub(super) fn action_setup(&self, skill: &OnRequestSkill) -> Option<(&Actions, &ActionTerms)> {
        let settings = &self.0.settings;
        let actions = settings.actions.as_ref().filter(|_| skill.is_action())?;
        let terms = settings.terms.get(skill.id()).filter(|terms| terms.missing().is_empty())?;
        Some((actions, terms))
    }

    /// Why an action is not told by a guard's `disclose`.
    pub(super) fn refuse_to_tell(&self, call: &A2aCall, skill: &OnRequestSkill) -> Reason {
        rules(skill, &self.asking(call)).err().unwrap_or(Reason::ActionConditions)
    }

    /// Who asks, with what the message says of a person: it is searched once for each call.
    pub(super) fn asking(&self, call: &A2aCall) -> Caller {
        let slot = call.slot::<OnRequestSlot>();
        slot.asking.get_or_init(|| self.with_assertion(&slot.caller(), call.message())).clone()
    }

    /// What is said where a deferred action is called done; `None` of any other.
    pub(super) fn unfinished_text(&self, skill: &OnRequestSkill) -> Option<String> {
        unfinished_text(&self.0.catalog, skill)
    }

    pub(super) fn in_doubt_text(&self, skill: &OnRequestSkill) -> String {
        in_doubt_text(&self.0.catalog, skill)
    }

    /// Whether somebody of whom as little is known may be given anything.
    fn serves(&self, caller: &Caller) -> bool {
        let settings = &self.0.settings;
        settings.identify.is_none() || settings.allow_anonymous || !caller.is_anonymous()
    }

    /// Who got what this call is given, for the mark.
    pub(super) fn given_to(&self, call: &A2aCall, skill: &SkillId) -> Option<String> {
        self.0.mark_key.given_to(&call.slot::<OnRequestSlot>().caller(), skill)
    }

    /// Whether `given_to`, of a mark in a later reply, names who asks now. A caller of whom
    /// nothing is known is one of many: it has to know the task's id, so a list gives it nothing.
    pub(super) fn is_given_to(&self, call: &A2aCall, skill: &SkillId, given_to: &str, in_list: bool) -> bool {
        let caller = call.slot::<OnRequestSlot>().caller();
        let may_read = !call.is_nobodys() && self.serves(&caller) && !(in_list && caller.is_anonymous());
        may_read && self.0.mark_key.is_given_to(&caller, skill, given_to)
    }

    /// The caller with what the message says about a person, unless it is known already.
    fn with_assertion(&self, caller: &Caller, message: Option<&IncomingMessage>) -> Caller {
        let Some(message) = message.filter(|_| caller.says_nothing_of_a_person()) else { return caller.clone() };
        match shielded(|| self.0.assertion.acts_for_a_person(message)) {
            Ok(acting) => caller.clone().acting_for_a_person(acting),
            Err(_) => Caller::unidentifiable(),
        }
    }

    /// Decides an on-request skill once for each call, within the deadline, and tells the observer.
    pub(super) async fn decide_once(
        &self,
        call: &A2aCall,
        skill: &OnRequestSkill,
        deadline: &mut Deadline,
    ) -> Decision {
        let slot = call.slot::<OnRequestSlot>();
        let cell = slot.decision(skill.id());
        let question = question(call, skill.id(), self.asking(call));
        let deciding = cell.get_or_init(|| async {
            let decision = self.decide(&question).await;
            self.observe(call, &decision);
            decision
        });
        match deadline.run(deciding).await {
            Ok(decision) => decision.clone(),
            Err(fault) => self.settle(call, skill.id(), fault.into()),
        }
    }

    /// Decides without asking, for the rest of the call.
    pub(super) fn settle(&self, call: &A2aCall, skill: &SkillId, reason: Reason) -> Decision {
        let decision = Decision::new(skill.clone(), reason);
        self.observe(call, &decision);
        // Where somebody else has decided meanwhile, that is what later questions get.
        drop(call.slot::<OnRequestSlot>().decision(skill).set(decision.clone()));
        decision
    }

    pub(super) fn observe(&self, call: &A2aCall, decision: &Decision) {
        let (uri, skill, reason) = (&self.0.uri, decision.skill(), decision.reason());
        call.observe(&match reason.is_fault() {
            true => ExtensionsEvent::decided_by_fault(uri, skill, reason.as_str()),
            false => ExtensionsEvent::decided(uri, skill, reason.as_str()),
        });
    }

    pub(super) fn notice(&self, call: &A2aCall, what: &str) {
        call.observe(&ExtensionsEvent::noticed(&self.0.uri, what));
    }

    pub(super) fn referral_text(&self, call: &A2aCall, skills: &[&OnRequestSkill]) -> String {
        let slot = call.slot::<OnRequestSlot>();
        let language = slot.accept_language.get().map(String::as_str);
        self.0.settings.wording.referral(&self.0.catalog, skills, language)
    }

    pub(super) fn catalog(&self) -> &SkillCatalog {
        &self.0.catalog
    }

    pub(super) fn keys(&self) -> &[String] {
        &self.0.keys
    }

    /// The key that marks are written under where the client's spelling is not known.
    pub(super) fn key(&self) -> &str {
        self.0.uri.as_str()
    }
}

impl From<DeadlineFault> for Reason {
    fn from(fault: DeadlineFault) -> Self {
        match fault {
            DeadlineFault::Passed => Self::TimedOut,
            DeadlineFault::NoTimer => Self::NoTimer,
        }
    }
}

fn question(call: &A2aCall, skill: &SkillId, caller: Caller) -> SkillCall {
    let question = SkillCall::new(skill, caller);
    match call.message() {
        Some(message) => question.with_message(message.clone()),
        None => question,
    }
}

impl fmt::Debug for BoundOnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BoundOnRequest")
            .field("uri", &self.0.uri)
            .field("skills", &self.skills().map(OnRequestSkill::id).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

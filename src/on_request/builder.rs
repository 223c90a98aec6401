//! `OnRequest`: what is configured, and the extension that the layer installs.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::ON_REQUEST_URI;
use super::actions::{ActionTerms, Actions};
use super::bound::BoundOnRequest;
use super::deciding::assertion::PersonAssertion;
use super::deciding::caller::{Caller, IdentifyCaller};
use super::deciding::mark_key::MarkKey;
use super::deciding::policy::{AnyPolicy, Policy};
use super::declared::card_rules::CardRules;
use super::declared::declaration::{OnRequestDeclaration, SkillKind};
use super::declared::skill::{SkillId, SkillResolver};
use super::declared::wording::{SafeWording, Wording};
use super::disclosing::slot::OnRequestSlot;
use super::disclosing::stamp::stamp;
use super::gate::gate;
use super::settings::{OnRequestSettings, Unresolved};
use crate::binding::IncomingMessage;
use crate::call::{A2aCall, CallFacts};
use crate::card::{AgentCard, DeclaredExtension};
use crate::error::{A2aError, A2aErrorKind};
use crate::extension::{A2aExtension, Gate, GateFuture, MessageGate, OutgoingObject, Stamp};
use crate::findings::{BuildError, Findings};
use crate::shield::shielded;
use crate::uri::ExtensionUri;

/// The longest `Accept-Language` that is kept for the wording.
const MAX_LANGUAGES: usize = 256;

/// The On Request extension, and its configuration.
///
/// Hand it to the layer's builder, or [bind](Self::for_card) it to a card to test a policy without
/// a server:
///
/// ```
/// use serde_json::json;
/// use tower_a2a_extensions::AgentCard;
/// use tower_a2a_extensions::on_request::{Caller, OnRequest, OnRequestDeclaration, OnRequestSkill, Reason, SkillCall, Verdict};
///
/// let pricing = OnRequestSkill::new("service-pricing", "https://ask.example.com/talk").with_assistant_access(true);
/// let card = AgentCard::from_serialize(json!({
///     "name": "Example Memorial Chapel assistant",
///     "skills": [{"id": "service-pricing", "name": "Service costs"}],
///     "capabilities": {"extensions": [OnRequestDeclaration::new().with_skill(pricing).to_extension()]},
/// }))?;
///
/// let partners_only = |call: SkillCall| {
///     if call.caller().id() == Some("partner") { Verdict::Give } else { Verdict::Refer }
/// };
/// let on_request = OnRequest::new().information("service-pricing").policy(partners_only).for_card(&card)?;
///
/// let decide = async |name: &str, acting: bool| {
///     let caller = Caller::assistant(name).acting_for_a_person(acting);
///     on_request.decide(&SkillCall::new("service-pricing", caller)).await.reason()
/// };
/// # tokio_test::block_on(async {
/// assert_eq!(decide("partner", true).await, Reason::Given);
/// assert_eq!(decide("stranger", true).await, Reason::PolicyRefused);
/// assert_eq!(decide("partner", false).await, Reason::ActsForNobody);
/// # });
/// # Ok::<(), tower_a2a_extensions::BuildError>(())
/// ```
#[derive(Clone, Default)]
pub struct OnRequest {
    settings: OnRequestSettings,
    bound: Option<BoundOnRequest>,
}

impl OnRequest {
    /// The defaults: nothing that the card opens is given before the configuration says whether
    /// it is [information](Self::information) or the card whether it is an action; the policy gives
    /// what the rules allow; unresolved messages run guarded.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the policy. Default: [`Verdict::Give`](super::Verdict::Give), behind the rules.
    ///
    /// A closure names its argument's type, `|call: SkillCall| …`; one that awaits and needs state
    /// is written with [`with_state`](super::with_state). An error of the policy is a referral and
    /// is dropped: log it where it is made.
    #[must_use]
    pub fn policy(mut self, policy: impl Policy) -> Self {
        self.settings.policy = AnyPolicy::new(policy);
        self
    }

    /// Adds a resolver. All of them run, beside the shipped ones: the `skillId` that a caller names
    /// itself, and the card's `examples`. A closure names its argument's type, as in [`SkillResolver`].
    #[must_use]
    pub fn resolver(mut self, resolver: impl SkillResolver) -> Self {
        self.settings.resolvers.push(Arc::new(resolver));
        self
    }

    /// Says what happens to messages that neither the examples nor a resolver know.
    #[must_use]
    pub fn unresolved(mut self, unresolved: Unresolved) -> Self {
        self.settings.unresolved = unresolved;
        self
    }

    /// Sets how callers are identified. From then on a caller that is not known is referred, see
    /// [`allow_anonymous`](Self::allow_anonymous). Without it nobody is identified, and the
    /// [assertion](Self::assertion) alone decides whether an opened skill is given.
    ///
    /// A closure names its argument's type, else the compiler cannot infer it (E0282):
    ///
    /// ```
    /// use tower_a2a_extensions::on_request::Caller;
    /// use tower_a2a_extensions::{CallFacts, OnRequest};
    ///
    /// #[derive(Clone)]
    /// struct Claims { client_id: String }
    ///
    /// let on_request = OnRequest::new().caller(|facts: &CallFacts<'_>| {
    ///     Some(Caller::assistant(facts.extensions().get::<Claims>()?.client_id.as_str()))
    /// });
    /// ```
    #[must_use]
    pub fn caller(mut self, identify: impl IdentifyCaller) -> Self {
        self.settings.identify = Some(Arc::new(identify));
        self
    }

    /// Sets how an assistant shows that it acts for a named person, where the
    /// [`Caller`] does not say so. Default: [`OwnAssertion`](super::OwnAssertion). A closure names its
    /// argument's type, `|message: &IncomingMessage| …`.
    #[must_use]
    pub fn assertion(mut self, assertion: impl PersonAssertion) -> Self {
        self.settings.assertion = Some(Arc::new(assertion));
        self
    }

    /// Lets callers that could not be identified be given what the rules and the policy give.
    #[must_use]
    pub fn allow_anonymous(mut self, allow: bool) -> Self {
        self.settings.allow_anonymous = allow;
        self
    }

    /// Sets what referrals say. A closure names its argument's type, `|facts: &ReferralFacts<'_>| …`.
    #[must_use]
    pub fn wording(mut self, wording: impl Wording) -> Self {
        self.settings.wording = SafeWording(Some(Arc::new(wording)));
        self
    }

    /// Says that an opened skill only tells something. Without this it is referred.
    #[must_use]
    pub fn information(mut self, skill: impl Into<SkillId>) -> Self {
        self.settings.set_kind(skill.into(), SkillKind::Information);
        self
    }

    /// Says that a skill changes something in the operator's systems, and on what terms that is done
    /// at an assistant's request (OR-5.6). Where the card opens the skill, an id alone does not build.
    #[must_use]
    pub fn action(mut self, action: impl Into<ActionTerms>) -> Self {
        let terms = action.into();
        self.settings.set_kind(terms.skill().clone(), SkillKind::Action);
        self.settings.terms.insert(terms.skill().clone(), terms);
        self
    }

    /// Sets what all actions share: who attests the operator, how staff are told, where claims are
    /// kept. Without it every action is referred (OR-5.7).
    #[must_use]
    pub fn actions(mut self, actions: Actions) -> Self {
        self.settings.actions = Some(actions);
        self
    }

    /// Leaves the warnings and notes of a rule out of a build's findings, such as those of `OR-5.10` where
    /// nobody can be reached. Errors stay.
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::{AgentCard, OnRequest};
    ///
    /// let skills = json!([{"id": "fees", "personEntry": "https://ask.example.com/talk"}]);
    /// let card = AgentCard::from_serialize(json!({
    ///     "provider": {"organization": "Clinic", "url": "https://example.com"},
    ///     "skills": [{"id": "fees", "name": "Fees"}],
    ///     "capabilities": {"extensions": [
    ///         {"uri": "https://agent-capability.org/ext/on-request/v1", "params": {"skills": skills}},
    ///     ]},
    /// }))?;
    /// let bound = OnRequest::new().silence("OR-5.10").for_card(&card)?;
    /// assert!(bound.findings().iter().all(|finding| finding.rule != "OR-5.10"));
    /// # Ok::<(), tower_a2a_extensions::BuildError>(())
    /// ```
    #[must_use]
    pub fn silence(mut self, rule: impl Into<String>) -> Self {
        self.settings.silenced.insert(rule.into().to_ascii_uppercase());
        self
    }

    /// The agent holds a value of this skill.
    pub(super) fn holds(mut self, skill: &str) -> Self {
        self.settings.held.push(skill.into());
        self
    }

    /// Names an origin that the operator controls, `https://ask.example.com`, beside the hosts of the
    /// card's `provider.url` and interfaces and what lies below them. An https address that is on
    /// none of these stops the build (OR-3.4); where the card names no provider, it is a warning.
    #[must_use]
    pub fn operator_origin(mut self, origin: impl Into<String>) -> Self {
        self.settings.origins.push(origin.into());
        self
    }

    /// Sets the key by which later replies know to whom something was given. The same for all
    /// replicas, and across restarts; without it what a process gave is withheld by every other.
    /// What such a key is made of: [`MarkKey`].
    #[must_use]
    pub fn mark_key(mut self, key: impl Into<MarkKey>) -> Self {
        self.settings.mark_key = Some(key.into());
        self
    }

    /// Adds another URI of the extension, for example a later one. A card may declare it, and
    /// clients may ask for it; each is compared exactly. Keep a URI that the card once declared as
    /// long as replies are stored that carry marks under it: of another URI they are not known.
    #[must_use]
    pub fn alias(mut self, uri: ExtensionUri) -> Self {
        self.settings.aliases.push(uri);
        self
    }

    /// Binds to a card without a layer.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every MUST of §3 that the card does not meet, each with its rule and
    /// place; also where the card does not declare the extension.
    pub fn for_card(mut self, card: &AgentCard) -> Result<BoundOnRequest, BuildError> {
        let mut findings = Findings::default();
        let uris = self.uris();
        let is_ours = |one: &DeclaredExtension<'_>| one.uri().is_some_and(|uri| uris.iter().any(|own| *own == uri));
        let mut declarations = card.extensions().filter(is_ours);
        match declarations.next() {
            Some(declared) => self.bind(card, &declared, &mut findings),
            None => findings.error(
                "OR-3.1",
                "/capabilities/extensions",
                format!("the card does not declare {ON_REQUEST_URI}"),
            ),
        }
        for another in declarations {
            findings.error("OR-3.1", another.pointer(), "the extension is declared a second time");
        }
        let findings = findings.into_result()?;
        match self.bound {
            Some(bound) => Ok(bound.with_findings(findings)),
            None => Err(BuildError { findings }),
        }
    }

    pub(super) fn bound(&self) -> Option<&BoundOnRequest> {
        self.bound.as_ref()
    }

    fn uris(&self) -> Vec<ExtensionUri> {
        [ON_REQUEST_URI].into_iter().chain(self.settings.aliases.iter().cloned()).collect()
    }
}

impl A2aExtension for OnRequest {
    fn uri(&self) -> ExtensionUri {
        ON_REQUEST_URI
    }

    fn aliases(&self) -> Vec<ExtensionUri> {
        self.settings.aliases.clone()
    }

    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        match &self.bound {
            Some(bound) => bound.keys().iter().map(|key| Cow::Owned(key.clone())).collect(),
            None => self.uris().into_iter().map(Cow::from).collect(),
        }
    }

    fn bind(&mut self, card: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
        let params = declared.params().map(OnRequestDeclaration::read).unwrap_or_default();
        CardRules::new(card, declared, &self.settings).check(findings);
        let mut uris = self.uris();
        // The card's spelling first: it is the one that marks carry where a client's is not known.
        uris.sort_by_key(|uri| declared.uri().is_none_or(|declared| *uri != declared));
        self.bound = Some(BoundOnRequest::new(card, uris, &params, self.settings.clone()));
    }

    fn begin(&self, facts: &CallFacts<'_>, call: &A2aCall) {
        // Which events carry something is not known before the stream's head leaves.
        call.forbid_caching_of_streams();
        self.begin_payload(call);
        let slot = call.slot::<OnRequestSlot>();
        if let Some(identify) = &self.settings.identify {
            let caller = shielded(|| identify.identify(facts));
            drop(slot.caller.set(caller.map_or_else(|_| Caller::unidentifiable(), Option::unwrap_or_default)));
        }
        let languages = facts.headers().get(http::header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        if let Some(languages) = languages.filter(|languages| languages.len() <= MAX_LANGUAGES) {
            drop(slot.accept_language.set(languages.to_owned()));
        }
    }

    fn begin_payload(&self, call: &A2aCall) {
        // A task that staff complete may be in it.
        if self.bound.as_ref().is_some_and(BoundOnRequest::awaits_staff) {
            call.show();
        }
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
        self.bound.as_ref().map_or_else(Stamp::remove, |bound| stamp(bound, object, call))
    }
}

impl MessageGate for OnRequest {
    fn decide<'a>(&'a self, message: &'a IncomingMessage, call: &'a A2aCall) -> GateFuture<'a> {
        match &self.bound {
            Some(bound) => gate(bound, message, call),
            // Without a card there is nothing that could decide.
            None => Gate::Refuse(A2aError::new(A2aErrorKind::Internal, "the agent is not set up")).into(),
        }
    }
}

impl fmt::Debug for OnRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnRequest")
            .field("resolvers", &self.settings.resolvers.len())
            .field("unresolved", &self.settings.unresolved)
            .field("identifies_callers", &self.settings.identify.is_some())
            .field("bound", &self.bound)
            .finish_non_exhaustive()
    }
}

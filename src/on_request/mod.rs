//! On Request: what an operator tells the person who asks, and does not publish.
//!
//! A funeral home gives prices on request. None of it needs a login, none of it is public. The
//! extension says so in the Agent Card, skill by skill, with an address where a person can ask
//! (`personEntry`) and whether an assistant that acts for a person may be told (`assistantAccess`,
//! off by default). This module keeps an agent to what its card says, whether or not a client
//! activates the extension (OR-5.1).
//!
//! # How a call is decided
//!
//! 1. [Resolvers](SkillResolver) say which skills a message asks for. All of them run, the most
//!    restricted skill wins. The card's `examples` and the `skillId` that a caller names itself
//!    are always read.
//! 2. [`IdentifyCaller`] says who asks, [`PersonAssertion`] whether for a named person.
//! 3. [`rules`] is the specification as a pure function. Where it refuses, nobody else is asked.
//! 4. The operator's [`Policy`] may refuse what the rules allow.
//!
//! Whatever panics, fails or hangs on the way, the result is a [`Referral`]: a reply that says who
//! gives this, and where. Every [`Decision`] has a [`Reason`], for the operator and not the caller.
//!
//! # The gate is a shortcut, the guard is the protection
//!
//! The gate refers messages that a resolver recognises before the agent runs. Free text that
//! nothing recognises reaches the agent, and there the data has to be behind the guard: keep it in
//! a [`Held`], and open it with [`OnRequestGuard::open`].
//!
//! ```
//! use serde_json::{Value, json};
//! use tower_a2a_extensions::{Held, OnRequestGuard, Referral};
//!
//! static PRICE: Held<&str> = Held::new("service-pricing", "as the chapel gives it");
//!
//! async fn price(task: Value, guard: &OnRequestGuard) -> Result<Value, Referral> {
//!     let price = guard.open(&PRICE).await?;
//!     let artifact = price.artifact(|price| json!([{"text": price}]));
//!     Ok(json!({"id": task["id"], "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact]}))
//! }
//! ```
//!
//! # Marks
//!
//! What is given or referred says so from the start, under our URI in its `metadata`, so that it
//! survives the agent's store, polling and later streams; the layer takes it out for clients that
//! did not activate the extension. An Artifact that was given through a permit also says to whom, by
//! a keyed hash ([`MarkKey`]) that never leaves. When the agent shows it again (get, list, cancel,
//! subscribe, another stream, a message that goes on with the task), this decides:
//!
//! | who reads it | by its task's id | in a list of tasks |
//! |---|---|---|
//! | the assistant that it was given to | kept | kept |
//! | another assistant, or nobody known | the referral instead | the referral instead |
//! | nobody known, and it was given to such a caller | kept | the referral instead |
//! | anybody, and the card or the configuration has closed the skill | the referral instead | the referral instead |
//! | anybody, and the card does not list the skill any more | kept, without the mark | kept, without the mark |
//!
//! Withheld means that parts, name, description and the agent's own metadata go, and a text with
//! the address comes; the task stays, and a list is never an error over one of its tasks. Replies
//! that give or withhold something, and all event streams of operations, leave with
//! `Cache-Control: no-store`.
//!
//! A2A's TaskStatus has no metadata of its own. So the mark of a status stands on `status.message`.
//!
//! A mark that the agent writes by hand has no such hash: it counts only in the call that holds the
//! permit, and what says that it gave a closed skill stops a live reply. An Artifact that the agent
//! leaves unmarked after a permit is marked on its way out, which does not reach the store: stored
//! like that, later replies cannot tell it from any other. So mark what you store, with
//! [`Disclosed::artifact`] or [`DisclosurePermit::mark`].
//!
//! Without a configured key, a restart forgets who got what, and replicas do not know each other's
//! marks: all of it is then withheld. [`OnRequest::mark_key`] sets one for all.
//!
//! ```
//! use tower_a2a_extensions::BoxError;
//! use tower_a2a_extensions::on_request::{MarkKey, OnRequest};
//!
//! fn on_request(secret: &[u8]) -> Result<OnRequest, BoxError> {
//!     Ok(OnRequest::new().mark_key(MarkKey::new(secret)?))
//! }
//!
//! assert!(on_request(&[0; 16]).is_err(), "fewer than 32 bytes are no key");
//! ```
//!
//! # A policy and its test
//!
//! No server, no tower, no runtime:
//!
//! ```
//! use serde_json::json;
//! use tower_a2a_extensions::AgentCard;
//! use tower_a2a_extensions::on_request::{
//!     Caller, OnRequest, OnRequestDeclaration, OnRequestSkill, Reason, SkillCall, Verdict,
//! };
//!
//! // What the card says: pricing is on request, and opened to assistants.
//! let pricing = OnRequestSkill::new("service-pricing", "https://ask.example.com/talk").with_assistant_access(true);
//! let card = AgentCard::from_serialize(json!({
//!     "name": "Example Memorial Chapel assistant",
//!     "skills": [{"id": "service-pricing", "name": "Service costs"}],
//!     "capabilities": {"extensions": [OnRequestDeclaration::new().with_skill(pricing)]},
//! }))?;
//!
//! // What the operator adds: it only tells something, and not to everybody.
//! let on_request = OnRequest::new()
//!     .information("service-pricing")
//!     .policy(|call: SkillCall| match call.caller().id() {
//!         Some("assistant-7") => Verdict::Give,
//!         _ => Verdict::Refer,
//!     })
//!     .for_card(&card)?;
//!
//! let known = Caller::assistant("assistant-7").acting_for_a_person(true);
//! let unknown = Caller::assistant("assistant-8").acting_for_a_person(true);
//! let crawler = Caller::assistant("assistant-7").acting_for_a_person(false);
//! # tokio_test::block_on(async {
//! assert_eq!(on_request.decide(&SkillCall::new("service-pricing", known)).await.reason(), Reason::Given);
//! assert_eq!(on_request.decide(&SkillCall::new("service-pricing", unknown)).await.reason(), Reason::PolicyRefused);
//! assert_eq!(on_request.decide(&SkillCall::new("service-pricing", crawler)).await.reason(), Reason::ActsForNobody);
//! # });
//! # Ok::<(), tower_a2a_extensions::BuildError>(())
//! ```
//!
//! # The rules
//!
//! | rule | enforced here | helped here | the operator's |
//! |---|---|---|---|
//! | OR-3.1 `required: false` | a build error | [`OnRequestDeclaration`] writes it | to declare at all |
//! | OR-3.2 `params.skills` | a build error | [`OnRequestDeclaration`] | |
//! | OR-3.3 ids of the card, once | a build error | | |
//! | OR-3.4 `personEntry` | its form, https for actions, an origin at or below the card's own hosts: build errors | [`operator_origin`](OnRequest::operator_origin) | who answers there |
//! | OR-3.5 `assistantAccess` | its type; absent is false | | the opt-in |
//! | OR-3.6 `completion` | its values | warnings where an opened skill has no kind, or its text says that staff complete it | whether a step waits on a person |
//! | OR-3.7 no sign-in beside it | a build error | | |
//! | OR-3.8 nothing about the person | no query, no fragment: build errors | warnings by [words of the path](CIRCUMSTANCE_WORDS) | other words |
//! | OR-3.9 no value in skill texts | | warnings by [`CommonValue`], errors for a [`CardChecker::value`] | values of other kinds |
//! | OR-5.1 whoever asks | gate, guard and marks ask nobody what is activated | | |
//! | OR-5.2 public skills | always pass | | |
//! | OR-5.3 not opened | referred by gate and guard; a reply that claims otherwise is stopped | default texts, the address appended | data outside [`Held`] |
//! | OR-5.4 opened, for a person | nobody else is given anything that is held; later replies keep what is marked for who got it | [`Policy`], [`OnRequest::mark_key`] | whom to give, and who may read a task |
//! | OR-5.5 the assistant's word | | [`OwnAssertion`], a note for every opened skill | to accept it |
//! | OR-5.6 actions | [`OnRequestGuard::perform`] starts one only where all conditions hold, once | [`Actions`], [`ActionTerms`] | the booking system's own constraint; that a person, not an assistant, confirms |
//! | OR-5.7 otherwise refer | whatever is missing or late is referred; what may have been done is not called undone | `REJECTED` by [`Referral::into_task`] | not to act without asking |
//! | OR-5.8 deferred is not done | of a Message of the call, and of what says COMPLETED, the words are replaced; later replies of the task too, until staff have completed it | [`DeferredReply`](actions::DeferredReply) | to keep the task working until staff have completed it, and to say [when they have](Actions::complete_deferred) |
//! | OR-5.9 sign-in | nothing is given for such a skill | | the sign-in |
//! | OR-5.10 nobody to reach | | [`NobodyReachable`]; a warning where no skill says how, when, in which languages | the skill and its hours |
//! | OR-6.1 the mark and its place | ours always; the agent's own words after a refusal; artifacts after a permit; others' marks are corrected or removed | [`DisclosurePermit::mark`], [`Referral::mark`] | |
//! | OR-6.2 the same in words | our texts always hold the address; the agent's own words get it after a refusal | odd replies are observed | what else its words say |

pub mod actions;
mod bound;
mod builder;
mod deciding;
mod declared;
mod disclosing;
mod gate;
mod settings;

#[cfg(test)]
mod tests;

pub use self::actions::{ActionPermit, ActionReply, ActionTerms, Actions};
pub use self::bound::BoundOnRequest;
pub use self::builder::OnRequest;
pub use self::deciding::assertion::{OwnAssertion, PersonAssertion};
pub use self::deciding::caller::{Caller, IdentifyCaller};
pub use self::deciding::decision::Decision;
pub use self::deciding::mark_key::{MarkKey, MarkKeyError};
pub use self::deciding::policy::{AnyPolicy, BothPolicies, IntoVerdict, Policy, Verdict, with_state};
pub use self::deciding::rules::{Reason, rules};
pub use self::deciding::skill_call::SkillCall;
pub use self::declared::card_rules::{CARD_RULES, CIRCUMSTANCE_WORDS, CardChecker, check_card, explain_rule};
pub(crate) use self::declared::card_rules::{misplaced_extensions, near_miss};
pub use self::declared::declaration::{Completion, OnRequestDeclaration, OnRequestSkill, SkillKind};
pub use self::declared::reach::NobodyReachable;
pub use self::declared::skill::{SkillId, SkillIds, SkillResolver, UnitedResolvers};
pub use self::declared::wording::{ReferralFacts, Wording};
pub use self::disclosing::guard::OnRequestGuard;
pub use self::disclosing::held::{Disclosed, Held};
pub use self::disclosing::mark::ReplyStatus;
pub use self::disclosing::permit::DisclosurePermit;
pub use self::disclosing::referral::Referral;
pub use self::settings::Unresolved;
use crate::uri::ExtensionUri;
pub use crate::values::{CommonValue, DetectedValue, ValueDetector};

/// The URI of the extension.
pub const ON_REQUEST_URI: ExtensionUri = ExtensionUri::from_static("https://agent-capability.org/ext/on-request/v1");

/// A JSON Schema (2020-12) of what the extension puts into cards and replies: under `$defs` the
/// whole declaration (`agentExtension`), its `params`, and the `reply` object in `metadata`.
///
/// It says what a schema can say, where the validator asserts `format`. What it cannot, such as that
/// each `id` is one of the card's, is for [`check_card`].
///
/// ```
/// use tower_a2a_extensions::on_request::SCHEMA;
///
/// let schema = serde_json::from_str::<serde_json::Value>(SCHEMA)?;
/// assert_eq!(schema["$defs"]["params"]["properties"]["skills"]["maxItems"], 200);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub const SCHEMA: &str = include_str!("schema.json");

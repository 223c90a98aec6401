//! The reply that refers a person to the operator, complete in the caller's binding.

use std::fmt;

use bytes::Bytes;
use http::Response;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::mark::{ReplyStatus, mark_value, write_mark};
use super::refusals::RefusalSlot;
use super::text_parts::TextParts;
use crate::binding::{Binding, FinalState, ProtocolVersion, ReplyDraft, ReplyTarget, message_response};
use crate::call::A2aCall;
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::deciding::decision::Decision;
use crate::on_request::deciding::rules::Reason;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::person_entry::names_address;
use crate::on_request::declared::skill::SkillId;
use crate::on_request::declared::wording::unavailable_text;

/// What was asked for is not given here; the person can ask the operator.
///
/// It is an error to return with `?`, and a whole reply: a Message, a Task or an HTTP response in
/// the caller's binding and version. With the feature `axum` it is a handler's response.
///
/// It carries the [mark](crate::on_request::ReplyStatus) from the start, so that it survives the agent's store;
/// the layer takes it out for callers that did not activate the extension.
pub struct Referral(Box<ReferralParts>);

struct ReferralParts {
    /// `None` where the card says nothing of what was asked for.
    subject: Option<ReferralSubject>,
    target: ReplyTarget,
    draft: ReplyDraft,
    /// The caller has activated the extension.
    is_active: bool,
    /// How a task ends with it.
    state: FinalState,
}

struct ReferralSubject {
    skill: SkillId,
    person_entry: String,
    status: ReplyStatus,
    uri: String,
    mark: Value,
}

impl Referral {
    pub(in crate::on_request) fn of_skill(bound: &BoundOnRequest, call: &A2aCall, skill: &OnRequestSkill) -> Self {
        // The agent's own words have to refer, too, whether or not it uses this.
        call.show();
        let refusals = call.slot::<RefusalSlot>();
        refusals.refuse(skill);
        let status = ReplyStatus::of_referral(skill);
        let subject = ReferralSubject {
            skill: skill.id().clone(),
            person_entry: skill.person_entry().to_owned(),
            status,
            uri: bound.key().to_owned(),
            mark: mark_value(status, skill),
        };
        let referral = Self::new(call, bound.referral_text(call, &[skill]), Some(subject));
        if !refusals.asks_public() {
            call.answer_instead_of_an_error(referral.0.draft.clone(), status.task_state());
        }
        referral
    }

    /// For a skill by its id.
    pub(in crate::on_request) fn of_id(bound: &BoundOnRequest, call: &A2aCall, id: &str) -> Self {
        match bound.catalog().on_request(id) {
            Some(skill) => Self::of_skill(bound, call, skill),
            None => Self::unknown(bound, call, id.into()),
        }
    }

    /// For a skill that the card does not have, or that needs sign-in.
    pub(in crate::on_request) fn unknown(bound: &BoundOnRequest, call: &A2aCall, id: SkillId) -> Self {
        bound.observe(call, &Decision::new(id, Reason::UnknownSkill));
        Self::unavailable(call)
    }

    /// For what has no place to ask: an unknown skill, or one that needs sign-in.
    pub(in crate::on_request) fn unavailable(call: &A2aCall) -> Self {
        Self::new(call, unavailable_text().to_owned(), None)
    }

    /// For an action that may have been done before: nothing of it says that it was not.
    pub(in crate::on_request) fn in_doubt(bound: &BoundOnRequest, call: &A2aCall, skill: &OnRequestSkill) -> Self {
        let mut referral = Self::new(call, bound.in_doubt_text(skill), None);
        referral.0.state = FinalState::Failed;
        referral
    }

    fn new(call: &A2aCall, text: String, subject: Option<ReferralSubject>) -> Self {
        call.note_refusal();
        let draft = ReplyDraft {
            metadata: subject.iter().map(|subject| (subject.uri.clone(), subject.mark.clone())).collect(),
            extensions: subject.iter().map(|subject| subject.uri.clone()).collect(),
            ..ReplyDraft::answering(call.message(), text)
        };
        let is_active = subject.as_ref().is_some_and(|subject| call.activated().contains(&subject.uri));
        let state = subject.as_ref().map_or(FinalState::Completed, |subject| subject.status.task_state());
        Self(Box::new(ReferralParts { subject, target: call.reply_target(), draft, is_active, state }))
    }

    /// The skill that is referred. `None` where the card has nothing of the kind to ask for, and for an
    /// action that may have been done before.
    #[must_use]
    pub fn skill(&self) -> Option<&str> {
        self.0.subject.as_ref().map(|subject| subject.skill.as_str())
    }

    /// Where the person can ask.
    #[must_use]
    pub fn person_entry(&self) -> Option<&str> {
        self.0.subject.as_ref().map(|subject| subject.person_entry.as_str())
    }

    /// What the mark says.
    #[must_use]
    pub fn status(&self) -> Option<ReplyStatus> {
        self.0.subject.as_ref().map(|subject| subject.status)
    }

    /// The text of the reply.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.draft.text
    }

    /// The reply as a Message in the caller's version (On Request §6.2), mark included.
    #[must_use]
    pub fn to_message(&self) -> Value {
        self.0.draft.to_value(self.0.target.binding, self.0.target.version)
    }

    /// Marks a Message of the agent's own words as this referral (On Request §6.1): `metadata` under our
    /// URI, and the URI in `extensions`. Where no text of it names the address, the referral's
    /// [text](Self::text) is added as a Part (OR-6.2).
    ///
    /// ```
    /// use axum::{Json, Router, routing::post};
    /// use http::Request;
    /// use serde_json::{Value, json};
    /// use tower::ServiceExt;
    /// use tower_a2a_extensions::on_request::{OnRequestDeclaration, OnRequestSkill};
    /// use tower_a2a_extensions::{A2aExtensionsLayer, Held, OnRequestGuard};
    ///
    /// static PRICE: Held<&str> = Held::new("service-pricing", "as the chapel gives it");
    ///
    /// async fn agent(guard: OnRequestGuard) -> Json<Value> {
    ///     let text = "The family gets our prices on the telephone.";
    ///     let mut message = json!({"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": text}]});
    ///     if let Err(referral) = guard.open(&PRICE).await {
    ///         referral.mark(&mut message);
    ///     }
    ///     Json(json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}}))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let pricing = OnRequestSkill::new("service-pricing", "https://ask.example.com/talk");
    /// let card = json!({
    ///     "name": "Example Memorial Chapel assistant",
    ///     "skills": [{"id": "service-pricing", "name": "Service costs"}],
    ///     "capabilities": {"extensions": [OnRequestDeclaration::new().with_skill(pricing)]},
    /// });
    /// let app = Router::new().route("/", post(agent)).layer(A2aExtensionsLayer::new(card)?);
    ///
    /// let call = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":
    ///     {"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"What does it cost?"}]}}}"#;
    /// let request = Request::post("/").header("content-type", "application/json").body(axum::body::Body::from(call))?;
    /// let reply = axum::body::to_bytes(app.oneshot(request).await?.into_body(), 10_000).await?;
    /// let reply: Value = serde_json::from_slice(&reply)?;
    /// let parts = &reply["result"]["message"]["parts"];
    /// assert_eq!(parts[0]["text"], "The family gets our prices on the telephone.");
    /// assert!(parts[1]["text"].as_str().is_some_and(|text| text.contains("https://ask.example.com/talk")));
    /// # Ok::<(), tower_a2a_extensions::BoxError>(()) })?;
    /// # Ok::<(), tower_a2a_extensions::BoxError>(())
    /// ```
    pub fn mark(&self, message: &mut Value) {
        if let Some(subject) = &self.0.subject {
            write_mark(message, &subject.uri, subject.mark.clone());
            let names_entry = |text: &str| names_address(text, &subject.person_entry);
            TextParts::of(&self.0.target).add_unless(message, self.text(), names_entry);
        }
    }

    /// Ends `task` with the reply: its state (COMPLETED for information, REJECTED for an action, FAILED for
    /// one that may have been done before)
    /// and its `status.message`, in the task's own spelling. All else in it stays.
    ///
    /// What is no object becomes a new task.
    #[must_use]
    pub fn into_task(self, task: Value) -> Value {
        let mut members = match task {
            Value::Object(members) => members,
            _ => new_task(&self.0.target, &self.0.draft),
        };
        let ReferralParts { target, draft, state, .. } = *self.0;
        write_status(&mut members, &target, Some(state), draft);
        members.into()
    }

    /// The reply as the whole HTTP response in the caller's binding, for handlers without axum. Over
    /// gRPC its trailers travel in the response's [`Extensions`](http::Extensions), from which the
    /// layer sends them.
    #[must_use]
    pub fn into_http_response(self) -> Response<Bytes> {
        let ReferralParts { target, mut draft, is_active, .. } = *self.0;
        if !is_active {
            // Nobody stores it, and what the layer would take out again would leave empty lists behind.
            draft.metadata.clear();
            draft.extensions.clear();
        }
        message_response(&target, &draft)
    }
}

impl fmt::Display for Referral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.subject {
            Some(subject) => write!(f, "{} is referred to {}", subject.skill, subject.person_entry),
            None => f.write_str("what was asked for is not available here"),
        }
    }
}

impl fmt::Debug for Referral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Referral")
            .field("skill", &self.skill())
            .field("status", &self.status())
            .field("person_entry", &self.person_entry())
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Referral {}

/// Writes a Message into a task's status, and a state where one is given, in the task's own spelling.
pub(in crate::on_request) fn write_status(
    task: &mut Map<String, Value>,
    target: &ReplyTarget,
    state: Option<FinalState>,
    mut draft: ReplyDraft,
) {
    let spelling = TaskSpelling::of(task, target);
    draft.context_id = task.get("contextId").and_then(Value::as_str).map(str::to_owned);
    let status = task.entry("status").or_insert(Value::Null);
    if !status.is_object() {
        *status = Map::new().into();
    }
    let Some(status) = status.as_object_mut() else { return };
    if let Some(state) = state {
        status.insert("state".into(), spelling.state(state).into());
    }
    // 0.3's HTTP+JSON names the message as 1.0 does, or `update`; one of them must go.
    status.remove("update");
    status.insert("message".into(), draft.to_value(spelling.binding, spelling.version));
}

/// A task for the reply of a handler that has none.
pub(in crate::on_request) fn new_task(target: &ReplyTarget, draft: &ReplyDraft) -> Map<String, Value> {
    let context = draft.context_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string());
    let mut task = Map::new();
    task.insert("id".into(), Uuid::new_v4().to_string().into());
    task.insert("contextId".into(), context.into());
    if (target.binding, target.version) == (Binding::JsonRpc, ProtocolVersion::V0_3) {
        task.insert("kind".into(), json!("task"));
    }
    task
}

/// How a task that the agent made is written.
struct TaskSpelling {
    binding: Binding,
    version: ProtocolVersion,
}

impl TaskSpelling {
    fn of(task: &Map<String, Value>, target: &ReplyTarget) -> Self {
        let state = task.get("status").and_then(|status| status.get("state")).and_then(Value::as_str);
        let old = (Binding::JsonRpc, ProtocolVersion::V0_3);
        let wanted = (target.binding, target.version);
        let (binding, version) = match state {
            _ if task.get("kind").is_some_and(|kind| kind == "task") => old,
            // ProtoJSON: 1.0, or 0.3 over anything but JSON-RPC.
            Some(state) if state.starts_with("TASK_STATE_") && wanted == old => (old.0, ProtocolVersion::V1_0),
            Some(state) if state.starts_with("TASK_STATE_") => wanted,
            Some(state) if state.starts_with(|first: char| first.is_ascii_lowercase()) => old,
            _ => wanted,
        };
        Self { binding, version }
    }

    fn state(&self, state: FinalState) -> &'static str {
        match (self.binding, self.version) {
            (Binding::JsonRpc, ProtocolVersion::V0_3) => state.short_name(),
            _ => state.name(),
        }
    }
}

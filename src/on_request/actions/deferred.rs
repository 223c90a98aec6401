//! What is said of an action that staff complete later: never that it is done (OR-5.8).

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

use super::config::Actions;
use crate::binding::{Binding, FinalState, ProtocolVersion, ReplyDraft, ReplyTarget};
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::declared::declaration::OnRequestSkill;
use crate::on_request::declared::skill::SkillId;
use crate::on_request::disclosing::mark::is_running;
use crate::on_request::disclosing::referral::{new_task, write_status};
use crate::on_request::disclosing::slot::OnRequestSlot;
use crate::on_request::disclosing::text_parts::TextParts;

/// How many objects of one call are remembered.
const MAX_TOLD: usize = 256;

/// Makes replies of a deferred action: the handler's words, and that staff complete it (OR-5.8). What
/// it makes leaves as it is. It comes from [`ActionPermit::deferred`](super::ActionPermit::deferred).
#[derive(Clone)]
pub struct DeferredReply {
    call: A2aCall,
    sentence: String,
}

impl DeferredReply {
    pub(super) fn new(call: &A2aCall, sentence: String) -> Self {
        Self { call: call.clone(), sentence }
    }

    /// A Message in the caller's version.
    #[must_use]
    pub fn message(&self, words: &str) -> Value {
        let target = self.call.reply_target();
        self.draft(words).to_value(target.binding, target.version)
    }

    /// `task` with these words as its status. A task that has no state, or has ended, works from now on.
    /// What is no object becomes a new task.
    #[must_use]
    pub fn task(&self, task: Value, words: &str) -> Value {
        let (target, draft) = (self.call.reply_target(), self.draft(words));
        let mut members = match task {
            Value::Object(members) => members,
            _ => new_task(&target, &draft),
        };
        let state = members.get("status").and_then(|status| status.get("state")).and_then(Value::as_str);
        let working = state.filter(|state| is_running(state)).map_or_else(|| working(&members, &target), str::to_owned);
        write_status(&mut members, &target, None, draft);
        if let Some(status) = members.get_mut("status").and_then(Value::as_object_mut) {
            status.insert("state".into(), working.into());
        }
        members.into()
    }

    fn draft(&self, words: &str) -> ReplyDraft {
        let text = format!("{} {}", words.trim(), self.sentence);
        let draft = ReplyDraft::answering(self.call.message(), text.trim_start().to_owned());
        self.call.slot::<DeferredSlot>().told(&draft.message_id);
        draft
    }
}

impl std::fmt::Debug for DeferredReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeferredReply").finish_non_exhaustive()
    }
}

/// The state of a task that goes on, in the task's spelling.
fn working(task: &Map<String, Value>, target: &ReplyTarget) -> String {
    let is_old = (target.binding, target.version) == (Binding::JsonRpc, ProtocolVersion::V0_3);
    let is_old = is_old || task.get("kind").is_some_and(|kind| kind == "task");
    if is_old { "working".to_owned() } else { "TASK_STATE_WORKING".to_owned() }
}

/// What of one call says the truth about a deferred action already.
#[derive(Debug, Default)]
pub(in crate::on_request) struct DeferredSlot {
    /// Ids of the Messages and Artifacts that were made or corrected here.
    told: Mutex<Vec<String>>,
    /// Actions of which nobody knows whether they were done.
    doubted: Mutex<Vec<SkillId>>,
}

impl DeferredSlot {
    pub(super) fn told(&self, id: &str) {
        let mut told = locked(&self.told);
        if told.len() < MAX_TOLD && !id.is_empty() {
            told.push(id.to_owned());
        }
    }

    /// Remembers everything that a reply says of the action.
    pub(super) fn told_all(&self, reply: &Value) {
        let message = if is_task(reply) { reply.pointer("/status/message") } else { Some(reply) };
        let artifacts = reply.get("artifacts").and_then(Value::as_array).into_iter().flatten();
        let ids = message.into_iter().filter_map(|message| message.get("messageId"));
        let ids = ids.chain(artifacts.filter_map(|artifact| artifact.get("artifactId")));
        ids.filter_map(Value::as_str).for_each(|id| self.told(id));
    }

    pub(super) fn doubt(&self, skill: &SkillId) {
        locked(&self.doubted).push(skill.clone());
    }

    fn is_told(&self, id: Option<&str>) -> bool {
        id.is_some_and(|id| locked(&self.told).iter().any(|told| told == id))
    }
}

fn locked<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl BoundOnRequest {
    /// The reply of a deferred action in words that are true: a Message, or a task that says COMPLETED,
    /// gets them in the place of its text. All else in it stays.
    pub(super) fn without_false_completion(&self, call: &A2aCall, skill: &OnRequestSkill, mut reply: Value) -> Value {
        let Some(text) = self.unfinished_text(skill) else { return reply };
        let slot = call.slot::<DeferredSlot>();
        let texts = TextParts::of(&call.reply_target());
        if !is_task(&reply) {
            if !slot.is_told(reply.get("messageId").and_then(Value::as_str)) {
                texts.replace(&mut reply, &text);
            }
        } else if reply.pointer("/status/state").and_then(Value::as_str).is_some_and(|it| FinalState::Completed.is(it))
        {
            self.correct_task(call, &mut reply, &text);
        }
        slot.told_all(&reply);
        if let Some((actions, _)) = self.action_setup(skill)
            && let Some(id) = reply.get("id").and_then(Value::as_str).filter(|_| is_task(&reply))
        {
            actions.defer(id, skill.id());
        }
        reply
    }

    /// Whether staff have still to complete something.
    pub(in crate::on_request) fn awaits_staff(&self) -> bool {
        self.actions().is_some_and(Actions::awaits_staff)
    }

    /// The deferred action that an object speaks of: of this call, or of its task.
    fn deferred_action(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Option<(OnRequestSkill, String)> {
        let of_call = call.slot::<OnRequestSlot>().performed();
        let of_task = || {
            let id = self.actions()?.deferred_skill(object.task_id()?)?;
            self.catalog().on_request(id.as_str()).cloned()
        };
        let deferred = |skill: OnRequestSkill| Some((skill.clone(), self.unfinished_text(&skill)?));
        of_call.into_iter().find_map(deferred).or_else(|| of_task().and_then(deferred))
    }

    fn correct_task(&self, call: &A2aCall, task: &mut Value, text: &str) {
        let texts = TextParts::of(&call.reply_target());
        match task.pointer_mut("/status/message").filter(|message| message.is_object()) {
            Some(message) => texts.replace(message, text),
            None => {
                let draft = ReplyDraft::answering(call.message(), text.to_owned());
                if let Some(task) = task.as_object_mut() {
                    write_status(task, &call.reply_target(), None, draft);
                }
            }
        }
        let artifacts = task.get_mut("artifacts").and_then(Value::as_array_mut).into_iter().flatten();
        // What carries a mark was given for another skill.
        let is_marked = |artifact: &Value| {
            let metadata = artifact.get("metadata");
            self.keys().iter().any(|key| metadata.is_some_and(|metadata| metadata.get(key).is_some()))
        };
        artifacts.filter(|artifact| !is_marked(artifact)).for_each(|artifact| texts.replace(artifact, text));
    }

    /// What comes of an object in a call whose action is deferred: in its words it is not done. A
    /// `kept` mark of another skill says that it is of another matter.
    pub(in crate::on_request) fn unfinished(
        &self,
        object: &OutgoingObject<'_>,
        call: &A2aCall,
        kept: Option<&Value>,
    ) -> Option<Stamp> {
        let completed = object.task_state().is_some_and(|state| FinalState::Completed.is(state));
        let is_said_now = match object.kind() {
            ObjectKind::HistoryMessage | ObjectKind::Enclosing => false,
            ObjectKind::Message => true,
            ObjectKind::StatusMessage | ObjectKind::Artifact => completed,
        };
        if !is_said_now {
            return None;
        }
        let (skill, text) = self.deferred_action(object, call)?;
        let is_of_another = |mark: &Value| mark.get("skillId").is_some_and(|id| *id != *skill.id().as_str());
        let slot = call.slot::<DeferredSlot>();
        let is_told = slot.is_told(object.id());
        if kept.is_some_and(is_of_another) || (is_told && object.kind() != ObjectKind::Artifact) {
            return None;
        }
        let text = if locked(&slot.doubted).contains(skill.id()) { self.in_doubt_text(&skill) } else { text };
        if !is_told {
            self.notice(call, "a reply of a deferred action was corrected: staff complete it (OR-5.8)");
            if completed && call.is_strict() && !object.in_list() {
                return Some(Stamp::forbid("the agent calls a deferred action done (OR-5.8)"));
            }
        }
        Some(Stamp::with_text(text).and(Stamp::remove()))
    }
}

/// A Task has a status, a Message has none (A2A §4.1).
pub(super) fn is_task(object: &Value) -> bool {
    object.get("status").is_some_and(Value::is_object)
}

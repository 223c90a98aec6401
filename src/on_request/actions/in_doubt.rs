//! The reply where nobody can say here whether an action was done.

use bytes::Bytes;
use http::Response;
use serde_json::{Map, Value};

use super::deferred::DeferredSlot;
use crate::binding::{FinalState, ReplyDraft, ReplyTarget, message_response};
use crate::call::A2aCall;
use crate::on_request::disclosing::referral::{new_task, write_status};

/// It has no mark: `action-referred` would say that the action was not carried out (§6.1).
pub(super) struct DoubtReply {
    target: ReplyTarget,
    draft: ReplyDraft,
}

impl DoubtReply {
    pub(super) fn new(call: &A2aCall, text: String) -> Self {
        call.note_refusal();
        call.forbid_caching();
        let draft = ReplyDraft::answering(call.message(), text);
        call.slot::<DeferredSlot>().told(&draft.message_id);
        Self { target: call.reply_target(), draft }
    }

    pub(super) fn to_message(&self) -> Value {
        self.draft.to_value(self.target.binding, self.target.version)
    }

    /// Ends a task FAILED: REJECTED would say that the agent decided against it.
    pub(super) fn into_task(self, task: Value) -> Value {
        let mut members: Map<String, Value> = match task {
            Value::Object(members) => members,
            _ => new_task(&self.target, &self.draft),
        };
        write_status(&mut members, &self.target, Some(FinalState::Failed), self.draft);
        members.into()
    }

    pub(super) fn into_http_response(self) -> Response<Bytes> {
        message_response(&self.target, &self.draft)
    }
}

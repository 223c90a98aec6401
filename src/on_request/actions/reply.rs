//! What is answered where an action is not carried out now.

use std::fmt;

use bytes::Bytes;
use http::Response;
use serde_json::Value;

use super::in_doubt::DoubtReply;
use super::recorded::{RecordedAnswer, RecordedReply};
use crate::binding::{ReplyTarget, message_response, object_response};
use crate::on_request::disclosing::referral::Referral;

/// The action is not carried out now: the person is [referred](Referral), or it was done before and
/// this is what was answered then, or nobody can say here whether it was done.
///
/// The last is no referral: `action-referred` and REJECTED would say that it was not done. It is a
/// Message without a mark that asks not to send the same again, and names the address.
///
/// Like a [`Referral`] it is an error to return with `?` and a whole reply: a Message, a Task or an
/// HTTP response in the caller's binding and version. With the feature `axum` it is a handler's
/// response.
pub struct ActionReply(Box<ActionReplyKind>);

enum ActionReplyKind {
    Referred(Referral),
    Recorded { reply: RecordedReply, target: ReplyTarget },
    InDoubt(DoubtReply),
}

impl ActionReply {
    pub(super) fn recorded(reply: RecordedReply, target: ReplyTarget) -> Self {
        Self(Box::new(ActionReplyKind::Recorded { reply, target }))
    }

    pub(super) fn in_doubt(reply: DoubtReply) -> Self {
        Self(Box::new(ActionReplyKind::InDoubt(reply)))
    }

    /// The referral, where the action was not done and is not.
    #[must_use]
    pub fn referral(&self) -> Option<&Referral> {
        match &*self.0 {
            ActionReplyKind::Referred(referral) => Some(referral),
            ActionReplyKind::Recorded { .. } | ActionReplyKind::InDoubt(_) => None,
        }
    }

    /// Whether the same message was carried out before, and this is what was answered then.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        matches!(&*self.0, ActionReplyKind::Recorded { .. })
    }

    /// Whether nobody can say here if the action was done.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        matches!(&*self.0, ActionReplyKind::InDoubt(_))
    }

    /// The reply as JSON in the caller's version: of what was answered before, the Message or Task
    /// itself; anything else as a Message.
    #[must_use]
    pub fn to_object(&self) -> Value {
        match &*self.0 {
            ActionReplyKind::Referred(referral) => referral.to_message(),
            ActionReplyKind::InDoubt(reply) => reply.to_message(),
            ActionReplyKind::Recorded { reply, target } => match reply.in_binding_of(target) {
                RecordedAnswer::Object(object) => object,
                RecordedAnswer::Draft(draft) => draft.to_value(target.binding, target.version),
            },
        }
    }

    /// The reply as the end of `task`. A referral ends it REJECTED, and what is in doubt FAILED, without
    /// a mark. What was answered before stays what it was, and `task` is dropped.
    #[must_use]
    pub fn into_task(self, task: Value) -> Value {
        match *self.0 {
            ActionReplyKind::Referred(referral) => referral.into_task(task),
            ActionReplyKind::InDoubt(reply) => reply.into_task(task),
            ActionReplyKind::Recorded { .. } => self.to_object(),
        }
    }

    /// The reply as the whole HTTP response in the caller's binding, for handlers without axum. A
    /// Task that was answered over gRPC is told there by its id, in words.
    #[must_use]
    pub fn into_http_response(self) -> Response<Bytes> {
        match *self.0 {
            ActionReplyKind::Referred(referral) => referral.into_http_response(),
            ActionReplyKind::InDoubt(reply) => reply.into_http_response(),
            ActionReplyKind::Recorded { reply, target } => recorded_response(&reply, &target),
        }
    }
}

fn recorded_response(reply: &RecordedReply, target: &ReplyTarget) -> Response<Bytes> {
    match reply.in_binding_of(target) {
        RecordedAnswer::Draft(draft) => message_response(target, &draft),
        RecordedAnswer::Object(object) => object_response(target, &object, reply.is_task())
            .unwrap_or_else(|| message_response(target, &reply.draft())),
    }
}

impl From<Referral> for ActionReply {
    fn from(referral: Referral) -> Self {
        Self(Box::new(ActionReplyKind::Referred(referral)))
    }
}

impl fmt::Display for ActionReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ActionReplyKind::Referred(referral) => referral.fmt(f),
            ActionReplyKind::Recorded { .. } => f.write_str("the same message was carried out before"),
            ActionReplyKind::InDoubt(_) => f.write_str("it is not known here whether the action was done"),
        }
    }
}

impl fmt::Debug for ActionReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActionReply")
            .field("referral", &self.referral())
            .field("is_repeated", &self.is_repeated())
            .field("is_in_doubt", &self.is_in_doubt())
            .finish_non_exhaustive()
    }
}

impl std::error::Error for ActionReply {}

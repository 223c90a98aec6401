//! What is answered where an action is not carried out now.

use std::fmt;

use bytes::Bytes;
use http::Response;
use serde_json::Value;

use super::recorded::{RecordedAnswer, RecordedReply};
use crate::binding::{ReplyTarget, message_response, object_response};
use crate::on_request::referral::Referral;

/// The action is not carried out now: the person is [referred](Referral), or it was done before and
/// this is what was answered then.
///
/// Like a [`Referral`] it is an error to return with `?` and a whole reply: a Message, a Task or an
/// HTTP response in the caller's binding and version. With the feature `axum` it is a handler's
/// response.
pub struct ActionReply(Box<ActionReplyKind>);

enum ActionReplyKind {
    Referred(Referral),
    Recorded { reply: RecordedReply, target: ReplyTarget },
}

impl ActionReply {
    pub(super) fn recorded(reply: RecordedReply, target: ReplyTarget) -> Self {
        Self(Box::new(ActionReplyKind::Recorded { reply, target }))
    }

    /// The referral, unless it is what was answered before.
    #[must_use]
    pub fn referral(&self) -> Option<&Referral> {
        match &*self.0 {
            ActionReplyKind::Referred(referral) => Some(referral),
            ActionReplyKind::Recorded { .. } => None,
        }
    }

    /// Whether the same message was carried out before.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        self.referral().is_none()
    }

    /// The reply as JSON in the caller's version: the referral as a Message; of what was answered
    /// before, the Message or Task itself.
    #[must_use]
    pub fn to_object(&self) -> Value {
        match &*self.0 {
            ActionReplyKind::Referred(referral) => referral.to_message(),
            ActionReplyKind::Recorded { reply, target } => match reply.in_binding_of(target) {
                RecordedAnswer::Object(object) => object,
                RecordedAnswer::Draft(draft) => draft.to_value(target.binding, target.version),
            },
        }
    }

    /// The reply as the end of `task`, which a referral ends REJECTED. What was answered before stays
    /// what it was, and `task` is dropped.
    #[must_use]
    pub fn into_task(self, task: Value) -> Value {
        match *self.0 {
            ActionReplyKind::Referred(referral) => referral.into_task(task),
            ActionReplyKind::Recorded { .. } => self.to_object(),
        }
    }

    /// The reply as the whole HTTP response in the caller's binding, for handlers without axum. A
    /// Task that was answered over gRPC is told there by its id, in words.
    #[must_use]
    pub fn into_http_response(self) -> Response<Bytes> {
        match *self.0 {
            ActionReplyKind::Referred(referral) => referral.into_http_response(),
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
        }
    }
}

impl fmt::Debug for ActionReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("ActionReply");
        shown.field("referral", &self.referral()).field("is_repeated", &self.is_repeated()).finish_non_exhaustive()
    }
}

impl std::error::Error for ActionReply {}

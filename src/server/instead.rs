//! A referral in the place of an error that the agent answers after the guard has refused it something.

use bytes::Bytes;
use http::{Response, response};

use super::admission::AdmittedCall;
use super::response_body::A2aExtensionsBody;
use crate::binding::{ReplyTarget, StreamBegin, is_error, last_event, message_response};

impl AdmittedCall {
    /// The referral, where the head alone says that the reply is an error.
    pub(super) fn instead_of_head<R>(&self, parts: &response::Parts) -> Option<Response<A2aExtensionsBody<R>>> {
        let has_grpc_error = parts.headers.get("grpc-status").is_some_and(|status| status != "0");
        let is_error = parts.status.is_client_error() || parts.status.is_server_error() || has_grpc_error;
        is_error.then(|| self.instead_of_error())?
    }

    /// The referral, where a document is an error of JSON-RPC.
    pub(super) fn instead_of_document<R>(&self, document: &[u8]) -> Option<Response<A2aExtensionsBody<R>>> {
        self.call.instead_of_error()?;
        is_error(document).then(|| self.instead_of_error())?
    }

    fn instead_of_error<R>(&self) -> Option<Response<A2aExtensionsBody<R>>> {
        let instead = self.call.instead_of_error()?;
        Some(self.answer_draft(&self.call.reply_target(), instead.draft.clone()))
    }

    /// The referral, where an error is an event of a stream that has begun like this: the task ends with
    /// it; where nothing came before, it is the whole stream.
    pub(super) fn instead_of_event(&self, begin: &StreamBegin) -> Vec<Bytes> {
        let Some(instead) = self.call.instead_of_error() else { return Vec::new() };
        let target = ReplyTarget { streaming: true, ..self.call.reply_target() };
        let draft = self.own_draft(instead.draft.clone());
        let event = match begin {
            StreamBegin::Task(task) => last_event(&target, task, instead.state, &draft).unwrap_or_default(),
            StreamBegin::Nothing | StreamBegin::Other => message_response(&target, &draft).into_body(),
        };
        self.stamp_own_stream(event).unwrap_or_else(|stop| vec![self.stopped_event(&stop)])
    }
}

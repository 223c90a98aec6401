//! What the layer does with the replies of gRPC calls.

use std::collections::VecDeque;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Response, StatusCode, response};

use super::super::admission::AdmittedCall;
use super::super::media_type::says_grpc;
use super::super::reply::stopped_error;
use super::super::response_body::A2aExtensionsBody;
use crate::binding::{Binding, StreamBegin, error_trailers, foreign_reply, last_frame, message_response};
use crate::stamping::{DocumentRules, FrameStamper};

impl AdmittedCall {
    pub(in crate::server) fn speaks_grpc(&self) -> bool {
        let reading = self.call.reading();
        self.may_be_operation() && reading.is_some_and(|reading| reading.target.binding == Binding::Grpc)
    }

    /// What leaves in the place of a reply that says it is no gRPC, such as a proxy's page: while a gate
    /// is installed nothing leaves that nobody can look into.
    pub(in crate::server) fn foreign_grpc<R>(&self, parts: &response::Parts) -> Option<Response<A2aExtensionsBody<R>>> {
        let is_foreign = parts.headers.contains_key(CONTENT_TYPE) && !says_grpc(&parts.headers)
            || !parts.headers.contains_key(CONTENT_TYPE) && parts.status != StatusCode::OK;
        if !(is_foreign && self.config.has_gate() && self.speaks_grpc()) {
            return None;
        }
        self.observe_stop("a reply to a gRPC call is no gRPC");
        let mut response = foreign_reply(parts.status);
        self.finish_head(response.headers_mut());
        Some(response.map(A2aExtensionsBody::from))
    }

    /// What stamps the reply. A message of a stream is an event, that of a unary call a document.
    pub(in crate::server) fn frames(&self) -> FrameStamper {
        let options = &self.config.options;
        let target = self.call.reply_target();
        let operation = self.call.reading().and_then(|reading| reading.operation);
        let max_frame = if target.streaming { self.held_of_event() } else { options.max_response_document };
        // Errors have no message, only trailers.
        FrameStamper::new(operation, target.version, max_frame, DocumentRules { adding: true, operation: true })
    }

    /// Finishes a frame of the layer itself, which passes the extensions' stamps like the agent's.
    pub(in crate::server) fn finish_grpc_answer<R>(
        &self,
        mut response: Response<Bytes>,
        trailers: HeaderMap,
    ) -> Response<A2aExtensionsBody<R>> {
        let mut out = VecDeque::new();
        let mut frames = self.frames();
        let body = std::mem::take(response.body_mut());
        let pushed = frames.push(body, &self.config.stamper, &self.call, &mut out);
        if let Err(why) = pushed.and_then(|()| frames.finish(&self.config.stamper, &self.call, &mut out)) {
            return self.stopped(&why);
        }
        self.finish_head(response.headers_mut());
        response.map(|_| A2aExtensionsBody::chunks(out, Some(trailers)))
    }

    /// The referral's frames, where the agent ends a stream that has begun like this with an error.
    pub(in crate::server) fn instead_of_trailers(
        &self,
        trailers: &HeaderMap,
        begin: &StreamBegin,
    ) -> Option<VecDeque<Bytes>> {
        trailers.get("grpc-status").filter(|status| *status != "0")?;
        let instead = self.call.instead_of_error()?;
        let target = self.call.reply_target();
        let draft = self.own_draft(instead.draft.clone());
        let frame = match begin {
            StreamBegin::Nothing => message_response(&target, &draft).into_body(),
            StreamBegin::Task(task) if target.streaming => {
                last_frame(task, instead.state, &draft, target.version)?.into()
            }
            StreamBegin::Task(_) | StreamBegin::Other => return None,
        };
        let (mut out, mut frames) = (VecDeque::new(), self.frames());
        frames.push(frame, &self.config.stamper, &self.call, &mut out).ok()?;
        Some(out)
    }

    /// The trailers of a reply that must not go on.
    pub(in crate::server) fn stopped_trailers(&self, why: &str) -> HeaderMap {
        self.observe_stop(why);
        error_trailers(&stopped_error())
    }
}

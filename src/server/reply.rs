//! What happens to a reply's head, and which way its body goes.

use std::collections::VecDeque;

use bytes::Bytes;
use http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, ETAG, HeaderMap, HeaderName, HeaderValue, TRANSFER_ENCODING, VARY,
};
use http::{Method, Response, StatusCode, response};
use http_body::Body;

use super::admission::AdmittedCall;
#[cfg(feature = "grpc")]
use super::media_type::says_grpc;
use super::media_type::{essence, is_event_stream, is_json};
use super::response_body::A2aExtensionsBody;
#[cfg(feature = "grpc")]
use crate::binding::ReplyTrailers;
use crate::binding::{Binding, Operation, ReplyDraft, ReplyTarget, error_response, is_encoded, message_response};
use crate::error::{A2aError, A2aErrorKind};
use crate::extension::Answer;
use crate::negotiation::write_echo;
use crate::observer::ExtensionsEvent;
use crate::stamping::{DocumentRules, EventStamper, Stamped, StreamStop};

/// Headers that describe bytes which are not the ones that leave.
const STALE_HEADERS: [HeaderName; 7] = [
    ETAG,
    ACCEPT_RANGES,
    TRANSFER_ENCODING,
    HeaderName::from_static("content-md5"),
    HeaderName::from_static("digest"),
    HeaderName::from_static("content-digest"),
    HeaderName::from_static("repr-digest"),
];

/// Which way a reply's body goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum BodyRoute {
    /// As it is.
    PassThrough,
    /// A JSON document: held until it can be stamped whole.
    Document,
    /// A stream of events, each stamped as it comes.
    Events,
    /// gRPC: a stream of frames, each stamped as it comes.
    #[cfg(feature = "grpc")]
    Frames,
    /// A type that is not read: searched for keys that must not leave.
    Searched,
    /// The status or the method has none.
    Dropped,
    /// It is compressed, though the agent was not asked for that: what it holds cannot be seen.
    Stopped,
}

impl AdmittedCall {
    /// Writes what the layer says in every head of its replies.
    pub(super) fn finish_head(&self, headers: &mut HeaderMap) {
        if self.config.options.echo {
            self.notice_claims(headers);
            write_echo(headers, self.spelling, self.active_in_all_layers(), |uri| self.implements(uri));
        }
        if self.is_operation() || self.describes_reply() {
            self.say_vary(headers);
        }
        // Whether GET would give or withhold something is not known to HEAD.
        let describes_guarded = self.describes_reply() && self.config.stamper.guards_anything();
        if describes_guarded || !self.call.may_be_cached(|| is_event_stream(headers) && self.may_be_operation()) {
            forbid_caching(headers);
        }
    }

    /// Tells caches what a reply to an operation depends on.
    pub(super) fn say_vary(&self, headers: &mut HeaderMap) {
        if self.method == Method::GET || self.describes_reply() {
            let names = "A2A-Extensions, X-A2A-Extensions, A2A-Version, Authorization";
            headers.append(VARY, HeaderValue::from_static(names));
        }
    }

    /// Chooses by the response's own status and type, not by what was asked (B8, B9).
    pub(super) fn route(&self, parts: &response::Parts, body: &impl Body) -> BodyRoute {
        if self.describes_reply() || matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
            return BodyRoute::Dropped;
        }
        let bodiless = parts.status.is_informational() || self.method == Method::HEAD;
        if bodiless || !self.config.stamper.manages_anything() {
            return BodyRoute::PassThrough;
        }
        if is_encoded(&parts.headers) {
            return if self.may_be_operation() { BodyRoute::Stopped } else { BodyRoute::PassThrough };
        }
        // Clients of gRPC read frames whatever the label says, so the body is read as frames. Anything else
        // stops there. The page of a proxy that failed says that it is no gRPC.
        #[cfg(feature = "grpc")]
        if self.speaks_grpc() && (parts.status == StatusCode::OK || says_grpc(&parts.headers)) {
            return BodyRoute::Frames;
        }
        match essence(&parts.headers).as_deref() {
            Some("text/event-stream") => BodyRoute::Events,
            // Another app may stream JSON for as long as it likes.
            Some(kind) if is_json(kind) && !self.may_be_operation() && !self.can_be_held(body) => {
                BodyRoute::PassThrough
            }
            Some(kind) if is_json(kind) => BodyRoute::Document,
            _ if self.may_be_operation() => BodyRoute::Searched,
            _ => BodyRoute::PassThrough,
        }
    }

    /// Whether the request is an operation that A2A knows, and no other app's.
    pub(super) fn is_operation(&self) -> bool {
        let operation = self.call.reading().and_then(|reading| reading.operation);
        operation.is_some_and(Operation::needs_required_extensions)
    }

    /// Whether the reply may hold objects: the request is an operation, or could be one that is
    /// not known here, by what it looks like or by a path under which the card serves A2A.
    pub(super) fn may_be_operation(&self) -> bool {
        match self.call.reading() {
            Some(reading) => match reading.operation {
                Some(operation) => !operation.is_card(),
                // A method of the A2A service that is not known here may still answer with objects.
                None => self.is_served || reading.is_json_rpc || reading.target.binding == Binding::Grpc,
            },
            None => self.is_served || self.may_be_rpc,
        }
    }

    /// Whether the reply has no body, and its head would describe one that the layer changes.
    pub(super) fn describes_reply(&self) -> bool {
        self.method == Method::HEAD
            && self.config.stamper.manages_anything()
            && (self.describes_operation || self.call.binding().is_some() && self.may_be_operation())
    }

    /// Whether the reply may hold what an extension guards, and thus must not leave unread.
    pub(super) fn guards_reply(&self) -> bool {
        self.may_be_operation() && self.config.stamper.guards_anything()
    }

    /// Whether a body is known to be short: such a one is there already, or will be at once.
    pub(super) fn can_be_held(&self, body: &impl Body) -> bool {
        let limit = u64::try_from(self.config.options.max_response_document).unwrap_or(u64::MAX);
        body.size_hint().exact().is_some_and(|length| length <= limit)
    }

    /// How a document with this status is read.
    pub(super) fn document_rules(&self, status: StatusCode) -> DocumentRules {
        let operation = self.may_be_operation();
        DocumentRules { adding: operation && status.is_success(), operation }
    }

    /// Finishes a reply of the layer itself, which passes the extensions' stamps like the agent's.
    pub(super) fn answer<R>(&self, answer: Answer) -> Response<A2aExtensionsBody<R>> {
        let Some(reading) = self.call.reading() else {
            return self.stopped("a gate answered a request that was not read");
        };
        let target = &reading.target;
        if let Err(error) = self.config.service.check(reading) {
            return self.refused(error_response(target, &error), &error).map(A2aExtensionsBody::from);
        }
        self.answer_draft(target, answer.into_draft(&self.call))
    }

    /// Finishes a message of the layer.
    pub(super) fn answer_draft<R>(&self, target: &ReplyTarget, draft: ReplyDraft) -> Response<A2aExtensionsBody<R>> {
        let mut response = message_response(target, &self.own_draft(draft));
        self.call.activation().seal();
        #[cfg(feature = "grpc")]
        if let Some(ReplyTrailers(trailers)) = response.extensions_mut().remove() {
            return self.finish_grpc_answer(response, trailers);
        }
        let stamped = self.stamp_own(&response);
        self.finish_head(response.headers_mut());
        match stamped {
            Ok(None) => response.map(A2aExtensionsBody::from),
            Ok(Some(chunks)) => {
                let length = chunks.iter().map(Bytes::len).sum::<usize>();
                set_length(response.headers_mut(), length);
                response.map(|_| A2aExtensionsBody::chunks(chunks.into(), None))
            }
            Err(why) => self.stopped(&why),
        }
    }

    /// A message of the layer without what the client did not activate.
    pub(super) fn own_draft(&self, mut draft: ReplyDraft) -> ReplyDraft {
        draft.metadata.retain(|(key, _)| self.may_carry(key));
        draft.extensions.retain(|uri| self.may_list(uri));
        draft
    }

    /// Whether a message of the layer may carry this key: it is nobody's, or an active extension's.
    fn may_carry(&self, key: &str) -> bool {
        let mut owners = self.config.extensions.iter().filter(|one| one.keys.iter().any(|own| own == key)).peekable();
        owners.peek().is_none() || owners.any(|one| self.call.activation().is_active(one.index))
    }

    /// Whether a message of the layer may list this URI.
    fn may_list(&self, uri: &str) -> bool {
        let declared = self.config.setup.declared.index_of(uri);
        declared.is_none_or(|index| self.call.activation().is_active(index))
    }

    /// Stamps a reply of the layer: a document, or a stream of one event.
    fn stamp_own(&self, response: &Response<Bytes>) -> Result<Option<Vec<Bytes>>, String> {
        let body = response.body();
        if body.is_empty() || !self.config.stamper.manages_anything() {
            return Ok(None);
        }
        if is_event_stream(response.headers()) {
            return self.stamp_own_stream(body.clone()).map(Some).map_err(|stop| stop.why);
        }
        match self.config.stamper.document(body, &self.call, self.document_rules(response.status())) {
            Stamped::Unchanged | Stamped::Unstamped(_) => Ok(None),
            Stamped::Changed(chunks) => Ok(Some(chunks.into_vec())),
            Stamped::Stopped(why) => Err(why),
        }
    }

    pub(super) fn stamp_own_stream(&self, body: Bytes) -> Result<Vec<Bytes>, StreamStop> {
        let mut out = VecDeque::new();
        let mut events = self.events(StatusCode::OK);
        events.push(body, &self.config.stamper, &self.call, &mut out)?;
        events.finish(&self.config.stamper, &self.call, &mut out)?;
        Ok(out.into())
    }

    /// What stamps a stream with this status.
    pub(super) fn events(&self, status: StatusCode) -> EventStamper {
        EventStamper::new(self.held_of_event(), self.document_rules(status))
    }

    /// How many bytes of one event are held. Where an extension guards what it marks, nothing may
    /// leave unread, so that events are held as long as documents are.
    pub(super) fn held_of_event(&self) -> usize {
        let options = &self.config.options;
        if self.guards_reply() { options.max_event.max(options.max_response_document) } else { options.max_event }
    }

    pub(super) fn observe_stop(&self, why: &str) {
        self.call.observe(&ExtensionsEvent::Stopped { why: why.to_owned().into() });
    }

    /// The reply in place of one that must not leave: nothing of the agent's is in it.
    pub(super) fn stopped<R>(&self, why: &str) -> Response<A2aExtensionsBody<R>> {
        self.observe_stop(why);
        let mut response = error_response(&self.call.reply_target(), &stopped_error());
        self.finish_head(response.headers_mut());
        response.map(A2aExtensionsBody::from)
    }

    /// The same, with a status that no binding reads as a success.
    pub(super) fn stopped_with_500<R>(&self, why: &str) -> Response<A2aExtensionsBody<R>> {
        let mut response = self.stopped(why);
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    }

    /// The last event of a stream that must not go on.
    pub(super) fn stopped_event(&self, stop: &StreamStop) -> Bytes {
        self.observe_stop(&stop.why);
        let error = error_response(&self.call.reply_target(), &stopped_error()).into_body();
        let before: &[u8] = if stop.inside_event { b"\n\n" } else { b"" };
        [before, b"data: ", error.as_ref(), b"\n\n"].concat().into()
    }
}

pub(super) fn stopped_error() -> A2aError {
    A2aError::new(A2aErrorKind::InvalidAgentResponse, "the agent's reply cannot be passed on")
}

/// No cache keeps the reply, whatever the agent says, not to all of them and not to single ones
/// (RFC 9111 §5.2.2.5, RFC 9213). What else the agent says stays: a proxy minds `no-transform`.
fn forbid_caching(headers: &mut HeaderMap) {
    const NO_STORE: &str = "no-store";
    headers.remove("cdn-cache-control");
    headers.remove("surrogate-control");
    let lines = headers.get_all(CACHE_CONTROL).iter().map(|line| line.to_str().unwrap_or_default());
    let directives = lines.flat_map(|line| line.split(',')).map(str::trim).filter(|one| !one.is_empty());
    let mut directives = directives.map(str::to_owned).collect::<Vec<_>>();
    // It would take the force from `no-store` (RFC 9111 §5.2.2.3).
    directives.retain(|one| !one.eq_ignore_ascii_case("must-understand") && !one.eq_ignore_ascii_case(NO_STORE));
    directives.push(NO_STORE.to_owned());
    let line = HeaderValue::try_from(directives.join(", "));
    headers.insert(CACHE_CONTROL, line.unwrap_or(HeaderValue::from_static(NO_STORE)));
}

/// Drops what describes the old bytes.
pub(super) fn drop_stale_headers(headers: &mut HeaderMap) {
    for name in STALE_HEADERS {
        headers.remove(name);
    }
}

/// States the length of the bytes that leave.
pub(super) fn set_length(headers: &mut HeaderMap, length: usize) {
    drop_stale_headers(headers);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
}

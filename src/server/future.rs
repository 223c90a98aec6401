//! One request on its way: read, gate, agent, reply.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode, request, response};
use http_body::Body;
use pin_project::pin_project;
use tower_service::Service;

use super::admission::{Admission, AdmittedCall};
use super::collector::ReplyCollector;
use super::config::LayerConfig;
use super::reader::{ReadBody, RequestReader};
use super::reply::{BodyRoute, drop_stale_headers};
use super::request_body::A2aRequestBody;
use super::response_body::A2aExtensionsBody;
use crate::BoxError;
use crate::binding::{IncomingMessage, error_response};
use crate::error::{A2aError, A2aErrorKind};
use crate::extension::Gate;
use crate::observer::ExtensionsEvent;

/// The future of [`A2aExtensionsService`](crate::A2aExtensionsService).
#[pin_project]
pub struct A2aExtensionsFuture<S, F, ReqBody, ResBody> {
    #[pin]
    state: State<S, F, ReqBody, ResBody>,
}

#[pin_project(project = StateProjection)]
enum State<S, F, ReqBody, ResBody> {
    /// Reads the request's body.
    Reading(Option<Box<WaitingRequest<S>>>, RequestReader<ReqBody>),
    /// Waits for the gates; the agent has not been called.
    Gating(Option<Box<WaitingRequest<S>>>, Option<A2aRequestBody<ReqBody>>, GateDecision),
    /// Waits for the agent. Without a call the layer has nothing to do with the request.
    Running(#[pin] F, Option<AdmittedCall>),
    /// Holds a reply that has to be stamped whole.
    Collecting(ReplyCollector<ResBody>),
    /// The agent is not asked.
    Answered(Option<Response<A2aExtensionsBody<ResBody>>>),
}

/// A request that is not decided yet, and the ready service it may go to.
struct WaitingRequest<S> {
    service: S,
    parts: request::Parts,
    admitted: AdmittedCall,
}

type GateDecision = Pin<Box<dyn Future<Output = Gate> + Send>>;

impl<S, F, ReqBody, ResBody> A2aExtensionsFuture<S, F, ReqBody, ResBody>
where
    S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    ReqBody: Body,
{
    pub(super) fn start(mut service: S, request: Request<ReqBody>, config: &Arc<LayerConfig>) -> Self {
        let (mut parts, body) = request.into_parts();
        let Some(admitted) = AdmittedCall::of(config, &parts) else {
            let request = Request::from_parts(parts, A2aRequestBody::untouched(body));
            return Self { state: State::Running(service.call(request), None) };
        };
        let admission = admitted.admit(&mut parts, body.is_end_stream());
        let mut waiting = Box::new(WaitingRequest { service, parts, admitted });
        let state = match admission {
            Admission::ReadBody => {
                let options = &config.options;
                let reader = RequestReader::new(body, options.max_request_body, options.request_body_timeout);
                State::Reading(Some(waiting), reader)
            }
            Admission::Forward => waiting.forward(A2aRequestBody::untouched(body)),
            Admission::AskGates(message) => waiting.ask_gates(message, A2aRequestBody::untouched(body)),
            Admission::Refused(response) => State::refused(response),
        };
        Self { state }
    }
}

impl<S> WaitingRequest<S> {
    /// What comes after the body was read as far as needed.
    fn after_reading<F, ReqBody: Body, ResBody>(
        mut self: Box<Self>,
        body: ReadBody<ReqBody>,
    ) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        let (admission, body) = match body {
            ReadBody::Blank(body) | ReadBody::Other(body) => (self.admitted.admit_unread(&self.parts), body),
            ReadBody::Whole(bytes, trailers) => {
                (self.admitted.admit_body(&self.parts, &bytes), A2aRequestBody::read(bytes, trailers))
            }
            ReadBody::Failed(error) => (self.admitted.refuse_unread(&self.parts, &error), A2aRequestBody::default()),
        };
        match admission {
            Admission::Forward => self.forward(body),
            Admission::AskGates(message) => self.ask_gates(message, body),
            Admission::Refused(response) => State::refused(response),
            Admission::ReadBody => State::refused(self.admitted.failed("a body was to be read twice")),
        }
    }

    fn forward<F, ReqBody: Body, ResBody>(&mut self, body: A2aRequestBody<ReqBody>) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        let mut parts = std::mem::replace(&mut self.parts, Request::new(()).into_parts().0);
        self.admitted.prepare(&mut parts);
        State::Running(self.service.call(Request::from_parts(parts, body)), Some(self.admitted.clone()))
    }

    fn ask_gates<F, ReqBody, ResBody>(
        self: Box<Self>,
        message: IncomingMessage,
        body: A2aRequestBody<ReqBody>,
    ) -> State<S, F, ReqBody, ResBody> {
        let (config, call) = (Arc::clone(&self.admitted.config), self.admitted.call.clone());
        let decision = Box::pin(async move { config.ask_gates(&message, &call).await });
        State::Gating(Some(self), Some(body), decision)
    }
}

impl<S, F, ReqBody, ResBody> State<S, F, ReqBody, ResBody> {
    fn refused(response: Response<Bytes>) -> Self {
        Self::Answered(Some(response.map(A2aExtensionsBody::from)))
    }
}

impl<S, F, ReqBody, ResBody, E> Future for A2aExtensionsFuture<S, F, ReqBody, ResBody>
where
    S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    F: Future<Output = Result<Response<ResBody>, E>>,
    ReqBody: Body,
    ResBody: Body,
    ResBody::Error: Into<BoxError>,
{
    type Output = Result<Response<A2aExtensionsBody<ResBody>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            let next = match state.as_mut().project() {
                StateProjection::Reading(waiting, reader) => {
                    let body = ready!(reader.poll_read(cx));
                    match waiting.take() {
                        Some(waiting) => waiting.after_reading(body),
                        None => State::Answered(None),
                    }
                }
                StateProjection::Gating(waiting, body, decision) => {
                    let gate = ready!(poll_gate(decision, cx));
                    match (waiting.take(), body.take()) {
                        (Some(mut waiting), Some(body)) => waiting.after_gates(gate, body),
                        _ => State::Answered(None),
                    }
                }
                StateProjection::Running(agent, admitted) => {
                    let response = match ready!(agent.poll(cx)) {
                        Ok(response) => response,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                    match admitted.take() {
                        Some(admitted) => admitted.receive(response),
                        None => State::Answered(Some(response.map(A2aExtensionsBody::inner))),
                    }
                }
                StateProjection::Collecting(collector) => State::Answered(Some(ready!(collector.poll_reply(cx)))),
                StateProjection::Answered(response) => {
                    // Taken already: the future was polled after its end, and stays pending.
                    return response.take().map_or(Poll::Pending, |response| Poll::Ready(Ok(response)));
                }
            };
            state.set(next);
        }
    }
}

impl<S> WaitingRequest<S> {
    fn after_gates<F, ReqBody: Body, ResBody>(
        &mut self,
        gate: Gate,
        body: A2aRequestBody<ReqBody>,
    ) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        match gate {
            Gate::Pass => self.forward(body),
            Gate::Answer(answer) => State::Answered(Some(self.admitted.answer(answer))),
            Gate::Refuse(error) => {
                let response = error_response(&self.admitted.call.reply_target(), &error);
                State::refused(self.admitted.refused(response, &error))
            }
        }
    }
}

impl AdmittedCall {
    /// Takes the agent's reply, and chooses the way of its body.
    fn receive<S, F, ReqBody, ResBody>(self, response: Response<ResBody>) -> State<S, F, ReqBody, ResBody>
    where
        ResBody: Body,
        ResBody::Error: Into<BoxError>,
    {
        let (mut parts, body) = response.into_parts();
        if parts.status == StatusCode::SWITCHING_PROTOCOLS
            && self.config.has_gate()
            && !self.config.options.allow_upgrades
        {
            return State::refused(self.failed("the agent switched to a protocol that cannot be looked into"));
        }
        let route = self.route(&parts);
        if route == BodyRoute::Document {
            return State::Collecting(ReplyCollector::new(self, parts, body));
        }
        self.call.activation().seal();
        self.finish_head(&mut parts.headers);
        if route == BodyRoute::Events {
            drop_length(&mut parts);
        }
        let body = match route {
            BodyRoute::Events => {
                let events = self.events(parts.status);
                A2aExtensionsBody::events(body, events, self)
            }
            BodyRoute::Searched => {
                A2aExtensionsBody::searched(Box::pin(body), self.config.stamper.key_search(), Default::default())
            }
            BodyRoute::PassThrough | BodyRoute::Document => A2aExtensionsBody::inner(body),
        };
        State::Answered(Some(Response::from_parts(parts, body)))
    }

    /// The reply where something went wrong that must not.
    fn failed(&self, why: &'static str) -> Response<Bytes> {
        let error = A2aError::new(A2aErrorKind::Internal, "the request could not be handled");
        self.call.observe(&ExtensionsEvent::Stopped { why: why.into() });
        let mut response = error_response(&self.call.reply_target(), &error);
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    }
}

fn drop_length(parts: &mut response::Parts) {
    let headers: &mut HeaderMap = &mut parts.headers;
    drop_stale_headers(headers);
    headers.remove(http::header::CONTENT_LENGTH);
}

/// A gate that panics refuses the call.
fn poll_gate(decision: &mut GateDecision, cx: &mut Context<'_>) -> Poll<Gate> {
    catch_unwind(AssertUnwindSafe(|| decision.as_mut().poll(cx))).unwrap_or_else(|_| {
        let error = A2aError::new(A2aErrorKind::Internal, "the request could not be decided");
        Poll::Ready(Gate::Refuse(error))
    })
}

impl<S, F, ReqBody, ResBody> fmt::Debug for A2aExtensionsFuture<S, F, ReqBody, ResBody> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Reading(..) => "Reading",
            State::Gating(..) => "Gating",
            State::Running(..) => "Running",
            State::Collecting(_) => "Collecting",
            State::Answered(_) => "Answered",
        };
        f.debug_struct("A2aExtensionsFuture").field("state", &state).finish_non_exhaustive()
    }
}

//! One request on its way: read, gate, agent, reply.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::{Request, Response, StatusCode, request, response};
use http_body::Body;
use pin_project::pin_project;
use tower_service::Service;

use super::admission::{Admission, AdmittedCall, HeadAdmission};
use super::collector::ReplyCollector;
use super::config::{LayerConfig, undecided};
use super::reader::{ReadBody, RequestReader};
use super::reply::{BodyRoute, drop_stale_headers};
use super::request_body::A2aRequestBody;
use super::response_body::A2aExtensionsBody;
#[cfg(feature = "grpc")]
use crate::binding::ReplyTrailers;
use crate::binding::{error_response, is_grpc_path, names_json};
use crate::error::BoxError;
use crate::extension::Gate;
use crate::shield::{Panicked, Shielded};

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
    Gating(Option<Box<WaitingRequest<S>>>, Option<A2aRequestBody<ReqBody>>, #[pin] Shielded<BoxedGate>),
    /// Waits for the agent. Without a call the layer has nothing to do with the request.
    Running(#[pin] F, Option<AdmittedCall>),
    /// Holds a reply that has to be stamped whole.
    Collecting(ReplyCollector<ResBody>),
    /// The response is there, the agent's or the layer's own, and leaves with the next poll.
    Answered(Option<Response<A2aExtensionsBody<ResBody>>>),
}

/// A request that is not decided yet, and the ready service it may go to.
struct WaitingRequest<S> {
    service: S,
    parts: request::Parts,
    admitted: AdmittedCall,
}

type BoxedGate = Pin<Box<dyn Future<Output = Gate> + Send>>;

impl<S, F, ReqBody, ResBody> A2aExtensionsFuture<S, F, ReqBody, ResBody>
where
    S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    ReqBody: Body,
    ReqBody::Error: Into<BoxError>,
{
    pub(super) fn start(mut service: S, request: Request<ReqBody>, config: &Arc<LayerConfig>) -> Self {
        let (mut parts, body) = request.into_parts();
        let Some(admitted) = AdmittedCall::of(config, &parts) else {
            let request = Request::from_parts(parts, A2aRequestBody::untouched(body));
            return Self { state: State::Running(service.call(request), None) };
        };
        let admission = admitted.admit(&mut parts, body.is_end_stream());
        let waiting = WaitingRequest { service, parts, admitted };
        let state = match admission {
            HeadAdmission::ReadBody => {
                let options = &config.options;
                let reader = RequestReader::new(body, options.max_request_body, options.request_body_timeout);
                let is_grpc = is_grpc_path(&waiting.parts.uri);
                let reader = reader.whole(is_grpc).json(names_json(&waiting.parts.headers));
                State::Reading(Some(Box::new(waiting)), reader)
            }
            HeadAdmission::Settled(Admission::Forward) => waiting.forward(A2aRequestBody::untouched(body)),
            HeadAdmission::Settled(admission) => Box::new(waiting).go_on(admission, A2aRequestBody::untouched(body)),
        };
        Self { state }
    }
}

impl<S> WaitingRequest<S> {
    /// What comes after the body was read as far as needed.
    fn after_reading<F, ReqBody: Body, ResBody>(
        self: Box<Self>,
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
        self.go_on(admission, body)
    }

    fn go_on<F, ReqBody: Body, ResBody>(
        self: Box<Self>,
        admission: Admission,
        body: A2aRequestBody<ReqBody>,
    ) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        match admission {
            Admission::Forward => self.forward(body),
            Admission::Refused(response) => State::answered(response),
            Admission::AskGates(message) => {
                let (config, call) = (Arc::clone(&self.admitted.config), self.admitted.call.clone());
                let decision: BoxedGate = Box::pin(async move { config.ask_gates(&message, &call).await });
                State::Gating(Some(self), Some(body), Shielded::new(decision))
            }
        }
    }

    /// What comes after the gates. One that panicked refuses the call.
    fn after_gates<F, ReqBody: Body, ResBody>(
        self,
        gate: Result<Gate, Panicked>,
        body: A2aRequestBody<ReqBody>,
    ) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        match gate.unwrap_or_else(|_| undecided()) {
            Gate::Pass => self.forward(body),
            Gate::Answer(answer) => State::Answered(Some(self.admitted.answer(answer))),
            Gate::Refuse(error) => {
                let response = error_response(&self.admitted.call.reply_target(), &error);
                State::answered(self.admitted.refused(response, &error))
            }
        }
    }

    fn forward<F, ReqBody: Body, ResBody>(self, body: A2aRequestBody<ReqBody>) -> State<S, F, ReqBody, ResBody>
    where
        S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    {
        let Self { mut service, mut parts, admitted } = self;
        admitted.prepare(&mut parts);
        State::Running(service.call(Request::from_parts(parts, body)), Some(admitted))
    }
}

impl<S, F, ReqBody, ResBody> State<S, F, ReqBody, ResBody> {
    fn answered(response: Response<Bytes>) -> Self {
        Self::Answered(Some(response.map(A2aExtensionsBody::from)))
    }
}

impl<S, F, ReqBody, ResBody, E> Future for A2aExtensionsFuture<S, F, ReqBody, ResBody>
where
    S: Service<Request<A2aRequestBody<ReqBody>>, Future = F>,
    F: Future<Output = Result<Response<ResBody>, E>>,
    ReqBody: Body,
    ReqBody::Error: Into<BoxError>,
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
                    waiting.take().map(|waiting| waiting.after_reading(body))
                }
                StateProjection::Gating(waiting, body, decision) => {
                    let gate = ready!(decision.poll(cx));
                    waiting.take().zip(body.take()).map(|(waiting, body)| waiting.after_gates(gate, body))
                }
                StateProjection::Running(agent, admitted) => {
                    let response = match ready!(agent.poll(cx)) {
                        Ok(response) => response,
                        Err(error) => return Poll::Ready(Err(error)),
                    };
                    Some(match admitted.take() {
                        Some(admitted) => admitted.receive(response),
                        None => State::Answered(Some(response.map(A2aExtensionsBody::inner))),
                    })
                }
                StateProjection::Collecting(collector) => Some(State::Answered(Some(ready!(collector.poll_reply(cx))))),
                StateProjection::Answered(response) => match response.take() {
                    Some(response) => return Poll::Ready(Ok(response)),
                    None => None,
                },
            };
            match next {
                Some(next) => state.set(next),
                None => panic!("`A2aExtensionsFuture` was polled after it had finished"),
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
        let upgrades = self.config.has_gate() && !self.config.options.allow_upgrades;
        if parts.status == StatusCode::SWITCHING_PROTOCOLS && upgrades {
            return State::Answered(Some(
                self.stopped_with_500("the agent switched to a protocol that cannot be looked into"),
            ));
        }
        if let Some(referral) = self.instead_of_head(&parts) {
            return State::Answered(Some(referral));
        }
        #[cfg(feature = "grpc")]
        if let Some(foreign) = self.foreign_grpc(&parts) {
            return State::Answered(Some(foreign));
        }
        let body = match self.route(&parts, &body) {
            BodyRoute::Document => return State::Collecting(ReplyCollector::new(self, parts, body)),
            BodyRoute::Stopped => {
                return State::Answered(Some(
                    self.stopped("the agent compressed its reply, which then cannot be looked into"),
                ));
            }
            BodyRoute::PassThrough => A2aExtensionsBody::inner(body),
            BodyRoute::Dropped => {
                if self.describes_reply() {
                    drop_length(&mut parts);
                } else if parts.status == StatusCode::NO_CONTENT {
                    parts.headers.remove(CONTENT_LENGTH);
                }
                A2aExtensionsBody::dropped()
            }
            BodyRoute::Searched if self.can_be_held(&body) => {
                return State::Collecting(ReplyCollector::searching(self, parts, body));
            }
            BodyRoute::Searched => {
                let search = self.config.stamper.key_search();
                A2aExtensionsBody::searched(Box::pin(body), search, VecDeque::new(), self.clone())
            }
            #[cfg(feature = "grpc")]
            BodyRoute::Frames => {
                drop_length(&mut parts);
                let trailers = parts.extensions.remove().map(|ReplyTrailers(trailers)| trailers);
                A2aExtensionsBody::frames(body, self.frames(), trailers, self.clone())
            }
            BodyRoute::Events => {
                drop_length(&mut parts);
                A2aExtensionsBody::events(body, self.events(parts.status), self.clone())
            }
        };
        self.call.activation().seal();
        self.finish_head(&mut parts.headers);
        State::Answered(Some(Response::from_parts(parts, body)))
    }
}

fn drop_length(parts: &mut response::Parts) {
    drop_stale_headers(&mut parts.headers);
    parts.headers.remove(CONTENT_LENGTH);
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

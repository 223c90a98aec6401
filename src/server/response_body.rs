//! The body that the client gets.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use pin_project::pin_project;

use super::admission::AdmittedCall;
use super::frames::{FRAMES_PER_POLL, into_bytes_frame, yield_now};
#[cfg(feature = "grpc")]
use crate::binding::ok_trailers;
use crate::error::BoxError;
#[cfg(feature = "grpc")]
use crate::stamping::FrameStamper;
use crate::stamping::{EventStamper, KeySearch, Searched};

/// The agent's body, stamped or not.
///
/// Nothing is spawned and nothing is queued beyond one event: it is polled as fast as the client
/// reads.
#[pin_project]
pub struct A2aExtensionsBody<B>(#[pin] Kind<B>);

#[pin_project(project = KindProjection)]
enum Kind<B> {
    /// As the agent sends it.
    Inner(#[pin] B),
    /// Known whole, then perhaps trailers, or the error at which the agent's body broke off.
    Chunks(VecDeque<Bytes>, Option<HeaderMap>, Option<BoxError>),
    /// On its way through a filter.
    Filtered(Box<FilteredBody<B>>),
    /// Nothing, of which no length is said: that of another reply is nobody's to know.
    Dropped,
}

/// A body whose bytes pass a filter before they leave.
struct FilteredBody<B> {
    /// `None` once it has ended.
    inner: Option<Pin<Box<B>>>,
    filter: BodyFilter,
    out: VecDeque<Bytes>,
    end: Option<BodyEnd>,
}

enum BodyFilter {
    Events(EventStamper, AdmittedCall),
    /// With the trailers that go out where the agent's body has none.
    #[cfg(feature = "grpc")]
    Frames(FrameStamper, Option<HeaderMap>, AdmittedCall),
    Search(KeySearch, AdmittedCall),
}

enum BodyEnd {
    Trailers(HeaderMap),
    Error(BoxError),
}

/// The agent's reply held something that must not leave, where nothing else could be done than to
/// end it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct ReplyStoppedError;

impl fmt::Display for ReplyStoppedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the agent's reply was stopped: it held what must not leave")
    }
}

impl std::error::Error for ReplyStoppedError {}

impl<B> A2aExtensionsBody<B> {
    pub(super) fn inner(body: B) -> Self {
        Self(Kind::Inner(body))
    }

    /// No body, whatever the agent sends.
    pub(super) fn dropped() -> Self {
        Self(Kind::Dropped)
    }

    pub(super) fn chunks(chunks: VecDeque<Bytes>, trailers: Option<HeaderMap>) -> Self {
        Self(Kind::Chunks(chunks, trailers, None))
    }

    pub(super) fn broken(chunks: VecDeque<Bytes>, error: BoxError) -> Self {
        Self(Kind::Chunks(chunks, None, Some(error)))
    }
}

impl<B> A2aExtensionsBody<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    pub(super) fn events(body: B, stamper: EventStamper, admitted: AdmittedCall) -> Self {
        Self::filtered(Box::pin(body), BodyFilter::Events(stamper, admitted), VecDeque::new())
    }

    #[cfg(feature = "grpc")]
    pub(super) fn frames(body: B, stamper: FrameStamper, trailers: Option<HeaderMap>, admitted: AdmittedCall) -> Self {
        Self::filtered(Box::pin(body), BodyFilter::Frames(stamper, trailers, admitted), VecDeque::new())
    }

    pub(super) fn searched(body: Pin<Box<B>>, search: KeySearch, out: VecDeque<Bytes>, admitted: AdmittedCall) -> Self {
        Self::filtered(body, BodyFilter::Search(search, admitted), out)
    }

    fn filtered(body: Pin<Box<B>>, filter: BodyFilter, out: VecDeque<Bytes>) -> Self {
        let mut filtered = FilteredBody { inner: Some(body), filter, out, end: None };
        filtered.finish_if_ended();
        Self(Kind::Filtered(Box::new(filtered)))
    }
}

impl<B> From<Bytes> for A2aExtensionsBody<B> {
    fn from(bytes: Bytes) -> Self {
        Self::chunks(VecDeque::from([bytes]), None)
    }
}

/// An empty body.
impl<B> Default for A2aExtensionsBody<B> {
    fn default() -> Self {
        Self::chunks(VecDeque::new(), None)
    }
}

impl<B> Body for A2aExtensionsBody<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.project().0.project() {
            KindProjection::Inner(body) => {
                let frame = ready!(body.poll_frame(cx));
                Poll::Ready(frame.map(|frame| frame.map(into_bytes_frame).map_err(Into::into)))
            }
            KindProjection::Chunks(chunks, trailers, error) => {
                let data = next_chunk(chunks).map(|chunk| Ok(Frame::data(chunk)));
                let data = data.or_else(|| trailers.take().map(|trailers| Ok(Frame::trailers(trailers))));
                Poll::Ready(data.or_else(|| error.take().map(Err)))
            }
            KindProjection::Filtered(filtered) => filtered.poll_filtered(cx),
            KindProjection::Dropped => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Inner(body) => body.is_end_stream(),
            Kind::Chunks(chunks, trailers, error) => {
                chunks.iter().all(Bytes::is_empty) && trailers.is_none() && error.is_none()
            }
            Kind::Filtered(filtered) => filtered.is_ended(),
            Kind::Dropped => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Inner(body) => body.size_hint(),
            // Servers drop the trailers of a body whose length they know.
            Kind::Chunks(chunks, None, None) => {
                let length = chunks.iter().map(Bytes::len).sum::<usize>();
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Kind::Chunks(..) | Kind::Filtered(_) | Kind::Dropped => SizeHint::default(),
        }
    }
}

impl<B> FilteredBody<B> {
    fn is_ended(&self) -> bool {
        self.inner.is_none() && self.out.iter().all(Bytes::is_empty) && self.end.is_none()
    }
}

impl<B> FilteredBody<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    fn poll_filtered(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        for _ in 0..FRAMES_PER_POLL {
            if let Some(chunk) = next_chunk(&mut self.out) {
                return Poll::Ready(Some(Ok(Frame::data(chunk))));
            }
            let Some(inner) = &mut self.inner else {
                return Poll::Ready(self.end.take().map(|end| match end {
                    BodyEnd::Trailers(trailers) => Ok(Frame::trailers(trailers)),
                    BodyEnd::Error(error) => Err(error),
                }));
            };
            match ready!(inner.as_mut().poll_frame(cx)) {
                None => self.finish(None),
                Some(Err(error)) => self.finish(Some(BodyEnd::Error(error.into()))),
                Some(Ok(frame)) => match into_bytes_frame(frame).into_data() {
                    Ok(chunk) => {
                        self.push(chunk);
                        self.finish_if_ended();
                    }
                    Err(frame) => self.finish(frame.into_trailers().ok().map(BodyEnd::Trailers)),
                },
            }
        }
        yield_now(cx)
    }

    fn push(&mut self, chunk: Bytes) {
        match &mut self.filter {
            BodyFilter::Events(events, admitted) => {
                let stamped = events.push(chunk, &admitted.config.stamper, &admitted.call, &mut self.out);
                if let Err(stop) = stamped {
                    self.out.push_back(admitted.stopped_event(&stop));
                    self.inner = None;
                } else if let Some(begin) = events.error_behind() {
                    self.out.extend(admitted.instead_of_event(begin));
                    self.inner = None;
                }
            }
            #[cfg(feature = "grpc")]
            BodyFilter::Frames(frames, _, admitted) => {
                if let Err(why) = frames.push(chunk, &admitted.config.stamper, &admitted.call, &mut self.out) {
                    self.inner = None;
                    self.end = Some(BodyEnd::Trailers(admitted.stopped_trailers(&why)));
                }
            }
            BodyFilter::Search(search, admitted) => {
                let Searched { leaving, hit } = search.push(&chunk);
                self.out.extend(leaving);
                if hit {
                    admitted.observe_stop("a reply that was not read holds a managed key");
                    self.inner = None;
                    self.end = Some(BodyEnd::Error(ReplyStoppedError.into()));
                }
            }
        }
    }

    /// Takes the agent's word that nothing more comes. A server then puts END_STREAM on the frame before:
    /// clients of gRPC read a trailers-only reply as one only if its head ends the stream.
    fn finish_if_ended(&mut self) {
        if self.inner.as_ref().is_some_and(|inner| inner.is_end_stream()) {
            self.finish(None);
        }
    }

    /// The agent's body has ended: what is still held goes out, if it may, then `end`.
    fn finish(&mut self, end: Option<BodyEnd>) {
        self.inner = None;
        self.end = end;
        match &mut self.filter {
            BodyFilter::Events(events, admitted) => {
                if let Err(stop) = events.finish(&admitted.config.stamper, &admitted.call, &mut self.out) {
                    self.out.push_back(admitted.stopped_event(&stop));
                }
            }
            #[cfg(feature = "grpc")]
            BodyFilter::Frames(frames, trailers, admitted) => {
                match frames.finish(&admitted.config.stamper, &admitted.call, &mut self.out) {
                    Ok(()) => {
                        self.end = self.end.take().or_else(|| trailers.take().map(BodyEnd::Trailers));
                        if let Some(BodyEnd::Trailers(trailers)) = &mut self.end
                            && let Some(frames) = admitted.instead_of_trailers(trailers, frames.begin())
                        {
                            self.out.extend(frames);
                            *trailers = ok_trailers();
                        }
                    }
                    Err(why) => self.end = Some(BodyEnd::Trailers(admitted.stopped_trailers(&why))),
                }
            }
            BodyFilter::Search(search, _) => self.out.push_back(search.finish()),
        }
    }
}

fn next_chunk(chunks: &mut VecDeque<Bytes>) -> Option<Bytes> {
    std::iter::from_fn(|| chunks.pop_front()).find(|chunk| !chunk.is_empty())
}

/// Shows which way the body goes, never its bytes.
impl<B> fmt::Debug for A2aExtensionsBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Kind::Inner(_) => "Inner",
            Kind::Chunks(..) => "Chunks",
            Kind::Filtered(_) => "Filtered",
            Kind::Dropped => "Dropped",
        };
        f.debug_struct("A2aExtensionsBody").field("kind", &kind).finish_non_exhaustive()
    }
}

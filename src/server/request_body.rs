//! The body that the agent gets.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use pin_project::pin_project;

use super::frames::into_bytes_frame;

/// The caller's body, untouched or as the bytes that were read to decide.
///
/// The agent gets exactly the bytes the client sent, and the trailers.
#[pin_project]
pub struct A2aRequestBody<B>(#[pin] Kind<B>);

#[pin_project(project = KindProjection)]
enum Kind<B> {
    /// Nobody looked at it.
    Untouched(#[pin] B),
    /// Its first bytes showed that it is no message; they go first.
    Peeked(Bytes, Pin<Box<B>>),
    /// It was read whole.
    Read(Bytes, Option<HeaderMap>),
}

impl<B> A2aRequestBody<B> {
    pub(super) fn untouched(body: B) -> Self {
        Self(Kind::Untouched(body))
    }

    pub(super) fn peeked(prefix: Bytes, body: Pin<Box<B>>) -> Self {
        Self(Kind::Peeked(prefix, body))
    }

    pub(super) fn read(bytes: Bytes, trailers: Option<HeaderMap>) -> Self {
        Self(Kind::Read(bytes, trailers))
    }
}

impl<B> From<Bytes> for A2aRequestBody<B> {
    fn from(bytes: Bytes) -> Self {
        Self::read(bytes, None)
    }
}

/// An empty body.
impl<B> Default for A2aRequestBody<B> {
    fn default() -> Self {
        Self::read(Bytes::new(), None)
    }
}

impl<B: Body> Body for A2aRequestBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = match self.project().0.project() {
            KindProjection::Untouched(body) => ready!(body.poll_frame(cx)),
            KindProjection::Peeked(prefix, body) => {
                if !prefix.is_empty() {
                    return Poll::Ready(Some(Ok(Frame::data(std::mem::take(prefix)))));
                }
                ready!(body.as_mut().poll_frame(cx))
            }
            KindProjection::Read(bytes, trailers) => {
                let data = Some(std::mem::take(bytes)).filter(|bytes| !bytes.is_empty()).map(Frame::data);
                return Poll::Ready(data.or_else(|| trailers.take().map(Frame::trailers)).map(Ok));
            }
        };
        Poll::Ready(frame.map(|frame| frame.map(into_bytes_frame)))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Untouched(body) => body.is_end_stream(),
            Kind::Peeked(prefix, body) => prefix.is_empty() && body.is_end_stream(),
            Kind::Read(bytes, trailers) => bytes.is_empty() && trailers.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Untouched(body) => body.size_hint(),
            Kind::Peeked(prefix, body) => behind(prefix.len(), &body.size_hint()),
            Kind::Read(bytes, None) => SizeHint::with_exact(length(bytes.len())),
            // A proxy drops the trailers of a body whose length it knows.
            Kind::Read(bytes, Some(_)) => behind(bytes.len(), &SizeHint::new()),
        }
    }
}

/// The hint of a body of which `prefix` bytes are given back first.
fn behind(prefix: usize, rest: &SizeHint) -> SizeHint {
    let mut hint = SizeHint::new();
    hint.set_lower(rest.lower().saturating_add(length(prefix)));
    if let Some(upper) = rest.upper().and_then(|upper| upper.checked_add(length(prefix))) {
        hint.set_upper(upper);
    }
    hint
}

fn length(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

/// Shows how much was read, never the bytes.
impl<B> fmt::Debug for A2aRequestBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, read) = match &self.0 {
            Kind::Untouched(_) => ("Untouched", 0),
            Kind::Peeked(prefix, _) => ("Peeked", prefix.len()),
            Kind::Read(bytes, _) => ("Read", bytes.len()),
        };
        f.debug_struct("A2aRequestBody").field("kind", &kind).field("bytes", &read).finish()
    }
}

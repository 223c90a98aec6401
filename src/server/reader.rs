//! Reads as much of a request's body as is needed to decide.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body;
use http_body_util::LengthLimitError;

use super::frames::{FRAMES_PER_POLL, into_bytes, yield_now};
use super::request_body::A2aRequestBody;
use crate::binding::{PeekedBody, blank_length, peek};
use crate::deadline::Deadline;
use crate::error::{A2aError, A2aErrorKind, BoxError};

/// What became of a body.
pub(super) enum ReadBody<B> {
    /// It had no bytes but white space: these go on.
    Blank(A2aRequestBody<B>),
    /// It starts like no JSON and streams on.
    Other(A2aRequestBody<B>),
    /// It was read whole.
    Whole(Bytes, Option<HeaderMap>),
    /// It is too long, too slow or broken.
    Failed(A2aError),
}

/// A body that is being read. Bounded in size and in time.
pub(super) struct RequestReader<B> {
    /// Boxed, because a pinned body cannot be moved on to the agent otherwise. `None` once done.
    body: Option<Pin<Box<B>>>,
    /// The first chunk, as long as it is the only one.
    only: Bytes,
    /// All chunks, if there are several.
    buffer: BytesMut,
    /// How many bytes at the front are known to be blank.
    blank: usize,
    trailers: Option<HeaderMap>,
    must_be_read: bool,
    /// Its type says that it is JSON.
    is_json: bool,
    limit: usize,
    deadline: Deadline,
}

impl<B> RequestReader<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    pub(super) fn new(body: B, limit: usize, timeout: Duration) -> Self {
        Self {
            body: Some(Box::pin(body)),
            only: Bytes::new(),
            buffer: BytesMut::new(),
            blank: 0,
            trailers: None,
            must_be_read: false,
            is_json: false,
            limit,
            deadline: Deadline::new(timeout),
        }
    }

    /// Reads the body whole, whatever it starts with.
    pub(super) fn whole(mut self, whole: bool) -> Self {
        self.must_be_read |= whole;
        self
    }

    /// Refuses more of a body whose type says that it is JSON.
    pub(super) fn json(mut self, is_json: bool) -> Self {
        self.is_json = is_json;
        self
    }

    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<ReadBody<B>> {
        if self.must_be_read && self.read().is_empty() && self.announced_too_large() {
            return Poll::Ready(self.too_large());
        }
        for _ in 0..FRAMES_PER_POLL {
            let Some(body) = &mut self.body else {
                return Poll::Ready(failed(A2aErrorKind::Internal, "the body was read already"));
            };
            let frame = match body.as_mut().poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => {
                    let _fault = std::task::ready!(self.deadline.poll_over(cx));
                    return Poll::Ready(failed(A2aErrorKind::BodyTimeout, "the body did not arrive in time"));
                }
            };
            match frame {
                None => return Poll::Ready(self.finish()),
                Some(Err(error)) => return Poll::Ready(ReadBody::Failed(broken_off(&*error.into()))),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        if let Some(done) = self.take(data) {
                            return Poll::Ready(done);
                        }
                    }
                    Err(frame) => self.trailers = frame.into_trailers().ok().or(self.trailers.take()),
                },
            }
        }
        // A body that is always ready must not hold the thread, nor outlast its time.
        if self.deadline.poll_over(cx).is_ready() {
            return Poll::Ready(failed(A2aErrorKind::BodyTimeout, "the body did not arrive in time"));
        }
        yield_now(cx)
    }

    /// Adds a chunk, and says so where the reading ends with it.
    fn take(&mut self, data: impl Buf) -> Option<ReadBody<B>> {
        if self.must_be_read && data.remaining() > self.limit.saturating_sub(self.read().len()) {
            return Some(self.too_large());
        }
        // A chunk is in memory already; it is taken whole, so that the agent gets all of it.
        self.keep(into_bytes(data));
        if self.must_be_read {
            return None;
        }
        match peek(self.read().get(self.blank..).unwrap_or_default(), self.is_json) {
            PeekedBody::Blank if self.read().len() > self.limit => Some(self.too_large()),
            PeekedBody::Blank => {
                self.blank += blank_length(self.read().get(self.blank..).unwrap_or_default());
                None
            }
            PeekedBody::Other => {
                let body = self.body.take()?;
                Some(ReadBody::Other(A2aRequestBody::peeked(self.take_read(), body)))
            }
            PeekedBody::MustBeRead => {
                self.must_be_read = true;
                self.announced_too_large().then(|| self.too_large())
            }
        }
    }

    /// A single chunk is not copied.
    fn keep(&mut self, chunk: Bytes) {
        if self.read().is_empty() {
            self.only = chunk;
            return;
        }
        self.buffer.put(std::mem::take(&mut self.only));
        self.buffer.put(chunk);
    }

    fn read(&self) -> &[u8] {
        if self.only.is_empty() { &self.buffer } else { &self.only }
    }

    fn take_read(&mut self) -> Bytes {
        if self.only.is_empty() { self.buffer.split().freeze() } else { std::mem::take(&mut self.only) }
    }

    fn announced_too_large(&self) -> bool {
        let announced = self.body.as_ref().map_or(0, |body| body.size_hint().lower());
        usize::try_from(announced).unwrap_or(usize::MAX).saturating_add(self.read().len()) > self.limit
    }

    fn too_large(&self) -> ReadBody<B> {
        let limit = self.limit;
        ReadBody::Failed(A2aError::new(A2aErrorKind::BodyTooLarge, format!("the body is longer than {limit} bytes")))
    }

    fn finish(&mut self) -> ReadBody<B> {
        self.body = None;
        let bytes = self.take_read();
        if self.must_be_read {
            ReadBody::Whole(bytes, self.trailers.take())
        } else {
            ReadBody::Blank(A2aRequestBody::read(bytes, self.trailers.take()))
        }
    }
}

/// A limit outside the layer keeps its meaning.
fn broken_off(error: &(dyn Error + 'static)) -> A2aError {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() {
            return A2aError::new(A2aErrorKind::BodyTooLarge, "the body is longer than this server takes");
        }
        cause = error.source();
    }
    A2aError::new(A2aErrorKind::InvalidRequest, "the body could not be read")
}

fn failed<B>(kind: A2aErrorKind, message: &'static str) -> ReadBody<B> {
    ReadBody::Failed(A2aError::new(kind, message))
}

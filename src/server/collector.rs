//! Holds a JSON reply until it can be stamped whole, before its head leaves.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Response, StatusCode, response};
use http_body::Body;

use super::admission::AdmittedCall;
use super::frames::{FRAMES_PER_POLL, into_bytes, yield_now};
use super::reply::set_length;
use super::response_body::A2aExtensionsBody;
use crate::error::BoxError;
use crate::observer::ExtensionsEvent;
use crate::stamping::{KeySearch, Searched, Stamped};

/// What holding a chunk costs beside its bytes.
const CHUNK_COST: usize = 64;

/// Two chunks below this are put together.
const SMALL_CHUNK: usize = 4096;

/// A reply that is being held. Bounded by `max_response_document`.
pub(super) struct ReplyCollector<R> {
    admitted: AdmittedCall,
    /// It is of a type that is not read: it is only searched.
    only_searched: bool,
    parts: Option<response::Parts>,
    body: Option<Pin<Box<R>>>,
    chunks: VecDeque<Bytes>,
    /// Small chunks behind those.
    small: BytesMut,
    held: usize,
}

impl<R> ReplyCollector<R>
where
    R: Body,
    R::Error: Into<BoxError>,
{
    pub(super) fn new(admitted: AdmittedCall, parts: response::Parts, body: R) -> Self {
        let body = Some(Box::pin(body));
        Self {
            admitted,
            only_searched: false,
            parts: Some(parts),
            body,
            chunks: VecDeque::new(),
            small: BytesMut::new(),
            held: 0,
        }
    }

    /// Holds a reply of a type that is not read, so that its head can still become an error.
    pub(super) fn searching(admitted: AdmittedCall, parts: response::Parts, body: R) -> Self {
        Self { only_searched: true, ..Self::new(admitted, parts, body) }
    }

    pub(super) fn poll_reply(&mut self, cx: &mut Context<'_>) -> Poll<Response<A2aExtensionsBody<R>>> {
        for _ in 0..FRAMES_PER_POLL {
            let frame = match &mut self.body {
                Some(body) => std::task::ready!(body.as_mut().poll_frame(cx)),
                None => None,
            };
            match frame {
                None => return Poll::Ready(self.whole(None)),
                Some(Err(error)) => return Poll::Ready(self.broken(error.into())),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => {
                        let chunk = into_bytes(data);
                        if chunk.is_empty() {
                            continue;
                        }
                        self.keep(chunk);
                        if self.held > self.admitted.config.options.max_response_document {
                            return Poll::Ready(self.too_long());
                        }
                    }
                    Err(frame) => return Poll::Ready(self.whole(frame.into_trailers().ok())),
                },
            }
        }
        yield_now(cx)
    }

    /// Small chunks are put together, so that many of them cost no more than their bytes.
    fn keep(&mut self, chunk: Bytes) {
        self.held = self.held.saturating_add(chunk.len());
        let is_small = chunk.len() < SMALL_CHUNK && self.chunks.back().is_some_and(|last| last.len() < SMALL_CHUNK);
        if self.small.is_empty() && !is_small {
            self.held = self.held.saturating_add(CHUNK_COST);
            self.chunks.push_back(chunk);
            return;
        }
        if self.small.is_empty() {
            self.small.extend_from_slice(&self.chunks.pop_back().unwrap_or_default());
        }
        self.small.extend_from_slice(&chunk);
        if self.small.len() >= SMALL_CHUNK {
            self.chunks.push_back(self.small.split().freeze());
        }
    }

    /// All that is held.
    fn take_chunks(&mut self) -> VecDeque<Bytes> {
        let mut chunks = std::mem::take(&mut self.chunks);
        if !self.small.is_empty() {
            chunks.push_back(self.small.split().freeze());
        }
        chunks
    }

    /// The body is complete: it is stamped, and its head tells the truth about it.
    fn whole(&mut self, trailers: Option<HeaderMap>) -> Response<A2aExtensionsBody<R>> {
        let mut chunks = self.take_chunks();
        let document = join(&mut chunks);
        let Some(mut parts) = self.parts.take() else {
            return self.admitted.stopped("a reply was polled after its end");
        };
        if let Some(referral) = self.admitted.instead_of_document(&document) {
            return referral;
        }
        self.admitted.call.activation().seal();
        match self.judge(&document, parts.status) {
            Stamped::Unchanged => chunks.push_back(document),
            Stamped::Unstamped(why) => {
                self.admitted.call.observe(&ExtensionsEvent::LeftUnstamped { why: why.into() });
                chunks.push_back(document);
            }
            Stamped::Changed(stamped) => {
                set_length(&mut parts.headers, stamped.iter().map(Bytes::len).sum());
                if trailers.is_some() {
                    // HTTP/1.1 sends trailers only where the length is not known before.
                    parts.headers.remove(CONTENT_LENGTH);
                }
                chunks = stamped.into_vec().into();
            }
            Stamped::Stopped(why) => return self.admitted.stopped(&why),
        }
        self.admitted.finish_head(&mut parts.headers);
        Response::from_parts(parts, A2aExtensionsBody::chunks(chunks, trailers))
    }

    fn judge(&self, document: &Bytes, status: StatusCode) -> Stamped {
        let stamper = &self.admitted.config.stamper;
        if !self.only_searched {
            return stamper.document(document, &self.admitted.call, self.admitted.document_rules(status));
        }
        match stamper.key_search().push(document).hit {
            true => Stamped::Stopped("a reply of a type that is not read holds a managed key".into()),
            false if stamper.may_add(&self.admitted.call) => {
                Stamped::Unstamped("the reply is of a type that is not read: give it a JSON content type")
            }
            false => Stamped::Unchanged,
        }
    }

    /// Past the limit it goes on unstamped, and is searched to its end.
    fn too_long(&mut self) -> Response<A2aExtensionsBody<R>> {
        if !self.only_searched && self.admitted.guards_reply() {
            // What stands in front of its mark would have left before that is seen.
            return self
                .admitted
                .stopped("the reply is longer than max_response_document, and may hold what is guarded");
        }
        let admitted = self.admitted.clone();
        self.searched("the reply is longer than max_response_document", |body, search, out| {
            A2aExtensionsBody::searched(body, search, out, admitted)
        })
    }

    /// The agent's body broke off: what it sent goes on, then its error.
    fn broken(&mut self, error: BoxError) -> Response<A2aExtensionsBody<R>> {
        let document = join(&mut self.take_chunks());
        let lacks_mark = self.admitted.guards_reply() && self.admitted.config.stamper.may_lack_a_mark(&document);
        if lacks_mark || self.admitted.call.is_watched() {
            self.admitted
                .observe_stop("the agent's reply broke off within a Message or Artifact, whose mark may be missing");
        } else {
            self.chunks.push_back(document);
        }
        self.searched("the agent's reply broke off", |_, mut search, mut out| {
            out.push_back(search.finish());
            A2aExtensionsBody::broken(out, error)
        })
    }

    fn searched(
        &mut self,
        why: &'static str,
        body: impl FnOnce(Pin<Box<R>>, KeySearch, VecDeque<Bytes>) -> A2aExtensionsBody<R>,
    ) -> Response<A2aExtensionsBody<R>> {
        let (Some(mut parts), Some(inner)) = (self.parts.take(), self.body.take()) else {
            return self.admitted.stopped("a reply was polled after its end");
        };
        let mut search = self.admitted.config.stamper.key_search();
        let mut out = VecDeque::new();
        for chunk in self.take_chunks() {
            let Searched { leaving, hit } = search.push(&chunk);
            out.extend(leaving);
            if hit {
                return self.admitted.stopped("a managed key stands in a reply that cannot be read");
            }
        }
        self.admitted.call.observe(&ExtensionsEvent::LeftUnstamped { why: why.into() });
        self.admitted.call.activation().seal();
        self.admitted.finish_head(&mut parts.headers);
        Response::from_parts(parts, body(inner, search, out))
    }
}

/// Takes the chunks as one; a single one is not copied.
fn join(chunks: &mut VecDeque<Bytes>) -> Bytes {
    if chunks.len() <= 1 {
        return chunks.pop_front().unwrap_or_default();
    }
    let mut document = BytesMut::with_capacity(chunks.iter().map(Bytes::len).sum());
    chunks.drain(..).for_each(|chunk| document.extend_from_slice(&chunk));
    document.freeze()
}

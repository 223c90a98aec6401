//! A message that the layer or an extension answers with, as a gRPC reply.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Response};

use super::error_response;
use super::frame::frame;
use crate::binding::ReplyDraft;
use crate::error::{A2aError, A2aErrorKind};
use crate::protobuf::{WireType, put_bytes, put_tag, put_value, put_varint, struct_entry};

/// The trailers of a reply whose body holds bytes alone. They travel in the response's
/// [`Extensions`](http::Extensions), and the layer, through which every reply goes, sends them.
#[derive(Clone, Debug)]
pub(crate) struct ReplyTrailers(pub(crate) HeaderMap);

/// One frame, alike for a unary call and for a stream of one message, in both versions:
/// `SendMessageResponse` and `StreamResponse` have the message under the same number.
pub(in crate::binding) fn message_response(draft: &ReplyDraft) -> Response<Bytes> {
    let failed = || error_response(&A2aError::new(A2aErrorKind::Internal, "the answer cannot be told in gRPC"));
    let Some(frame) = message(draft).and_then(|message| {
        let mut payload = Vec::new();
        put_bytes(&mut payload, 2, &message);
        frame(&payload)
    }) else {
        return failed();
    };
    let mut response = Response::new(Bytes::from(frame));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response.extensions_mut().insert(ReplyTrailers(ok_trailers()));
    response
}

/// The trailers that end a call without an error.
pub(crate) fn ok_trailers() -> HeaderMap {
    HeaderMap::from_iter([(HeaderName::from_static("grpc-status"), HeaderValue::from_static("0"))])
}

/// A Message. `None` if protobuf has no form for a value of its metadata.
pub(super) fn message(draft: &ReplyDraft) -> Option<Vec<u8>> {
    let mut message = Vec::new();
    put_bytes(&mut message, 1, draft.message_id.as_bytes());
    if let Some(context_id) = &draft.context_id {
        put_bytes(&mut message, 2, context_id.as_bytes());
    }
    put_tag(&mut message, 4, WireType::Varint);
    put_varint(&mut message, ROLE_AGENT);
    let mut part = Vec::new();
    put_bytes(&mut part, 1, draft.text.as_bytes());
    put_bytes(&mut message, 5, &part);
    if !draft.metadata.is_empty() {
        let mut metadata = Vec::new();
        for (key, value) in &draft.metadata {
            let mut encoded = Vec::new();
            put_value(&mut encoded, value).ok()?;
            struct_entry(&mut metadata, key, &encoded);
        }
        put_bytes(&mut message, 6, &metadata);
    }
    for uri in &draft.extensions {
        put_bytes(&mut message, 7, uri.as_bytes());
    }
    Some(message)
}

const ROLE_AGENT: u64 = 2;

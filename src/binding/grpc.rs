//! gRPC: the shape of refusals (A2A §10). Messages and frames are not read or written yet.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use crate::error::A2aError;

/// What `grpc-message` escapes: all but printable ASCII, and `%` itself.
const GRPC_MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

/// A reply without a body whose head is at the same time its trailers.
pub(super) fn error_response(error: &A2aError) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-status", HeaderValue::from(u16::from(error.kind().codes().grpc)));
    let message = utf8_percent_encode(error.message(), GRPC_MESSAGE).to_string();
    if let Ok(message) = HeaderValue::try_from(message) {
        headers.insert("grpc-message", message);
    }
    response
}

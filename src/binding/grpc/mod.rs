//! gRPC (A2A §10): methods, frames, requests, and the shape of what the layer answers.

#[cfg(feature = "grpc")]
mod answer;
#[cfg(feature = "grpc")]
mod content_type;
#[cfg(feature = "grpc")]
mod foreign;
#[cfg(feature = "grpc")]
mod frame;
#[cfg(feature = "grpc")]
mod last_event;
mod method;
#[cfg(feature = "grpc")]
mod request;
#[cfg(feature = "grpc")]
mod request_json;
#[cfg(feature = "grpc")]
mod status;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

#[cfg(feature = "grpc")]
pub(super) use self::answer::message_response;
#[cfg(feature = "grpc")]
pub(crate) use self::answer::{ReplyTrailers, ok_trailers};
#[cfg(feature = "grpc")]
pub(crate) use self::content_type::names_plain_grpc;
#[cfg(feature = "grpc")]
pub(crate) use self::foreign::foreign_reply;
#[cfg(feature = "grpc")]
pub(crate) use self::frame::{FRAME_HEAD, FrameHead};
#[cfg(feature = "grpc")]
pub(crate) use self::last_event::last_frame;
pub(super) use self::method::{operation, version};
#[cfg(feature = "grpc")]
pub(super) use self::request::read_call;
use crate::error::A2aError;

/// What `grpc-message` escapes: all but printable ASCII, and `%` itself.
const GRPC_MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

/// A reply without a body whose head is at the same time its trailers.
pub(super) fn error_response(error: &A2aError) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.headers_mut() = error_trailers(error);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

/// The trailers that end a call with an error.
pub(crate) fn error_trailers(error: &A2aError) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from(u16::from(error.kind().codes().grpc)));
    let message = utf8_percent_encode(error.message(), GRPC_MESSAGE).to_string();
    if let Ok(message) = HeaderValue::try_from(message) {
        trailers.insert("grpc-message", message);
    }
    #[cfg(feature = "grpc")]
    if let Some(details) = status::details(error).and_then(|details| HeaderValue::try_from(details).ok()) {
        trailers.insert("grpc-status-details-bin", details);
    }
    trailers
}

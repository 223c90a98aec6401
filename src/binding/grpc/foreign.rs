//! The gRPC status of a reply that is no gRPC, as gRPC's own clients have it: a proxy's page, an
//! auth layer's JSON (gRPC, `http-grpc-status-mapping.md`).

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};

/// A trailers-only reply with the status that gRPC maps an HTTP status to. Nothing else of the
/// agent's reply is in it.
pub(crate) fn foreign_reply(status: StatusCode) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    headers.insert("grpc-status", HeaderValue::from(mapped(status)));
    headers.insert("grpc-message", HeaderValue::from_static("the reply is no gRPC"));
    response
}

fn mapped(status: StatusCode) -> u16 {
    const UNKNOWN: u16 = 2;
    const PERMISSION_DENIED: u16 = 7;
    const UNIMPLEMENTED: u16 = 12;
    const INTERNAL: u16 = 13;
    const UNAVAILABLE: u16 = 14;
    const UNAUTHENTICATED: u16 = 16;
    match status {
        StatusCode::BAD_REQUEST => INTERNAL,
        StatusCode::UNAUTHORIZED => UNAUTHENTICATED,
        StatusCode::FORBIDDEN => PERMISSION_DENIED,
        StatusCode::NOT_FOUND => UNIMPLEMENTED,
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => UNAVAILABLE,
        _ => UNKNOWN,
    }
}

//! Which content types say plain gRPC.

use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Whether every content type, and there is one, is that of gRPC with protobuf. gRPC-Web and Connect
/// have others; what they mean is not what stands in the frames.
pub(crate) fn names_plain_grpc(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(CONTENT_TYPE).iter().map(|line| line.as_bytes()).peekable();
    lines.peek().is_some() && lines.all(|line| is_plain_grpc(&essence(line)))
}

fn is_plain_grpc(essence: &[u8]) -> bool {
    matches!(essence, b"application/grpc" | b"application/grpc+proto")
}

fn essence(line: &[u8]) -> Vec<u8> {
    line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii().to_ascii_lowercase()
}

//! The media types of requests and replies.

use std::borrow::Cow;

use http::HeaderMap;
use http::header::CONTENT_TYPE;

pub(super) fn is_json(essence: &str) -> bool {
    matches!(essence, "application/json" | "text/json") || essence.ends_with("+json")
}

/// The media type without parameters, in lower case (A23).
pub(super) fn essence(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    /// So common that it is known without a look at each byte.
    const JSON: &str = "application/json";
    let line = headers.get(CONTENT_TYPE)?.as_bytes();
    if line == JSON.as_bytes() {
        return Some(Cow::Borrowed(JSON));
    }
    let end = line.iter().position(|byte| *byte == b';').unwrap_or(line.len());
    let essence = std::str::from_utf8(line.get(..end)?.trim_ascii()).ok()?;
    let is_lower = !essence.bytes().any(|byte| byte.is_ascii_uppercase());
    Some(if is_lower { Cow::Borrowed(essence) } else { Cow::Owned(essence.to_ascii_lowercase()) })
}

#[cfg(feature = "grpc")]
pub(super) fn says_grpc(headers: &HeaderMap) -> bool {
    essence(headers).is_some_and(|kind| kind.starts_with("application/grpc"))
}

pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    essence(headers).as_deref() == Some("text/event-stream")
}

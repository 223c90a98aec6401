//! Which version a request asks for, and which version's shapes it uses (A2A §3.6).

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use percent_encoding::percent_decode_str;

use super::ProtocolVersion;
use super::detect::RequestHead;
use crate::negotiation::{A2A_EXTENSIONS, A2A_VERSION, X_A2A_EXTENSIONS};

/// The version that a request without `A2A-Version` asks for.
const UNSAID: &str = "0.3";

/// The end of A2A's own media type.
const A2A_JSON: &[u8] = b"a2a+json";

/// What `A2A-Version` says: the header, or else the query parameter; trimmed. `None` where it says
/// nothing. Two different values are joined, so that no card lists them.
pub(super) fn said_version(head: RequestHead<'_>) -> Option<Cow<'_, str>> {
    let lines = head.headers.get_all(A2A_VERSION).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    joined(lines).or_else(|| joined(query_values(head.uri.query().unwrap_or_default())))
}

/// The version that is asked for; absent or empty means 0.3.
pub(super) fn requested_version(said: Option<&str>) -> Cow<'static, str> {
    match said {
        None | Some(UNSAID) => Cow::Borrowed(UNSAID),
        Some("1.0") => Cow::Borrowed("1.0"),
        Some(other) => Cow::Owned(other.to_owned()),
    }
}

/// The shape that a version named by the caller uses: 0.x is 0.3, all else is 1.0.
pub(super) fn shape_of(version: &str) -> ProtocolVersion {
    if version.starts_with("0.") { ProtocolVersion::V0_3 } else { ProtocolVersion::V1_0 }
}

/// Whether the head alone says that the request means A2A: its own headers, its media type, or a
/// path where the card serves it.
pub(super) fn head_says_a2a(head: RequestHead<'_>) -> bool {
    let own = [A2A_VERSION, A2A_EXTENSIONS, X_A2A_EXTENSIONS];
    let media_types = [CONTENT_TYPE, ACCEPT];
    let mut types = media_types.iter().flat_map(|name| head.headers.get_all(name));
    own.iter().any(|name| head.headers.contains_key(name))
        || said_version(head).is_some()
        || head.is_served
        || types.any(|line| line.as_bytes().windows(A2A_JSON.len()).any(|part| part.eq_ignore_ascii_case(A2A_JSON)))
}

fn query_values(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let values = pairs.filter(|(name, _)| percent_decode_str(name).decode_utf8_lossy() == "A2A-Version");
    values.map(|(_, value)| percent_decode_str(value).decode_utf8_lossy())
}

fn joined<'a>(values: impl Iterator<Item = Cow<'a, str>>) -> Option<Cow<'a, str>> {
    let mut said: Option<Cow<'a, str>> = None;
    for value in values.map(trimmed) {
        match &mut said {
            _ if value.is_empty() => {}
            None => said = Some(value),
            Some(said) if *said == value => {}
            Some(said) => {
                let said = said.to_mut();
                said.push_str(", ");
                said.push_str(&value);
            }
        }
    }
    said
}

fn trimmed(value: Cow<'_, str>) -> Cow<'_, str> {
    match value {
        Cow::Borrowed(value) => Cow::Borrowed(value.trim()),
        Cow::Owned(value) => Cow::Owned(value.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue, Method, Uri};

    use super::*;

    fn said(lines: &[&'static str], uri: &str) -> Option<String> {
        let uri: Uri = uri.parse().unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(A2A_VERSION, HeaderValue::from_static(line));
        }
        let head = RequestHead { method: &Method::POST, uri: &uri, headers: &headers, is_served: false };
        said_version(head).map(Cow::into_owned)
    }

    #[test]
    fn a24_absent_or_empty_is_0_3() {
        assert_eq!(said(&[], "/"), None);
        assert_eq!(said(&["", " "], "/?A2A-Version="), None);
        assert_eq!(requested_version(None), "0.3");
        assert_eq!(shape_of("0.3"), ProtocolVersion::V0_3);
        assert_eq!(shape_of("1.0"), ProtocolVersion::V1_0);
        assert_eq!(shape_of("9.9"), ProtocolVersion::V1_0);
    }

    #[test]
    fn the_header_goes_before_the_query_and_both_are_trimmed() {
        assert_eq!(said(&[" 1.0 "], "/?A2A-Version=0.3").as_deref(), Some("1.0"));
        assert_eq!(said(&[], "/?x=1&A2A-Version=%201.0").as_deref(), Some("1.0"));
        assert_eq!(said(&[], "/?a2a-version=1.0"), None);
    }

    #[test]
    fn two_different_versions_are_none_that_a_card_lists() {
        assert_eq!(said(&["1.0", "0.3"], "/").as_deref(), Some("1.0, 0.3"));
        assert_eq!(said(&["1.0", "1.0"], "/").as_deref(), Some("1.0"));
    }
}

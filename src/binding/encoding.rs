//! Bodies that would have to be decoded before they can be looked into.

use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, TRANSFER_ENCODING};

use crate::error::{A2aError, A2aErrorKind};

/// Refuses a body that is compressed, JSON in another charset than UTF-8, or of any type in a charset
/// in which `{` is no `{`.
///
/// To be called for every request whose body is not known to be empty, before [`peek`](super::peek)
/// and whatever the path: such a body may start with any byte (UTF-7 starts a JSON object with
/// `+AHs-`), so the first bytes do not tell. The answer goes to the target of
/// [`read_bodyless`](super::read_bodyless).
///
/// # Errors
///
/// `UnsupportedMediaType` for a `Content-Encoding` other than `identity` on any line, for a
/// `Transfer-Encoding` other than `chunked`, and for a
/// charset other than UTF-8 or US-ASCII on any `Content-Type` line if one names a JSON type.
pub(crate) fn check_encoding(headers: &HeaderMap) -> Result<(), A2aError> {
    if is_encoded(headers) || is_transfer_encoded(headers) {
        let why = "the body must not be compressed";
        return Err(A2aError::new(A2aErrorKind::UnsupportedMediaType, why));
    }
    if headers.get_all(CONTENT_TYPE).iter().all(|line| PLAIN_TYPES.contains(&line.as_bytes())) {
        return Ok(());
    }
    let lines = || headers.get_all(CONTENT_TYPE).iter().map(|line| line.as_bytes().to_ascii_lowercase());
    let is_json = lines().any(|line| find(&line, b"json").is_some());
    let readable = if is_json { is_utf_8 } else { is_superset_of_ascii };
    if lines().any(|line| has_other_charset(&line, readable)) {
        let why = "the charset of JSON must be UTF-8";
        return Err(A2aError::new(A2aErrorKind::UnsupportedMediaType, why));
    }
    Ok(())
}

/// Lines that need no closer look.
const PLAIN_TYPES: [&[u8]; 2] = [b"application/json", b"application/a2a+json"];

/// Whether any `Content-Encoding` line names something else than `identity`.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    headers.get_all(CONTENT_ENCODING).iter().any(|line| !is_identity(line.as_bytes()))
}

/// Whether any `Transfer-Encoding` line names something else than `chunked`, which a server takes off.
fn is_transfer_encoded(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(TRANSFER_ENCODING).iter();
    let is_known = |member: &[u8]| member.is_empty() || member.eq_ignore_ascii_case(b"chunked") || is_identity(member);
    lines.into_iter().any(|line| !line.as_bytes().split(|byte| *byte == b',').map(<[u8]>::trim_ascii).all(is_known))
}

/// Whether the headers name a type, and none that is JSON.
pub(super) fn names_other_type(headers: &HeaderMap) -> bool {
    headers.contains_key(CONTENT_TYPE) && !names_json(headers)
}

/// Whether a `Content-Type` line names a JSON type.
pub(crate) fn names_json(headers: &HeaderMap) -> bool {
    let is_json = |line: &[u8]| find(&line.to_ascii_lowercase(), b"json").is_some();
    headers.get_all(CONTENT_TYPE).iter().any(|line| PLAIN_TYPES.contains(&line.as_bytes()) || is_json(line.as_bytes()))
}

fn is_identity(line: &[u8]) -> bool {
    let mut members = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    members.all(|member| member.is_empty() || member.eq_ignore_ascii_case(b"identity"))
}

/// Whether a lower-case line says `charset` in any other way than `charset=` and what is readable.
///
/// Parsers of media types differ (quotes, commas, RFC 2231's `charset*`), so every occurrence of
/// the word counts.
fn has_other_charset(line: &[u8], readable: fn(&[u8]) -> bool) -> bool {
    const WORD: &[u8] = b"charset";
    let mut rest = line;
    while let Some(at) = find(rest, WORD) {
        rest = rest.get(at + WORD.len()..).unwrap_or_default();
        let value = rest.trim_ascii_start().strip_prefix(b"=").map(<[u8]>::trim_ascii_start);
        let value = value.and_then(|value| value.split(|byte| matches!(byte, b';' | b',')).next());
        if !value.is_some_and(|value| readable(bare(value))) {
            return true;
        }
    }
    false
}

/// A parameter's value without the quotes around it.
fn bare(value: &[u8]) -> &[u8] {
    let value = value.trim_ascii();
    value.strip_prefix(b"\"").and_then(|value| value.strip_suffix(b"\"")).unwrap_or(value)
}

fn is_utf_8(charset: &[u8]) -> bool {
    matches!(charset, b"utf-8" | b"utf8" | b"us-ascii" | b"ascii")
}

/// Whether `{` is `{` in a charset, so that the first bytes tell. UTF-16 and UTF-32 show in them too.
fn is_superset_of_ascii(charset: &[u8]) -> bool {
    const FAMILIES: [&[u8]; 14] = [
        b"iso-8859-",
        b"iso8859-",
        b"iso_8859-",
        b"latin",
        b"windows-125",
        b"cp125",
        b"koi8-",
        b"euc-",
        b"gb",
        b"big5",
        b"shift_jis",
        b"utf-16",
        b"utf-32",
        b"macintosh",
    ];
    is_utf_8(charset) || FAMILIES.iter().any(|family| charset.starts_with(family))
}

fn find(line: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::find(line, word)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn accepted(lines: &[(&'static str, &[u8])]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        check_encoding(&headers).is_ok()
    }

    #[test]
    fn talked_past_a_compressed_body_is_refused() {
        for value in [b"gzip".as_slice(), b"identity, gzip", b"br", b"X", b"\xff"] {
            assert!(!accepted(&[("content-encoding", value)]), "{value:?}");
        }
        assert!(!accepted(&[("content-encoding", b"identity"), ("content-encoding", b"deflate")]));
        assert!(accepted(&[("content-encoding", b"Identity"), ("content-encoding", b"")]));
        assert!(!accepted(&[("transfer-encoding", b"gzip, chunked")]));
        assert!(!accepted(&[("transfer-encoding", b"gzip"), ("transfer-encoding", b"chunked")]));
        assert!(accepted(&[("transfer-encoding", b"Chunked"), ("transfer-encoding", b"identity, chunked")]));
        assert!(accepted(&[]));
    }

    #[test]
    fn talked_past_another_charset_on_json_is_refused() {
        for value in [
            "application/json; charset=utf-7",
            "application/a2a+json;charset=UTF-16",
            "application/json; CharSet=\"utf-7\"",
            "text/json; charset = utf-7",
            "application/json; charset=utf-8; charset=utf-7",
            "application/json; charset=utf-7; charset=utf-8",
            "application/json; charset",
            "application/json; charset=",
            "application/json; charset*=utf-8''utf-7",
            "application/json; charset=\"ut\\f-7\"",
            "application/json, text/plain; charset=utf-7",
            "APPLICATION/JSON; charset=ibm037",
            "application/json charset=utf-7",
        ] {
            assert!(!accepted(&[("content-type", value.as_bytes())]), "{value}");
        }
        for charset in
            ["utf-7", "\"UTF-7\"", "utf_7", "u7", "\"utf\\-7\"", "utf%2d7", "IBM037", "cp500", "037", "ebcdic", ""]
        {
            let value = format!("text/plain; charset={charset}");
            assert!(!accepted(&[("content-type", value.as_bytes())]), "{value}");
        }
        let split: [(&str, &[u8]); 2] = [("content-type", b"application/json"), ("content-type", b"x; charset=utf-7")];
        assert!(!accepted(&split));
        for value in [
            "application/json",
            "application/json; charset=UTF-8",
            "application/a2a+json; charset=\"utf-8\" ; q=1",
            "application/json;charset=us-ascii",
            "text/html; charset=iso-8859-1",
            "text/plain; charset=\"Windows-1252\"",
            "multipart/form-data; boundary=----x9IBMutf7q; charset=UTF-8",
        ] {
            assert!(accepted(&[("content-type", value.as_bytes())]), "{value}");
        }
    }
}

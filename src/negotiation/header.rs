//! The `A2A-Extensions` header: reading every line of both names, writing one.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use memchr::memchr;

use crate::uri::ExtensionUri;

/// The request and response header `A2A-Extensions`; also the name for CORS `allow_headers` and
/// `expose_headers`.
pub const A2A_EXTENSIONS: HeaderName = HeaderName::from_static("a2a-extensions");

/// The name the header had in A2A 0.3, `X-A2A-Extensions`.
pub const X_A2A_EXTENSIONS: HeaderName = HeaderName::from_static("x-a2a-extensions");

/// The request header `A2A-Version`; browsers need it in CORS `allow_headers`.
pub const A2A_VERSION: HeaderName = HeaderName::from_static("a2a-version");

/// Which of the two names a client used. The echo goes out under the same.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct HeaderSpelling {
    pub(crate) current: bool,
    pub(crate) legacy: bool,
}

/// Every member that is a URI, of all lines of both names, in client order, duplicates included.
/// What is no URI is dropped alone (A8).
pub(crate) fn requested_members(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    unchecked_members(headers).filter(|member| ExtensionUri::accepts(member))
}

/// The same with what is no URI: for exact comparison with URIs, which drops it too.
pub(crate) fn unchecked_members(headers: &HeaderMap) -> impl Iterator<Item = &[u8]> {
    let lines = [A2A_EXTENSIONS, X_A2A_EXTENSIONS].into_iter().flat_map(|name| headers.get_all(name));
    lines.flat_map(|line| line_members(line.as_bytes()))
}

fn line_members(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let end = memchr(b',', line).unwrap_or(line.len());
        rest = line.get(end + 1..);
        line.get(..end).map(<[u8]>::trim_ascii)
    })
}

/// The lines of both names, and nothing else.
pub(crate) fn requested_lines(headers: &HeaderMap) -> HeaderMap {
    let mut lines = HeaderMap::new();
    if request_header_names(headers) == HeaderSpelling::default() {
        return lines;
    }
    for name in [A2A_EXTENSIONS, X_A2A_EXTENSIONS] {
        for line in headers.get_all(&name) {
            lines.append(&name, line.clone());
        }
    }
    lines
}

/// Which names the request carries.
pub(crate) fn request_header_names(headers: &HeaderMap) -> HeaderSpelling {
    /// Up to so many names it is cheaper to compare them all than to look two up.
    const FEW: usize = 16;
    if headers.keys_len() <= FEW {
        let has = |name: &HeaderName| headers.keys().any(|one| one == name);
        return HeaderSpelling { current: has(&A2A_EXTENSIONS), legacy: has(&X_A2A_EXTENSIONS) };
    }
    HeaderSpelling { current: headers.contains_key(A2A_EXTENSIONS), legacy: headers.contains_key(X_A2A_EXTENSIONS) }
}

/// Lets the inner service see the active URIs only, under the names the client used.
pub(crate) fn rewrite_request_headers<'a>(
    headers: &mut HeaderMap,
    spelling: HeaderSpelling,
    active: impl Iterator<Item = &'a ExtensionUri>,
) {
    if spelling == HeaderSpelling::default() {
        return;
    }
    let line = join(active);
    for (used, name) in [(spelling.current, A2A_EXTENSIONS), (spelling.legacy, X_A2A_EXTENSIONS)] {
        match &line {
            Some(line) if used => drop(headers.insert(name, line.clone())),
            _ => drop(headers.remove(name)),
        }
    }
}

/// Writes the response header, in place of what the inner service wrote: what is active and
/// implemented here; of what nobody here implements, what the inner service names, or all if it names
/// nothing.
pub(crate) fn write_echo<'a>(
    headers: &mut HeaderMap,
    spelling: HeaderSpelling,
    active: impl Iterator<Item = &'a ExtensionUri>,
    implements: impl Fn(&ExtensionUri) -> bool,
) {
    let is_named = request_header_names(headers) != HeaderSpelling::default();
    let own = if is_named { Some(own_echo(headers)) } else { None };
    let names = |own: &Vec<String>, uri: &ExtensionUri| own.iter().any(|member| uri.as_str() == member);
    let listed = active.filter(|uri| implements(uri) || own.as_ref().is_none_or(|own| names(own, uri)));
    let line = join(listed);
    if is_named {
        headers.remove(A2A_EXTENSIONS);
        headers.remove(X_A2A_EXTENSIONS);
    }
    let Some(line) = line else { return };
    if spelling.legacy {
        headers.insert(X_A2A_EXTENSIONS, line.clone());
    }
    if spelling.current {
        headers.insert(A2A_EXTENSIONS, line);
    }
}

/// The URIs that the inner service says are active.
fn own_echo(headers: &HeaderMap) -> Vec<String> {
    let members = requested_members(headers).filter_map(|member| std::str::from_utf8(member).ok());
    members.map(str::to_owned).collect()
}

fn join<'a>(uris: impl Iterator<Item = &'a ExtensionUri>) -> Option<HeaderValue> {
    let mut line = String::new();
    for uri in uris {
        if !line.is_empty() {
            line.push_str(", ");
        }
        line.push_str(uri.as_str());
    }
    // The URIs are ASCII without controls, so the value cannot be refused.
    if line.is_empty() { None } else { HeaderValue::try_from(line).ok() }
}

#[cfg(test)]
mod tests;

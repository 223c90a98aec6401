//! The tenant that a path of HTTP+JSON names (A2A §11: `/{tenant}/message:send`).

use super::ProtocolVersion;
use super::path::whole_segments;
use super::request_head::RequestHead;

/// What stands in the path between where the card serves HTTP+JSON and the operation that sends a
/// message. Where the card names no place that fits, all of it counts: it may be the tenant.
pub(super) fn path_tenant(head: RequestHead<'_>, version: ProtocolVersion) -> Option<Box<str>> {
    let mut segments = whole_segments(head.route.mount, head.uri.path());
    let last = segments.pop()?;
    if !last.contains(':') {
        segments.pop();
    }
    // 0.3 has a segment of its own there.
    if version == ProtocolVersion::V0_3 && segments.last().is_some_and(|last| last.eq_ignore_ascii_case("v1")) {
        segments.pop();
    }
    let served = head.route.http_json_paths.iter().map(|path| whole_segments("", path));
    // The shortest that fits leaves most to be bound.
    let served = served.filter(|served| segments.starts_with(served)).map(|served| served.len()).min();
    let tenant = segments.get(served.unwrap_or_default()..).unwrap_or_default().join("/");
    (!tenant.is_empty()).then(|| tenant.into())
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, Method};

    use super::*;
    use crate::binding::RouteFacts;

    #[test]
    fn a_tenant_stands_between_the_place_that_the_card_serves_and_the_operation() {
        use ProtocolVersion::{V0_3, V1_0};
        type Row = (&'static [&'static str], &'static str, &'static str, ProtocolVersion, Option<&'static str>);
        let table: [Row; 17] = [
            (&["/"], "", "/message:send", V1_0, None),
            (&["/"], "", "/alpha/message:send", V1_0, Some("alpha")),
            (&["/"], "", "/alpha/message:stream", V1_0, Some("alpha")),
            (&["/"], "", "//%61lpha/message%3Asend", V1_0, Some("alpha")),
            (&["/"], "", "/alpha/beta/message:send", V1_0, Some("alpha/beta")),
            (&["/"], "", "/alpha/message/send", V1_0, Some("alpha")),
            (&["/a2a/rest"], "", "/a2a/rest/message:send", V1_0, None),
            (&["/a2a/rest/"], "", "/a2a/rest/alpha/message:send", V1_0, Some("alpha")),
            (&["/a2a/rest"], "/a2a", "/rest/alpha/message:send", V1_0, Some("alpha")),
            (&["/a2a/rest"], "/a2a/rest", "/message:send", V1_0, None),
            // What the card does not name may be the tenant, too.
            (&["/a2a/rest"], "", "/alpha/message:send", V1_0, Some("alpha")),
            (&[], "", "/alpha/message:send", V1_0, Some("alpha")),
            (&["/x", "/x/alpha"], "", "/x/alpha/message:send", V1_0, Some("alpha")),
            (&["/"], "", "/v1/message:send", V0_3, None),
            (&["/v1"], "", "/v1/message:send", V0_3, None),
            (&["/"], "", "/v1/message:send", V1_0, Some("v1")),
            (&["/v1"], "", "/v1/alpha/message:send", V1_0, Some("alpha")),
        ];
        for (served, mount, path, version, tenant) in table {
            let served: Vec<String> = served.iter().map(|path| (*path).to_owned()).collect();
            let uri = path.parse().unwrap();
            let route = RouteFacts { mount, http_json_paths: &served, ..RouteFacts::default() };
            let head = RequestHead { method: &Method::POST, uri: &uri, headers: &HeaderMap::new(), route };
            assert_eq!(path_tenant(head, version).as_deref(), tenant, "{served:?} {mount} {path} {version:?}");
        }
    }
}

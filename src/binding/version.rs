//! Which version a request asks for, and which version's shapes it uses (A2A §3.6).

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_TYPE};
use percent_encoding::percent_decode_str;

use super::request_head::RequestHead;
use super::{Binding, ProtocolVersion, VersionNumber};
use crate::negotiation::{A2A_EXTENSIONS, A2A_VERSION, X_A2A_EXTENSIONS};

/// The end of A2A's own media type.
const A2A_JSON: &[u8] = b"a2a+json";

/// What `A2A-Version` says: the header, or else the query parameter; trimmed. `None` where it says
/// nothing. Two different values are joined, so that no card lists them.
pub(super) fn said_version(head: RequestHead<'_>) -> Option<Cow<'_, str>> {
    let lines = head.headers.get_all(A2A_VERSION).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    joined(lines).or_else(|| joined(query_values(head.uri.query().unwrap_or_default())))
}

/// The version that a call asks for. A call that names none asks nothing of the card, though A2A
/// §3.6.2 reads it as 0.3: most clients in use send no header.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct RequestedVersion {
    /// What `A2A-Version` names.
    pub(crate) said: Option<SaidVersion>,
    /// Each family has a gRPC service of its own: calling one says which is meant.
    pub(crate) service: Option<ProtocolVersion>,
}

/// What a request names as its version.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum SaidVersion {
    Number(VersionNumber),
    /// No card that can be read lists it.
    Other(Box<str>),
}

impl From<&str> for SaidVersion {
    fn from(said: &str) -> Self {
        VersionNumber::parse(said).map_or_else(|| Self::Other(said.into()), Self::Number)
    }
}

impl SaidVersion {
    fn family(&self) -> ProtocolVersion {
        match self {
            Self::Number(number) => number.family(),
            Self::Other(_) => ProtocolVersion::V1_0,
        }
    }
}

/// All that can say which family's shapes a call uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeEvidence<'a> {
    pub(super) binding: Binding,
    /// The family of the gRPC service or of the JSON-RPC method.
    pub(super) named: Option<ProtocolVersion>,
    /// What `A2A-Version` says.
    pub(super) said: Option<&'a str>,
    /// The family whose members the message has.
    pub(super) members: Option<ProtocolVersion>,
    /// The operation stands directly behind `v1` in the path, as 0.3 has it.
    pub(super) behind_v1: bool,
    /// The only family that the card lists for HTTP+JSON.
    pub(super) listed: Option<ProtocolVersion>,
}

/// Which version a call asks for, and in which family's shapes it is answered.
///
/// This is the only place that decides either. The shape is the one that the call itself uses; the
/// card never changes it, and is asked for HTTP+JSON only where nothing in the call tells.
pub(super) fn decide_version(evidence: ShapeEvidence<'_>) -> (RequestedVersion, ProtocolVersion) {
    let ShapeEvidence { binding, named, said, members, behind_v1, listed } = evidence;
    let said = said.map(SaidVersion::from);
    let said_family = said.as_ref().map(SaidVersion::family);
    let path = behind_v1.then_some(ProtocolVersion::V0_3);
    let shape = match binding {
        Binding::Grpc => named,
        Binding::JsonRpc => named.or(members).or(said_family),
        Binding::HttpJson => said_family.or(members).or(path).or(listed),
    };
    let requested = RequestedVersion { said, service: named.filter(|_| binding == Binding::Grpc) };
    (requested, shape.unwrap_or(ProtocolVersion::V1_0))
}

/// Whether the head alone says that the request means A2A: its own headers, its media type, or a
/// path where the card serves it.
pub(super) fn head_says_a2a(head: RequestHead<'_>) -> bool {
    let own = [A2A_VERSION, A2A_EXTENSIONS, X_A2A_EXTENSIONS];
    let media_types = [CONTENT_TYPE, ACCEPT];
    let mut types = media_types.iter().flat_map(|name| head.headers.get_all(name));
    own.iter().any(|name| head.headers.contains_key(name))
        || said_version(head).is_some()
        || head.route.serves_http_json
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
    use crate::binding::RouteFacts;

    fn said(lines: &[&'static str], uri: &str) -> Option<String> {
        let uri: Uri = uri.parse().unwrap();
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(A2A_VERSION, HeaderValue::from_static(line));
        }
        let head = RequestHead { method: &Method::POST, uri: &uri, headers: &headers, route: RouteFacts::default() };
        said_version(head).map(Cow::into_owned)
    }

    #[test]
    fn a24_absent_or_empty_says_nothing() {
        assert_eq!(said(&[], "/"), None);
        assert_eq!(said(&["", " "], "/?A2A-Version="), None);
    }

    const NOTHING: ShapeEvidence<'_> = ShapeEvidence {
        binding: Binding::JsonRpc,
        named: None,
        said: None,
        members: None,
        behind_v1: false,
        listed: None,
    };

    #[test]
    fn the_shape_is_the_one_that_the_call_uses() {
        use Binding::{Grpc, HttpJson, JsonRpc};
        let (old, new) = (ProtocolVersion::V0_3, ProtocolVersion::V1_0);
        let shape = |evidence| decide_version(evidence).1;
        for binding in [Grpc, HttpJson, JsonRpc] {
            assert_eq!(shape(ShapeEvidence { binding, ..NOTHING }), new, "{binding:?}");
        }
        // Service and method go before all else.
        for binding in [Grpc, JsonRpc] {
            for (named, other) in [(old, new), (new, old)] {
                let named = Some(named);
                let evidence =
                    ShapeEvidence { binding, named, said: Some(other.as_str()), members: Some(other), ..NOTHING };
                assert_eq!(Some(shape(evidence)), named, "{binding:?}");
            }
        }
        // A method of neither family leaves it to the members, then to the header.
        assert_eq!(shape(ShapeEvidence { members: Some(old), said: Some("1.0"), ..NOTHING }), old);
        assert_eq!(shape(ShapeEvidence { members: Some(new), said: Some("0.3"), ..NOTHING }), new);
        assert_eq!(shape(ShapeEvidence { said: Some("v0.2.5"), ..NOTHING }), old);
        // HTTP+JSON: the header, then what only 0.3 has, then the card.
        let http = ShapeEvidence { binding: HttpJson, ..NOTHING };
        assert_eq!(shape(ShapeEvidence { said: Some("1.1"), members: Some(old), behind_v1: true, ..http }), new);
        assert_eq!(shape(ShapeEvidence { said: Some("0.1"), listed: Some(new), ..http }), old);
        assert_eq!(shape(ShapeEvidence { members: Some(old), listed: Some(new), ..http }), old);
        assert_eq!(shape(ShapeEvidence { behind_v1: true, listed: Some(new), ..http }), old);
        assert_eq!(shape(ShapeEvidence { listed: Some(old), ..http }), old);
        assert_eq!(shape(ShapeEvidence { said: Some("nonsense"), ..http }), new);
    }

    #[test]
    fn a_service_of_grpc_says_its_version_and_no_header_says_none() {
        let requested = |evidence| decide_version(evidence).0;
        let grpc = ShapeEvidence { binding: Binding::Grpc, named: Some(ProtocolVersion::V0_3), ..NOTHING };
        let said = RequestedVersion { said: Some("1.0".into()), service: None };
        let service = RequestedVersion { said: None, service: Some(ProtocolVersion::V0_3) };
        assert_eq!(requested(grpc), service);
        assert_eq!(requested(ShapeEvidence { said: Some("1.0"), ..NOTHING }), said);
        let both = RequestedVersion { said: said.said, ..service };
        assert_eq!(requested(ShapeEvidence { said: Some("1.0"), ..grpc }), both);
        assert_eq!(
            requested(ShapeEvidence { named: Some(ProtocolVersion::V0_3), ..NOTHING }),
            RequestedVersion::default()
        );
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

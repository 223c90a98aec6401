//! Requests that want to leave HTTP: what is upgraded cannot be looked into.

use http::header::{CONNECTION, HeaderMap, HeaderName, HeaderValue, UPGRADE};
use http::{Method, request};

const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

/// What an upgrade offer means for the request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum UpgradeOffer {
    /// There is none, or it was only for HTTP/2 and is stripped: an ordinary request.
    Ordinary,
    /// Another protocol would run past the gate.
    Refused,
}

/// Strips an offer of `h2c`, which Java's client and curl add to ordinary requests, and finds any
/// other.
pub(super) fn settle_upgrade(parts: &mut request::Parts) -> UpgradeOffer {
    if parts.method == Method::CONNECT {
        return UpgradeOffer::Refused;
    }
    let offers = parts.headers.get_all(UPGRADE).iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let mut offers = offers.map(<[u8]>::trim_ascii).filter(|offer| !offer.is_empty()).peekable();
    if offers.peek().is_none() {
        return UpgradeOffer::Ordinary;
    }
    if !offers.all(|offer| offer.eq_ignore_ascii_case(b"h2c")) {
        return UpgradeOffer::Refused;
    }
    parts.headers.remove(UPGRADE);
    parts.headers.remove(HTTP2_SETTINGS);
    strip_connection_tokens(&mut parts.headers);
    UpgradeOffer::Ordinary
}

/// Takes the two names out of `Connection` and leaves its other members.
fn strip_connection_tokens(headers: &mut HeaderMap) {
    let members = headers.get_all(CONNECTION).iter().flat_map(|line| line.as_bytes().split(|byte| *byte == b','));
    let kept = members
        .map(<[u8]>::trim_ascii)
        .filter(|member| !member.is_empty())
        .filter(|member| !member.eq_ignore_ascii_case(b"upgrade") && !member.eq_ignore_ascii_case(b"http2-settings"))
        .collect::<Vec<_>>()
        .join(&b", "[..]);
    headers.remove(CONNECTION);
    if let Some(kept) = Some(kept).filter(|kept| !kept.is_empty()).and_then(|kept| HeaderValue::from_bytes(&kept).ok())
    {
        headers.insert(CONNECTION, kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(headers: &[(&str, &str)]) -> request::Parts {
        let request =
            headers.iter().fold(http::Request::builder(), |builder, (name, value)| builder.header(*name, *value));
        request.body(()).unwrap().into_parts().0
    }

    #[test]
    fn an_offer_of_h2c_is_stripped_and_nothing_else() {
        let mut parts = parts(&[
            ("connection", "keep-alive, Upgrade, HTTP2-Settings"),
            ("upgrade", "H2C"),
            ("http2-settings", "AAMAAABk"),
            ("accept", "*/*"),
        ]);
        assert_eq!(settle_upgrade(&mut parts), UpgradeOffer::Ordinary);
        assert_eq!(parts.headers.get("connection").unwrap(), "keep-alive");
        assert_eq!(parts.headers.len(), 2);
    }

    #[test]
    fn any_other_protocol_is_refused() {
        for upgrade in ["websocket", "h2c, websocket", "TLS/1.0", "h2c/1"] {
            assert_eq!(settle_upgrade(&mut parts(&[("upgrade", upgrade)])), UpgradeOffer::Refused, "{upgrade}");
        }
        let mut connect = parts(&[]);
        connect.method = Method::CONNECT;
        assert_eq!(settle_upgrade(&mut connect), UpgradeOffer::Refused);
    }

    #[test]
    fn an_empty_offer_is_none() {
        assert_eq!(settle_upgrade(&mut parts(&[("upgrade", " , ")])), UpgradeOffer::Ordinary);
        assert_eq!(settle_upgrade(&mut parts(&[])), UpgradeOffer::Ordinary);
    }
}

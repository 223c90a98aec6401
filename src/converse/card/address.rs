//! An https address of the card, compared as a URL and not as a text.

/// An https address without what would make two readers see two addresses.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct HttpsAddress {
    /// Host and port, in lower case, without the default port.
    authority: String,
    /// Without the slashes; one that ends the path leaves an empty one.
    segments: Vec<String>,
    /// http, on a loopback host.
    is_plain: bool,
}

impl HttpsAddress {
    /// Reads an address, or says what hinders it.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.bytes().all(is_uri_byte) || !escapes_are_complete(text) {
            return Err("it holds a character that no URI may hold, such as a space or a non-ASCII letter");
        }
        let behind = |scheme: &str| {
            let rest = text.split_at_checked(scheme.len());
            rest.filter(|(start, _)| start.eq_ignore_ascii_case(scheme)).map(|(_, rest)| rest)
        };
        let plain = behind("http://").filter(|rest| is_loopback(rest));
        let Some(rest) = behind("https://").or(plain) else { return Err("it is no https address") };
        if rest.contains(['?', '#']) {
            return Err("it has a query or a fragment, so no segment can be put behind its path");
        }
        let (authority, path) = rest.split_once('/').map_or((rest, None), |(authority, path)| (authority, Some(path)));
        check_authority(authority)?;
        let authority = authority.to_ascii_lowercase();
        let authority = authority.strip_suffix(":443").unwrap_or(&authority).to_owned();
        let segments = path.into_iter().flat_map(|path| path.split('/')).map(normalized);
        let segments = segments.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { authority, segments, is_plain: plain.is_some() })
    }

    /// Whether it is an http address of this machine, for development.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether `self` is `base` with one more segment. A slash at the end of `base` is none.
    pub(super) fn is_one_segment_past(&self, base: &Self) -> Result<(), &'static str> {
        if self.authority != base.authority {
            return Err("it has another host or port");
        }
        let base = match base.segments.as_slice() {
            [path @ .., last] if last.is_empty() => path,
            path => path,
        };
        match self.segments.strip_prefix(base) {
            Some([segment]) if !segment.is_empty() => Ok(()),
            Some([]) => Err("it is the same address"),
            Some([_, ..]) => Err("it is not exactly one segment longer"),
            None => Err("its path is another"),
        }
    }
}

/// Whether an address without its scheme is on a loopback host.
fn is_loopback(rest: &str) -> bool {
    let authority = rest.split('/').next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || host.eq_ignore_ascii_case("localhost")
}

fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%:/?#[]@!$&'()*+,;=".contains(&byte)
}

fn escapes_are_complete(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| {
        let mut digits = rest.bytes();
        let mut is_digit = || digits.next().is_some_and(|digit| digit.is_ascii_hexdigit());
        is_digit() && is_digit()
    })
}

fn check_authority(authority: &str) -> Result<(), &'static str> {
    if authority.contains('@') {
        return Err("it holds user information before the host");
    }
    let (is_host, port) = match authority.strip_prefix('[').map(|rest| rest.split_once(']')) {
        Some(Some((address, port))) => (address.parse::<std::net::Ipv6Addr>().is_ok(), port),
        Some(None) => (false, ""),
        None => {
            let (host, port) = authority.split_at(authority.find(':').unwrap_or(authority.len()));
            let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_host_byte);
            (host.strip_suffix('.').unwrap_or(host).split('.').all(is_label), port)
        }
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    match port.strip_prefix(':') {
        _ if !is_host => Err("it has no host that can be resolved"),
        None if port.is_empty() => Ok(()),
        Some(port) if is_port(port) => Ok(()),
        _ => Err("its port is no number"),
    }
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

/// A segment with its escapes in upper case, those of unreserved characters taken out (RFC 3986
/// §6.2.2).
fn normalized(segment: &str) -> Result<String, &'static str> {
    let mut pieces = segment.split('%');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at_checked(2).unwrap_or((piece, ""));
        match u8::from_str_radix(digits, 16) {
            Ok(b'/' | b'\\') => return Err("an escaped slash in its path is a separator to some readers"),
            Ok(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => plain.push(char::from(byte)),
            _ => {
                plain.push('%');
                plain.push_str(&digits.to_ascii_uppercase());
            }
        }
        plain.push_str(rest);
    }
    match plain.as_str() {
        "." | ".." => Err("`.` and `..` in its path are resolved by some readers and not by others"),
        _ if plain.contains(['[', ']']) => Err("its path holds a bracket, which a URI has around an IPv6 host only"),
        _ => Ok(plain),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_past(card: &str, base: &str) -> Result<(), &'static str> {
        HttpsAddress::parse(card)?.is_one_segment_past(&HttpsAddress::parse(base)?)
    }

    #[test]
    fn one_segment_past_is_seen_through_what_urls_leave_open() {
        for (card, base) in [
            ("https://mcp.example.com/mcp/a/server-card", "https://mcp.example.com/mcp/a"),
            ("https://mcp.example.com/mcp/a/card.json", "https://mcp.example.com/mcp/a/"),
            ("https://MCP.example.com:443/a/c", "HTTPS://mcp.example.com/a"),
            ("https://mcp.example.com:8443/a/c", "https://mcp.example.com:8443/a"),
            ("https://mcp.example.com/%7euser/c", "https://mcp.example.com/~user"),
            ("https://mcp.example.com/a%c3%a9/c", "https://mcp.example.com/a%C3%A9"),
            ("https://mcp.example.com/server-card", "https://mcp.example.com"),
            ("https://mcp.example.com/server-card", "https://mcp.example.com/"),
            ("https://[2001:db8::1]/a/c", "https://[2001:DB8::1]:443/a"),
            ("https://mcp.example.com/a//c", "https://mcp.example.com/a//"),
            ("https://mcp.example.com/a/...", "https://mcp.example.com/a"),
        ] {
            assert_eq!(is_past(card, base), Ok(()), "{card} past {base}");
        }
    }

    #[test]
    fn what_only_looks_one_segment_longer_is_not() {
        let base = "https://mcp.example.com/mcp/a";
        for card in [
            base,
            "https://mcp.example.com/mcp/a/",
            "https://mcp.example.com/mcp/a-server-card",
            "https://mcp.example.com/mcp/ab/server-card",
            "https://mcp.example.com/mcp/A/server-card",
            "https://mcp.example.com/mcp/a/b/server-card",
            "https://mcp.example.com/mcp/a//server-card",
            "https://mcp.example.com/mcp/a/server-card/",
            "https://mcp.example.com/mcp/server-card",
            "https://mcp.example.com:8443/mcp/a/server-card",
            "https://mcp.example.com./mcp/a/server-card",
            "https://mcp.example.com.evil.example/mcp/a/server-card",
            "https://mcp.example.com@evil.example/mcp/a/server-card",
            "https://user:pw@mcp.example.com/mcp/a/server-card",
            "https://mcp.example.com/mcp/a/..",
            "https://mcp.example.com/mcp/a/%2e%2E",
            "https://mcp.example.com/mcp/a/x/../server-card",
            "https://mcp.example.com/mcp/b/../a/server-card",
            "https://mcp.example.com/mcp/a/.",
            "https://mcp.example.com/mcp%2fa/server-card",
            "https://mcp.example.com/mcp/a/x%2Fserver-card",
            "https://mcp.example.com/mcp/a/x%5cserver-card",
            "https://mcp.example.com/mcp/a\\server-card",
            "https://mcp.example.com/mcp/a/server-card?key=1",
            "https://mcp.example.com/mcp/a/server-card?",
            "https://mcp.example.com/mcp/a/server-card#x",
            "https://mcp.example.com/mcp/a/server card",
            "https://mcp.example.com/mcp/a/%zz",
            "https://mcp.example.com/mcp/a/%4",
            "https://mcp.example.com/mcp/a/[x]",
            "http://mcp.example.com/mcp/a/server-card",
            "//mcp.example.com/mcp/a/server-card",
            "/mcp/a/server-card",
            "server-card",
            "",
        ] {
            assert!(is_past(card, base).is_err(), "{card}");
        }
        assert!(is_past("https://mcp.example.com//c", "https://mcp.example.com/").is_err());
    }

    #[test]
    fn what_is_no_plain_https_address_is_refused() {
        for bad in [
            "https://",
            "https:///x",
            "https://.",
            "https://a..b/",
            "https://a:/",
            "https://a:99999/",
            "https://a:+80/",
            "https://a:b/",
            "https://[::1/",
            "https://[x]/",
            "https://[::1]x/",
            "https://m%63p.example/",
            "https:/a/",
            "https://ex\u{e4}mple.com/",
            "https://a/\u{e4}",
            "ht\u{e4}tps://a",
        ] {
            assert!(HttpsAddress::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn http_is_for_a_loopback_host_alone() {
        for address in [
            "http://localhost:8080/a",
            "http://LOCALHOST/a",
            "http://127.0.0.1/a",
            "http://127.8.9.1:1/a",
            "http://[::1]:3000/a",
        ] {
            assert!(HttpsAddress::parse(address).is_ok_and(|address| address.is_plain()), "{address}");
        }
        for address in [
            "http://mcp.example/a",
            "http://localhost.example/a",
            "http://10.0.0.1/a",
            "http://[::2]/a",
            "http://128.0.0.1/a",
        ] {
            assert!(HttpsAddress::parse(address).is_err(), "{address}");
        }
        assert!(!HttpsAddress::parse("https://localhost/a").unwrap().is_plain());
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_address_panics_and_a_plain_segment_is_always_one(
            text in "(https://)?[a-z0-9:/@?#%\\[\\]\\\\ .~é-]{0,24}", segment in "[a-z0-9_-]{1,8}",
        ) {
            if let Ok(base) = HttpsAddress::parse(&text) {
                let past = format!("{}/{segment}", text.strip_suffix('/').filter(|rest| rest.len() > 8).unwrap_or(&text));
                proptest::prop_assert_eq!(HttpsAddress::parse(&past).unwrap().is_one_segment_past(&base), Ok(()));
                proptest::prop_assert!(base.is_one_segment_past(&base).is_err());
            }
        }
    }
}

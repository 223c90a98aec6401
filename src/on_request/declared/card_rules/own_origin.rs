//! Whether an address is on an origin that the operator controls, as far as a card can show it (OR-3.4).

use serde_json::Value;

use super::options::CardOptions;
use crate::card::AgentCard;
use crate::findings::quoted;
use crate::on_request::declared::person_entry::{host, origin};

/// So many interfaces are looked at.
const MAX_INTERFACES: usize = 1_000;
/// What every reader reads alike.
pub(super) const PLAIN_HOST: &str = "write `https://…`, a host with letters beyond ASCII in its form `xn--…`";
/// The longest name in DNS.
const MAX_HOST: usize = 253;

/// The hosts that a card says are the operator's.
pub(super) struct OwnHosts {
    provider: ProviderUrl,
    provider_host: Option<String>,
    hosts: Vec<OwnHost>,
}

/// `provider.url`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ProviderUrl {
    Missing,
    /// It is there, and no address that every reader reads alike.
    Unreadable,
    Read,
}

/// One host, and what lies below it.
struct OwnHost {
    host: String,
    /// Without a `www.` before it; `None` where nothing lies below.
    domain: Option<String>,
}

/// Whose the origin of an address is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Ownership {
    /// It is named, or at or below a host of the card.
    Own,
    /// It only shares its registrable domain with this host of the card.
    Related(String),
    /// The card names its provider, and this is somewhere else.
    Foreign,
    /// The card names no provider that it could be compared with.
    Unknown,
}

impl OwnHosts {
    pub(super) fn of(card: &AgentCard) -> Self {
        // An empty string is how some serialisers write what is not there.
        let url = card.as_value().pointer("/provider/url").filter(|url| !url.is_null() && *url != "");
        let provider_host = url.and_then(Value::as_str).and_then(host);
        let provider = match (url, &provider_host) {
            (None, _) => ProviderUrl::Missing,
            (Some(_), None) => ProviderUrl::Unreadable,
            (Some(_), Some(_)) => ProviderUrl::Read,
        };
        let provider_host = provider_host.map(without_dot);
        let interfaces = card.interfaces().take(MAX_INTERFACES).filter_map(|interface| endpoint_host(interface.url()?));
        let mut hosts = provider_host.iter().cloned().chain(interfaces.map(without_dot)).collect::<Vec<_>>();
        hosts.retain(|host| host.len() <= MAX_HOST);
        hosts.sort();
        hosts.dedup();
        Self { provider, provider_host, hosts: hosts.into_iter().map(OwnHost::new).collect() }
    }

    pub(super) fn provider(&self) -> ProviderUrl {
        self.provider
    }

    /// Whether an attestation of `domain` is one of the operator: it is the host of `provider.url`, or
    /// above it, or that of a named origin. An interface says nothing: whose platform an agent runs on
    /// is attested, is not attested with it.
    pub(super) fn is_operators_domain(&self, domain: &str, origins: &[String]) -> bool {
        let domain = OwnHost::new(without_dot(domain.trim().to_ascii_lowercase()));
        let named = origins.iter().filter_map(|origin| host(origin)).map(without_dot);
        self.provider_host.iter().cloned().chain(named).any(|host| domain.holds(&host, false))
    }

    /// The host of `provider.url`.
    pub(super) fn provider_host(&self) -> Option<&str> {
        self.provider_host.as_deref()
    }

    /// Whether the operator's own name has the word.
    pub(super) fn are_called(&self, word: &str) -> bool {
        let is_word = |own: &OwnHost| own.host.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
        self.hosts.iter().any(is_word)
    }

    /// The hosts, for a message.
    pub(super) fn named(&self) -> String {
        let named = self.hosts.iter().take(5).map(|own| quoted(&own.host)).collect::<Vec<_>>();
        let named = if named.is_empty() { "it names none".to_owned() } else { named.join(", ") };
        match self.provider {
            ProviderUrl::Unreadable => format!("{named}; its `provider.url` cannot be read, {PLAIN_HOST}"),
            ProviderUrl::Read | ProviderUrl::Missing => named,
        }
    }

    pub(super) fn ownership(&self, entry: &str, options: &CardOptions) -> Ownership {
        // A telephone number has none.
        let Some(entry_origin) = origin(entry) else { return Ownership::Own };
        let Some(entry_host) = host(entry) else { return Ownership::Foreign };
        if options.origins.iter().any(|named| origin(named).is_some_and(|named| named == entry_origin)) {
            return Ownership::Own;
        }
        if self.provider == ProviderUrl::Missing {
            return Ownership::Unknown;
        }
        let entry_host = without_dot(entry_host);
        let with_suffixes = options.by_registrable_domain;
        if self.hosts.iter().any(|own| own.holds(&entry_host, with_suffixes)) {
            return Ownership::Own;
        }
        let related = || self.hosts.iter().find(|own| share_a_domain(&entry_host, &own.host));
        related().filter(|_| with_suffixes).map_or(Ownership::Foreign, |own| Ownership::Related(own.host.clone()))
    }
}

impl OwnHost {
    fn new(host: String) -> Self {
        let domain = host.strip_prefix("www.").unwrap_or(&host);
        let domain = Some(domain).filter(|domain| domain.contains('.') && !is_address(&host)).map(str::to_owned);
        Self { host, domain }
    }

    /// Whether `host` is this, or below its domain. With the suffix list nothing lies below what
    /// everybody can register under.
    fn holds(&self, host: &str, with_suffixes: bool) -> bool {
        let domain = self.domain.as_deref().filter(|domain| !with_suffixes || !is_public_suffix(domain));
        host == self.host
            || domain.is_some_and(|domain| {
                let before = host.strip_suffix(domain);
                before.is_some_and(|before| before.is_empty() || (before.ends_with('.') && before.len() > 1))
            })
    }
}

/// The host of an interface: gRPC has `host:port` too, others schemes of their own.
fn endpoint_host(url: &str) -> Option<String> {
    match url.split_once("://") {
        Some((scheme, rest)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            host(&format!("https://{rest}"))
        }
        Some(_) => None,
        None => host(&format!("https://{url}")),
    }
}

fn without_dot(host: String) -> String {
    host.strip_suffix('.').map(str::to_owned).unwrap_or(host)
}

/// Whether a host is an IP address, in whatever form URL readers take one.
pub(super) fn is_address(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    host.starts_with('[')
        || (!last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit()))
        || last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(feature = "cli")]
fn share_a_domain(one: &str, other: &str) -> bool {
    let domain = |host| psl::domain_str(host).filter(|_| !is_address(host));
    domain(one).is_some() && domain(one) == domain(other)
}

#[cfg(not(feature = "cli"))]
fn share_a_domain(_: &str, _: &str) -> bool {
    false
}

#[cfg(feature = "cli")]
fn is_public_suffix(domain: &str) -> bool {
    psl::suffix_str(domain) == Some(domain)
}

#[cfg(not(feature = "cli"))]
fn is_public_suffix(_: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whose(entry: &str, provider: &str, by_registrable_domain: bool) -> Ownership {
        let interface = json!({"url": "https://agent.partner.example:8443/a2a", "protocolBinding": "JSONRPC"});
        let card = json!({"provider": {"url": provider}, "supportedInterfaces": [interface]});
        let hosts = OwnHosts::of(&AgentCard::from_serialize(card).unwrap());
        let origins = vec!["https://booking.other.example:444".to_owned()];
        hosts.ownership(entry, &CardOptions { origins, by_registrable_domain, ..CardOptions::default() })
    }

    #[test]
    fn or_3_4_an_origin_is_own_at_or_below_a_host_of_the_card_or_where_it_is_named() {
        for own in [
            "https://example.com",
            "https://www.example.com/x",
            "https://ask.example.com/talk",
            "https://ASK.Example.COM:8443/talk",
            "https://ask.example.com./talk",
            "https://agent.partner.example/",
            "https://booking.other.example:444/x",
            "tel:+15550100",
        ] {
            assert_eq!(whose(own, "https://www.Example.com/home", false), Ownership::Own, "{own}");
        }
        for foreign in [
            "https://notexample.com/",
            "https://example.com.evil.example/",
            "https://example.co/",
            "https://com/",
            "https://partner.example/",
            "https://xagent.partner.example/",
            "https://booking.other.example/x",
            "https://.example.com/",
        ] {
            assert_eq!(whose(foreign, "https://www.example.com/home", false), Ownership::Foreign, "{foreign}");
        }
    }

    #[test]
    fn or_3_4_nothing_lies_below_an_ip_address_or_a_name_of_one_label() {
        assert_eq!(whose("https://10.0.0.1/", "http://10.0.0.1:8080", false), Ownership::Own);
        assert_eq!(whose("https://x.10.0.0.1/", "http://10.0.0.1", false), Ownership::Foreign);
        assert_eq!(whose("https://evil.com/", "https://com", false), Ownership::Foreign);
        assert_eq!(whose("https://evil.com/", "https://www.com", false), Ownership::Foreign);
        assert!(is_address("[::1]") && is_address("0x7f.1") && is_address("2130706433") && !is_address("a1.example"));
    }

    #[test]
    fn d5_a_provider_that_two_readers_read_differently_makes_nothing_own() {
        for provider in ["https://example.com@evil.example/", "https://evil.example\\@example.com", "example.com", " x"]
        {
            for by_domain in [true, false] {
                assert_eq!(whose("https://ask.example.com/", provider, by_domain), Ownership::Foreign, "{provider}");
                assert_eq!(whose("https://evil.example/", provider, by_domain), Ownership::Foreign, "{provider}");
            }
        }
        for end in ["?ref=a2a", "#about", "/?x", ""] {
            let provider = format!("https://example.com{end}");
            assert_eq!(whose("https://ask.example.com/", &provider, false), Ownership::Own, "{provider}");
            let provider = format!("https://evil.example{end}.example.com");
            if !end.is_empty() {
                assert_eq!(whose("https://ask.example.com/", &provider, true), Ownership::Foreign, "{provider}");
            }
        }
    }

    #[test]
    fn or_3_4_an_empty_provider_is_none() {
        assert_eq!(whose("https://ask.example.com/", "", false), Ownership::Unknown);
    }

    #[test]
    fn or_3_8_a_business_is_called_by_whole_words() {
        let card = json!({"provider": {"url": "https://deathstar.example"}});
        let hosts = OwnHosts::of(&AgentCard::from_serialize(card).unwrap());
        assert!(hosts.are_called("deathstar") && !hosts.are_called("death"));
    }

    #[test]
    fn or_3_4_an_interface_of_grpc_has_a_host_too() {
        let urls = ["agent.example.com:443", "grpc://agent.example.com", "wss://agent.example.com/x"];
        for url in urls.into_iter().chain(["https://agent.example.com:8443"]) {
            assert_eq!(endpoint_host(url).as_deref(), Some("agent.example.com"), "{url}");
        }
        assert_eq!(endpoint_host("evil.example/@agent.example.com").as_deref(), Some("evil.example"));
        assert_eq!(endpoint_host("a b"), None);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn or_3_4_with_the_suffix_list_hosts_of_one_registrable_domain_are_related() {
        let related = Ownership::Related("shop.example.co.uk".to_owned());
        assert_eq!(whose("https://ask.example.co.uk/", "https://shop.example.co.uk", true), related);
        assert_eq!(whose("https://ask.example.co.uk/", "https://shop.example.co.uk", false), Ownership::Foreign);
        assert_eq!(whose("https://other.co.uk/", "https://shop.example.co.uk", true), Ownership::Foreign);
        assert_eq!(whose("https://evil.github.io/", "https://chapel.github.io", true), Ownership::Foreign);
        assert_eq!(whose("https://evil.co.uk/", "https://www.co.uk", true), Ownership::Foreign);
    }
}

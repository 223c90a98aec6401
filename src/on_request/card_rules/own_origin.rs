//! Whether an address is on an origin that the operator controls, as far as a card can show it (OR-3.4).

use serde_json::Value;

use super::options::CardOptions;
use crate::card::AgentCard;
use crate::on_request::person_entry::{host, origin};

/// So many interfaces are looked at.
const MAX_INTERFACES: usize = 1_000;

/// The hosts that a card says are the operator's.
pub(super) struct OwnHosts {
    has_provider: bool,
    hosts: Vec<String>,
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
        let provider = card.as_value().pointer("/provider/url").and_then(Value::as_str).and_then(host);
        let has_provider = provider.is_some();
        let interfaces = card.interfaces().take(MAX_INTERFACES).filter_map(|interface| interface.url().and_then(host));
        let mut hosts = provider.into_iter().chain(interfaces).map(without_dot).collect::<Vec<_>>();
        hosts.sort();
        hosts.dedup();
        Self { has_provider, hosts }
    }

    /// The hosts, for a message.
    pub(super) fn named(&self) -> String {
        self.hosts.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn ownership(&self, entry: &str, options: &CardOptions) -> Ownership {
        let (Some(entry_origin), Some(entry_host)) = (origin(entry), host(entry)) else { return Ownership::Own };
        if options.origins.iter().any(|named| origin(named).is_some_and(|named| named == entry_origin)) {
            return Ownership::Own;
        }
        let entry_host = without_dot(entry_host);
        if self.hosts.iter().any(|own| is_within(&entry_host, own)) {
            return Ownership::Own;
        }
        let related = || self.hosts.iter().find(|own| share_a_domain(&entry_host, own));
        match related().filter(|_| options.by_registrable_domain) {
            Some(own) => Ownership::Related(own.clone()),
            None if self.has_provider => Ownership::Foreign,
            None => Ownership::Unknown,
        }
    }
}

fn without_dot(host: String) -> String {
    host.strip_suffix('.').map(str::to_owned).unwrap_or(host)
}

/// Whether `host` is `own`, or below its domain; a `www` before it does not count.
fn is_within(host: &str, own: &str) -> bool {
    let domain = own.strip_prefix("www.").unwrap_or(own);
    host == own
        || (domain.contains('.') && !is_address(own) && !is_public_suffix(domain) && host == domain)
        || (domain.contains('.')
            && !is_address(own)
            && !is_public_suffix(domain)
            && host.strip_suffix(domain).is_some_and(|before| before.ends_with('.') && before.len() > 1))
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
        for provider in [
            "https://example.com@evil.example/",
            "https://evil.example\\@example.com",
            "https://evil.example#.example.com",
        ] {
            assert_eq!(whose("https://ask.example.com/", provider, false), Ownership::Foreign, "{provider}");
            assert_eq!(whose("https://evil.example/", provider, false), Ownership::Foreign, "{provider}");
        }
        assert_eq!(whose("https://ask.example.com/", "example.com", false), Ownership::Unknown);
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

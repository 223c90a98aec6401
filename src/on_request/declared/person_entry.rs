//! The address where a person asks (OR-3.4, OR-3.8), in the card and in a text.

/// What is wrong with an address. The rule comes with it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in crate::on_request) struct EntryFault {
    pub(in crate::on_request) rule: &'static str,
    pub(in crate::on_request) why: &'static str,
    /// What to write instead.
    pub(in crate::on_request) help: &'static str,
}

const MAX_LENGTH: usize = 2048;

/// The shape of an https address, for a help.
const PLAIN: &str = "write an address such as `https://ask.example.com/talk`";

/// The shape of a telephone number, for a help.
const GLOBAL: &str = "write a global number without spaces, such as `tel:+44-20-7946-0000`";

/// Checks an address as the specification's schema does, and what that leaves to two readers of
/// one URL to disagree about (D5).
pub(in crate::on_request) fn check_person_entry(entry: &str, action: bool) -> Result<(), EntryFault> {
    let fault = |why| Err(EntryFault { rule: "OR-3.4", why, help: PLAIN });
    if entry.len() > MAX_LENGTH && entry.chars().count() > MAX_LENGTH {
        return Err(EntryFault { rule: "schema", why: "it is longer than 2048 characters", help: PLAIN });
    }
    if entry.is_empty() {
        return fault("it is empty");
    }
    let number = entry.strip_prefix("tel:");
    if !entry.bytes().all(is_uri_byte) || !escapes_are_complete(entry) {
        let help = if number.is_some() && !action { GLOBAL } else { PLAIN };
        let why =
            "it holds a character that no URI may hold, such as a space, a brace, a backslash or a non-ASCII letter";
        return Err(EntryFault { rule: "OR-3.4", why, help });
    }
    if let Some(number) = number {
        let names_trunk = number.contains("(0)");
        return match (action, is_global_number(number)) {
            (true, _) => fault("an action needs an https address"),
            (false, true) if names_trunk => {
                let why = "the `(0)` in it is dialled at home alone, so a telephone abroad reaches nobody";
                Err(EntryFault { rule: "OR-3.4", why, help: GLOBAL })
            }
            (false, true) => Ok(()),
            (false, false) => {
                let why = "a telephone number is `tel:+` with at least four digits, and nothing behind";
                Err(EntryFault { rule: "OR-3.4", why, help: GLOBAL })
            }
        };
    }
    let Some(rest) = entry.strip_prefix("https://") else {
        let lower = entry.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
            || entry.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("tel:"));
        return fault(if lower {
            "its scheme is to be written in lower case"
        } else if entry.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://")) {
            "it is an `http://` address, which anybody on the way can read and change: it has to be `https://`"
        } else {
            "it is neither an `https://` address nor a `tel:` number"
        });
    };
    if rest.contains(['?', '#']) {
        let help = "take it out: the address is the same for every caller and carries nothing about the person";
        return Err(EntryFault { rule: "OR-3.8", why: "it has a query or a fragment", help });
    }
    let authority = authority(rest);
    if rest.get(authority.len()..).is_some_and(|path| path.contains(['[', ']'])) {
        return fault("its path holds a bracket, which a URI has around an IPv6 host only");
    }
    check_authority(authority).or_else(fault)
}

/// The origin of an https address that was checked: scheme, host in lower case, port.
pub(in crate::on_request) fn origin(entry: &str) -> Option<String> {
    let authority = authority(entry.strip_prefix("https://")?).to_ascii_lowercase();
    Some(format!("https://{}", authority.strip_suffix(":443").unwrap_or(&authority)))
}

/// The host of an http or https address, in lower case; `None` where readers could differ on it.
pub(in crate::on_request) fn host(address: &str) -> Option<String> {
    let lower = address.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    check_authority(authority).ok()?;
    let host = authority.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(authority, |(host, _)| host);
    Some(host.to_owned())
}

/// The port of an https address that was checked, where it names one.
pub(in crate::on_request) fn port(entry: &str) -> Option<u16> {
    authority(entry.strip_prefix("https://")?).rsplit_once(':')?.1.parse().ok()
}

/// Whether `text` contains the address as a whole: a longer address that starts with it is another.
pub(in crate::on_request) fn names_address(text: &str, address: &str) -> bool {
    !address.is_empty()
        && text.match_indices(address).any(|(at, found)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + found.len()..).unwrap_or_default();
            before.is_none_or(|character| !continues_address(character)) && ends_address(after)
        })
}

fn ends_address(after: &str) -> bool {
    if after.starts_with(['?', '#']) {
        // The end of a question, or a query: only what follows can tell.
        return after.chars().nth(1).is_none_or(|next| next.is_whitespace() || "\"')>]".contains(next));
    }
    // Punctuation belongs to the sentence if nothing of an address follows it.
    let behind = after.trim_start_matches([')', ']', '>', '"', '\'', '*', '.', ',', ';', ':', '!', '?']);
    behind.chars().next().is_none_or(|next| !continues_address(next))
}

fn continues_address(character: char) -> bool {
    character.is_ascii_alphanumeric() || "/%=&#_~@+$-".contains(character)
}

fn authority(rest: &str) -> &str {
    rest.split_once('/').map_or(rest, |(authority, _)| authority)
}

fn check_authority(authority: &str) -> Result<(), &'static str> {
    if authority.contains('@') {
        return Err("it holds user information before the host");
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, rest)) if address.parse::<std::net::Ipv6Addr>().is_ok() => {
                (address, rest.strip_prefix(':').or(Some("443").filter(|_| rest.is_empty())))
            }
            _ => return Err("its host is no IPv6 address"),
        },
        None => authority.split_once(':').map_or((authority, Some("443")), |(host, port)| (host, Some(port))),
    };
    let has_empty_label = host.strip_suffix('.').unwrap_or(host).split('.').any(str::is_empty);
    if host.is_empty() || has_empty_label || (!authority.starts_with('[') && !host.bytes().all(is_host_byte)) {
        return Err("it has no host that can be resolved");
    }
    if port.is_some_and(is_port) { Ok(()) } else { Err("its port is no number") }
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

fn is_port(port: &str) -> bool {
    port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

/// `^\+[0-9][0-9().-]{3,}$`
fn is_global_number(number: &str) -> bool {
    let Some(digits) = number.strip_prefix('+') else { return false };
    digits.len() >= 4
        && digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'(' | b')' | b'.' | b'-'))
}

/// The characters of RFC 3986.
fn is_uri_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

fn escapes_are_complete(entry: &str) -> bool {
    entry.split('%').skip(1).all(|escape| {
        let mut digits = escape.bytes().take(2);
        [digits.next(), digits.next()].into_iter().all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_4_the_schemas_addresses_are_accepted() {
        for good in [
            "https://ask.example.com/talk",
            "https://ask.example.com",
            "https://ask.example.com:8443/a,b/%7Euser",
            "https://[2001:db8::1]/talk",
            "https://[2001:db8::1]:8443",
            "tel:+1-555-0100",
            "tel:+15550100",
            "tel:+1(555)01.00",
        ] {
            assert_eq!(check_person_entry(good, false), Ok(()), "{good}");
        }
    }

    #[test]
    fn or_3_4_d5_anything_else_is_refused() {
        for bad in [
            "",
            "https://",
            "https:///talk",
            "http://ask.example.com/talk",
            "HTTPS://ask.example.com",
            " https://ask.example.com",
            "https://ask.example.com/a b",
            "https://ask.example.com/t\u{e4}lk",
            "https://ask.ex\u{e4}mple.com/",
            "https://ask.example.com\\@evil.example",
            "https://ask.example.com@evil.example/",
            "https://user:pw@ask.example.com/",
            "https://ask.example.com:port/",
            "https://ask.example.com:99999/",
            "https://ask.example.com:+80/",
            "https://ask%2eexample.com/",
            "https://ask.example.com/%zz",
            "https://ask.example.com/%4",
            "https://[::1/",
            "https://[",
            "https://ask.example.com/]",
            "https://[::::]/",
            "https://[::1]x/",
            "https://[x]/",
            "https://ask.example.com/\n",
            "https://ask.example.com/{id}",
            "tel:5550100",
            "tel:+555",
            "tel:+(555)0100",
            "tel:+1 555 0100",
            "tel:+15550100?x",
            "mailto:ask@example.com",
            "javascript:alert(1)",
        ] {
            assert_eq!(check_person_entry(bad, false).map_err(|fault| fault.rule), Err("OR-3.4"), "{bad}");
        }
        assert!(check_person_entry(&format!("https://ask.example.com/{}", "x".repeat(2048)), false).is_err());
    }

    #[test]
    fn or_3_4_an_action_has_no_telephone_number() {
        assert!(check_person_entry("tel:+15550100", true).is_err());
        assert_eq!(check_person_entry("https://ask.example.com/talk", true), Ok(()));
    }

    #[test]
    fn or_3_8_no_query_and_no_fragment() {
        for bad in
            ["https://ask.example.com/talk?about=x", "https://ask.example.com/talk#x", "https://ask.example.com?x"]
        {
            assert_eq!(check_person_entry(bad, false).map_err(|fault| fault.rule), Err("OR-3.8"), "{bad}");
        }
    }

    #[test]
    fn or_6_2_an_address_in_a_text_is_found_as_a_whole() {
        let address = "https://ask.example.com/talk";
        for with in [
            "Ask here: https://ask.example.com/talk",
            "Ask (https://ask.example.com/talk).",
            "<https://ask.example.com/talk>",
            "here:https://ask.example.com/talk, please",
            "\"https://ask.example.com/talk\"?",
            "ask https://ask.example.com/talk\u{3067}",
            "https://ask.example.com/talk2 or https://ask.example.com/talk!",
        ] {
            assert!(names_address(with, address), "{with}");
        }
        for without in [
            "",
            "https://ask.example.com/",
            "https://ask.example.com/talk2",
            "https://ask.example.com/talk/other",
            "https://ask.example.com/talk.html",
            "https://ask.example.com/talk?x=1",
            "https://ask.example.com/talk#x",
            "xhttps://ask.example.com/talk",
            "https://evil.example/https://ask.example.com/talk",
        ] {
            assert!(!names_address(without, address), "{without}");
        }
    }

    #[test]
    fn an_origin_is_compared_without_case_and_default_port() {
        assert_eq!(origin("https://Ask.Example.com:443/talk").as_deref(), Some("https://ask.example.com"));
        assert_eq!(origin("https://ask.example.com:8443").as_deref(), Some("https://ask.example.com:8443"));
        assert_eq!(host("https://Example.com:8443/x").as_deref(), Some("example.com"));
        assert_eq!(origin("tel:+15550100"), None);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

        #[test]
        fn or_6_2_no_text_and_no_address_panics(text in ".{0,40}", address in ".{0,6}", around in "[ a-z/.?)]{0,3}") {
            let built = format!("{text}{around}{address}{around}{text}");
            proptest::prop_assert!(!names_address(&built, &address) || built.contains(&address));
            let alone = format!("{text} {address} {text}");
            proptest::prop_assert!(address.is_empty() || names_address(&alone, &address));
            drop((check_person_entry(&built, true), origin(&built), host(&built)));
        }

        #[test]
        fn or_3_4_what_is_accepted_is_one_plain_address(entry in "(https://|tel:\\+|http://)[a-z0-9:/@?#%\\[\\]\\\\ .()-]{0,24}") {
            if check_person_entry(&entry, false).is_ok() {
                let host = entry.split('/').nth(2).unwrap_or_default();
                proptest::prop_assert!(!host.contains(['@', '%']));
                proptest::prop_assert!(entry.starts_with("https://") || entry.starts_with("tel:+"));
                proptest::prop_assert!(entry.is_ascii() && !entry.contains(['?', '#', '\\', ' ']));
            }
        }
    }
}

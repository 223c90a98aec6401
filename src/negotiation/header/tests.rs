use proptest::prelude::*;

use super::*;
use crate::negotiation::{Activation, DeclaredUri, DeclaredUris};

fn uri() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9+.-]{0,6}:[!-+\\-./0-9:;=?@A-Z\\[\\]_a-z~]{1,20}"
        .prop_filter("quotes are no URI", |uri| ExtensionUri::accepts(uri.as_bytes()))
}

/// A member that is none: it must be dropped alone.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(Vec::new()),
        Just(b" ".to_vec()),
        Just("https://x/é".as_bytes().to_vec()),
        Just(b"no scheme".to_vec()),
        Just(b"\xff\xfe".to_vec()),
        proptest::collection::vec(prop_oneof![0x20u8..0x7f, 0x80u8..=0xff], 0..8)
            .prop_map(|bytes| bytes.into_iter().filter(|byte| *byte != b',').collect()),
    ]
}

#[derive(Clone, Debug)]
enum Member {
    Uri(String),
    Noise(Vec<u8>),
}

fn members() -> impl Strategy<Value = Vec<(Member, bool)>> {
    let member = prop_oneof![3 => uri().prop_map(Member::Uri), 1 => noise().prop_map(Member::Noise)];
    proptest::collection::vec((member, any::<bool>()), 0..12)
}

/// The members on lines, a new line where the flag says so.
fn headers(members: &[(Member, bool)], name: &HeaderName) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut lines: Vec<Vec<u8>> = vec![Vec::new()];
    for (member, new_line) in members {
        if *new_line {
            lines.push(Vec::new());
        }
        let line = lines.last_mut().unwrap();
        if !line.is_empty() {
            line.extend_from_slice(b" ,\t");
        }
        match member {
            Member::Uri(uri) => line.extend_from_slice(uri.as_bytes()),
            Member::Noise(noise) => line.extend_from_slice(noise),
        }
    }
    for line in lines {
        if let Ok(value) = HeaderValue::from_bytes(&line) {
            headers.append(name, value);
        }
    }
    headers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn every_uri_comes_back_in_order_whatever_stands_beside_it(members in members(), legacy: bool) {
        let name = if legacy { X_A2A_EXTENSIONS } else { A2A_EXTENSIONS };
        let wanted = members.iter().filter_map(|(member, _)| match member {
            Member::Uri(uri) => Some(uri.as_bytes().to_vec()),
            Member::Noise(noise) => Some(noise.trim_ascii().to_vec()).filter(|noise| ExtensionUri::accepts(noise)),
        });
        let headers = headers(&members, &name);
        let read = requested_members(&headers).map(<[u8]>::to_vec).collect::<Vec<_>>();
        prop_assert_eq!(read, wanted.collect::<Vec<_>>());
    }

    #[test]
    fn what_is_written_is_read_again(uris in proptest::collection::vec(uri(), 0..10)) {
        let uris = uris.into_iter().map(|uri| ExtensionUri::new(uri).unwrap()).collect::<Vec<_>>();
        let mut headers = HeaderMap::new();
        write_echo(&mut headers, HeaderSpelling { current: true, legacy: true }, uris.iter(), |_| true);
        prop_assert_eq!(headers.get_all(A2A_EXTENSIONS).iter().count(), usize::from(!uris.is_empty()));
        headers.remove(X_A2A_EXTENSIONS);
        let read = requested_members(&headers).map(<[u8]>::to_vec).collect::<Vec<_>>();
        prop_assert_eq!(read, uris.iter().map(|uri| uri.as_str().as_bytes().to_vec()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_active_is_the_intersection_in_client_order(
        declared in proptest::collection::hash_set(uri(), 0..8),
        asked in proptest::collection::vec((uri(), any::<prop::sample::Index>(), any::<bool>()), 0..12),
    ) {
        let declared = declared.into_iter().collect::<Vec<_>>();
        let asked = asked.into_iter().map(|(other, index, known)| match declared.get(index.index(declared.len().max(1))) {
            Some(uri) if known => uri.clone(),
            _ => other,
        }).collect::<Vec<_>>();
        let entries = declared.iter().map(|uri| DeclaredUri { spellings: vec![ExtensionUri::new(uri.as_str()).unwrap()], required: false });
        let uris = DeclaredUris::new(entries.collect());
        let activation = Activation::negotiate(&uris, asked.iter().map(String::as_bytes));
        let mut wanted = Vec::new();
        for uri in asked.iter().filter(|uri| declared.contains(uri)) {
            if !wanted.contains(uri) {
                wanted.push(uri.clone());
            }
        }
        prop_assert_eq!(activation.uris(&uris).map(|uri| uri.as_str().to_owned()).collect::<Vec<_>>(), wanted);
    }
}

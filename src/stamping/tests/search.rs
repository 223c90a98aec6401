//! The search in bytes that nobody parses.

use bytes::Bytes;

use super::super::fixture::{Bench, K2, U1};

/// What leaves, and whether there was a hit, in chunks of one size.
fn searched(body: &[u8], size: usize) -> (Vec<u8>, bool) {
    let mut search = Bench::fixed(&[]).stamper.key_search();
    let mut left = Vec::new();
    for chunk in body.chunks(size) {
        let searched = search.push(&Bytes::copy_from_slice(chunk));
        left.extend(searched.leaving.concat());
        if searched.hit {
            return (left, true);
        }
    }
    left.extend(search.finish());
    (left, false)
}

#[test]
fn a_managed_key_is_found_at_every_chunk_border() {
    let slashed = U1.replace('/', "\\/");
    let all = U1.bytes().map(|byte| format!("\\u{byte:04X}")).collect::<String>();
    for (before, key) in [
        ("{\"a\":1,", format!("\"{U1}\":1}}")),
        ("{\"a\":1,", format!("\"{U1}\" \r\n\t: 1}}")),
        ("nonsense \" \\", format!("\"{U1}\":")),
        ("\"x\" \\\"", format!("\"{slashed}\":")),
        ("\"\"\"\"", format!("\"{all}\":{{")),
        ("[\"https://biz.example/ext/v", format!("\"{K2}\":")),
        (&format!("\"{U1}\" \"{U1}"), format!("\"{U1}\":")),
    ] {
        let body = format!("{before}{key}");
        for size in 1..=body.len() {
            let (left, hit) = searched(body.as_bytes(), size);
            assert!(hit, "{body} in {size}");
            assert_eq!(left, before.as_bytes(), "{body} in {size}");
        }
    }
}

#[test]
fn values_and_longer_keys_are_no_hit() {
    for body in [
        format!("{{\"uri\":\"{U1}\"}}"),
        format!("[\"{U1}\" , \"{K2}\"]"),
        format!("{{\"{U1}/kind\":1}}"),
        format!("{{\"x{U1}\":1}}"),
        format!("{U1}: "),
        format!("\"{U1}\""),
        format!("\"{}\":", U1.replace("ext", "e\\u0078\\u0074x")),
        format!("\"{}\":", U1.replace("ext", "e\\qxt")),
        format!("\"{}\":", U1.replace("ext", "e\\ud800xt")),
        "\"".repeat(5000),
        "no quotes".to_owned(),
        String::new(),
    ] {
        for size in 1..=body.len().min(70) {
            assert_eq!(searched(body.as_bytes(), size), (body.clone().into_bytes(), false), "{body} in {size}");
        }
    }
}

#[test]
fn little_is_held_back() {
    let mut search = Bench::fixed(&[]).stamper.key_search();
    let (mut taken, mut left) = (0, 0);
    for piece in ["\"https://biz.", "example/ext/v1\"", " ", "\"", "https:\\/", "\\u002Fbiz", "x".repeat(9000).as_str()]
    {
        let chunk = Bytes::copy_from_slice(piece.as_bytes());
        taken += chunk.len();
        left += search.push(&chunk).leaving.concat().len();
        assert!(taken - left <= 6 * U1.len() + 2, "{piece}");
    }
    assert_eq!(taken, left);
    let mut search = Bench::fixed(&[]).stamper.key_search();
    let endless = Bytes::from(format!("\"{U1}\"{}", " ".repeat(100_000)));
    let searched = search.push(&endless);
    assert!(searched.hit && searched.leaving.concat().is_empty(), "white space without end");
}

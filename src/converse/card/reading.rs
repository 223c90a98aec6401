//! From the JSON of a call's input to its members, within bounds.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::json::{JsonKind, JsonScan, ScanError, read_value};

/// The longest input, in bytes.
pub(super) const MAX_INPUT: usize = 64 << 10;

const NO_JSON: &str = "the input is no JSON";

/// Reads an input: one object, no key of it or in it twice, not too long and not too deep.
pub(super) fn read_object(json: &str, max_depth: usize) -> Result<Map<String, Value>, String> {
    if json.len() > MAX_INPUT {
        return Err(format!("the input is longer than {} KiB", MAX_INPUT >> 10));
    }
    match find_trouble(json.as_bytes(), max_depth) {
        Err(_) => return Err(NO_JSON.to_owned()),
        Ok(Some(Trouble::Deep)) => return Err(format!("the input nests deeper than {max_depth} values")),
        Ok(Some(Trouble::KeyTwice)) => return Err("a key stands twice in one object of the input".to_owned()),
        Ok(None) => {}
    }
    match read_value(json.as_bytes()) {
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err("the input must be an object with the slots as its members".to_owned()),
        None => Err(NO_JSON.to_owned()),
    }
}

enum Trouble {
    Deep,
    KeyTwice,
}

/// Goes once through the text. It does not recurse, and stops at the first trouble.
fn find_trouble(json: &[u8], max_depth: usize) -> Result<Option<Trouble>, ScanError> {
    let mut scan = JsonScan::new(json);
    // The keys of each open object; `None` for an open array.
    let mut levels: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    loop {
        match scan.kind()? {
            kind @ (JsonKind::Object | JsonKind::Array) => {
                if levels.len() == max_depth {
                    return Ok(Some(Trouble::Deep));
                }
                scan.enter()?;
                levels.push((kind == JsonKind::Object).then(HashSet::new));
            }
            _ => {
                scan.skip()?;
            }
        }
        loop {
            let has_more = match levels.last_mut() {
                None => return Ok(None),
                Some(None) => scan.next_element()?,
                Some(Some(keys)) => match scan.next_key()? {
                    None => false,
                    Some(key) => {
                        let name = key.decode().map_err(|_| ScanError { offset: scan.offset() })?;
                        if !keys.insert(name) {
                            return Ok(Some(Trouble::KeyTwice));
                        }
                        true
                    }
                },
            };
            if has_more {
                break;
            }
            levels.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_input_is_one_object_with_each_key_once() {
        let read = |json: &str| read_object(json, 3);
        assert_eq!(read(r#" {"a": [{"b": 1}, {"b": 1}], "b": 2} "#).unwrap()["b"], json!(2));
        for (bad, why) in [
            ("", "no JSON"),
            ("{", "no JSON"),
            ("{} {}", "no JSON"),
            (r#"{"a": 1e999}"#, "no JSON"),
            (r#"{"a": "\ud800"}"#, "no JSON"),
            (r#"{"\ud800": 1}"#, "no JSON"),
            (r#"{"a": 01}"#, "no JSON"),
            (r#"{"a": 1, "a": 1}"#, "twice"),
            (r#"{"a": 1, "\u0061": 2}"#, "twice"),
            (r#"{"a": [{"b": 1, "b": 2}]}"#, "twice"),
            (r#"{"a": [[[]]]}"#, "deeper than 3"),
            ("[]", "must be an object"),
            ("null", "must be an object"),
            ("\"x\"", "must be an object"),
        ] {
            let told = read(bad).map_or_else(|told| told, |read| format!("{read:?}"));
            assert!(told.contains(why), "{bad}: {told}");
        }
    }

    #[test]
    fn a_key_that_serde_json_keeps_for_itself_is_a_key() {
        for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
            let read = read_object(&format!("{{\"a\": {{\"{key}\": \"[1]\"}}}}"), 3).unwrap();
            assert_eq!(read["a"].as_object().unwrap().get(key), Some(&json!("[1]")));
        }
    }

    #[test]
    fn an_input_is_bounded_in_length_and_depth() {
        let of_length = |length: usize| format!("{{\"a\": \"{}\"}}", "x".repeat(length - 9));
        assert!(read_object(&of_length(MAX_INPUT), 1).is_ok());
        assert!(read_object(&of_length(MAX_INPUT + 1), 1).is_err());
        let deep = "[".repeat(MAX_INPUT);
        assert!(read_object(&deep, 32).unwrap_err().contains("deeper than 32"));
    }

    proptest::proptest! {
        #[test]
        fn what_is_read_is_what_serde_json_reads(json in "[{]([\\[\\]{}:,\"a0e.\\\\u-]{0,24}|\"a\": ?[\\[\\]{}:,\"b0e1.-]{0,6})[}]?") {
            // serde_json takes a key twice, and reads deeper.
            match (read_object(&json, 4), serde_json::from_str::<Map<String, Value>>(&json)) {
                (Ok(read), other) => proptest::prop_assert_eq!(Some(read), other.ok()),
                (Err(why), Ok(other)) => proptest::prop_assert!(why.contains("twice") || why.contains("deeper"), "{other:?}: {why}"),
                (Err(_), Err(_)) => {}
            }
        }
    }
}

//! From bytes to a [`Value`], by the reader of this crate.
//!
//! serde_json gives some keys a meaning of its own: where an object holds
//! `$serde_json::private::RawValue` (or, with a feature that other crates may switch on,
//! `$serde_json::private::Number`), its [`Value`] is what the string behind it says. To everybody
//! else such an object is an object, and so it is here.

use serde_json::{Map, Value};

use super::{JsonKind, JsonScan};

/// As deep as serde_json reads.
const MAX_DEPTH: usize = 127;

/// The value that the bytes are; `None` where they are no JSON, or nested too deeply. Of a key that
/// an object holds twice the last counts.
pub(crate) fn read_value(json: &[u8]) -> Option<Value> {
    read_whole(json, Doubtful::IsRead)
}

/// The same where every reader reads the same value: `None` where an object holds a key twice, or
/// where a number has more digits than tell one double from all others, which only some readers see.
pub(crate) fn read_unambiguous_value(json: &[u8]) -> Option<Value> {
    read_whole(json, Doubtful::IsNone)
}

/// What becomes of that which readers read in different ways.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Doubtful {
    /// The last of two equal keys counts. A number becomes the nearest double.
    IsRead,
    IsNone,
}

fn read_whole(json: &[u8], doubtful: Doubtful) -> Option<Value> {
    let mut scan = JsonScan::new(json);
    let value = read(&mut scan, json, MAX_DEPTH, doubtful)?;
    scan.end().ok()?;
    Some(value)
}

fn read(scan: &mut JsonScan<'_>, json: &[u8], depth: usize, doubtful: Doubtful) -> Option<Value> {
    match scan.kind().ok()? {
        JsonKind::Object => {
            let depth = depth.checked_sub(1)?;
            scan.enter().ok()?;
            let mut members = Map::new();
            while let Some(key) = scan.next_key().ok()? {
                let key = key.decode().ok()?.into_owned();
                let first = members.insert(key, read(scan, json, depth, doubtful)?);
                if first.is_some() && doubtful == Doubtful::IsNone {
                    return None;
                }
            }
            Some(Value::Object(members))
        }
        JsonKind::Array => {
            let depth = depth.checked_sub(1)?;
            scan.enter().ok()?;
            let mut elements = Vec::new();
            while scan.next_element().ok()? {
                elements.push(read(scan, json, depth, doubtful)?);
            }
            Some(Value::Array(elements))
        }
        JsonKind::String => Some(Value::String(scan.text().ok()?.decode().ok()?.into_owned())),
        // serde_json reads a scalar alike, but with a feature it also takes numbers that are no double.
        JsonKind::Number => {
            let number = json.get(scan.skip().ok()?)?;
            let text = std::str::from_utf8(number).ok()?;
            let double = text.parse::<f64>().ok()?;
            match doubtful {
                _ if !double.is_finite() => None,
                Doubtful::IsRead => serde_json::from_slice(number).ok(),
                Doubtful::IsNone => unambiguous_number(text, double),
            }
        }
        JsonKind::Bool | JsonKind::Null => serde_json::from_slice(json.get(scan.skip().ok()?)?).ok(),
    }
}

/// The number if its digits are those that its double is written with: then no other number is the
/// same double to one reader and another number to the next.
fn unambiguous_number(text: &str, double: f64) -> Option<Value> {
    // Some doubles have two shortest forms, and writers choose either.
    let written = [format!("{double:e}"), serde_json::Number::from_f64(double)?.to_string()];
    let digits = decimal(text)?;
    if !written.iter().any(|written| decimal(written).as_ref() == Some(&digits)) {
        return None;
    }
    // Not by serde_json, whose nearest double may be the one beside it.
    let integer = text.parse::<i64>().ok().filter(|integer| *integer != 0);
    Some(integer.map_or_else(|| Value::from(double), Value::from))
}

/// The digits without zeros at either end, and the power of ten behind them. Zero has no digits.
fn decimal(text: &str) -> Option<(String, i64)> {
    let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some((String::new(), 0));
    }
    let zeros = i64::try_from(digits.len() - significant.len()).ok()?;
    let power = power.parse::<i64>().ok()?.checked_add(zeros)?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    Some((significant.to_owned(), power))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_with_a_key_that_serde_json_keeps_for_itself_is_an_object() {
        for key in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
            let object = format!("{{\"a\": [{{\"{key}\": \"1\"}}]}}");
            let value = read_value(object.as_bytes()).unwrap();
            assert!(value["a"][0].is_object(), "{value:?}");
            assert_eq!(value["a"][0].as_object().unwrap().get(key), Some(&json!("1")));
        }
    }

    #[test]
    fn what_serde_json_refuses_is_refused() {
        let nested = |depth: usize| format!("{}0{}", "[".repeat(depth), "]".repeat(depth));
        for bad in ["", " ", "{", "[1,]", "{\"a\" 1}", "01", "\"\\ud800\"", "nul", "1 2", "\"\t\"", &nested(128)] {
            assert_eq!(read_value(bad.as_bytes()).is_some(), serde_json::from_str::<Value>(bad).is_ok(), "{bad}");
        }
        assert_eq!(read_value(b"[1e999]"), None, "whatever features serde_json has");
        assert!(read_value(nested(127).as_bytes()).is_some());
        assert_eq!(read_value(b"{\"a\": 1, \"a\": 2}"), Some(json!({"a": 2})));
        assert_eq!(read_unambiguous_value(b"[{\"a\": 1, \"\\u0061\": 2}]"), None);
        assert_eq!(read_unambiguous_value(b"[{\"a\": 1}, {\"a\": 2}]"), Some(json!([{"a": 1}, {"a": 2}])));
    }

    #[test]
    fn a_number_that_some_readers_round_is_in_doubt() {
        for good in
            ["0", "-0", "0.0", "1", "-12", "1.50", "0.1", "1e2", "100", "1E-7", "9007199254740993e0", "5e-324", "1e20"]
        {
            assert_eq!(read_unambiguous_value(good.as_bytes()).is_some(), !good.starts_with("9007"), "{good}");
        }
        for bad in ["0.10000000000000001", "18446744073709551617", "1e-400", "1e999", "1.00000000000000000001"] {
            assert_eq!(read_unambiguous_value(bad.as_bytes()), None, "{bad}");
        }
        let power = format!("1e{}", "9".repeat(40));
        assert_eq!(read_unambiguous_value(power.as_bytes()), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn every_double_is_read_as_itself(number in any::<f64>()) {
            if let Some(value) = serde_json::Number::from_f64(number) {
                let read = read_unambiguous_value(value.to_string().as_bytes());
                prop_assert_eq!(read.and_then(|read| read.as_f64()), Some(number));
            }
        }

        #[test]
        fn bytes_are_read_as_serde_json_reads_them(json in "[\\[\\]{}:,\"a\\\\u0 1.e-tru]{0,24}") {
            // With a feature serde_json takes what no double holds.
            let is_double = |digits: &str| digits.parse::<f64>().is_ok_and(f64::is_finite);
            let parts = json.split(|c: char| !matches!(c, '0'..='9' | '.' | 'e' | '-' | '+'));
            let mut numbers = parts.filter(|part| part.contains('e') && !part.starts_with(['e', '.', '+']));
            let expected = serde_json::from_str::<Value>(&json).ok();
            if expected.is_none() || numbers.all(is_double) {
                prop_assert_eq!(read_value(json.as_bytes()), expected);
            }
        }

        #[test]
        fn values_come_back_as_they_were_written(text in "\\PC{0,12}", number in any::<f64>(), count in any::<i64>()) {
            let number = if number.is_finite() { number } else { 0.5 };
            let value = json!({&text: [number, count, null, true, {"b": {}}], "a": text});
            let written = serde_json::to_vec(&value).unwrap();
            prop_assert_eq!(read_value(&written), serde_json::from_slice::<Value>(&written).ok());
        }
    }
}

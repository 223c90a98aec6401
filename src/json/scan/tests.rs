use super::*;

fn structure(json: &str) -> Result<Range<usize>, ScanError> {
    let mut scan = JsonScan::new(json.as_bytes());
    let place = scan.skip()?;
    scan.end()?;
    Ok(place)
}

#[test]
fn members_and_elements_come_with_their_places() {
    let json = br#" {"a" : [1, {"b":null}], "c":"x\"y"} "#;
    let mut scan = JsonScan::new(json);
    assert_eq!(scan.kind(), Ok(JsonKind::Object));
    assert_eq!(scan.enter(), Ok(1));
    assert!(scan.next_key().unwrap().unwrap().is("a"));
    scan.enter().unwrap();
    assert!(scan.next_element().unwrap());
    assert_eq!(&json[scan.skip().unwrap()], b"1");
    assert!(scan.next_element().unwrap());
    assert_eq!(&json[scan.skip().unwrap()], br#"{"b":null}"#);
    assert!(!scan.next_element().unwrap());
    assert!(scan.next_key().unwrap().unwrap().is("c"));
    assert_eq!(scan.text().unwrap().decode().unwrap(), "x\"y");
    assert!(scan.next_key().unwrap().is_none());
    scan.end().unwrap();
}

#[test]
fn only_structure_is_judged() {
    for accepted in [
        "{}",
        "[]",
        "[[],{}]",
        "0",
        "-0.10e+9",
        "1e999",
        "true",
        "null",
        r#""\ud800""#,
        r#""\q""#,
        "{\"a\":\"\u{1}\"}",
        r#"{"a":1,"a":2}"#,
        "[1 ,\t2\r\n]",
        "123456789012345678901234567890",
    ] {
        assert!(structure(accepted).is_ok(), "{accepted}");
    }
}

#[test]
fn what_is_no_json_is_refused() {
    for refused in [
        "",
        " ",
        "{",
        "[",
        "}",
        "{]",
        "[}",
        "[{]}",
        "{,}",
        "[,]",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{a:1}",
        "[1 2]",
        "01",
        "+1",
        "1.",
        ".5",
        "1e",
        "-",
        "--1",
        "tru",
        "truely",
        "nul",
        "NaN",
        "\"a",
        "\"a\\",
        "\"a\\\"",
        "{} {}",
        "1 1",
        "[1]]",
        "'a'",
        "// x\n1",
        "\u{feff}{}",
        "{\"a\":1 \"b\":2}",
        "0x10",
        "1_0",
    ] {
        assert!(structure(refused).is_err(), "{refused}");
    }
}

#[test]
fn a_million_levels_cost_no_stack() {
    let deep = "[{\"a\":".repeat(500_000) + "1" + &"}]".repeat(500_000);
    assert_eq!(structure(&deep), Ok(0..deep.len()));
    assert!(structure(&"[".repeat(1_000_000)).is_err());
}

#[test]
fn a_wrong_call_is_an_error_and_no_panic() {
    let mut scan = JsonScan::new(b"[1]");
    assert!(scan.next_key().is_err());
    assert!(scan.next_element().is_err());
    scan.enter().unwrap();
    assert!(scan.next_key().is_err());
    assert!(scan.text().is_err());
}

#[test]
fn every_byte_ends_a_run_of_digits_but_a_digit() {
    for length in 0..20 {
        for byte in 0..=u8::MAX {
            let mut bytes = b"01234567890123456789".to_vec();
            bytes.insert(length, byte);
            let expected = if byte.is_ascii_digit() { 21 } else { length };
            assert_eq!(digit_run(&bytes), expected, "{byte:#x} at {length}");
        }
    }
}

use serde_json::{Value, json};

use super::*;

fn fields(bytes: &[u8]) -> Result<Vec<WireField>, WireError> {
    let mut reader = WireReader::new(bytes, &(0..bytes.len()));
    std::iter::from_fn(|| reader.next_field().transpose()).collect()
}

fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    put_value(&mut bytes, value).unwrap();
    let mut text = ProtoJsonText::new(1 << 20);
    text.value(&bytes, &(0..bytes.len())).unwrap();
    text.into_string()
}

#[test]
fn every_wire_type_has_its_place() {
    let bytes = [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x1D, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8];
    let fields = fields(&bytes).unwrap();
    let seen = fields.iter().map(|field| (field.number, field.wire_type, field.span.clone(), field.value.clone()));
    assert_eq!(
        seen.collect::<Vec<_>>(),
        [
            (1, WireType::Varint, 0..3, 1..3),
            (2, WireType::Delimited, 3..7, 5..7),
            (3, WireType::Fixed32, 7..12, 8..12),
            (4, WireType::Fixed64, 12..21, 13..21),
        ]
    );
    assert_eq!((fields[0].varint, fields[1].bytes(&bytes), fields[1].prefix.clone()), (150, &b"hi"[..], 4..5));
}

#[test]
fn a_group_is_one_field_to_its_own_end_tag() {
    let bytes = [0x0B, 0x13, 0x08, 0x01, 0x14, 0x12, 0x01, 0x0C, 0x0C, 0x08, 0x05];
    let fields = fields(&bytes).unwrap();
    assert_eq!(fields.len(), 2);
    assert_eq!((fields[0].wire_type, fields[0].span.clone(), fields[0].value.clone()), (WireType::Group, 0..9, 1..8));
    let deep = [vec![0x0B; 100_000], vec![0x0C; 100_000]].concat();
    assert_eq!(super::tests::fields(&deep), Err(WireError));
}

#[test]
fn what_can_be_read_in_two_ways_is_an_error() {
    let too_long = [&[0x08][..], &[0x80; 10], &[0x01]].concat();
    let too_big = [&[0x08][..], &[0xFF; 9], &[0x02]].concat();
    for bytes in [
        &[0x00, 0x01][..],
        &[0x08],
        &[0x0A, 0x05, b'x'],
        &[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        &[0x0A, 0x80, 0x80, 0x80, 0x80, 0x10],
        &[0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        &[0x0D, 1, 2, 3],
        &[0x09, 1, 2, 3, 4, 5, 6, 7],
        &[0x0E],
        &[0x0F],
        &[0x0C],
        &[0x0B],
        &[0x0B, 0x14],
        &[0x80, 0x80, 0x80, 0x80, 0x10, 0x01],
        &too_long,
        &too_big,
    ] {
        assert_eq!(fields(bytes), Err(WireError), "{bytes:x?}");
    }
}

#[test]
fn varints_have_the_length_they_are_said_to_have() {
    for value in [0, 1, 127, 128, 16_383, 16_384, 1 << 31, usize::MAX] {
        let mut out = Vec::new();
        put_varint(&mut out, value as u64);
        assert_eq!(out.len(), varint_length(value), "{value}");
        assert_eq!(fields(&[&[0x08], &out[..]].concat()).unwrap()[0].varint, value as u64);
    }
}

#[test]
fn values_are_the_ones_that_json_has() {
    let value = json!({"a": [1, -2.5, true, null, "é\n\"", {}, []], "b": {"c": {"d": "e"}}});
    assert_eq!(serde_json::from_str::<Value>(&text(&value)).unwrap(), value);
    for (written, read) in
        [("3.0", "3"), ("-0.0", "-0.0"), ("1e3", "1000"), ("0.1", "0.1"), ("9007199254740993", "9007199254740992")]
    {
        assert_eq!(text(&serde_json::from_str(written).unwrap()), read, "{written}");
    }
}

#[test]
fn what_json_does_not_have_is_no_value() {
    let read = |bytes: &[u8]| ProtoJsonText::new(1 << 20).value(bytes, &(0..bytes.len()));
    let nan = [&[0x11][..], &f64::NAN.to_le_bytes()].concat();
    let infinite = [&[0x11][..], &f64::INFINITY.to_le_bytes()].concat();
    for bytes in [&nan[..], &infinite, &[0x08, 0, 0x20, 1], &[0x1A, 1, 0xFF], &[0x18, 1], &[0x2A, 2, 0x08, 1]] {
        assert_eq!(read(bytes), Err(WireError), "{bytes:x?}");
    }
    // An entry with two keys, and one with two values.
    assert_eq!(read(&[0x2A, 8, 0x0A, 6, 0x0A, 1, b'a', 0x0A, 1, b'b']), Err(WireError));
    assert_eq!(read(&[0x2A, 6, 0x0A, 4, 0x12, 0, 0x12, 0]), Err(WireError));
    assert_eq!(read(&[]), Ok(()));
}

#[test]
fn depth_and_length_are_bounded() {
    let mut value = json!(1);
    let mut bytes = vec![0x08, 0];
    for _ in 0..MAX_DEPTH {
        value = json!([value]);
        let mut element = Vec::new();
        put_bytes(&mut element, 1, &bytes);
        bytes.clear();
        put_bytes(&mut bytes, 6, &element);
    }
    assert!(put_value(&mut Vec::new(), &value).is_err());
    assert!(put_value(&mut Vec::new(), &value[0]).is_ok());
    assert_eq!(ProtoJsonText::new(1 << 20).value(&bytes, &(0..bytes.len())), Err(WireError));
    let long = [&[0x1A, 100][..], &[1; 100]].concat();
    assert_eq!(ProtoJsonText::new(300).value(&long, &(0..long.len())), Err(WireError));
    assert_eq!(ProtoJsonText::new(602).value(&long, &(0..long.len())), Ok(()));
}

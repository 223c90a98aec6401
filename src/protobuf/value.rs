//! From JSON values to `google.protobuf.Value`.

use serde_json::Value;

use super::{MAX_DEPTH, WireType, put_bytes, put_tag, put_varint, varint_length};

/// The value cannot be told in protobuf: it is nested too deep, or a number is no double.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct UnfitValueError;

/// Writes the content of a `google.protobuf.Value`. Numbers become doubles, as in ProtoJSON.
pub(crate) fn put_value(out: &mut Vec<u8>, value: &Value) -> Result<(), UnfitValueError> {
    put_nested(out, value, MAX_DEPTH)
}

/// One entry of `Struct.fields`, tag and length included, for a value that is written already.
pub(crate) fn struct_entry(out: &mut Vec<u8>, key: &str, value: &[u8]) {
    put_tag(out, 1, WireType::Delimited);
    put_varint(out, u64::try_from(entry_content(key, value)).unwrap_or(u64::MAX));
    put_bytes(out, 1, key.as_bytes());
    put_bytes(out, 2, value);
}

/// The length of such an entry.
pub(crate) fn struct_entry_length(key: &str, value: &[u8]) -> usize {
    delimited_length(entry_content(key, value))
}

fn entry_content(key: &str, value: &[u8]) -> usize {
    delimited_length(key.len()) + delimited_length(value.len())
}

/// The length of a delimited field whose tag is one byte.
fn delimited_length(content: usize) -> usize {
    1 + varint_length(content) + content
}

fn put_entry(out: &mut Vec<u8>, key: &str, value: &Value, depth: usize) -> Result<(), UnfitValueError> {
    let start = out.len();
    put_bytes(out, 1, key.as_bytes());
    put_delimited(out, 2, |out| put_nested(out, value, depth))?;
    wrap(out, start, 1);
    Ok(())
}

fn put_nested(out: &mut Vec<u8>, value: &Value, depth: usize) -> Result<(), UnfitValueError> {
    let deeper = depth.checked_sub(1).ok_or(UnfitValueError)?;
    match value {
        Value::Null => {
            put_tag(out, 1, WireType::Varint);
            out.push(0);
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite()).ok_or(UnfitValueError)?;
            put_tag(out, 2, WireType::Fixed64);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Value::String(text) => put_bytes(out, 3, text.as_bytes()),
        Value::Bool(truth) => {
            put_tag(out, 4, WireType::Varint);
            out.push(u8::from(*truth));
        }
        Value::Object(members) => {
            put_delimited(out, 5, |out| members.iter().try_for_each(|(key, value)| put_entry(out, key, value, deeper)))?
        }
        Value::Array(elements) => put_delimited(out, 6, |out| {
            elements.iter().try_for_each(|element| put_delimited(out, 1, |out| put_nested(out, element, deeper)))
        })?,
    }
    Ok(())
}

fn put_delimited(
    out: &mut Vec<u8>,
    number: u32,
    content: impl FnOnce(&mut Vec<u8>) -> Result<(), UnfitValueError>,
) -> Result<(), UnfitValueError> {
    let start = out.len();
    content(out)?;
    wrap(out, start, number);
    Ok(())
}

/// Makes a delimited field of what stands behind `start`.
fn wrap(out: &mut Vec<u8>, start: usize, number: u32) {
    let length = out.len() - start;
    put_tag(out, number, WireType::Delimited);
    put_varint(out, u64::try_from(length).unwrap_or(u64::MAX));
    // Tag and length were written behind the content; they belong before it.
    let head = out.len() - start - length;
    debug_assert_eq!(head, 1 + varint_length(length));
    if let Some(field) = out.get_mut(start..) {
        field.rotate_right(head);
    }
}

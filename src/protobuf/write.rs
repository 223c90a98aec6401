//! Writing single fields.

use super::WireType;

#[inline]
pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7F).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

/// How many bytes a varint takes.
pub(crate) fn varint_length(value: usize) -> usize {
    let bits = usize::BITS - (value | 1).leading_zeros();
    usize::try_from(bits.div_ceil(7)).unwrap_or_default()
}

#[inline]
pub(crate) fn put_tag(out: &mut Vec<u8>, number: u32, wire_type: WireType) {
    let code = match wire_type {
        WireType::Varint => 0,
        WireType::Fixed64 => 1,
        WireType::Delimited => 2,
        WireType::Group => 3,
        WireType::Fixed32 => 5,
    };
    put_varint(out, u64::from(number << 3 | code));
}

/// A whole delimited field.
pub(crate) fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_tag(out, number, WireType::Delimited);
    put_varint(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}

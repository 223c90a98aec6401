//! One occurrence of each message of which there is one.
//!
//! Readers of protobuf merge the occurrences of a singular message, which is the same as reading
//! their bytes one behind the other. An object that is written in two pieces is put together before
//! anybody judges it, so that nothing is decided about half of it.

use std::ops::Range;

use super::schema::{FieldRole, ReplySchema, ReplyType};
use crate::protobuf::{WireError, WireReader, put_bytes};

/// The message at `range`, with every split message in it put together where its last piece stood.
pub(super) fn merged(
    bytes: &[u8],
    range: &Range<usize>,
    schema: ReplySchema,
    message: ReplyType,
) -> Result<Vec<u8>, WireError> {
    let mut last = [0_usize; 32];
    let mut count = 0;
    let mut fields = WireReader::new(bytes, range);
    while let Some(field) = fields.next_field()? {
        let place = last.get_mut(usize::try_from(field.number).unwrap_or(usize::MAX));
        if let Some(place) = place.filter(|_| field.is_delimited()) {
            *place = count;
        }
        count += 1;
    }
    let mut pieces: [Vec<u8>; 32] = Default::default();
    let mut out = Vec::with_capacity(range.len());
    let mut fields = WireReader::new(bytes, range);
    let mut count = 0;
    while let Some(field) = fields.next_field()? {
        let place = usize::try_from(field.number).unwrap_or(usize::MAX);
        match schema.role(message, field.number).filter(|_| field.is_delimited()) {
            Some(FieldRole::One(inner)) => {
                if let (Some(piece), Some(last)) = (pieces.get_mut(place), last.get(place)) {
                    piece.extend_from_slice(field.bytes(bytes));
                    if *last == count {
                        let whole = std::mem::take(piece);
                        put_bytes(&mut out, field.number, &merged(&whole, &(0..whole.len()), schema, inner)?);
                    }
                }
            }
            Some(FieldRole::Many(inner)) if inner != ReplyType::Part => {
                put_bytes(&mut out, field.number, &merged(bytes, &field.value, schema, inner)?);
            }
            _ => out.extend_from_slice(bytes.get(field.span).unwrap_or_default()),
        }
        count += 1;
    }
    Ok(out)
}

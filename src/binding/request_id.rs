//! The `id` of a JSON-RPC request, as it can be repeated (JSON-RPC 2.0 §5, C12).

use bytes::Bytes;

use super::ReplyId;
use super::reader::BodyReader;
use crate::json::{JsonKind, ScanError};

/// A longer `id` is answered with `null`.
const MAX_ID: usize = 1024;

/// Reads the value that comes next. One that cannot be repeated makes no request wrong by itself.
pub(super) fn read_id(reader: &mut BodyReader<'_>) -> Result<ReplyId, ScanError> {
    let (place, valid) = match reader.scan.kind()? {
        JsonKind::String => {
            let text = reader.scan.text()?;
            let valid = text.outer().len() <= MAX_ID && text.decode().is_ok();
            (text.outer(), valid)
        }
        // The scanner judged the grammar of the number; its size is nobody's concern here.
        JsonKind::Number => (reader.scan.skip()?, true),
        _ => (reader.scan.skip()?, false),
    };
    // A copy, so that a reply does not hold on to the whole body.
    let raw = reader.bytes(place);
    Ok(if valid && raw.len() <= MAX_ID { ReplyId::Raw(Bytes::copy_from_slice(raw)) } else { ReplyId::Null })
}

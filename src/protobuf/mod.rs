//! The protobuf wire format, as far as A2A needs it: fields and their places, and the JSON values
//! of `google.protobuf.Struct`. It knows no message type and allocates nothing to read.

mod json_text;
mod value;
mod wire;
mod write;

pub(crate) use json_text::ProtoJsonText;
pub(crate) use value::{put_value, struct_entry, struct_entry_length};
pub(crate) use wire::{WireError, WireField, WireReader, WireType};
pub(crate) use write::{put_bytes, put_tag, put_varint, varint_length};

/// Values nested deeper than this are refused: protobuf readers refuse them too, and some recurse.
pub(crate) const MAX_DEPTH: usize = 100;

#[cfg(test)]
mod tests;

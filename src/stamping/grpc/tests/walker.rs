//! Rewrites a reply field by field, at every level that the schema knows.

use super::super::schema::{FieldRole, ReplySchema, ReplyType};
use super::random::Dice;
use crate::protobuf::{WireField, WireReader, put_bytes};

/// What stands at a level.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Level {
    Message(ReplyType),
    Struct,
    Entry,
}

/// Rewrites the message at a level: `change` sees each field and its new bytes, and adds to `out`.
pub(super) fn rewritten(
    bytes: &[u8],
    schema: ReplySchema,
    level: Level,
    change: &mut impl FnMut(Level, Option<FieldRole>, &WireField, Vec<u8>, &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut fields = WireReader::new(bytes, &(0..bytes.len()));
    while let Some(field) = fields.next_field().unwrap() {
        let role = match level {
            Level::Message(message) => schema.role(message, field.number),
            Level::Struct | Level::Entry => None,
        };
        let inner = match (level, role) {
            (_, Some(FieldRole::One(message) | FieldRole::Many(message))) => Some(Level::Message(message)),
            (_, Some(FieldRole::Metadata)) => Some(Level::Struct),
            (Level::Struct, _) if field.number == 1 => Some(Level::Entry),
            _ => None,
        };
        let mut new = Vec::new();
        match inner.filter(|_| field.is_delimited()) {
            Some(inner) => {
                let content = rewritten(field.bytes(bytes), schema, inner, change);
                put_bytes(&mut new, field.number, &content);
            }
            None => new.extend_from_slice(&bytes[field.span.clone()]),
        }
        change(level, role, &field, new, &mut out);
    }
    out
}

/// A field that no version of A2A has.
fn unknown_field(dice: &mut Dice, serial: u64) -> Vec<u8> {
    let number = 100 + u32::try_from(dice.below(1000)).unwrap();
    let mut field = Vec::new();
    match dice.below(5) {
        0 => prost::encoding::uint64::encode(number, &serial, &mut field),
        1 => prost::encoding::fixed64::encode(number, &serial, &mut field),
        2 => prost::encoding::fixed32::encode(number, &7, &mut field),
        3 => prost::encoding::string::encode(number, &format!("unknown {serial}"), &mut field),
        _ => {
            prost::encoding::encode_key(number, prost::encoding::WireType::StartGroup, &mut field);
            prost::encoding::uint64::encode(1, &serial, &mut field);
            prost::encoding::encode_key(number, prost::encoding::WireType::EndGroup, &mut field);
        }
    }
    field
}

/// Puts unknown fields before and behind fields of every level but entries.
pub(super) fn with_unknown_fields(bytes: &[u8], schema: ReplySchema, dice: &mut Dice) -> Vec<u8> {
    let mut serial = 0;
    let mut some = |dice: &mut Dice, out: &mut Vec<u8>| {
        if dice.one_in(2) {
            serial += 1;
            out.extend(unknown_field(dice, serial));
        }
    };
    let mut out = rewritten(bytes, schema, Level::Message(schema.root()), &mut |level, _, _, new, out| {
        if level != Level::Entry {
            some(dice, out);
        }
        out.extend(new);
        if level != Level::Entry {
            some(dice, out);
        }
    });
    out.extend(unknown_field(dice, 0));
    out
}

/// All unknown fields, in order.
pub(super) fn unknown_fields(bytes: &[u8], schema: ReplySchema) -> Vec<Vec<u8>> {
    let mut unknown = Vec::new();
    rewritten(bytes, schema, Level::Message(schema.root()), &mut |_, _, field, new, _| {
        if field.number >= 100 {
            unknown.push(new);
        }
    });
    unknown
}

/// Writes some singular messages in two pieces, and some entries and `metadata` twice.
pub(super) fn with_duplicates(bytes: &[u8], schema: ReplySchema, dice: &mut Dice) -> Vec<u8> {
    rewritten(bytes, schema, Level::Message(schema.root()), &mut |level, role, field, new, out| {
        let may = matches!(role, Some(FieldRole::One(_) | FieldRole::Metadata)) || level == Level::Struct;
        if !may || !dice.one_in(3) {
            out.extend(new);
            return;
        }
        let whole = WireReader::new(&new, &(0..new.len())).next_field().unwrap().unwrap();
        let content = whole.bytes(&new);
        if level == Level::Struct {
            out.extend_from_slice(&new);
            out.extend_from_slice(&new);
            return;
        }
        // Cut between two fields.
        let mut cuts = vec![0];
        let mut inner = WireReader::new(content, &(0..content.len()));
        while let Some(field) = inner.next_field().unwrap() {
            cuts.push(field.span.end);
        }
        let (first, second) = content.split_at(cuts[dice.below(cuts.len())]);
        put_bytes(out, field.number, first);
        put_bytes(out, field.number, second);
    })
}

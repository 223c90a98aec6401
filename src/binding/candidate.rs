//! Reading a candidate for the message, and its Parts.

use std::ops::Range;

use super::doubt::Doubt;
use super::message::{MessagePlaces, PartPlace};
use super::reader::BodyReader;
use super::spelling::{IN_MESSAGE, IN_PART, KeyMatch, Member, PartKind, SeenMembers};
use crate::binding::ProtocolVersion::{self, V0_3, V1_0};
use crate::json::{JsonKind, ScanError};

/// Reads the object that comes next as a message. What is wrong with it is doubt that always
/// counts; an error is for what is no JSON.
pub(super) fn read_message(reader: &mut BodyReader<'_>) -> Result<MessagePlaces, ScanError> {
    let mut message = MessagePlaces::default();
    let mut seen = SeenMembers::default();
    reader.scan.enter()?;
    while let Some(key) = reader.next_key(IN_MESSAGE)? {
        match key {
            KeyMatch::Unknown => reader.pass_over()?,
            KeyMatch::Folded(_) => {
                reader.doubts.always("a member of the message is spelled in a way that servers read differently");
                reader.pass_over()?;
            }
            KeyMatch::Exact { member, only_0_3 } => {
                message.only_0_3 |= only_0_3;
                if !seen.is_first(member) && !is_nested_envelope(member) {
                    reader.doubts.always("a member of the message occurs twice");
                }
                read_member(reader, member, &mut message)?;
            }
        }
    }
    Ok(message)
}

/// Members that a message does not have, and that are looked at only for what may hide there.
fn is_nested_envelope(member: Member) -> bool {
    matches!(member, Member::Message | Member::Params)
}

fn read_member(reader: &mut BodyReader<'_>, member: Member, message: &mut MessagePlaces) -> Result<(), ScanError> {
    match member {
        Member::MessageId => message.message_id = read_string(reader)?,
        Member::ContextId => message.context_id = read_string(reader)?,
        Member::TaskId => message.task_id = read_string(reader)?,
        Member::Kind => {
            read_string(reader)?;
            message.members_of.get_or_insert(ProtocolVersion::V0_3);
        }
        Member::Parts => read_parts(reader, message)?,
        Member::Metadata => {
            message.metadata = reader.metadata(|doubts, doubt| doubts.always(doubt))?;
        }
        Member::Role => read_role(reader, message)?,
        Member::Extensions => {
            reader.skip_if(&[JsonKind::Array], "`extensions` must be an array")?;
        }
        Member::Message | Member::Params => {
            if reader.next_is_container()? {
                reader.doubts.always("a message stands inside a message");
            }
            reader.pass_over()?;
        }
        _ => reader.pass_over()?,
    }
    Ok(())
}

/// Reads a string that is used, or `null`.
fn read_string(reader: &mut BodyReader<'_>) -> Result<Option<Range<usize>>, ScanError> {
    match reader.scan.kind()? {
        JsonKind::String => {
            let text = reader.scan.text()?;
            if !text.is_valid() {
                reader.doubts.always(Doubt::no_text(&text, "a string of the message is no valid Unicode text"));
            }
            Ok(Some(text.outer()))
        }
        kind => {
            if kind != JsonKind::Null {
                reader.doubts.always(Doubt::wrong_type("a member of the message must be a string"));
            }
            reader.pass_over()?;
            Ok(None)
        }
    }
}

/// Only the spelling of a role counts: it is the family's.
fn read_role(reader: &mut BodyReader<'_>, message: &mut MessagePlaces) -> Result<(), ScanError> {
    if reader.scan.kind()? != JsonKind::String {
        return reader.skip_if(&[JsonKind::Number], "`role` has the wrong type").map(drop);
    }
    let role = reader.scan.text()?;
    let roles = [("ROLE_USER", V1_0), ("ROLE_AGENT", V1_0), ("user", V0_3), ("agent", V0_3)];
    if let Some((_, family)) = roles.into_iter().find(|(name, _)| role.is(name)) {
        message.members_of.get_or_insert(family);
    }
    Ok(())
}

fn read_parts(reader: &mut BodyReader<'_>, message: &mut MessagePlaces) -> Result<(), ScanError> {
    if reader.scan.kind()? != JsonKind::Array {
        reader.skip_if(&[], "the Parts must be an array")?;
        return Ok(());
    }
    reader.scan.enter()?;
    while reader.scan.next_element()? {
        if reader.scan.kind()? == JsonKind::Object {
            let (content, has_kind) = read_part(reader)?;
            message.parts.extend(content);
            if has_kind {
                message.members_of.get_or_insert(ProtocolVersion::V0_3);
            }
        } else {
            reader.doubts.always(Doubt::wrong_type("each Part must be an object"));
            reader.pass_over()?;
        }
    }
    Ok(())
}

/// What a Part says it is, and what it holds.
#[derive(Default)]
struct PartReading {
    content: Option<PartPlace>,
    /// `"data": null`: content, if there is no other.
    null_data: Option<PartPlace>,
    kind: Option<PartKind>,
}

/// The content of a Part, and whether it has a `kind`.
fn read_part(reader: &mut BodyReader<'_>) -> Result<(Option<PartPlace>, bool), ScanError> {
    let mut part = PartReading::default();
    let mut seen = SeenMembers::default();
    reader.scan.enter()?;
    while let Some(key) = reader.next_key(IN_PART)? {
        match key {
            KeyMatch::Unknown => reader.pass_over()?,
            KeyMatch::Folded(_) => {
                reader.doubts.always("a member of a Part is spelled in a way that servers read differently");
                reader.pass_over()?;
            }
            KeyMatch::Exact { member, .. } => {
                if !seen.is_first(member) {
                    reader.doubts.always("a member of a Part occurs twice");
                }
                match member.part_kind() {
                    Some(kind) => read_content(reader, kind, member, &mut part)?,
                    None => part.kind = read_kind(reader)?,
                }
            }
        }
    }
    let has_kind = part.kind.is_some();
    let content = part.content.or(part.null_data);
    if part.kind.is_some_and(|kind| content.as_ref().is_some_and(|content| !content.kind.is_like(kind))) {
        reader.doubts.always("a Part holds something else than its `kind` says");
    }
    Ok((content, has_kind))
}

fn read_content(
    reader: &mut BodyReader<'_>,
    kind: PartKind,
    member: Member,
    part: &mut PartReading,
) -> Result<(), ScanError> {
    let found = reader.scan.kind()?;
    let place = match (member, found) {
        (Member::Text, _) => read_string(reader)?,
        (Member::Data, JsonKind::Null) => {
            part.null_data = Some(PartPlace { kind, place: reader.scan.skip()? });
            None
        }
        (Member::Data, _) => Some(reader.scan.skip()?),
        (Member::File, _) => reader.skip_if(&[JsonKind::Object], "`file` must be an object")?,
        _ => reader.skip_if(&[JsonKind::String], "`raw` and `url` must be strings")?,
    };
    if let Some(place) = place
        && part.content.replace(PartPlace { kind, place }).is_some()
    {
        reader.doubts.always("a Part holds more than one kind of content");
    }
    Ok(())
}

fn read_kind(reader: &mut BodyReader<'_>) -> Result<Option<PartKind>, ScanError> {
    if reader.scan.kind()? != JsonKind::String {
        return read_string(reader).map(|_| None);
    }
    let text = reader.scan.text()?;
    let kinds = [("text", PartKind::Text), ("data", PartKind::Data), ("file", PartKind::File)];
    let kind = kinds.into_iter().find(|(name, _)| text.is(name)).map(|(_, kind)| kind);
    if kind.is_none() {
        reader.doubts.always("the `kind` of a Part is unknown");
    }
    Ok(kind)
}

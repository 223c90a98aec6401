//! A request in protobuf as ProtoJSON.
//!
//! Whatever two protobuf readers could take in different ways is refused: a singular field that
//! occurs twice is merged by one and replaced by another, and a wrong wire type is an error to one
//! and unknown to the next.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::binding::ProtocolVersion;
use crate::protobuf::{ProtoJsonText, WireError, WireField, WireReader, WireType};

/// So many times longer than the request its ProtoJSON may be. Quotes, line breaks and the words of
/// JSON take twice the space; only texts of control characters take more.
const MAX_GROWTH: usize = 6;

/// The numbers that differ between the versions.
struct RequestNumbers {
    message: u32,
    metadata: u32,
    /// It says how to answer, not what to do: it is checked and not read.
    configuration: u32,
    tenant: Option<u32>,
}

/// Numbers of a Part.
enum PartContent {
    Text,
    Raw,
    Url,
    /// 0.3's `FilePart`.
    File,
    Data,
}

fn request_numbers(version: ProtocolVersion) -> RequestNumbers {
    match version {
        ProtocolVersion::V1_0 => RequestNumbers { message: 2, metadata: 4, configuration: 3, tenant: Some(1) },
        ProtocolVersion::V0_3 => RequestNumbers { message: 1, metadata: 3, configuration: 2, tenant: None },
    }
}

fn part_content(version: ProtocolVersion, number: u32) -> Option<PartContent> {
    match (version, number) {
        (_, 1) => Some(PartContent::Text),
        (ProtocolVersion::V1_0, 2) => Some(PartContent::Raw),
        (ProtocolVersion::V1_0, 3) => Some(PartContent::Url),
        (ProtocolVersion::V0_3, 2) => Some(PartContent::File),
        (ProtocolVersion::V1_0, 4) | (ProtocolVersion::V0_3, 3) => Some(PartContent::Data),
        _ => None,
    }
}

/// What a Part has beside its content, by the version.
fn part_member(version: ProtocolVersion, number: u32) -> Option<&'static str> {
    match (version, number) {
        (ProtocolVersion::V1_0, 5) | (ProtocolVersion::V0_3, 4) => Some("metadata"),
        (ProtocolVersion::V1_0, 6) => Some("filename"),
        (ProtocolVersion::V1_0, 7) => Some("mediaType"),
        _ => None,
    }
}

/// The request as `{"message": …, "metadata": …}`, and whether it has fields that nobody here knows.
pub(super) fn request_json(request: &[u8], version: ProtocolVersion) -> Result<(String, bool), WireError> {
    let numbers = request_numbers(version);
    let mut writer = RequestWriter { request, version, json: ProtoJsonText::new(request.len() * MAX_GROWTH + 256) };
    let mut once = FieldsOnce::default();
    let mut members = MemberList::default();
    let mut fields = WireReader::new(request, &(0..request.len()));
    while let Some(field) = fields.next_field()? {
        if field.number == numbers.message {
            once.check(&field, WireType::Delimited)?;
            members.open(&mut writer.json, "message")?;
            writer.message(&field.value)?;
        } else if field.number == numbers.metadata {
            once.check(&field, WireType::Delimited)?;
            members.open(&mut writer.json, "metadata")?;
            writer.json.structure(request, &field.value)?;
        } else if Some(field.number) == numbers.tenant {
            once.check(&field, WireType::Delimited)?;
            writer.string_field(&mut members, "tenant", &field)?;
        } else if field.number == numbers.configuration {
            once.check(&field, WireType::Delimited)?;
        } else {
            writer.json.skip_field();
        }
    }
    members.close(&mut writer.json)?;
    let skipped = writer.json.has_skipped();
    Ok((writer.json.into_string(), skipped))
}

struct RequestWriter<'a> {
    request: &'a [u8],
    version: ProtocolVersion,
    json: ProtoJsonText,
}

impl RequestWriter<'_> {
    fn message(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        let mut once = FieldsOnce::default();
        let mut members = MemberList::default();
        let mut lists = MessageLists::default();
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            match field.number {
                1..=3 => {
                    once.check(&field, WireType::Delimited)?;
                    let name = ["messageId", "contextId", "taskId"];
                    if let Some(name) = usize::try_from(field.number - 1).ok().and_then(|place| name.get(place)) {
                        self.string_field(&mut members, name, &field)?;
                    }
                }
                4 => {
                    once.check(&field, WireType::Varint)?;
                    members.open(&mut self.json, "role")?;
                    self.json.add(&field.varint.to_string())?;
                }
                5 if field.is_delimited() => lists.parts.push(field.value),
                6 => {
                    once.check(&field, WireType::Delimited)?;
                    members.open(&mut self.json, "metadata")?;
                    self.json.structure(self.request, &field.value)?;
                }
                7 if field.is_delimited() => lists.extensions.push(field),
                8 if field.is_delimited() && self.version == ProtocolVersion::V1_0 => lists.references.push(field),
                5 | 7 => return Err(WireError),
                _ => self.json.skip_field(),
            }
        }
        members.open(&mut self.json, "parts")?;
        self.list(&lists.parts, |writer, part| writer.part(part))?;
        for (name, texts) in [("extensions", &lists.extensions), ("referenceTaskIds", &lists.references)] {
            if !texts.is_empty() {
                members.open(&mut self.json, name)?;
                self.list(texts, |writer, text| writer.json.string(text.bytes(writer.request)))?;
            }
        }
        members.close(&mut self.json)
    }

    fn list<T>(
        &mut self,
        elements: &[T],
        mut write: impl FnMut(&mut Self, &T) -> Result<(), WireError>,
    ) -> Result<(), WireError> {
        let mut open = "[";
        for element in elements {
            self.json.add(open)?;
            write(self, element)?;
            open = ",";
        }
        self.json.add(if open == "[" { "[]" } else { "]" })
    }

    /// An empty string is no string: protobuf does not tell them apart.
    fn string_field(&mut self, members: &mut MemberList, name: &str, field: &WireField) -> Result<(), WireError> {
        if field.value.is_empty() {
            return Ok(());
        }
        members.open(&mut self.json, name)?;
        self.json.string(field.bytes(self.request))
    }

    fn part(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        let mut has_content = false;
        let mut once = FieldsOnce::default();
        let mut members = MemberList::default();
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            match (part_content(self.version, field.number), part_member(self.version, field.number)) {
                (Some(kind), _) if field.is_delimited() && !has_content => {
                    has_content = true;
                    self.content(&mut members, &kind, &field)?;
                }
                (Some(_), _) => return Err(WireError),
                (None, Some("metadata")) => {
                    once.check(&field, WireType::Delimited)?;
                    members.open(&mut self.json, "metadata")?;
                    self.json.structure(self.request, &field.value)?;
                }
                (None, Some(name)) => {
                    once.check(&field, WireType::Delimited)?;
                    self.string_field(&mut members, name, &field)?;
                }
                (None, None) => self.json.skip_field(),
            }
        }
        members.close(&mut self.json)
    }

    fn content(&mut self, members: &mut MemberList, kind: &PartContent, field: &WireField) -> Result<(), WireError> {
        let (name, bytes) = match kind {
            PartContent::Text => ("text", field.bytes(self.request)),
            PartContent::Url => ("url", field.bytes(self.request)),
            PartContent::Raw => {
                members.open(&mut self.json, "raw")?;
                return self.json.string(STANDARD.encode(field.bytes(self.request)).as_bytes());
            }
            PartContent::File => {
                members.open(&mut self.json, "file")?;
                return self.file(&field.value);
            }
            PartContent::Data => {
                members.open(&mut self.json, "data")?;
                return self.data(&field.value);
            }
        };
        members.open(&mut self.json, name)?;
        self.json.string(bytes)
    }

    /// A `FilePart` of 0.3: an address, or bytes, with a media type and a name.
    fn file(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        let mut has_content = false;
        let mut once = FieldsOnce::default();
        let mut members = MemberList::default();
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            match field.number {
                1 | 2 if !field.is_delimited() || has_content => return Err(WireError),
                1 => {
                    has_content = true;
                    members.open(&mut self.json, "fileWithUri")?;
                    self.json.string(field.bytes(self.request))?;
                }
                2 => {
                    has_content = true;
                    members.open(&mut self.json, "fileWithBytes")?;
                    self.json.string(STANDARD.encode(field.bytes(self.request)).as_bytes())?;
                }
                3 | 4 => {
                    once.check(&field, WireType::Delimited)?;
                    self.string_field(&mut members, if field.number == 3 { "mimeType" } else { "name" }, &field)?;
                }
                _ => self.json.skip_field(),
            }
        }
        members.close(&mut self.json)
    }

    /// A `Value`; in 0.3 a `Struct` in a message of its own.
    fn data(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        if self.version == ProtocolVersion::V1_0 {
            return self.json.value(self.request, range);
        }
        let mut once = FieldsOnce::default();
        let mut data = None;
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            if field.number == 1 {
                once.check(&field, WireType::Delimited)?;
                data = Some(field.value);
            } else {
                self.json.skip_field();
            }
        }
        match data {
            Some(data) => self.json.structure(self.request, &data),
            None => self.json.add("{}"),
        }
    }
}

/// The repeated fields of a message, which may stand between the others.
#[derive(Default)]
struct MessageLists {
    parts: Vec<Range<usize>>,
    extensions: Vec<WireField>,
    references: Vec<WireField>,
}

/// The singular fields that a message has had.
#[derive(Default)]
struct FieldsOnce(u32);

impl FieldsOnce {
    fn check(&mut self, field: &WireField, wire_type: WireType) -> Result<(), WireError> {
        let bit = 1_u32.checked_shl(field.number).ok_or(WireError)?;
        if field.wire_type != wire_type || self.0 & bit != 0 {
            return Err(WireError);
        }
        self.0 |= bit;
        Ok(())
    }
}

/// The members of an object that is being written.
#[derive(Default)]
struct MemberList {
    has_any: bool,
}

impl MemberList {
    fn open(&mut self, json: &mut ProtoJsonText, name: &str) -> Result<(), WireError> {
        json.add(if self.has_any { ",\"" } else { "{\"" })?;
        self.has_any = true;
        json.add(name)?;
        json.add("\":")
    }

    fn close(&mut self, json: &mut ProtoJsonText) -> Result<(), WireError> {
        json.add(if self.has_any { "}" } else { "{}" })
    }
}

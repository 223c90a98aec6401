//! Reading a gRPC request that sends a message.
//!
//! The message is rewritten as ProtoJSON and read like any other, so that resolvers, rules and
//! policies see one and the same thing in every binding. Whatever two protobuf readers could take
//! in different ways is refused: a singular field that occurs twice is merged by one and replaced by
//! another, and a wrong wire type is an error to one and unknown to the next.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

use super::frame::only_message;
use super::method::version;
use crate::binding::detect::{RequestHead, RequestReading, RequestRefusal, read_bodyless};
use crate::binding::envelope::Envelope;
use crate::binding::{IncomingMessage, Operation, ProtocolVersion};
use crate::error::{A2aError, A2aErrorKind};
use crate::protobuf::{ProtoJsonText, WireError, WireField, WireReader, WireType};

/// So many times longer than the request its ProtoJSON may be. Quotes, line breaks and the words of
/// JSON take twice the space; only texts of control characters take more.
const MAX_GROWTH: usize = 6;

/// Reads the whole body of a call. An empty body is like none. That of a call that sends no message
/// must be gRPC all the same: JSON on its path is a message to a server that does not look at paths.
pub(in crate::binding) fn read_call(
    head: RequestHead<'_>,
    body: &Bytes,
    managed_keys: &[String],
) -> Result<RequestReading, Box<RequestRefusal>> {
    let mut reading = read_bodyless(head);
    let sends = matches!(reading.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
    let read = match sends {
        _ if body.is_empty() => Ok(None),
        true => read_message(body, version(head.uri), managed_keys),
        false => check_frame(body).map(|()| None),
    };
    match read {
        Ok(message) => {
            reading.message = message;
            Ok(reading)
        }
        Err(error) => Err(Box::new(RequestRefusal { target: reading.target, error })),
    }
}

/// Whether the body is one frame with a message of any kind.
fn check_frame(body: &Bytes) -> Result<(), A2aError> {
    let request = only_message(body)?;
    let mut fields = WireReader::new(&request, &(0..request.len()));
    loop {
        match fields.next_field() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(_) => return Err(A2aError::new(A2aErrorKind::InvalidRequest, "the request is no protobuf message")),
        }
    }
}

fn read_message(
    body: &Bytes,
    version: ProtocolVersion,
    managed_keys: &[String],
) -> Result<Option<IncomingMessage>, A2aError> {
    let invalid = |why: &'static str| A2aError::new(A2aErrorKind::InvalidRequest, why);
    let request = only_message(body)?;
    let json = request_json(&request, version)
        .map_err(|_| invalid("the request is no protobuf message that all servers read alike"))?;
    let json = Bytes::from(json);
    let envelope =
        Envelope::read(&json, managed_keys).map_err(|_| invalid("the request is no protobuf message of A2A"))?;
    match envelope.doubt_about_a_message() {
        Some(doubt) => Err(doubt.into()),
        None => Ok(envelope.into_message(json, false)),
    }
}

/// The numbers that differ between the versions.
struct RequestNumbers {
    message: u32,
    metadata: u32,
    /// Singular fields that are not read.
    others: &'static [(u32, WireType)],
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
    use WireType::Delimited;
    match version {
        ProtocolVersion::V1_0 => RequestNumbers { message: 2, metadata: 4, others: &[(1, Delimited), (3, Delimited)] },
        ProtocolVersion::V0_3 => RequestNumbers { message: 1, metadata: 3, others: &[(2, Delimited)] },
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

/// The request as `{"message": …, "metadata": …}`, as far as it is read.
fn request_json(request: &[u8], version: ProtocolVersion) -> Result<String, WireError> {
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
        } else if let Some((_, wire_type)) = numbers.others.iter().find(|(number, _)| *number == field.number) {
            once.check(&field, *wire_type)?;
        }
    }
    members.close(&mut writer.json)?;
    Ok(writer.json.into_string())
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
        let mut parts = Vec::new();
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            match field.number {
                1..=3 => {
                    once.check(&field, WireType::Delimited)?;
                    let name = ["messageId", "contextId", "taskId"];
                    let name = usize::try_from(field.number - 1).ok().and_then(|place| name.get(place));
                    // An empty string is no string: protobuf does not tell them apart.
                    if let Some(name) = name.filter(|_| !field.value.is_empty()) {
                        members.open(&mut self.json, name)?;
                        self.json.string(field.bytes(self.request))?;
                    }
                }
                4 => once.check(&field, WireType::Varint)?,
                5 if field.is_delimited() => parts.push(field.value),
                6 => {
                    once.check(&field, WireType::Delimited)?;
                    members.open(&mut self.json, "metadata")?;
                    self.json.structure(self.request, &field.value)?;
                }
                7 if field.is_delimited() => {}
                5 | 7 => return Err(WireError),
                _ => {}
            }
        }
        members.open(&mut self.json, "parts")?;
        let mut open = "[";
        for part in &parts {
            self.json.add(open)?;
            self.part(part)?;
            open = ",";
        }
        self.json.add(if open == "[" { "[]" } else { "]" })?;
        members.close(&mut self.json)
    }

    fn part(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        let mut content = None;
        let mut once = FieldsOnce::default();
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            match part_content(self.version, field.number) {
                Some(kind) if field.is_delimited() && content.is_none() => content = Some((kind, field)),
                Some(_) => return Err(WireError),
                // Metadata, file name and media type.
                None if (5..=7).contains(&field.number) && self.version == ProtocolVersion::V1_0 => {
                    once.check(&field, WireType::Delimited)?;
                }
                None => {}
            }
        }
        match content {
            None => self.json.add("{}"),
            Some((PartContent::Text, field)) => self.string_member("text", field.bytes(self.request)),
            Some((PartContent::Url, field)) => self.string_member("url", field.bytes(self.request)),
            Some((PartContent::Raw, field)) => {
                self.string_member("raw", STANDARD.encode(field.bytes(self.request)).as_bytes())
            }
            Some((PartContent::File, field)) => {
                self.json.add(r#"{"file":"#)?;
                self.file(&field.value)?;
                self.json.add("}")
            }
            Some((PartContent::Data, field)) => {
                self.json.add(r#"{"data":"#)?;
                self.data(&field.value)?;
                self.json.add("}")
            }
        }
    }

    /// An object of one member.
    fn string_member(&mut self, name: &str, text: &[u8]) -> Result<(), WireError> {
        self.json.add("{\"")?;
        self.json.add(name)?;
        self.json.add("\":")?;
        self.json.string(text)?;
        self.json.add("}")
    }

    /// A `FilePart` of 0.3: an address, or bytes.
    fn file(&mut self, range: &Range<usize>) -> Result<(), WireError> {
        let mut content = None;
        let mut fields = WireReader::new(self.request, range);
        while let Some(field) = fields.next_field()? {
            if matches!(field.number, 1 | 2) && (!field.is_delimited() || content.replace(field).is_some()) {
                return Err(WireError);
            }
        }
        match content {
            None => self.json.add("{}"),
            Some(field) if field.number == 1 => self.string_member("fileWithUri", field.bytes(self.request)),
            Some(field) => self.string_member("fileWithBytes", STANDARD.encode(field.bytes(self.request)).as_bytes()),
        }
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
            }
        }
        match data {
            Some(data) => self.json.structure(self.request, &data),
            None => self.json.add("{}"),
        }
    }
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

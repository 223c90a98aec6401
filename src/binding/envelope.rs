//! Reading the top level of a body and its `params`: which binding it speaks, and where the
//! message is.
//!
//! Candidates for the message are `message` and 0.3's `request`, on the top level and inside
//! `params`, where the value is an object or an array. There may be one. Two are refused even if
//! they are alike: which one an agent executes differs from server to server. A `message` that is
//! a string, a number, a boolean or `null` is none; a contact form has one.

use std::ops::Range;

use bytes::Bytes;

use super::candidate::read_message;
use super::doubt::{Doubt, Doubts, RequestNature};
use super::message::{MessagePlaces, RequestForm};
use super::reader::BodyReader;
use super::request_id::read_id;
use super::spelling::{IN_PARAMS, KeyMatch, Member, SeenMembers, TOP_LEVEL};
use super::{Binding, IncomingMessage, Operation, ProtocolVersion, ReplyId, json_rpc};
use crate::json::{JsonKind, ScanError};

const TWO_MESSAGES: &str = "the request holds more than one message";
const LOOKS_ALIKE: &str = "a member is spelled in a way that servers read differently";
const TWICE: &str = "a member of the request occurs twice";

/// What a body says.
#[derive(Debug, Default)]
pub(super) struct Envelope {
    pub(super) doubts: Doubts,
    /// It is JSON, but no object.
    pub(super) is_no_object: bool,
    /// There is a `jsonrpc` member.
    pub(super) has_json_rpc: bool,
    has_method: bool,
    has_params: bool,
    /// The operation and the version that `method` names.
    pub(super) method: Option<(Operation, ProtocolVersion)>,
    pub(super) id: ReplyId,
    candidate: Option<MessagePlaces>,
    /// How many candidates there are.
    candidates: usize,
    /// `params.metadata`, then the top level's.
    metadata: [Option<Range<usize>>; 2],
}

impl Envelope {
    /// Reads the whole body, which must be one JSON object.
    pub(super) fn read(body: &Bytes, managed_keys: &[String]) -> Result<Self, ScanError> {
        let mut reader = BodyReader::new(body, managed_keys);
        let mut envelope = Self { id: ReplyId::Absent, ..Self::default() };
        if reader.scan.kind()? == JsonKind::Object {
            envelope.read_top_level(&mut reader)?;
        } else {
            envelope.is_no_object = true;
            envelope.id = ReplyId::Null;
            reader.pass_over()?;
            reader.doubts.always("a request must be one JSON object");
        }
        reader.scan.end()?;
        if envelope.candidates > 1 {
            reader.doubts.always(TWO_MESSAGES);
        }
        envelope.doubts = reader.doubts;
        Ok(envelope)
    }

    /// Whether the top level has a member of JSON-RPC.
    pub(super) fn is_json_rpc(&self) -> bool {
        self.has_json_rpc || self.has_method || self.has_params
    }

    pub(super) fn has_candidate(&self) -> bool {
        self.candidates > 0
    }

    /// The family whose members the message has. HTTP+JSON of 0.3 is ProtoJSON: there only names that
    /// 0.3 alone has tell.
    pub(super) fn members_of(&self, binding: Binding) -> Option<ProtocolVersion> {
        let message = self.candidate.as_ref()?;
        let told = message.members_of.filter(|_| binding == Binding::JsonRpc);
        if message.only_0_3 { Some(ProtocolVersion::V0_3) } else { told }
    }

    /// Why the body would be refused as a request that sends its message over HTTP+JSON.
    pub(super) fn doubt_about_a_message(&self) -> Option<Doubt> {
        self.doubts.verdict(RequestNature { a2a: true, json_rpc: false, sending: true })
    }

    /// The message, sharing the body that was read.
    pub(super) fn into_message(self, body: Bytes, form: RequestForm) -> Option<IncomingMessage> {
        let places = self.candidate?;
        Some(IncomingMessage::new(body, places, self.metadata, form))
    }

    fn read_top_level(&mut self, reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
        let mut seen = SeenMembers::default();
        let mut messages = MemberCount::default();
        let mut params = MemberCount::default();
        reader.scan.enter()?;
        while let Some(key) = reader.next_key(TOP_LEVEL)? {
            match self.read_shared(reader, key, &mut messages)? {
                None => {}
                Some(Member::Params) => {
                    params.count(reader)?;
                    self.read_params(reader)?;
                }
                Some(member) => self.read_other(reader, member, seen.is_first(member))?,
            }
        }
        messages.judge(&mut reader.doubts);
        params.judge(&mut reader.doubts);
        Ok(())
    }

    /// Reads a member that top level and `params` have alike, or gives it back to be read.
    fn read_shared(
        &mut self,
        reader: &mut BodyReader<'_>,
        key: KeyMatch,
        messages: &mut MemberCount,
    ) -> Result<Option<Member>, ScanError> {
        match key {
            KeyMatch::Unknown => reader.pass_over()?,
            KeyMatch::Folded(member) => skip_look_alike(reader, member)?,
            KeyMatch::Exact { member: Member::Message, only_0_3 } => {
                messages.count(reader)?;
                self.read_candidate(reader, only_0_3)?;
            }
            KeyMatch::Exact { member, .. } => return Ok(Some(member)),
        }
        Ok(None)
    }

    fn read_other(&mut self, reader: &mut BodyReader<'_>, member: Member, first: bool) -> Result<(), ScanError> {
        if !first {
            weigh(&mut reader.doubts, member, TWICE);
        }
        match member {
            Member::JsonRpc => {
                self.has_json_rpc = true;
                reader.pass_over()?;
            }
            Member::Method => self.read_method(reader)?,
            Member::Id => {
                let id = read_id(reader)?;
                self.id = if first { id } else { ReplyId::Null };
            }
            Member::Metadata => {
                let [_, top_level] = &mut self.metadata;
                *top_level = reader.metadata(|doubts, doubt| doubts.when_a2a(doubt))?;
            }
            _ => skip_configuration(reader)?,
        }
        Ok(())
    }

    fn read_method(&mut self, reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
        self.has_method = true;
        if reader.scan.kind()? != JsonKind::String {
            reader.doubts.when_json_rpc("`method` must be a string");
            reader.pass_over()?;
            return Ok(());
        }
        let text = reader.scan.text()?;
        if !text.is_valid() {
            reader.doubts.when_json_rpc(Doubt::no_text(&text, "`method` is no valid Unicode text"));
        }
        self.method = self.method.or(json_rpc::operation(&text));
        Ok(())
    }

    /// Reads a `message` or `request`, wherever it stands.
    fn read_candidate(&mut self, reader: &mut BodyReader<'_>, only_0_3: bool) -> Result<(), ScanError> {
        match reader.scan.kind()? {
            JsonKind::Object if self.candidates == 0 => {
                self.candidates = 1;
                let mut message = read_message(reader)?;
                message.only_0_3 |= only_0_3;
                self.candidate = Some(message);
            }
            JsonKind::Object => {
                self.candidates += 1;
                reader.pass_over()?;
            }
            JsonKind::Array => {
                self.candidates += 1;
                reader.doubts.always(Doubt::wrong_type("`message` must be an object"));
                reader.pass_over()?;
            }
            kind => {
                if kind != JsonKind::Null {
                    reader.doubts.when_sending(Doubt::wrong_type("`message` must be an object"));
                }
                reader.pass_over()?;
            }
        }
        Ok(())
    }

    fn read_params(&mut self, reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
        self.has_params = true;
        match reader.scan.kind()? {
            JsonKind::Object => self.read_params_object(reader),
            JsonKind::Array => skip_params_array(reader),
            kind => {
                if kind != JsonKind::Null {
                    reader.doubts.when_sending(Doubt::wrong_type("`params` must be an object"));
                }
                reader.pass_over()
            }
        }
    }

    fn read_params_object(&mut self, reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
        let mut seen = SeenMembers::default();
        let mut messages = MemberCount::default();
        reader.scan.enter()?;
        while let Some(key) = reader.next_key(IN_PARAMS)? {
            match self.read_shared(reader, key, &mut messages)? {
                None => {}
                Some(Member::Params) => {
                    if reader.next_is_container()? {
                        reader.doubts.when_a2a("`params` stands inside `params`");
                    }
                    reader.pass_over()?;
                }
                Some(member) => {
                    if !seen.is_first(member) {
                        reader.doubts.when_a2a(TWICE);
                    }
                    if member == Member::Metadata {
                        let [params, _] = &mut self.metadata;
                        *params = reader.metadata(|doubts, doubt| doubts.when_a2a(doubt))?;
                    } else {
                        skip_configuration(reader)?;
                    }
                }
            }
        }
        messages.judge(&mut reader.doubts);
        Ok(())
    }
}

/// How often a member occurs over its spellings, and how often it could be what we look for.
#[derive(Default)]
struct MemberCount {
    occurrences: usize,
    containers: usize,
}

impl MemberCount {
    fn count(&mut self, reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
        self.occurrences += 1;
        self.containers += usize::from(reader.next_is_container()?);
        Ok(())
    }

    fn judge(&self, doubts: &mut Doubts) {
        if self.occurrences < 2 {
            return;
        }
        // A server may take the first, the last, or merge them.
        if self.containers > 0 { doubts.always(TWICE) } else { doubts.when_a2a(TWICE) }
    }
}

fn weigh(doubts: &mut Doubts, member: Member, why: &'static str) {
    match member {
        Member::Method | Member::Id | Member::JsonRpc => doubts.when_json_rpc(why),
        _ => doubts.when_a2a(why),
    }
}

fn skip_look_alike(reader: &mut BodyReader<'_>, member: Member) -> Result<(), ScanError> {
    if !matches!(member, Member::Message | Member::Params) {
        weigh(&mut reader.doubts, member, LOOKS_ALIKE);
    } else if reader.next_is_container()? {
        reader.doubts.always(LOOKS_ALIKE);
    }
    reader.pass_over()
}

fn skip_configuration(reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
    if !matches!(reader.scan.kind()?, JsonKind::Object | JsonKind::Null) {
        reader.doubts.when_a2a(Doubt::wrong_type("`configuration` must be an object"));
    }
    reader.pass_over()
}

/// Some servers read a struct that is written as an array, so a message may be an element. An
/// array of scalars holds none.
fn skip_params_array(reader: &mut BodyReader<'_>) -> Result<(), ScanError> {
    reader.doubts.when_sending(Doubt::wrong_type("`params` must be an object"));
    reader.scan.enter()?;
    while reader.scan.next_element()? {
        if reader.next_is_container()? {
            reader.doubts.always(Doubt::wrong_type("`params` must be an object"));
        }
        reader.pass_over()?;
    }
    Ok(())
}

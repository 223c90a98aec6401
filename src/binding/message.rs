//! The message of a request, shared with its body.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use super::ProtocolVersion;
use super::spelling::PartKind;
use crate::json::{JsonScan, ScanError, read_unambiguous_value, read_value};

/// A value takes many times its length once it is read; no extension needs long ones.
const MAX_METADATA_VALUE: usize = 64 << 10;

/// Where the content of a Part stands: a string with its quotes, or any value.
#[derive(Clone, Debug)]
pub(super) struct PartPlace {
    pub(super) kind: PartKind,
    pub(super) place: Range<usize>,
}

/// Where the members of a message stand in the body. All strings were decoded once and are valid.
#[derive(Clone, Debug, Default)]
pub(super) struct MessagePlaces {
    pub(super) parts: Vec<PartPlace>,
    pub(super) message_id: Option<Range<usize>>,
    pub(super) context_id: Option<Range<usize>>,
    pub(super) task_id: Option<Range<usize>>,
    pub(super) metadata: Option<Range<usize>>,
    /// A name that only 0.3 has is used.
    pub(super) only_0_3: bool,
    /// The family whose spelling of `role`, or whose `kind`, comes first.
    pub(super) members_of: Option<ProtocolVersion>,
}

struct SharedMessage {
    body: Bytes,
    places: MessagePlaces,
    /// `params.metadata`, then the top level's.
    request_metadata: [Option<Range<usize>>; 2],
    form: RequestForm,
}

/// What a body does not say of its message.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestForm {
    /// ProtoJSON of 0.3 wraps `data` once more.
    pub(super) wraps_data: bool,
    /// It came with protobuf fields that have no name here.
    pub(super) has_unread_fields: bool,
    /// The tenant that the path of HTTP+JSON names.
    pub(super) path_tenant: Option<Box<str>>,
}

/// A message that came in, for gates, resolvers and policies.
///
/// It shares the bytes of the request's body and owns nothing else; a clone is a pointer, so it
/// crosses await points, closures and tasks. Its `Debug` shows no text.
///
/// # Security
///
/// All of it is what a client wrote. Nothing in it says who the client is.
#[derive(Clone)]
pub struct IncomingMessage(Arc<SharedMessage>);

impl IncomingMessage {
    pub(super) fn new(
        body: Bytes,
        places: MessagePlaces,
        request_metadata: [Option<Range<usize>>; 2],
        form: RequestForm,
    ) -> Self {
        Self(Arc::new(SharedMessage { body, places, request_metadata, form }))
    }

    /// The text of each text Part, in order.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.parts(PartKind::Text).filter_map(decode)
    }

    /// The text of all text Parts, joined by a line feed.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.texts();
        let mut joined = texts.next().unwrap_or_default();
        for text in texts {
            let joined = joined.to_mut();
            joined.push('\n');
            joined.push_str(&text);
        }
        joined
    }

    /// The JSON text of each data Part's `data`, in order, as it was written. It is structurally
    /// JSON, but its strings and the size of its numbers were not judged; bytes that are no UTF-8
    /// are replaced.
    pub fn data(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.parts(PartKind::Data).map(|value| self.plain_data(value)).map(String::from_utf8_lossy)
    }

    /// Whether it has a file Part: `raw`, `url`, or 0.3's `file`. What stands in one is not read.
    #[must_use]
    pub fn has_files(&self) -> bool {
        self.0.places.parts.iter().any(|part| part.kind.is_file())
    }

    /// The client's id for the message.
    #[must_use]
    pub fn message_id(&self) -> Option<Cow<'_, str>> {
        self.string(&self.0.places.message_id)
    }

    /// The conversation it belongs to.
    #[must_use]
    pub fn context_id(&self) -> Option<Cow<'_, str>> {
        self.string(&self.0.places.context_id)
    }

    /// The task it continues.
    #[must_use]
    pub fn task_id(&self) -> Option<Cow<'_, str>> {
        self.string(&self.0.places.task_id)
    }

    /// The values under `key` in `message.metadata`, then in `params.metadata` (HTTP+JSON: the
    /// request's `metadata`). A value that cannot be read, or is longer than 64 KiB, is left out.
    ///
    /// The key of an installed extension occurs at most once in each place: a request where it
    /// stands twice is refused.
    pub fn metadata(&self, key: &str) -> impl Iterator<Item = Value> + '_ {
        let in_message = self.0.places.metadata.iter();
        let places = in_message.chain(self.0.request_metadata.iter().flatten());
        let values = places.flat_map(|place| values_under(self.bytes(place), key)).collect::<Vec<_>>();
        let short = values.into_iter().filter(|value| value.len() <= MAX_METADATA_VALUE);
        short.filter_map(read_value)
    }

    /// The whole body that the message came in: everything of the request that an agent can read
    /// there, with what nobody here knows. Over gRPC it is ProtoJSON. `None` where it is nested too
    /// deep, holds what two readers read in different ways, or has fields that ProtoJSON has no name for.
    pub(crate) fn whole_request(&self) -> Option<Value> {
        if self.0.form.has_unread_fields { None } else { read_unambiguous_value(&self.0.body) }
    }

    /// Whether `data` is wrapped once more, as ProtoJSON of 0.3 has it.
    pub(crate) fn wraps_data(&self) -> bool {
        self.0.form.wraps_data
    }

    /// The tenant that the path of HTTP+JSON names.
    pub(crate) fn path_tenant(&self) -> Option<&str> {
        self.0.form.path_tenant.as_deref()
    }

    /// The value of a data Part without what 0.3's ProtoJSON wraps around it.
    fn plain_data<'a>(&self, value: &'a [u8]) -> &'a [u8] {
        unwrapped(value).filter(|_| self.0.form.wraps_data).unwrap_or(value)
    }

    fn parts(&self, kind: PartKind) -> impl Iterator<Item = &[u8]> {
        let parts = self.0.places.parts.iter().filter(move |part| part.kind == kind);
        parts.map(|part| self.bytes(&part.place))
    }

    fn string(&self, place: &Option<Range<usize>>) -> Option<Cow<'_, str>> {
        decode(self.bytes(place.as_ref()?))
    }

    fn bytes(&self, place: &Range<usize>) -> &[u8] {
        self.0.body.get(place.clone()).unwrap_or_default()
    }
}

/// Shows how many Parts there are, no word of them and no id.
impl fmt::Debug for IncomingMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingMessage").field("parts", &self.0.places.parts.len()).finish_non_exhaustive()
    }
}

fn decode(quoted: &[u8]) -> Option<Cow<'_, str>> {
    JsonScan::new(quoted).text().ok()?.decode().ok()
}

/// The value under every `key` of an object that was read before.
fn values_under<'a>(object: &'a [u8], key: &str) -> Vec<&'a [u8]> {
    let mut values = Vec::new();
    let mut scan = JsonScan::new(object);
    // The object was scanned once, so the reading cannot end early.
    let _ = each_member(&mut scan, |name_is, value| {
        if name_is(key) {
            values.extend(object.get(value));
        }
    });
    values
}

/// What `{"data": …}` wraps, if there is nothing else in it.
fn unwrapped(value: &[u8]) -> Option<&[u8]> {
    let mut inner = None;
    let mut members = 0;
    let mut scan = JsonScan::new(value);
    each_member(&mut scan, |name_is, place| {
        members += 1;
        inner = value.get(place).filter(|_| name_is("data"));
    })
    .ok()?;
    inner.filter(|_| members == 1)
}

fn each_member(
    scan: &mut JsonScan<'_>,
    mut member: impl FnMut(&dyn Fn(&str) -> bool, Range<usize>),
) -> Result<(), ScanError> {
    scan.enter()?;
    while let Some(key) = scan.next_key()? {
        let place = scan.skip()?;
        member(&|name| key.is(name), place);
    }
    Ok(())
}

#[cfg(test)]
mod tests;

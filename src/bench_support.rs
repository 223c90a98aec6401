//! What the benches of this crate measure of its private rooms. It is no part of the public API,
//! and only there with the feature `__bench`, which nobody else should switch on.
#![allow(missing_docs)]

mod actions;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, request};

pub use self::actions::ActionBench;
#[cfg(feature = "grpc")]
use crate::binding::{Operation, ProtocolVersion};
use crate::binding::{RequestHead, RouteFacts, read_request};
use crate::call::{A2aCall, CallSetup};
use crate::extension::A2aExtension;
use crate::negotiation::{Activation, DeclaredUri, DeclaredUris, unchecked_members};
#[cfg(feature = "grpc")]
use crate::stamping::FrameStamper;
use crate::stamping::{DocumentRules, EventStamper, ReplyStamper, Stamped, StampingExtension};
use crate::uri::ExtensionUri;

/// A reply to an operation that went well.
const REPLY: DocumentRules = DocumentRules { adding: true, operation: true };

fn declared(uris: impl IntoIterator<Item = ExtensionUri>) -> DeclaredUris {
    let declared = uris.into_iter().map(|uri| DeclaredUri { spellings: vec![uri], required: false });
    DeclaredUris::new(declared.collect())
}

/// A stamper, and a call on which all of its extensions are active, or none.
#[derive(Clone)]
pub struct StampingBench {
    stamper: ReplyStamper,
    call: A2aCall,
}

impl StampingBench {
    #[must_use]
    pub fn new(extensions: Vec<Arc<dyn A2aExtension>>, active: bool) -> Self {
        let declared = declared(extensions.iter().map(|one| one.uri()));
        let uris = extensions.iter().map(|one| one.uri()).filter(|_| active).collect::<Vec<_>>();
        let activation = Activation::negotiate(&declared, uris.iter().map(|uri| uri.as_str().as_bytes()));
        let stamping = extensions.into_iter().enumerate().map(|(index, extension)| StampingExtension {
            uri: extension.uri(),
            aliases: extension.aliases(),
            keys: extension.metadata_keys().into_iter().map(|key| key.into_owned()).collect(),
            index,
            extension,
        });
        let stamper = ReplyStamper::new(stamping.collect());
        let setup = CallSetup { declared, ..CallSetup::default() };
        Self { stamper, call: A2aCall::new(Arc::new(setup), activation) }
    }

    /// What leaves for a document; `None` where it is stopped.
    #[must_use]
    pub fn document(&self, document: &Bytes) -> Option<Vec<Bytes>> {
        match self.stamper.document(document, &self.call, REPLY) {
            Stamped::Unchanged | Stamped::Unstamped(_) => Some(vec![document.clone()]),
            Stamped::Changed(slices) => Some(slices.into_vec()),
            Stamped::Stopped(_) => None,
        }
    }

    #[must_use]
    pub fn events(&self) -> EventsBench {
        EventsBench { bench: self.clone(), events: EventStamper::new(1 << 20, REPLY), out: VecDeque::new() }
    }

    #[cfg(feature = "grpc")]
    #[must_use]
    pub fn frames(&self) -> FramesBench {
        let frames = FrameStamper::new(Some(Operation::SendStreamingMessage), ProtocolVersion::V1_0, 1 << 24, REPLY);
        FramesBench { bench: self.clone(), frames, out: VecDeque::new() }
    }
}

impl fmt::Debug for StampingBench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StampingBench").field("call", &self.call).finish_non_exhaustive()
    }
}

/// One event stream.
#[derive(Debug)]
pub struct EventsBench {
    bench: StampingBench,
    events: EventStamper,
    out: VecDeque<Bytes>,
}

impl EventsBench {
    /// How many bytes leave for this chunk.
    pub fn push(&mut self, chunk: Bytes) -> usize {
        let pushed = self.events.push(chunk, &self.bench.stamper, &self.bench.call, &mut self.out);
        let left = self.out.drain(..).map(|bytes| bytes.len()).sum();
        if pushed.is_ok() { left } else { 0 }
    }
}

/// The frames of gRPC replies.
#[cfg(feature = "grpc")]
#[derive(Debug)]
pub struct FramesBench {
    bench: StampingBench,
    frames: FrameStamper,
    out: VecDeque<Bytes>,
}

#[cfg(feature = "grpc")]
impl FramesBench {
    /// How many bytes leave for this chunk of a stream.
    pub fn push(&mut self, chunk: Bytes) -> usize {
        let pushed = self.frames.push(chunk, &self.bench.stamper, &self.bench.call, &mut self.out);
        let left = self.out.drain(..).map(|bytes| bytes.len()).sum();
        if pushed.is_ok() { left } else { 0 }
    }
}

/// The header against a card.
#[derive(Debug)]
pub struct HeaderBench(DeclaredUris);

impl HeaderBench {
    #[must_use]
    pub fn new(uris: impl IntoIterator<Item = ExtensionUri>) -> Self {
        Self(declared(uris))
    }

    /// How many extensions a request with these headers activates.
    #[must_use]
    pub fn negotiate(&self, headers: &HeaderMap) -> usize {
        Activation::negotiate(&self.0, unchecked_members(headers)).uris(&self.0).count()
    }
}

/// Whether the layer reads a message in a request.
#[must_use]
pub fn reads_message(parts: &request::Parts, body: &Bytes) -> bool {
    let head =
        RequestHead { method: &parts.method, uri: &parts.uri, headers: &parts.headers, route: RouteFacts::default() };
    read_request(head, body, &[]).is_ok_and(|reading| reading.message.is_some())
}

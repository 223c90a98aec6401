//! What makes a request doubtful, kept until it is known whether the request is one of A2A's.

use crate::error::{A2aError, A2aErrorKind};
use crate::json::JsonText;

/// What is wrong, and as what it is refused. The text goes to the caller, so it quotes nothing of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Doubt {
    kind: A2aErrorKind,
    why: &'static str,
}

impl Doubt {
    /// A member of the wrong type: -32602 in JSON-RPC, as the SDKs have it.
    pub(super) const fn wrong_type(why: &'static str) -> Self {
        Self { kind: A2aErrorKind::InvalidParams, why }
    }

    /// A string that is no text. Bytes that are no UTF-8 are no JSON at all (RFC 8259 §8.1).
    pub(super) fn no_text(text: &JsonText<'_>, why: &'static str) -> Self {
        let is_utf_8 = std::str::from_utf8(text.raw().0).is_ok();
        Self { kind: if is_utf_8 { A2aErrorKind::InvalidRequest } else { A2aErrorKind::InvalidJson }, why }
    }
}

/// What servers read in different ways.
impl From<&'static str> for Doubt {
    fn from(why: &'static str) -> Self {
        Self { kind: A2aErrorKind::InvalidRequest, why }
    }
}

impl From<Doubt> for A2aError {
    fn from(doubt: Doubt) -> Self {
        Self::new(doubt.kind, doubt.why)
    }
}

/// The first doubt of each weight.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubts {
    always: Option<Doubt>,
    when_a2a: Option<Doubt>,
    when_json_rpc: Option<Doubt>,
    when_sending: Option<Doubt>,
}

/// What a request turned out to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestNature {
    /// It is one of A2A's: by operation, by a candidate message, or by a `jsonrpc` member.
    pub(super) a2a: bool,
    pub(super) json_rpc: bool,
    /// The operation sends a message.
    pub(super) sending: bool,
}

impl Doubts {
    /// A message may hide here: refused on every route.
    pub(super) fn always(&mut self, doubt: impl Into<Doubt>) {
        self.always.get_or_insert(doubt.into());
    }

    /// Refused unless the body is another app's.
    pub(super) fn when_a2a(&mut self, doubt: impl Into<Doubt>) {
        self.when_a2a.get_or_insert(doubt.into());
    }

    /// Concerns `method`, `id` and `jsonrpc`, which other bodies use in other ways.
    pub(super) fn when_json_rpc(&mut self, doubt: impl Into<Doubt>) {
        self.when_json_rpc.get_or_insert(doubt.into());
    }

    /// Concerns a `message` or `params` in which no message can hide, as a contact form or another
    /// JSON-RPC service has them.
    pub(super) fn when_sending(&mut self, doubt: impl Into<Doubt>) {
        self.when_sending.get_or_insert(doubt.into());
    }

    /// Why the request is refused, if it is.
    pub(super) fn verdict(self, nature: RequestNature) -> Option<Doubt> {
        self.always
            .or(self.when_a2a.filter(|_| nature.a2a))
            .or(self.when_json_rpc.filter(|_| nature.a2a && nature.json_rpc))
            .or(self.when_sending.filter(|_| nature.sending))
    }
}

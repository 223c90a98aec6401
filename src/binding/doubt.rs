//! What makes a request doubtful, kept until it is known whether the request is one of A2A's.

/// The first doubt of each weight. The texts go to the caller, so they quote nothing of the body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Doubts {
    always: Option<&'static str>,
    when_a2a: Option<&'static str>,
    when_json_rpc: Option<&'static str>,
    when_sending: Option<&'static str>,
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
    pub(super) fn always(&mut self, why: &'static str) {
        self.always.get_or_insert(why);
    }

    /// Refused unless the body is another app's.
    pub(super) fn when_a2a(&mut self, why: &'static str) {
        self.when_a2a.get_or_insert(why);
    }

    /// Concerns `method`, `id` and `jsonrpc`, which other bodies use in other ways.
    pub(super) fn when_json_rpc(&mut self, why: &'static str) {
        self.when_json_rpc.get_or_insert(why);
    }

    /// Concerns a `message` or `params` in which no message can hide, as a contact form or another
    /// JSON-RPC service has them.
    pub(super) fn when_sending(&mut self, why: &'static str) {
        self.when_sending.get_or_insert(why);
    }

    /// Why the request is refused, if it is.
    pub(super) fn verdict(self, nature: RequestNature) -> Option<&'static str> {
        self.always
            .or(self.when_a2a.filter(|_| nature.a2a))
            .or(self.when_json_rpc.filter(|_| nature.a2a && nature.json_rpc))
            .or(self.when_sending.filter(|_| nature.sending))
    }
}

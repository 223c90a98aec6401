//! Telling A2A's bindings apart, reading requests strictly, and answering in the caller's shape.

mod detect;
mod http_json;
mod json_rpc;
mod message;
mod reply;

pub(crate) use detect::{
    PeekedBody, RequestHead, RequestReading, RequestRefusal, check_encoding, is_grpc_path, peek, read_bodyless,
    read_request,
};
pub use message::IncomingMessage;
pub(crate) use reply::{ReplyDraft, ReplyId, ReplyTarget, error_response, grpc_refusal, message_response};

/// How a request speaks A2A (A2A §5).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Binding {
    /// JSON-RPC 2.0 (A2A §9).
    JsonRpc,
    /// HTTP+JSON, also called REST (A2A §11).
    HttpJson,
    /// gRPC (A2A §10).
    Grpc,
}

/// The version whose shapes are in use.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ProtocolVersion {
    /// A2A 0.3.
    V0_3,
    /// A2A 1.0.
    V1_0,
}

impl ProtocolVersion {
    /// As it stands in `A2A-Version` and in cards.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V0_3 => "0.3",
            Self::V1_0 => "1.0",
        }
    }
}

/// An operation of the protocol (A2A §3.1).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Operation {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    ListTasks,
    CancelTask,
    SubscribeToTask,
    PushNotificationConfig,
    ExtendedAgentCard,
    PublicAgentCard,
    /// A body with a message under a method or path that A2A does not know.
    UnknownWithMessage,
}

impl Operation {
    /// Cards are how a client learns what is required: they are never refused (A13).
    pub(crate) fn is_card(self) -> bool {
        matches!(self, Self::ExtendedAgentCard | Self::PublicAgentCard)
    }

    pub(crate) fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

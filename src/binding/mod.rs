//! Telling A2A's bindings apart, reading requests strictly, and answering in the caller's shape.
//!
//! A request goes through [`check_encoding`], [`peek`] and [`read_request`] (or [`read_bodyless`]);
//! what the layer itself says goes out by [`message_response`] or [`error_response`]. All of it
//! works on bytes and needs no server.

mod accept;
mod candidate;
mod detect;
mod doubt;
mod encoding;
mod envelope;
mod final_state;
mod grpc;
mod http_json;
mod json_rpc;
mod last_event;
mod lone_message;
mod message;
mod metadata;
mod path;
mod peek;
mod reader;
mod reply;
mod reply_draft;
mod request_head;
mod request_id;
mod spelling;
mod tenant;
mod version;
mod version_number;

pub(crate) use detect::{RequestReading, RequestRefusal, read_bodyless, read_request};
pub(crate) use encoding::{check_encoding, is_encoded, names_json};
pub(crate) use final_state::FinalState;
#[cfg(feature = "grpc")]
pub(crate) use grpc::{
    FRAME_HEAD, FrameHead, ReplyTrailers, error_trailers, foreign_reply, last_frame, names_plain_grpc, ok_trailers,
};
pub(crate) use last_event::{StreamBegin, is_error, last_event};
pub use message::IncomingMessage;
pub(crate) use path::is_grpc_path;
pub(crate) use peek::{PeekedBody, blank_length, peek};
pub(crate) use reply::{error_response, message_response, object_response};
pub(crate) use reply_draft::{ReplyDraft, ReplyId, ReplyTarget};
pub(crate) use request_head::{RequestHead, RouteFacts};
pub(crate) use version::{RequestedVersion, SaidVersion};
pub(crate) use version_number::VersionNumber;

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
    /// A path that other apps have too, as `GET /tasks` is a to-do list's, and nothing else that
    /// says A2A. The reply is looked at like any other; the request is never refused.
    SharedPath,
}

impl Operation {
    /// Cards are how a client learns what is required: they are never refused (A13).
    pub(crate) fn is_card(self) -> bool {
        matches!(self, Self::ExtendedAgentCard | Self::PublicAgentCard)
    }

    /// Whether the operation is refused where a required extension was not asked for.
    pub(crate) fn needs_required_extensions(self) -> bool {
        !self.is_card() && self != Self::SharedPath
    }

    pub(crate) fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }
}

#[cfg(test)]
mod tests;

//! From head and body to binding, operation and message, or to a refusal.

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};

use super::{IncomingMessage, Operation, ProtocolVersion, ReplyTarget};
use crate::error::A2aError;

/// What is known before the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
}

/// What the first bytes of a body say.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum PeekedBody {
    /// Only white space so far.
    Blank,
    /// It must be read whole: `{`, `[`, a BOM, NUL, FE or FF.
    MustBeRead,
    /// It is no JSON and streams on unread.
    Other,
}

/// A request that can be answered or handed on.
#[derive(Clone, Debug)]
pub(crate) struct RequestReading {
    pub(crate) target: ReplyTarget,
    /// `None` where the request is none of A2A's: it is handed on and never refused.
    pub(crate) operation: Option<Operation>,
    pub(crate) message: Option<IncomingMessage>,
    /// The version that `A2A-Version` (header or query) asks for, as written; absent or empty is `0.3`.
    pub(crate) requested_version: String,
    /// The version whose shape the request uses.
    pub(crate) shape_version: ProtocolVersion,
}

/// A request that must not reach the agent.
#[derive(Clone, Debug)]
pub(crate) struct RequestRefusal {
    pub(crate) target: ReplyTarget,
    pub(crate) error: A2aError,
}

/// Judges the bytes that have arrived so far.
pub(crate) fn peek(_prefix: &[u8]) -> PeekedBody {
    PeekedBody::Other
}

/// Reads a request without a body, or one whose body is no JSON: only its path counts.
pub(crate) fn read_bodyless(head: RequestHead<'_>) -> RequestReading {
    let _ = (head.method, head.uri, head.headers);
    RequestReading {
        target: ReplyTarget {
            binding: super::Binding::JsonRpc,
            version: ProtocolVersion::V1_0,
            id: super::ReplyId::Null,
            streaming: false,
        },
        operation: None,
        message: None,
        requested_version: String::new(),
        shape_version: ProtocolVersion::V1_0,
    }
}

/// Reads a whole body that [`peek`] said must be read. `managed_keys` are the metadata keys of the
/// installed extensions: a duplicate of one of them is refused.
pub(crate) fn read_request(
    head: RequestHead<'_>,
    _body: &Bytes,
    _managed_keys: &[String],
) -> Result<RequestReading, Box<RequestRefusal>> {
    Ok(read_bodyless(head))
}
pub(crate) fn is_grpc_path(_uri: &Uri) -> bool {
    false
}
pub(crate) fn check_encoding(_headers: &HeaderMap) -> Result<(), A2aError> {
    Ok(())
}

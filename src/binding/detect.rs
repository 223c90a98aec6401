//! From head and body to binding, operation and message, or to a refusal.
//!
//! Whether a request carries a message is decided by its body, whatever its method, path and
//! content type say; these decide only the shape of our answers.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderMap, Method, Uri};

use super::doubt::RequestNature;
use super::envelope::Envelope;
use super::path::{self, PathOperation, is_grpc_path};
use super::version::{head_says_a2a, requested_version, said_version, shape_of};
use super::{Binding, IncomingMessage, Operation, ProtocolVersion, ReplyId, ReplyTarget, grpc, peek};
use crate::error::{A2aError, A2aErrorKind};

/// What is known before the body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestHead<'a> {
    pub(crate) method: &'a Method,
    pub(crate) uri: &'a Uri,
    pub(crate) headers: &'a HeaderMap,
    /// The card says that HTTP+JSON is served under this path.
    pub(crate) is_served: bool,
}

/// A request that can be answered or handed on.
#[derive(Clone, Debug)]
pub(crate) struct RequestReading {
    pub(crate) target: ReplyTarget,
    /// `None` where the request is none of A2A's: it is handed on and never refused.
    pub(crate) operation: Option<Operation>,
    pub(crate) message: Option<IncomingMessage>,
    /// The version that `A2A-Version` (header or query) asks for, as written; absent or empty is `0.3`.
    pub(crate) requested_version: Cow<'static, str>,
    /// The version whose shape the request uses.
    pub(crate) shape_version: ProtocolVersion,
    /// The body has a member of JSON-RPC, whatever its method.
    pub(crate) is_json_rpc: bool,
}

/// A request that must not reach the agent.
#[derive(Clone, Debug)]
pub(crate) struct RequestRefusal {
    pub(crate) target: ReplyTarget,
    pub(crate) error: A2aError,
}

/// Reads a request without a body, or one whose body is no JSON: only its path counts.
///
/// Its target is also where a refusal goes that is found before the body is read (408, 413, 415).
pub(crate) fn read_bodyless(head: RequestHead<'_>) -> RequestReading {
    let path = path::operation_without_body(head.method, head.uri);
    let said = said_version(head);
    let (binding, version) = match path {
        _ if is_grpc_path(head.uri) => (Binding::Grpc, grpc::version(head.uri)),
        Some(path) => (Binding::HttpJson, http_json_version(said.as_deref(), Some(path), false)),
        None => (Binding::JsonRpc, said.as_deref().map_or(ProtocolVersion::V1_0, shape_of)),
    };
    let operation = match binding {
        Binding::Grpc => grpc::operation(head.uri),
        _ => path.map(|path| settle(path, head_says_a2a(head))),
    };
    RequestReading {
        target: target(binding, version, ReplyId::Null, operation),
        operation,
        message: None,
        requested_version: match binding {
            // Each version has a service of its own: calling one says which is meant.
            Binding::Grpc if said.is_none() => version.as_str().into(),
            _ => requested_version(said.as_deref()),
        },
        shape_version: version,
        is_json_rpc: false,
    }
}

/// Reads a whole body that [`peek`](super::peek) said must be read. `managed_keys` are the metadata
/// keys of the installed extensions: a duplicate of one of them is refused.
///
/// A blank body is like none. Under a path of the gRPC service the body is frames, whatever it looks
/// like.
///
/// # Errors
///
/// `InvalidJson` where the body is no JSON, `InvalidRequest` where it is not one object or servers
/// could read it in different ways.
pub(crate) fn read_request(
    head: RequestHead<'_>,
    body: &Bytes,
    managed_keys: &[String],
) -> Result<RequestReading, Box<RequestRefusal>> {
    let bodyless = || read_bodyless(head);
    if is_grpc_path(head.uri) {
        #[cfg(feature = "grpc")]
        return grpc::read_call(head, body, managed_keys);
        #[cfg(not(feature = "grpc"))]
        return Err(refusal(bodyless().target, A2aErrorKind::InvalidRequest, "the body is no gRPC"));
    }
    if peek::peek(body) == peek::PeekedBody::Blank {
        return Ok(bodyless());
    }
    let body = peek::without_bom(body);
    match Envelope::read(&body, managed_keys) {
        Ok(envelope) => judge(head, envelope, body),
        Err(_) => Err(refusal(target_without_json(head), A2aErrorKind::InvalidJson, "the body is no JSON")),
    }
}

/// Decides over an object that was read.
fn judge(head: RequestHead<'_>, envelope: Envelope, body: Bytes) -> Result<RequestReading, Box<RequestRefusal>> {
    let path = path::operation(head.method, head.uri);
    let said = said_version(head);
    let says_a2a = head_says_a2a(head) || envelope.has_candidate() || envelope.has_json_rpc;
    let binding = match path {
        None if envelope.is_json_rpc() || envelope.is_no_object => Binding::JsonRpc,
        _ => Binding::HttpJson,
    };
    let named = match path {
        Some(path) => Some(settle(path, says_a2a)),
        None => envelope.method.filter(|_| binding == Binding::JsonRpc).map(|(operation, _)| operation),
    };
    let operation = if envelope.has_candidate() { Some(with_message(named)) } else { named };
    let version = match (binding, envelope.method) {
        (Binding::JsonRpc, Some((_, version))) => version,
        (Binding::JsonRpc, None) => said.as_deref().map_or(ProtocolVersion::V1_0, shape_of),
        _ => http_json_version(said.as_deref(), path, envelope.only_0_3()),
    };
    let known = operation.is_some_and(|operation| operation != Operation::SharedPath);
    let nature = RequestNature {
        a2a: known || envelope.has_json_rpc,
        json_rpc: binding == Binding::JsonRpc,
        sending: matches!(operation, Some(Operation::SendMessage | Operation::SendStreamingMessage)),
    };
    let both_at_once = known && path.is_some() && envelope.is_json_rpc();
    let both_at_once = both_at_once.then_some("a JSON-RPC request came to a path of HTTP+JSON");
    let target = target(binding, version, envelope.id.clone(), operation);
    if let Some(why) = envelope.doubts.verdict(nature).or(both_at_once) {
        return Err(refusal(target, A2aErrorKind::InvalidRequest, why));
    }
    let wrapped_data = binding == Binding::HttpJson && version == ProtocolVersion::V0_3;
    Ok(RequestReading {
        target,
        operation,
        is_json_rpc: envelope.is_json_rpc(),
        message: envelope.into_message(body, wrapped_data),
        requested_version: requested_version(said.as_deref()),
        shape_version: version,
    })
}

/// What a path means: a path that other apps have too needs a sign that A2A is meant.
fn settle(path: PathOperation, says_a2a: bool) -> Operation {
    if path.shared && !says_a2a { Operation::SharedPath } else { path.operation }
}

/// A message that comes where a card is asked for is no question for the card: it has to pass all
/// that a message has to.
fn with_message(named: Option<Operation>) -> Operation {
    named.filter(|operation| !operation.is_card()).unwrap_or(Operation::UnknownWithMessage)
}

/// `A2A-Version` decides; else names that only 0.3 has, or its `v1` before the operation.
fn http_json_version(said: Option<&str>, path: Option<PathOperation>, only_0_3: bool) -> ProtocolVersion {
    match said {
        Some(said) => shape_of(said),
        None if only_0_3 || path.is_some_and(|path| path.behind_v1) => ProtocolVersion::V0_3,
        None => ProtocolVersion::V1_0,
    }
}

/// Where an answer goes to a body that is no JSON: only the path is left to tell the binding.
fn target_without_json(head: RequestHead<'_>) -> ReplyTarget {
    let path = path::operation(head.method, head.uri);
    let said = said_version(head);
    let binding = if path.is_some() { Binding::HttpJson } else { Binding::JsonRpc };
    target(binding, http_json_version(said.as_deref(), path, false), ReplyId::Null, None)
}

fn target(binding: Binding, version: ProtocolVersion, id: ReplyId, operation: Option<Operation>) -> ReplyTarget {
    let id = if binding == Binding::JsonRpc { id } else { ReplyId::Null };
    ReplyTarget { binding, version, id, streaming: operation.is_some_and(Operation::is_streaming) }
}

fn refusal(target: ReplyTarget, kind: A2aErrorKind, why: &'static str) -> Box<RequestRefusal> {
    Box::new(RequestRefusal { target, error: A2aError::new(kind, why) })
}

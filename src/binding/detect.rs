//! From head and body to binding, operation and message, or to a refusal.
//!
//! Whether a request carries a message is decided by its body, whatever its method, path and
//! content type say; these decide only the shape of our answers.

use bytes::Bytes;

use super::accept::prefers_plain_json;
use super::doubt::{Doubt, RequestNature};
use super::encoding::names_other_type;
use super::envelope::Envelope;
use super::message::RequestForm;
use super::path::{self, PathOperation, is_grpc_path};
use super::request_head::RequestHead;
use super::tenant::path_tenant;
use super::version::{RequestedVersion, ShapeEvidence, decide_version, head_says_a2a, said_version};
use super::{Binding, IncomingMessage, Operation, ProtocolVersion, ReplyId, ReplyTarget, grpc, peek};
use crate::error::{A2aError, A2aErrorKind};

/// A request that can be answered or handed on.
#[derive(Clone, Debug)]
pub(crate) struct RequestReading {
    /// Its version is the one whose shapes the request uses.
    pub(crate) target: ReplyTarget,
    /// `None` where the request is none of A2A's: it is handed on and never refused.
    pub(crate) operation: Option<Operation>,
    pub(crate) message: Option<IncomingMessage>,
    pub(crate) requested_version: RequestedVersion,
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
    let path = path::operation_without_body(head.method, head.route.mount, head.uri);
    let binding = match path {
        _ if is_grpc_path(head.uri) => Binding::Grpc,
        Some(_) => Binding::HttpJson,
        None => binding_by_route(head),
    };
    let (operation, named) = match binding {
        Binding::Grpc => (grpc::operation(head.uri), Some(grpc::version(head.uri))),
        _ => (path.map(|path| settle(path, head_says_a2a(head))), None),
    };
    let (requested_version, version) = version_of(head, binding, path, named, None);
    RequestReading {
        target: target(head, binding, version, ReplyId::Null, operation),
        operation,
        message: None,
        requested_version,
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
/// `InvalidJson` where the body is no JSON (`ContentTypeNotSupported` where its type says so too),
/// `InvalidParams` where a member has the wrong type, `InvalidRequest` where it is not one object or
/// servers could read it in different ways.
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
        return Err(Box::new(RequestRefusal {
            target: bodyless().target,
            error: A2aError::new(A2aErrorKind::InvalidRequest, "the body is no gRPC"),
        }));
    }
    if peek::peek(body, false) == peek::PeekedBody::Blank {
        return Ok(bodyless());
    }
    let body = peek::without_bom(body);
    match Envelope::read(&body, managed_keys) {
        Ok(envelope) => judge(head, envelope, body),
        Err(_) => Err(Box::new(RequestRefusal { target: target_without_json(head), error: no_json(head) })),
    }
}

/// Decides over an object that was read.
fn judge(head: RequestHead<'_>, mut envelope: Envelope, body: Bytes) -> Result<RequestReading, Box<RequestRefusal>> {
    let path = path::operation(head.method, head.route.mount, head.uri);
    let says_a2a = head_says_a2a(head) || envelope.has_candidate() || envelope.has_json_rpc;
    let binding = match path {
        None if envelope.is_json_rpc() => Binding::JsonRpc,
        None if envelope.is_no_object => binding_by_route(head),
        _ => Binding::HttpJson,
    };
    let named = match path {
        Some(path) => Some(settle(path, says_a2a)),
        None => envelope.method.filter(|_| binding == Binding::JsonRpc).map(|(operation, _)| operation),
    };
    let operation = if envelope.has_candidate() { Some(with_message(named)) } else { named };
    let of_method = envelope.method.map(|(_, version)| version);
    let (requested_version, version) = version_of(head, binding, path, of_method, envelope.members_of(binding));
    let known = operation.is_some_and(|operation| operation != Operation::SharedPath);
    let nature = RequestNature {
        a2a: known || envelope.has_json_rpc,
        json_rpc: binding == Binding::JsonRpc,
        sending: matches!(operation, Some(Operation::SendMessage | Operation::SendStreamingMessage)),
    };
    let both_at_once = known && path.is_some() && envelope.is_json_rpc();
    let both_at_once = both_at_once.then(|| Doubt::from("a JSON-RPC request came to a path of HTTP+JSON"));
    let target = target(head, binding, version, std::mem::take(&mut envelope.id), operation);
    if let Some(doubt) = envelope.doubts.verdict(nature).or(both_at_once) {
        return Err(Box::new(RequestRefusal { target, error: doubt.into() }));
    }
    let form = match binding {
        Binding::HttpJson => RequestForm {
            wraps_data: version == ProtocolVersion::V0_3,
            path_tenant: path.filter(|_| envelope.has_candidate()).and_then(|_| path_tenant(head, version)),
            ..RequestForm::default()
        },
        _ => RequestForm::default(),
    };
    Ok(RequestReading {
        target,
        operation,
        is_json_rpc: envelope.is_json_rpc(),
        message: envelope.into_message(body, form),
        requested_version,
    })
}

/// The binding of an answer where neither path nor body tells: JSON-RPC answers only where the card
/// serves it, so that the errors of a neighbour's route are no 200.
fn binding_by_route(head: RequestHead<'_>) -> Binding {
    if head.route.serves_json_rpc { Binding::JsonRpc } else { Binding::HttpJson }
}

fn version_of(
    head: RequestHead<'_>,
    binding: Binding,
    path: Option<PathOperation>,
    named: Option<ProtocolVersion>,
    members: Option<ProtocolVersion>,
) -> (RequestedVersion, ProtocolVersion) {
    let said = said_version(head);
    decide_version(ShapeEvidence {
        binding,
        named,
        said: said.as_deref(),
        members,
        behind_v1: path.is_some_and(|path| path.behind_v1),
        listed: head.route.http_json_family,
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

/// Where an answer goes to a body that is no JSON: only the path is left to tell the binding.
fn target_without_json(head: RequestHead<'_>) -> ReplyTarget {
    let path = path::operation(head.method, head.route.mount, head.uri);
    let binding = if path.is_some() { Binding::HttpJson } else { binding_by_route(head) };
    let (_, version) = version_of(head, binding, path, None, None);
    target(head, binding, version, ReplyId::Null, None)
}

fn no_json(head: RequestHead<'_>) -> A2aError {
    if names_other_type(head.headers) {
        return A2aError::new(A2aErrorKind::ContentTypeNotSupported, "the body is no JSON, and its type says so");
    }
    A2aError::new(A2aErrorKind::InvalidJson, "the body is no JSON")
}

fn target(
    head: RequestHead<'_>,
    binding: Binding,
    version: ProtocolVersion,
    id: ReplyId,
    operation: Option<Operation>,
) -> ReplyTarget {
    let id = if binding == Binding::JsonRpc { id } else { ReplyId::Null };
    let plain_json = match binding {
        // What is refused of a neighbour's is told in a type that it knows.
        Binding::HttpJson if operation.is_none() && !head_says_a2a(head) => Some(true),
        Binding::HttpJson => prefers_plain_json(head.headers),
        Binding::JsonRpc | Binding::Grpc => None,
    };
    ReplyTarget { binding, version, id, streaming: operation.is_some_and(Operation::is_streaming), plain_json }
}

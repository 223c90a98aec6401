//! Reading a gRPC request that sends a message.
//!
//! The message is rewritten as ProtoJSON and read like any other, so that resolvers, rules and
//! policies see one and the same thing in every binding.

use bytes::Bytes;

use super::frame::only_message;
use super::method::version;
use super::request_json::request_json;
use crate::binding::detect::{RequestReading, RequestRefusal, read_bodyless};
use crate::binding::envelope::Envelope;
use crate::binding::message::RequestForm;
use crate::binding::request_head::RequestHead;
use crate::binding::{IncomingMessage, Operation, ProtocolVersion};
use crate::error::{A2aError, A2aErrorKind};
use crate::protobuf::WireReader;

/// Reads the whole body of a call. An empty body is like none. That of a call that sends no message
/// must be gRPC all the same: JSON on its path is a message to a server that does not look at paths.
pub(in crate::binding) fn read_call(
    head: RequestHead<'_>,
    body: &Bytes,
    managed_keys: &[String],
) -> Result<RequestReading, Box<RequestRefusal>> {
    let mut reading = read_bodyless(head);
    let sends = matches!(reading.operation, Some(Operation::SendMessage | Operation::SendStreamingMessage));
    let read = match sends {
        _ if body.is_empty() => Ok(None),
        true => read_message(body, version(head.uri), managed_keys),
        false => check_frame(body).map(|()| None),
    };
    match read {
        Ok(message) => {
            reading.message = message;
            Ok(reading)
        }
        Err(error) => Err(Box::new(RequestRefusal { target: reading.target, error })),
    }
}

/// Whether the body is one frame with a message of any kind.
fn check_frame(body: &Bytes) -> Result<(), A2aError> {
    let request = only_message(body)?;
    let mut fields = WireReader::new(&request, &(0..request.len()));
    loop {
        match fields.next_field() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(_) => return Err(A2aError::new(A2aErrorKind::InvalidRequest, "the request is no protobuf message")),
        }
    }
}

fn read_message(
    body: &Bytes,
    version: ProtocolVersion,
    managed_keys: &[String],
) -> Result<Option<IncomingMessage>, A2aError> {
    let invalid = |why: &'static str| A2aError::new(A2aErrorKind::InvalidRequest, why);
    let request = only_message(body)?;
    let (json, has_unread_fields) = request_json(&request, version)
        .map_err(|_| invalid("the request is no protobuf message that all servers read alike"))?;
    let json = Bytes::from(json);
    let envelope =
        Envelope::read(&json, managed_keys).map_err(|_| invalid("the request is no protobuf message of A2A"))?;
    match envelope.doubt_about_a_message() {
        Some(doubt) => Err(doubt.into()),
        None => Ok(envelope.into_message(json, RequestForm { has_unread_fields, ..RequestForm::default() })),
    }
}

//! Between the messages of the gRPC service and the chapel's JSON, which is ProtoJSON of 1.0: the
//! SDK has each message twice, for the wire and for JSON, with the same field numbers.

use prost::Message;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::faults::Fault;

/// A message of the wire as JSON. `J` is the same message for JSON.
pub(crate) fn to_json<J: Message + Default + Serialize>(message: &impl Message) -> Result<Value, Status> {
    let typed = J::decode(message.encode_to_vec().as_slice()).map_err(|error| unfit(&error))?;
    serde_json::to_value(typed).map_err(|error| unfit(&error))
}

/// JSON as a message of the wire. `J` is the same message for JSON.
pub(crate) fn from_json<J: Message + DeserializeOwned, P: Message + Default>(json: Value) -> Result<P, Status> {
    let typed = serde_json::from_value::<J>(json).map_err(|error| unfit(&error))?;
    P::decode(typed.encode_to_vec().as_slice()).map_err(|error| unfit(&error))
}

/// What the error is in HTTP+JSON says what it is in gRPC: the names of the codes are the same (A2A §10.6).
pub(crate) fn status(fault: Fault) -> Status {
    let error = fault.to_http_json();
    let text = |pointer: &str| error.pointer(pointer).and_then(Value::as_str);
    let code = match text("/error/status") {
        Some("INVALID_ARGUMENT") => Code::InvalidArgument,
        Some("NOT_FOUND") => Code::NotFound,
        Some("FAILED_PRECONDITION") => Code::FailedPrecondition,
        _ => Code::Internal,
    };
    let message = text("/error/message").unwrap_or_default();
    let Some(reason) = text("/error/details/0/reason") else { return Status::new(code, message) };
    let details = ErrorDetails::with_error_info(reason, "a2a-protocol.org", []);
    Status::with_error_details(code, message, details)
}

fn unfit(error: &impl ToString) -> Status {
    Status::internal(error.to_string())
}

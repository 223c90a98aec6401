//! `grpc-status-details-bin`: a `google.rpc.Status` with A2A's `ErrorInfo` (A2A §10.6).

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::error::A2aError;
use crate::protobuf::{WireType, put_bytes, put_tag, put_varint};

/// The header's value; `None` for errors to which A2A gives no reason.
pub(super) fn details(error: &A2aError) -> Option<String> {
    let codes = error.kind().codes();
    let info = error_info(error, codes.reason?);
    let mut any = Vec::new();
    put_bytes(&mut any, 1, b"type.googleapis.com/google.rpc.ErrorInfo");
    put_bytes(&mut any, 2, &info);
    let mut status = Vec::new();
    put_tag(&mut status, 1, WireType::Varint);
    put_varint(&mut status, u64::from(codes.grpc));
    put_bytes(&mut status, 2, error.message().as_bytes());
    put_bytes(&mut status, 3, &any);
    // Without padding, as gRPC wants it written.
    Some(STANDARD_NO_PAD.encode(&status))
}

fn error_info(error: &A2aError, reason: &str) -> Vec<u8> {
    let mut info = Vec::new();
    put_bytes(&mut info, 1, reason.as_bytes());
    put_bytes(&mut info, 2, b"a2a-protocol.org");
    for (key, value) in error.metadata() {
        let mut entry = Vec::new();
        put_bytes(&mut entry, 1, key.as_bytes());
        put_bytes(&mut entry, 2, value.as_bytes());
        put_bytes(&mut info, 3, &entry);
    }
    info
}

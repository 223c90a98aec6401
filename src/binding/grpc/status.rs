//! `grpc-status-details-bin`: a `google.rpc.Status` with A2A's `ErrorInfo` (A2A §10.6).

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
    Some(base64(&status))
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

/// Base64 without padding, as gRPC wants it written.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for shift in [18, 12, 6, 0].into_iter().take(chunk.len() + 1) {
            let digit = usize::try_from(bits >> shift & 0x3F).unwrap_or_default();
            text.push(char::from(ALPHABET.get(digit).copied().unwrap_or(b'A')));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use ::base64::Engine;
    use ::base64::engine::general_purpose::STANDARD_NO_PAD;

    use super::*;

    #[test]
    fn base64_is_what_others_write() {
        let bytes = (0..=255).collect::<Vec<u8>>();
        for length in 0..=bytes.len() {
            let bytes = &bytes[bytes.len() - length..];
            assert_eq!(base64(bytes), STANDARD_NO_PAD.encode(bytes));
        }
    }
}

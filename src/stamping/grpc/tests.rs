mod differential;
mod lies;
mod messages;
mod random;
mod splits;
mod text_parts;
mod walker;

use std::collections::VecDeque;

use bytes::Bytes;
use prost::Message;

use super::FrameStamper;
use crate::binding::{Operation, ProtocolVersion};
use crate::stamping::fixture::{Bench, REPLY};

/// How many random messages a test looks at.
const CASES: u64 = if cfg!(debug_assertions) { 500 } else { 20_000 };

fn framed(message: &[u8]) -> Bytes {
    [&[0], &u32::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat().into()
}

fn stamper(operation: Operation, version: ProtocolVersion) -> FrameStamper {
    FrameStamper::new(Some(operation), version, 1 << 20, REPLY)
}

/// What leaves for the frame of one message, or why nothing does.
fn leaving_with(mut frames: FrameStamper, bench: &Bench, message: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = VecDeque::new();
    frames.push(framed(message), &bench.stamper, &bench.call, &mut out)?;
    frames.finish(&bench.stamper, &bench.call, &mut out)?;
    let bytes = out.iter().flat_map(|piece| piece.iter().copied()).collect::<Vec<_>>();
    assert_eq!(bytes[0], 0);
    assert_eq!(u32::from_be_bytes(bytes[1..5].try_into().unwrap()) as usize, bytes.len() - 5);
    Ok(bytes[5..].to_vec())
}

fn leaving(bench: &Bench, operation: Operation, message: &[u8]) -> Vec<u8> {
    leaving_with(stamper(operation, ProtocolVersion::V1_0), bench, message).unwrap()
}

fn decoded<M: Message + Default>(bytes: &[u8]) -> M {
    M::decode(bytes).unwrap()
}

//! The stream in any pieces gives the same bytes, and keeps no more than a frame.

use std::collections::VecDeque;

use bytes::Bytes;
use prost::Message;

use super::random::Dice;
use super::{CASES, framed, stamper};
use crate::binding::{Operation, ProtocolVersion};
use crate::stamping::fixture::{Bench, U1, U2};

fn pushed<'a>(bench: &Bench, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut frames = stamper(Operation::SendStreamingMessage, ProtocolVersion::V1_0);
    let mut out = VecDeque::new();
    for chunk in chunks {
        frames.push(Bytes::copy_from_slice(chunk), &bench.stamper, &bench.call, &mut out).unwrap();
    }
    frames.finish(&bench.stamper, &bench.call, &mut out).unwrap();
    assert_eq!(frames.kept(), 0);
    out.iter().flat_map(|piece| piece.iter().copied()).collect()
}

#[test]
fn b14_b27_every_split_point_gives_the_same_bytes() {
    for seed in 0..(CASES / 100) {
        let mut dice = Dice::new(seed);
        let frames = (0..3).map(|_| framed(&dice.stream_response().encode_to_vec())).collect::<Vec<_>>().concat();
        for active in [&[][..], &[U1, U2]] {
            let bench = Bench::fixed(active);
            let whole = pushed(&bench, [&frames[..]]);
            assert_eq!(pushed(&bench, frames.chunks(1)), whole);
            for at in 0..=frames.len() {
                let (first, second) = frames.split_at(at);
                assert_eq!(pushed(&bench, [first, second]), whole, "{seed} at {at}");
            }
        }
    }
}

#[test]
fn a_frame_leaves_with_its_last_byte() {
    let bench = Bench::fixed(&[U1]);
    let frame = framed(&Dice::new(5).stream_response().encode_to_vec());
    let mut frames = stamper(Operation::SendStreamingMessage, ProtocolVersion::V1_0);
    let mut out = VecDeque::new();
    for (index, byte) in frame.iter().enumerate() {
        assert!(out.is_empty());
        assert_eq!(frames.kept(), index);
        frames.push(Bytes::copy_from_slice(&[*byte]), &bench.stamper, &bench.call, &mut out).unwrap();
    }
    assert!(!out.is_empty());
}

//! The rows of gRPC: against decoding and encoding the same message.

use bytes::Bytes;
use prost::Message;
use tower_a2a_extensions::bench_support::FramesBench;

use crate::agents::stamping;
use crate::allocations::allocated;
use crate::bodies::prose;
use crate::messages::v1;
use crate::rows::{count, row};
use crate::table::{Goal, Row, Unit};
use crate::timing;

const KB: usize = 1 << 10;

fn part(length: usize) -> Vec<v1::Part> {
    vec![v1::Part { content: Some(v1::Content::Text(prose(length))), ..v1::Part::default() }]
}

/// A task like that of the JSON rows, of about `size` bytes.
fn task(size: usize) -> v1::StreamResponse {
    let (artifacts, messages) = match size {
        0..1_000 => (1, 0),
        1_000..10_000 => (1, 2),
        _ => (4, 6),
    };
    let length = size.saturating_sub(100) / (artifacts + messages);
    let artifact = |index: usize| v1::Artifact {
        artifact_id: format!("artifact-{index}"),
        parts: part(length),
        ..v1::Artifact::default()
    };
    let message = |index: usize| v1::Message {
        message_id: format!("message-{index}"),
        role: if index.is_multiple_of(2) { 1 } else { 2 },
        parts: part(length),
        ..v1::Message::default()
    };
    let status = v1::TaskStatus { state: 3, message: (messages > 0).then(|| v1::Message { role: 2, ..message(9) }) };
    let task = v1::Task {
        id: "7c9e6679-7425-40de-944b-e07fc1f90ae7".into(),
        context_id: "550e8400-e29b-41d4-a716-446655440000".into(),
        status: Some(status),
        artifacts: (0..artifacts).map(artifact).collect(),
        history: (0..messages).map(message).collect(),
        metadata: None,
    };
    v1::StreamResponse { payload: Some(v1::Payload::Task(task)) }
}

fn frame(message: &v1::StreamResponse) -> Bytes {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap_or_default();
    [&[0], &length.to_be_bytes()[..], &message].concat().into()
}

/// A stream of frames, and one of about `size` bytes.
pub(crate) fn one_frame(size: usize) -> (FramesBench, Bytes) {
    (stamping(1, true).frames(), frame(&task(size)))
}

pub(crate) fn rows() -> Vec<Row> {
    let sizes = [("300 B", 300), ("4 KB", 4 * KB), ("64 KB", 64 * KB)];
    let stampings = sizes.into_iter().map(|(name, size)| {
        row(
            &format!("gRPC frame stamping / prost decode and encode, {name}"),
            Unit::Ratio,
            Goal::AtMost(0.3),
            move || {
                let (mut frames, frame) = one_frame(size);
                assert!(frames.push(frame.clone()) > frame.len());
                let naive = || v1::StreamResponse::decode(&frame[5..]).map(|message| message.encode_to_vec());
                timing::ratio(|| frames.push(frame.clone()), naive)
            },
        )
    });
    let memory = row("gRPC, a million messages: extra memory at most", Unit::Bytes, Goal::AtMost(4096.0), || {
        let (bench, frame) = (stamping(1, true), frame(&task(300)));
        let mut frames = bench.frames();
        frames.push(frame.clone());
        count(allocated(|| (0..1_000_000).map(|_| frames.push(frame.clone())).sum::<usize>()).peak)
    });
    stampings.chain([memory]).collect()
}

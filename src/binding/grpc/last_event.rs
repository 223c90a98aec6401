//! The end of a stream of frames that the layer writes.

use super::answer::message;
use super::frame::frame;
use crate::binding::last_event::{MAX_ID, ShownTask, StreamBegin};
use crate::binding::{FinalState, ProtocolVersion, ReplyDraft};
use crate::protobuf::{WireField, WireReader, WireType, put_bytes, put_tag, put_varint};

/// Of `StreamResponse`, in both versions.
const TASK: u32 = 1;
const STATUS_UPDATE: u32 = 3;
const ARTIFACT_UPDATE: u32 = 4;

impl StreamBegin {
    /// Reads the first message of a stream, without its frame's head.
    pub(crate) fn read_message(bytes: &[u8]) -> Self {
        shown_task(bytes).map_or(Self::Other, Self::Task)
    }
}

/// A Task and both events have their ids in front, alike in both versions.
fn shown_task(bytes: &[u8]) -> Option<ShownTask> {
    let mut fields = WireReader::new(bytes, &(0..bytes.len()));
    let holder = fields.next_field().ok()??;
    let is_known = matches!(holder.number, TASK | STATUS_UPDATE | ARTIFACT_UPDATE) && holder.is_delimited();
    if !is_known || fields.next_field().ok()?.is_some() {
        return None;
    }
    let mut task = ShownTask::default();
    let mut members = WireReader::new(bytes, &holder.value);
    while let Some(field) = members.next_field().ok()? {
        match field.number {
            1 => task.id = id(bytes, &field)?,
            2 => task.context_id = id(bytes, &field)?,
            _ => {}
        }
    }
    (!task.id.is_empty()).then_some(task)
}

fn id(bytes: &[u8], field: &WireField) -> Option<String> {
    let text = std::str::from_utf8(field.bytes(bytes)).ok()?;
    (field.is_delimited() && text.len() <= MAX_ID).then(|| text.to_owned())
}

/// The frame that ends `task` with a message. `None` where protobuf cannot say it.
pub(crate) fn last_frame(
    task: &ShownTask,
    state: FinalState,
    draft: &ReplyDraft,
    version: ProtocolVersion,
) -> Option<Vec<u8>> {
    let (mut status, mut update, mut response) = (Vec::new(), Vec::new(), Vec::new());
    put_tag(&mut status, 1, WireType::Varint);
    put_varint(&mut status, state.number());
    put_bytes(&mut status, 2, &message(&task.draft(draft))?);
    put_bytes(&mut update, 1, task.id.as_bytes());
    if !task.context_id.is_empty() {
        put_bytes(&mut update, 2, task.context_id.as_bytes());
    }
    put_bytes(&mut update, 3, &status);
    if version == ProtocolVersion::V0_3 {
        // `final`
        put_tag(&mut update, 4, WireType::Varint);
        put_varint(&mut update, 1);
    }
    put_bytes(&mut response, STATUS_UPDATE, &update);
    frame(&response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_tells_the_task() {
        let ids = |id: &[u8], context_id: &[u8]| {
            let mut task = Vec::new();
            put_bytes(&mut task, 1, id);
            put_bytes(&mut task, 2, context_id);
            task
        };
        let response = |number: u32, value: &[u8]| {
            let mut response = Vec::new();
            put_bytes(&mut response, number, value);
            response
        };
        let task = StreamBegin::Task(ShownTask { id: "t".to_owned(), context_id: "c".to_owned() });
        for number in [TASK, STATUS_UPDATE, ARTIFACT_UPDATE] {
            assert_eq!(StreamBegin::read_message(&response(number, &ids(b"t", b"c"))), task);
        }
        let twice = [response(TASK, &ids(b"t", b"c")), response(TASK, &ids(b"u", b""))].concat();
        for other in [response(2, &ids(b"m", b"c")), response(TASK, &ids(b"", b"c")), twice, vec![], b"\xFF".to_vec()] {
            assert_eq!(StreamBegin::read_message(&other), StreamBegin::Other);
        }
        assert_eq!(StreamBegin::read_message(&response(TASK, &ids(b"\xFF", b"c"))), StreamBegin::Other);
    }
}

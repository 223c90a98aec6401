//! Broken replies: a clean end or the same bytes, never a panic, and bounded memory.

use std::collections::VecDeque;

use bytes::Bytes;
use prost::Message;
use serde_json::json;

use super::messages::{v1, v03};
use super::random::Dice;
use super::{CASES, decoded, leaving, leaving_with, stamper};
use crate::binding::{Operation, ProtocolVersion};
use crate::extension::{OutgoingObject, Stamp};
use crate::protobuf::{put_bytes, put_value, struct_entry};
use crate::stamping::fixture::{Bench, K2, REPLY, U1, U1_OLD, U2};
use crate::stamping::grpc::FrameStamper;

#[test]
fn random_damage_does_no_harm() {
    let (mut stopped, mut same) = (0, 0);
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let mut bytes = dice.stream_response().encode_to_vec();
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len() + 1);
            match dice.below(3) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, u8::try_from(dice.below(256)).unwrap()),
                _ => bytes.splice(at..at, [0xFF; 9]).for_each(drop),
            }
        }
        for active in [&[][..], &[U1, U2]] {
            let bench = Bench::fixed(active);
            match leaving_with(stamper(Operation::SendStreamingMessage, ProtocolVersion::V1_0), &bench, &bytes) {
                Err(_) => stopped += 1,
                Ok(left) if left == bytes => same += 1,
                Ok(left) => {
                    // What was read as a message is one still.
                    assert!(
                        v1::StreamResponse::decode(&bytes[..]).is_err()
                            || v1::StreamResponse::decode(&left[..]).is_ok()
                    );
                }
            }
        }
    }
    assert!(stopped > 20 && same > 20, "{stopped} {same}");
}

#[test]
fn what_cannot_be_read_leaves_no_key() {
    for seed in 0..CASES {
        let mut bytes = Dice::new(seed).task().encode_to_vec();
        bytes.extend_from_slice(&[0x22, 0x7F, 1]);
        let named = [U1, U1_OLD, K2].iter().any(|key| bytes.windows(key.len()).any(|window| window == key.as_bytes()));
        let frames = stamper(Operation::GetTask, ProtocolVersion::V1_0);
        match leaving_with(frames, &Bench::fixed(&[U1]), &bytes) {
            Ok(left) => assert!(!named && left == bytes),
            Err(_) => assert!(named),
        }
    }
}

#[test]
fn a_length_that_lies_keeps_only_what_came() {
    for length in [1_u32 << 20, (1 << 20) + 1, 1 << 31, u32::MAX] {
        let bench = Bench::fixed(&[U1]);
        let mut frames = FrameStamper::new(Some(Operation::GetTask), ProtocolVersion::V1_0, 1 << 20, REPLY);
        let mut out = VecDeque::new();
        let head = [&[0][..], &length.to_be_bytes()].concat();
        frames.push(head.clone().into(), &bench.stamper, &bench.call, &mut out).unwrap();
        let chunk = Bytes::from(vec![7; 10_000]);
        for _ in 0..100 {
            frames.push(chunk.clone(), &bench.stamper, &bench.call, &mut out).unwrap();
        }
        let held = if length <= 1 << 20 { head.len() + 1_000_000 } else { 0 };
        assert_eq!(frames.kept(), held, "a frame over the limit is not held");
        frames.finish(&bench.stamper, &bench.call, &mut out).unwrap();
        let left = out.iter().map(Bytes::len).sum::<usize>();
        assert_eq!(left, head.len() + 1_000_000);
    }
}

#[test]
fn a_key_in_an_unknown_field_or_hidden_in_data_is_stopped() {
    let mut value = Vec::new();
    put_value(&mut value, &json!("x")).unwrap();
    let mut entry = Vec::new();
    struct_entry(&mut entry, U1, &value);
    let mut unknown = v1::Task { id: "t".into(), ..v1::Task::default() }.encode_to_vec();
    put_bytes(&mut unknown, 99, &entry);
    let bench = Bench::fixed(&[U1]);
    assert!(leaving_with(stamper(Operation::GetTask, ProtocolVersion::V1_0), &bench, &unknown).is_err());
    // As a value, as a text names it, it is nobody's key.
    let mut named = v1::Task { id: U1.into(), ..v1::Task::default() }.encode_to_vec();
    put_bytes(&mut named, 99, U1.as_bytes());
    assert_eq!(leaving(&bench, Operation::GetTask, &named), named);
    // A reply in which there are no objects.
    let configs =
        |bytes: &[u8]| leaving_with(stamper(Operation::PushNotificationConfig, ProtocolVersion::V1_0), &bench, bytes);
    assert!(configs(&entry).is_err());
    let mut named = Vec::new();
    put_bytes(&mut named, 4, U1.as_bytes());
    assert_eq!(configs(&named).unwrap(), named);
}

#[test]
fn a_value_that_cannot_be_judged_goes_and_is_told() {
    let seen = |object: &OutgoingObject<'_>| match (object.is_unreadable(U1), object.metadata(U1)) {
        (true, None) => Stamp::keep(),
        other => panic!("{other:?}"),
    };
    let bench = Bench::new(&[U1], seen, |_| Stamp::keep());
    let two_kinds = [0x08, 0, 0x20, 1];
    let nan = [&[0x11][..], &f64::NAN.to_le_bytes()].concat();
    let mut deep = vec![0x08, 0];
    for _ in 0..200 {
        let mut element = Vec::new();
        put_bytes(&mut element, 1, &deep);
        deep.clear();
        put_bytes(&mut deep, 6, &element);
    }
    for value in [&two_kinds[..], &nan, &deep] {
        let mut metadata = Vec::new();
        struct_entry(&mut metadata, U1, value);
        let mut message = v1::Message { role: 2, ..v1::Message::default() }.encode_to_vec();
        put_bytes(&mut message, 6, &metadata);
        let mut reply = Vec::new();
        put_bytes(&mut reply, 2, &message);
        let left = decoded::<v1::StreamResponse>(&leaving(&bench, Operation::SendMessage, &reply));
        let Some(v1::Payload::Message(message)) = left.payload else { panic!("{left:?}") };
        assert!(message.metadata.unwrap().fields.is_empty());
    }
}

#[test]
fn an_object_in_two_pieces_is_withheld_as_one() {
    let marked = |object: &OutgoingObject<'_>| {
        if object.metadata(U1).is_some() { Stamp::withhold("not for you") } else { Stamp::keep() }
    };
    let bench = Bench::new(&[], marked, |_| Stamp::keep());
    let text = v1::Content::Text("a secret".into());
    let content = v1::Artifact {
        artifact_id: "a".into(),
        parts: vec![v1::Part { content: Some(text), ..v1::Part::default() }],
        ..v1::Artifact::default()
    };
    let mut value = Vec::new();
    put_value(&mut value, &json!("mark")).unwrap();
    let (mut entry, mut mark, mut update) = (Vec::new(), Vec::new(), Vec::new());
    struct_entry(&mut entry, U1, &value);
    put_bytes(&mut mark, 5, &entry);
    put_bytes(&mut update, 3, &content.encode_to_vec());
    put_bytes(&mut update, 3, &mark);
    let mut reply = Vec::new();
    put_bytes(&mut reply, 4, &update);
    let left = leaving(&bench, Operation::SendStreamingMessage, &reply);
    assert!(!left.windows(8).any(|window| window == b"a secret"));
    let Some(v1::Payload::ArtifactUpdate(update)) = decoded::<v1::StreamResponse>(&left).payload else { panic!() };
    assert_eq!(update.artifact.unwrap().artifact_id, "a");
}

#[test]
fn the_objects_of_0_3_have_its_numbers() {
    let text = |text: &str| vec![v03::Part { part: Some(v03::Content::Text(text.into())) }];
    let metadata = || {
        let mut fields = std::collections::BTreeMap::new();
        fields.insert(U1.to_owned(), prost_types::Value::default());
        Some(prost_types::Struct { fields })
    };
    let artifact = v03::Artifact {
        artifact_id: "a".into(),
        name: "n".into(),
        description: "d".into(),
        parts: text("x"),
        metadata: metadata(),
        extensions: vec![U1.into()],
    };
    let status = v1::TaskStatus { state: 5, message: Some(v1::Message { role: 2, ..v1::Message::default() }) };
    let update =
        v03::StatusUpdate { task_id: "t".into(), status: Some(status.clone()), is_final: true, metadata: metadata() };
    let task =
        v03::Task { artifacts: vec![artifact], status: Some(status), metadata: metadata(), ..v03::Task::default() };
    let bench = Bench::new(
        &[U1],
        |object| {
            assert_eq!(object.task_state(), Some("TASK_STATE_CANCELLED"));
            Stamp::set(1)
        },
        |_| Stamp::keep(),
    );
    let leaving = |payload: v03::Payload| {
        let bytes = v03::StreamResponse { payload: Some(payload) }.encode_to_vec();
        let frames = stamper(Operation::SendStreamingMessage, ProtocolVersion::V0_3);
        decoded::<v03::StreamResponse>(&leaving_with(frames, &bench, &bytes).unwrap()).payload
    };
    let Some(v03::Payload::Task(left)) = leaving(v03::Payload::Task(task.clone())) else { panic!() };
    assert_eq!(left.metadata, task.metadata, "what is active stays");
    assert_ne!(left.artifacts[0].metadata, task.artifacts[0].metadata);
    assert_eq!(
        (
            &left.artifacts[0].name,
            &left.artifacts[0].description,
            &left.artifacts[0].parts,
            &left.artifacts[0].extensions
        ),
        (
            &task.artifacts[0].name,
            &task.artifacts[0].description,
            &task.artifacts[0].parts,
            &task.artifacts[0].extensions
        )
    );
    assert_eq!(left.status.unwrap().message.unwrap().extensions, [U1]);
    let Some(v03::Payload::StatusUpdate(left)) = leaving(v03::Payload::StatusUpdate(update.clone())) else { panic!() };
    assert!(left.is_final && left.metadata == update.metadata);
}

#[test]
fn a_message_of_more_objects_than_are_kept_goes_on_unstamped() {
    let bench = Bench::fixed(&[U1]);
    // Field 4 of a Task: an artifact without content.
    let many = |count: usize| [0x22, 0].repeat(count);
    let task = many(70_000);
    assert_eq!(leaving(&bench, Operation::GetTask, &task), task);
    assert_ne!(leaving(&bench, Operation::GetTask, &many(1_000)), many(1_000));
}

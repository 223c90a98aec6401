//! What leaves means what prost says: decode, change, encode.

use std::collections::VecDeque;

use prost::Message;
use prost_types::Struct;
use prost_types::value::Kind;

use super::messages::v1;
use super::random::Dice;
use super::walker::{unknown_fields, with_duplicates, with_unknown_fields};
use super::{CASES, decoded, framed, leaving, stamper};
use crate::binding::{Operation, ProtocolVersion};
use crate::extension::{OutgoingObject, Stamp};
use crate::protobuf::put_value;
use crate::stamping::fixture::{Bench, K2, U1, U1_OLD, U2, value_of};
use crate::stamping::grpc::schema::ReplySchema;

/// What the two extensions do, told in prost's types.
struct Naive {
    /// The spelling under which each was asked for.
    asked: [Option<&'static str>; 2],
}

const SETTINGS: [[Option<&str>; 2]; 5] =
    [[None, None], [Some(U1), None], [Some(U1_OLD), None], [None, Some(U2)], [Some(U1), Some(U2)]];

impl Naive {
    fn bench(&self) -> Bench {
        Bench::fixed(&self.asked.iter().flatten().copied().collect::<Vec<_>>())
    }

    fn object(&self, metadata: &mut Option<Struct>, extensions: &mut Vec<String>) {
        let owned: [(&[&str], &[&str]); 2] = [(&[U1, U1_OLD], &[U1, U1_OLD]), (&[K2], &[U2])];
        for (index, ((keys, uris), asked)) in owned.into_iter().zip(self.asked).enumerate() {
            match asked {
                None => {
                    if let Some(metadata) = metadata {
                        keys.iter().for_each(|key| drop(metadata.fields.remove(*key)));
                    }
                    extensions.retain(|uri| !uris.contains(&uri.as_str()));
                }
                Some(asked) => {
                    let mut value = Vec::new();
                    put_value(&mut value, &value_of(index)).unwrap();
                    metadata.get_or_insert_default().fields.insert(keys[0].into(), decoded(&value));
                    let mut is_there = false;
                    extensions.retain(|uri| {
                        let stays = !uris.contains(&uri.as_str()) || uri == asked && !is_there;
                        is_there |= uri == asked;
                        stays
                    });
                    if !is_there {
                        extensions.push(asked.into());
                    }
                }
            }
        }
    }

    /// What is not active goes.
    fn carrier(&self, metadata: &mut Option<Struct>) {
        let owned: [&[&str]; 2] = [&[U1, U1_OLD], &[K2]];
        if let Some(metadata) = metadata {
            let goes =
                |key: &str| owned.iter().zip(self.asked).any(|(keys, asked)| asked.is_none() && keys.contains(&key));
            metadata.fields.retain(|key, _| !goes(key));
        }
    }

    fn message(&self, message: &mut v1::Message) {
        if message.role != 1 {
            message.parts.iter_mut().for_each(|part| self.carrier(&mut part.metadata));
            self.object(&mut message.metadata, &mut message.extensions);
        }
    }

    fn artifact(&self, artifact: &mut v1::Artifact) {
        artifact.parts.iter_mut().for_each(|part| self.carrier(&mut part.metadata));
        self.object(&mut artifact.metadata, &mut artifact.extensions);
    }

    fn task(&self, task: &mut v1::Task) {
        self.carrier(&mut task.metadata);
        task.status.iter_mut().filter_map(|status| status.message.as_mut()).for_each(|one| self.message(one));
        task.artifacts.iter_mut().for_each(|one| self.artifact(one));
        task.history.iter_mut().for_each(|one| self.message(one));
    }

    fn response(&self, response: &mut v1::StreamResponse) {
        match &mut response.payload {
            None => {}
            Some(v1::Payload::Task(task)) => self.task(task),
            Some(v1::Payload::Message(message)) => self.message(message),
            Some(v1::Payload::StatusUpdate(update)) => {
                self.carrier(&mut update.metadata);
                update.status.iter_mut().filter_map(|status| status.message.as_mut()).for_each(|one| self.message(one));
            }
            Some(v1::Payload::ArtifactUpdate(update)) => {
                self.carrier(&mut update.metadata);
                update.artifact.iter_mut().for_each(|one| self.artifact(one));
            }
        }
    }
}

fn schema(operation: Operation) -> ReplySchema {
    ReplySchema::of(Some(operation), ProtocolVersion::V1_0).unwrap()
}

/// Holds for a message what must hold for all.
fn assert_alike<M: Message + Default + PartialEq>(
    naive: &Naive,
    operation: Operation,
    bytes: &[u8],
    change: impl Fn(&mut M),
) -> Vec<u8> {
    let bench = naive.bench();
    let left = leaving(&bench, operation, bytes);
    let mut expected = decoded::<M>(bytes);
    change(&mut expected);
    assert!(decoded::<M>(&left) == expected, "{operation:?} {:?}: {:?}", naive.asked, bytes);
    assert_eq!(leaving(&bench, operation, &left), left, "a second pass changes nothing");
    left
}

fn for_all_replies(mut check: impl FnMut(&Naive, &mut Dice, Operation, Vec<u8>)) {
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let naive = Naive { asked: SETTINGS[dice.below(SETTINGS.len())] };
        let (operation, bytes) = match dice.below(4) {
            0 => (Operation::GetTask, dice.task().encode_to_vec()),
            1 => (Operation::ListTasks, dice.list().encode_to_vec()),
            _ => (Operation::SendStreamingMessage, dice.stream_response().encode_to_vec()),
        };
        check(&naive, &mut dice, operation, bytes);
    }
}

fn assert_operation_alike(naive: &Naive, operation: Operation, bytes: &[u8]) -> Vec<u8> {
    match operation {
        Operation::GetTask => assert_alike::<v1::Task>(naive, operation, bytes, |task| naive.task(task)),
        Operation::ListTasks => assert_alike::<v1::ListTasksResponse>(naive, operation, bytes, |list| {
            list.tasks.iter_mut().for_each(|task| naive.task(task));
        }),
        _ => assert_alike::<v1::StreamResponse>(naive, operation, bytes, |response| naive.response(response)),
    }
}

#[test]
fn what_leaves_is_what_prost_would_write() {
    for_all_replies(|naive, _, operation, bytes| drop(assert_operation_alike(naive, operation, &bytes)));
}

#[test]
fn b28_unknown_fields_at_every_level_stay_byte_for_byte_and_in_order() {
    let mut seen = 0;
    for_all_replies(|naive, dice, operation, bytes| {
        let bytes = with_unknown_fields(&bytes, schema(operation), dice);
        let left = assert_operation_alike(naive, operation, &bytes);
        let (before, after) = (unknown_fields(&bytes, schema(operation)), unknown_fields(&left, schema(operation)));
        seen += before.len();
        assert_eq!(before, after);
    });
    assert!(seen > 1_000);
}

#[test]
fn every_occurrence_is_treated_where_a_key_or_a_message_occurs_twice() {
    let mut seen = 0;
    for_all_replies(|naive, dice, operation, bytes| {
        let twice = with_duplicates(&bytes, schema(operation), dice);
        seen += usize::from(twice != bytes);
        let left = assert_operation_alike(naive, operation, &twice);
        if naive.asked == [None, None] && !has_users(&left, operation) {
            for name in [U1, U1_OLD, K2, U2] {
                assert!(!left.windows(name.len()).any(|window| window == name.as_bytes()), "{name}");
            }
        }
    });
    assert!(seen > 300);
}

/// Whether a message of the user is in a reply, which nobody touches.
fn has_users(bytes: &[u8], operation: Operation) -> bool {
    let users = |message: &v1::Message| message.role == 1;
    let in_task = |task: &v1::Task| {
        task.history.iter().any(users)
            || task.status.as_ref().and_then(|status| status.message.as_ref()).is_some_and(users)
    };
    match operation {
        Operation::GetTask => in_task(&decoded(bytes)),
        Operation::ListTasks => decoded::<v1::ListTasksResponse>(bytes).tasks.iter().any(in_task),
        _ => match decoded::<v1::StreamResponse>(bytes).payload {
            Some(v1::Payload::Task(task)) => in_task(&task),
            Some(v1::Payload::Message(message)) => users(&message),
            Some(v1::Payload::StatusUpdate(update)) => {
                update.status.and_then(|status| status.message).as_ref().is_some_and(users)
            }
            _ => false,
        },
    }
}

#[test]
fn every_object_of_every_frame_gets_its_own_value() {
    let by_id = |object: &OutgoingObject<'_>| match object.id() {
        Some("keep") => Stamp::keep(),
        Some(id) => Stamp::set(id),
        None => Stamp::set("none"),
    };
    let bench = Bench::new(&[U1], by_id, |_| Stamp::keep());
    let mut frames = stamper(Operation::GetTask, ProtocolVersion::V1_0);
    for ids in [["a", "a", "b", "keep", "b"], ["b", "keep", "keep", "a", "a"]] {
        let artifacts = ids.map(|id| v1::Artifact { artifact_id: id.into(), ..v1::Artifact::default() });
        let task = v1::Task { artifacts: artifacts.into(), ..v1::Task::default() };
        let mut out = VecDeque::new();
        frames.push(framed(&task.encode_to_vec()), &bench.stamper, &bench.call, &mut out).unwrap();
        let bytes = out.iter().flat_map(|piece| piece.iter().copied()).collect::<Vec<_>>();
        for (artifact, id) in decoded::<v1::Task>(&bytes[5..]).artifacts.into_iter().zip(ids) {
            let value = artifact.metadata.and_then(|metadata| metadata.fields.get(U1)?.kind.clone());
            let expected = (id != "keep").then(|| Kind::StringValue(id.into()));
            assert_eq!((value, artifact.extensions.len()), (expected, usize::from(id != "keep")), "{ids:?}");
        }
    }
}

#[test]
fn a_frame_that_is_not_copied_has_the_same_bytes_around_its_changes() {
    let bench = Bench::fixed(&[U1]);
    let text = "x".repeat(3_000);
    let part = || v1::Part { content: Some(v1::Content::Text(text.clone())), ..v1::Part::default() };
    let artifact =
        |id: usize| v1::Artifact { artifact_id: id.to_string(), parts: vec![part()], ..v1::Artifact::default() };
    for count in [1, 2, 3, 6] {
        let task = v1::Task { artifacts: (0..count).map(artifact).collect(), ..v1::Task::default() };
        let left = decoded::<v1::Task>(&leaving(&bench, Operation::GetTask, &task.encode_to_vec()));
        let mut expected = task;
        let naive = Naive { asked: [Some(U1), None] };
        expected.artifacts.iter_mut().for_each(|one| naive.object(&mut one.metadata, &mut one.extensions));
        assert_eq!(left, expected, "{count}");
    }
}

//! Random replies of A2A 1.0, as prost knows them.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};

use super::messages::v1;
use crate::stamping::fixture::{K2, U1, U1_OLD, U2};

/// Random numbers from a seed.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    pub(super) fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn text(&mut self) -> String {
        let length = [0, 1, 5, 60, 130][self.below(5)];
        "aé\n\"{".chars().cycle().take(length).collect()
    }

    fn some<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.one_in(3) { None } else { Some(make(self)) }
    }

    fn several<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    pub(super) fn value(&mut self, depth: usize) -> Value {
        let kind = match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => None,
            1 => Some(Kind::NullValue(0)),
            2 => Some(Kind::NumberValue([0.0, 3.0, -2.5, 1e300, 0.1][self.below(5)])),
            3 => Some(Kind::StringValue(self.text())),
            4 => Some(Kind::BoolValue(self.one_in(2))),
            5 => Some(Kind::ListValue(ListValue { values: self.several(3, |dice| dice.value(depth - 1)) })),
            _ => Some(Kind::StructValue(self.structure(depth - 1, &["a", "b", ""]))),
        };
        Value { kind }
    }

    fn structure(&mut self, depth: usize, keys: &[&str]) -> Struct {
        let fields = self.several(4, |dice| (dice.pick(keys).to_owned(), dice.value(depth)));
        Struct { fields: fields.into_iter().collect() }
    }

    fn metadata(&mut self) -> Option<Struct> {
        self.some(|dice| dice.structure(2, &[U1, U1_OLD, K2, "own", "", "other"]))
    }

    fn extensions(&mut self) -> Vec<String> {
        self.several(4, |dice| dice.pick(&[U1, U1_OLD, U2, "https://x.example/own", ""]).to_owned())
    }

    fn part(&mut self) -> v1::Part {
        let content = self.some(|dice| match dice.below(4) {
            0 => v1::Content::Raw(dice.text().into_bytes()),
            1 => v1::Content::Url(dice.text()),
            2 => v1::Content::Data(dice.value(2)),
            _ => v1::Content::Text(dice.text()),
        });
        v1::Part { content, metadata: self.metadata(), filename: self.text(), media_type: String::new() }
    }

    pub(super) fn message(&mut self) -> v1::Message {
        v1::Message {
            message_id: self.text(),
            context_id: self.text(),
            task_id: String::new(),
            role: [0, 1, 2, 2, 7][self.below(5)],
            parts: self.several(2, Self::part),
            metadata: self.metadata(),
            extensions: self.extensions(),
            reference_task_ids: self.several(1, Self::text),
        }
    }

    pub(super) fn artifact(&mut self) -> v1::Artifact {
        v1::Artifact {
            artifact_id: self.text(),
            name: self.text(),
            description: self.text(),
            parts: self.several(2, Self::part),
            metadata: self.metadata(),
            extensions: self.extensions(),
        }
    }

    fn status(&mut self) -> v1::TaskStatus {
        v1::TaskStatus { state: i32::try_from(self.below(10)).unwrap(), message: self.some(Self::message) }
    }

    pub(super) fn task(&mut self) -> v1::Task {
        v1::Task {
            id: self.text(),
            context_id: self.text(),
            status: self.some(Self::status),
            artifacts: self.several(3, Self::artifact),
            history: self.several(3, Self::message),
            metadata: self.metadata(),
        }
    }

    pub(super) fn stream_response(&mut self) -> v1::StreamResponse {
        let payload = self.some(|dice| match dice.below(4) {
            0 => v1::Payload::Message(dice.message()),
            1 => v1::Payload::StatusUpdate(v1::StatusUpdate {
                task_id: dice.text(),
                context_id: dice.text(),
                status: dice.some(Self::status),
                metadata: dice.metadata(),
            }),
            2 => v1::Payload::ArtifactUpdate(v1::ArtifactUpdate {
                task_id: dice.text(),
                context_id: dice.text(),
                artifact: dice.some(Self::artifact),
                append: dice.one_in(2),
                last_chunk: dice.one_in(2),
                metadata: dice.metadata(),
            }),
            _ => v1::Payload::Task(dice.task()),
        });
        v1::StreamResponse { payload }
    }

    pub(super) fn list(&mut self) -> v1::ListTasksResponse {
        v1::ListTasksResponse { tasks: self.several(3, Self::task), next_page_token: self.text() }
    }
}

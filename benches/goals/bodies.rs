//! Replies and requests of the sizes that the goals name.

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reply {
    jsonrpc: &'static str,
    id: &'static str,
    result: ReplyResult,
}

#[derive(Clone, Debug, Serialize)]
struct ReplyResult {
    task: Task,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    id: &'static str,
    context_id: &'static str,
    status: Status,
    artifacts: Vec<Artifact>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    history: Vec<Message>,
}

#[derive(Clone, Debug, Serialize)]
struct Status {
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    message_id: String,
    role: &'static str,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    artifact_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'static str>,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Text(String),
    Raw(String),
    Data(Vec<f64>),
}

/// What the text of a reply is like.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Content {
    /// Prose with a paragraph now and then, an eighth of it base64.
    Text,
    Numbers,
    /// Source code as a string: quotes, line feeds, tabs.
    Escapes,
}

/// How many artifacts and messages of the history a reply of this size has.
fn counts(size: usize) -> (usize, usize) {
    match size {
        0..1_000 => (1, 0),
        1_000..10_000 => (1, 2),
        10_000..100_000 => (4, 6),
        100_000..2_000_000 => (16, 20),
        _ => (64, 60),
    }
}

impl Reply {
    /// A reply whose JSON is about `size` bytes.
    pub(crate) fn of_size(size: usize, content: Content) -> Self {
        let (artifacts, messages) = counts(size);
        let bare = Self::with(artifacts, messages, 0, content);
        let room = size.saturating_sub(bare.to_vec().len());
        Self::with(artifacts, messages, room / (artifacts + messages), content)
    }

    fn with(artifacts: usize, messages: usize, length: usize, content: Content) -> Self {
        let mut words = Words(7);
        let artifact = |index: usize, words: &mut Words| Artifact {
            artifact_id: format!("artifact-{index}"),
            name: (messages > 0).then_some("A part of the answer"),
            parts: words.parts(length, content),
        };
        let message = |index: usize, words: &mut Words| Message {
            message_id: format!("message-{index}"),
            role: if index.is_multiple_of(2) { "ROLE_USER" } else { "ROLE_AGENT" },
            parts: words.parts(length, content),
        };
        let status_message =
            Message { message_id: "message-s".into(), role: "ROLE_AGENT", parts: words.parts(20, Content::Text) };
        Self {
            jsonrpc: "2.0",
            id: "request-1",
            result: ReplyResult {
                task: Task {
                    id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
                    context_id: "550e8400-e29b-41d4-a716-446655440000",
                    status: Status { state: "TASK_STATE_COMPLETED", message: (messages > 0).then_some(status_message) },
                    artifacts: (0..artifacts).map(|index| artifact(index, &mut words)).collect(),
                    history: (0..messages).map(|index| message(index, &mut words)).collect(),
                },
            },
        }
    }

    /// What the agent pays anyway.
    pub(crate) fn to_vec(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub(crate) fn to_bytes(&self) -> Bytes {
        self.to_vec().into()
    }
}

/// The request that asks for it: `SendMessage` over HTTP+JSON with a text of about `size` bytes.
pub(crate) fn request(size: usize) -> Bytes {
    let text = Words(3).text(size.saturating_sub(120), Content::Text);
    let message = json!({"messageId": "message-1", "role": "ROLE_USER", "parts": [{"text": text}]});
    json!({"message": message, "configuration": {"acceptedOutputModes": ["text/plain"]}}).to_string().into()
}

/// An event of about `size` bytes: a chunk of an artifact.
pub(crate) fn event_json(size: usize) -> Bytes {
    let text = Words(5).text(size.saturating_sub(150), Content::Text);
    let artifact = json!({"artifactId": "artifact-1", "parts": [{"text": text}]});
    json!({"artifactUpdate": {"taskId": "task-1", "contextId": "context-1", "artifact": artifact, "append": true}})
        .to_string()
        .into()
}

/// Prose of about `length` bytes.
#[cfg(feature = "grpc")]
pub(crate) fn prose(length: usize) -> String {
    Words(9).text(length, Content::Text)
}

/// The naive way: parse all, change, print all.
pub(crate) fn naive(document: &[u8], uris: &[&str], keys: &[&str], value: &str) -> Vec<u8> {
    let mut reply: Value = serde_json::from_slice(document).unwrap_or_default();
    let stamp = |object: Option<&mut Value>| {
        if let Some(object) = object.filter(|object| object["role"] != "ROLE_USER") {
            keys.iter().for_each(|key| object["metadata"][*key] = value.into());
            object["extensions"] = json!(uris);
        }
    };
    let task = &mut reply["result"]["task"];
    stamp(task.pointer_mut("/status/message"));
    for list in ["artifacts", "history"] {
        task.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten().for_each(|object| stamp(Some(object)));
    }
    serde_json::to_vec(&reply).unwrap_or_default()
}

/// Words in an order that is always the same.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[usize::try_from(self.next() % 1024).unwrap_or_default() % words.len()]
    }

    fn base64(&mut self) -> char {
        const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        char::from(ALPHABET[usize::try_from(self.next() % 64).unwrap_or_default()])
    }

    fn text(&mut self, length: usize, content: Content) -> String {
        const PROSE: [&str; 12] = [
            "a ",
            "lantern ",
            "ceremony ",
            "lasts ",
            "two ",
            "hours; ",
            "the ",
            "chapel ",
            "opens ",
            "at ",
            "nine. ",
            "Überall ",
        ];
        const CODE: [&str; 8] = ["let x = ", "\"ok\"", ";\n", "\t", "print(", "\"a\\n\"", ");\n", "fn f() "];
        let words: &[&str] = if content == Content::Escapes { &CODE } else { &PROSE };
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            text.push_str(self.pick(words));
            if content == Content::Text && self.next().is_multiple_of(60) {
                text.push_str("\n\n");
            }
        }
        text
    }

    fn parts(&mut self, length: usize, content: Content) -> Vec<Part> {
        match content {
            Content::Numbers => {
                // About 18 bytes each.
                let numbers = (0..length / 18).map(|_| f64::from(u32::try_from(self.next() % 1_000_000).unwrap_or(0)));
                vec![Part::Data(numbers.map(|number| number / 3.0).collect())]
            }
            Content::Text if length > 2_000 => {
                let raw = (0..length / 8).map(|_| self.base64()).collect();
                vec![Part::Text(self.text(length - length / 8, content)), Part::Raw(raw)]
            }
            _ => vec![Part::Text(self.text(length, content))],
        }
    }
}

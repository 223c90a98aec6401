//! What the agent says, written as A2A 1.0 and, for older clients, as 0.3.
//!
//! The agent thinks in 1.0. The guard answers in the version of the caller, so what it hands out is
//! brought to 1.0 before it is kept ([`task_to_1_0`]).

use serde_json::{Value, json};
use uuid::Uuid;

/// The versions this agent speaks.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(crate) enum Version {
    V1_0,
    V0_3,
}

/// A reply, or one event of a stream.
#[derive(Clone)]
pub(crate) enum Event {
    Message(Value),
    Task(Value),
    Status { ids: TaskIds, status: Value, last: bool },
    Artifact { ids: TaskIds, artifact: Value },
}

/// Which task an event is about.
#[derive(Clone)]
pub(crate) struct TaskIds {
    pub(crate) task: String,
    pub(crate) context: String,
}

impl Event {
    pub(crate) fn to_json(&self, version: Version) -> Value {
        match version {
            Version::V1_0 => self.to_1_0(),
            Version::V0_3 => self.to_0_3(),
        }
    }

    fn to_1_0(&self) -> Value {
        match self {
            Self::Message(message) => json!({"message": message}),
            Self::Task(task) => json!({"task": task}),
            Self::Status { ids, status, .. } => {
                json!({"statusUpdate": {"taskId": ids.task, "contextId": ids.context, "status": status}})
            }
            Self::Artifact { ids, artifact } => {
                json!({"artifactUpdate": {"taskId": ids.task, "contextId": ids.context, "artifact": artifact, "lastChunk": true}})
            }
        }
    }

    fn to_0_3(&self) -> Value {
        match self {
            Self::Message(message) => message_to_0_3(message.clone()),
            Self::Task(task) => task_to_0_3(task.clone()),
            Self::Status { ids, status, last } => json!({
                "kind": "status-update", "taskId": ids.task, "contextId": ids.context,
                "status": status_to_0_3(status.clone()), "final": last,
            }),
            Self::Artifact { ids, artifact } => json!({
                "kind": "artifact-update", "taskId": ids.task, "contextId": ids.context,
                "artifact": parts_to_0_3(artifact.clone()), "lastChunk": true,
            }),
        }
    }
}

/// A message of the agent, in 1.0.
pub(crate) fn message(context: &str, text: &str) -> Value {
    json!({"messageId": Uuid::new_v4().to_string(), "contextId": context, "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

/// A new task, in 1.0.
pub(crate) fn new_task(context: &str) -> Value {
    json!({"id": Uuid::new_v4().to_string(), "contextId": context, "status": {"state": "TASK_STATE_SUBMITTED"}})
}

pub(crate) fn state_of(task: &Value) -> &str {
    task.pointer("/status/state").and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn is_final(state: &str) -> bool {
    ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"].contains(&state)
}

/// A bare task, as `GetTask` answers it.
pub(crate) fn task_json(task: Value, version: Version) -> Value {
    match version {
        Version::V1_0 => task,
        Version::V0_3 => task_to_0_3(task),
    }
}

/// Brings a task, whose `status` and artifacts the guard may have written in 0.3, to 1.0.
pub(crate) fn task_to_1_0(mut task: Value) -> Value {
    remove_kind(&mut task);
    if let Some(status) = task.get_mut("status") {
        edit(status, "state", state_to_1_0);
        if let Some(message) = status.get_mut("message") {
            remove_kind(message);
            edit(message, "role", |_| "ROLE_AGENT".to_owned());
            parts_of(message).for_each(remove_kind);
        }
    }
    artifacts_of(&mut task).flat_map(parts_of).for_each(remove_kind);
    task
}

fn task_to_0_3(mut task: Value) -> Value {
    set(&mut task, "kind", "task");
    if let Some(status) = task.get_mut("status") {
        *status = status_to_0_3(status.take());
    }
    for artifact in artifacts_of(&mut task) {
        *artifact = parts_to_0_3(artifact.take());
    }
    task
}

fn status_to_0_3(mut status: Value) -> Value {
    edit(&mut status, "state", state_to_0_3);
    if let Some(message) = status.get_mut("message") {
        *message = message_to_0_3(message.take());
    }
    status
}

fn message_to_0_3(mut message: Value) -> Value {
    set(&mut message, "kind", "message");
    edit(&mut message, "role", |_| "agent".to_owned());
    parts_to_0_3(message)
}

/// This agent writes text parts only.
fn parts_to_0_3(mut object: Value) -> Value {
    parts_of(&mut object).for_each(|part| set(part, "kind", "text"));
    object
}

/// `TASK_STATE_AUTH_REQUIRED` → `auth-required`.
fn state_to_0_3(state: &str) -> String {
    state.strip_prefix("TASK_STATE_").unwrap_or(state).to_ascii_lowercase().replace('_', "-")
}

/// `auth-required` → `TASK_STATE_AUTH_REQUIRED`; what is in 1.0 already stays so.
fn state_to_1_0(state: &str) -> String {
    let name = state.strip_prefix("TASK_STATE_").unwrap_or(state);
    format!("TASK_STATE_{}", name.to_ascii_uppercase().replace('-', "_"))
}

fn set(object: &mut Value, name: &str, value: &str) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
}

fn edit(object: &mut Value, name: &str, change: impl Fn(&str) -> String) {
    if let Some(old) = object.get(name).and_then(Value::as_str) {
        let new = change(old);
        set(object, name, &new);
    }
}

fn remove_kind(object: &mut Value) {
    if let Some(members) = object.as_object_mut() {
        members.remove("kind");
    }
}

fn parts_of(object: &mut Value) -> impl Iterator<Item = &mut Value> {
    object.get_mut("parts").and_then(Value::as_array_mut).into_iter().flatten()
}

fn artifacts_of(task: &mut Value) -> impl Iterator<Item = &mut Value> {
    task.get_mut("artifacts").and_then(Value::as_array_mut).into_iter().flatten()
}

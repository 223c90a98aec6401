//! The end of a stream that the layer writes: what the stream has shown, and the event that ends it.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{Binding, FinalState, ProtocolVersion, ReplyDraft, ReplyTarget, json_rpc};
use crate::json::{JsonKind, JsonScan};

/// No id that is longer is repeated, in bytes.
pub(super) const MAX_ID: usize = 1 << 10;

/// What a stream has begun with.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum StreamBegin {
    #[default]
    Nothing,
    Task(ShownTask),
    /// A Message, or nothing that is known here.
    Other,
}

/// The task that a stream is about.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct ShownTask {
    pub(super) id: String,
    /// Empty where the first event did not say it.
    pub(super) context_id: String,
}

impl ShownTask {
    /// A message of the layer as one of this task.
    pub(super) fn draft(&self, draft: &ReplyDraft) -> ReplyDraft {
        let context_id = Some(self.context_id.clone()).filter(|id| !id.is_empty());
        ReplyDraft { context_id, ..draft.clone() }
    }
}

impl StreamBegin {
    /// Reads the first event of a stream in JSON-RPC or HTTP+JSON.
    pub(crate) fn read(event: &[u8]) -> Self {
        shown_task(event).map_or(Self::Other, Self::Task)
    }
}

/// In 1.0 the Task or event is a member of the result; in 0.3's JSON-RPC it is the result, and says its kind.
fn shown_task(event: &[u8]) -> Option<ShownTask> {
    let [result] = members(event, [&["result"]])?;
    let payload = result.unwrap_or(event);
    let updates = ["statusUpdate", "status_update", "artifactUpdate", "artifact_update"];
    let [task, update, kind] = members(payload, [&["task"], &updates, &["kind"]])?;
    let (holder, id) = match (task, update, kind.and_then(decode).as_deref()) {
        (Some(task), None, _) => (task, "id"),
        (None, Some(update), _) => (update, "taskId"),
        (None, None, Some("task")) => (payload, "id"),
        (None, None, Some("status-update" | "artifact-update")) => (payload, "taskId"),
        _ => return None,
    };
    let [id, context_id] = members(holder, [&[id, "task_id"], &["contextId", "context_id"]])?;
    let context_id = context_id.and_then(decode).unwrap_or_default();
    id.and_then(decode).filter(|id| !id.is_empty()).map(|id| ShownTask { id, context_id })
}

/// The values of an object's members, each under one of its names; the last counts.
fn members<'a, const N: usize>(object: &'a [u8], names: [&[&str]; N]) -> Option<[Option<&'a [u8]>; N]> {
    let mut found = [None; N];
    let mut scan = JsonScan::new(object);
    if scan.kind() != Ok(JsonKind::Object) {
        return None;
    }
    scan.enter().ok()?;
    while let Some(key) = scan.next_key().ok()? {
        let value = object.get(scan.skip().ok()?);
        let wanted = names.iter().zip(&mut found).filter(|(names, _)| names.iter().any(|name| key.is(name)));
        wanted.for_each(|(_, found)| *found = value);
    }
    Some(found)
}

fn decode(text: &[u8]) -> Option<String> {
    let text = JsonScan::new(text).text().ok()?.decode().ok()?;
    (text.len() <= MAX_ID).then(|| text.into_owned())
}

/// Whether a document of JSON-RPC, or of HTTP+JSON, is an error: an object with an `error` that is not `null`.
pub(crate) fn is_error(document: &[u8]) -> bool {
    let error = members(document, [&["error"]]).and_then(|[error]| error);
    error.is_some_and(|error| JsonScan::new(error).kind().is_ok_and(|kind| kind != JsonKind::Null))
}

/// The event that ends `task` with a message, as one event of the stream. None over gRPC.
pub(crate) fn last_event(
    target: &ReplyTarget,
    task: &ShownTask,
    state: FinalState,
    draft: &ReplyDraft,
) -> Option<Bytes> {
    let message = task.draft(draft).to_value(target.binding, target.version);
    let json = match target.binding {
        Binding::JsonRpc if target.version == ProtocolVersion::V0_3 => {
            let mut update = update(task, state.short_name(), &message);
            update.insert("kind".into(), "status-update".into());
            update.insert("final".into(), true.into());
            json_rpc::object_result(&target.id, &update.into(), "statusUpdate", target.version)
        }
        Binding::JsonRpc => {
            let update = update(task, state.name(), &message).into();
            json_rpc::object_result(&target.id, &update, "statusUpdate", target.version)
        }
        Binding::HttpJson => {
            let mut update = update(task, state.name(), &message);
            if target.version == ProtocolVersion::V0_3 {
                update.insert("final".into(), true.into());
            }
            json!({"statusUpdate": update}).to_string()
        }
        Binding::Grpc => return None,
    };
    Some(format!("data: {json}\n\n").into())
}

fn update(task: &ShownTask, state: &str, message: &Value) -> Map<String, Value> {
    let mut update = Map::new();
    update.insert("taskId".into(), task.id.as_str().into());
    if !task.context_id.is_empty() {
        update.insert("contextId".into(), task.context_id.as_str().into());
    }
    update.insert("status".into(), json!({"state": state, "message": message}));
    update
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_event_tells_the_task() {
        let task = |id: &str, context_id: &str| {
            StreamBegin::Task(ShownTask { id: id.to_owned(), context_id: context_id.to_owned() })
        };
        let table = [
            (r#"{"task":{"id":"t","contextId":"c","status":{}}}"#, task("t", "c")),
            (r#"{"jsonrpc":"2.0","id":9,"result":{"task":{"id":"t","contextId":"c"}}}"#, task("t", "c")),
            (r#"{"result":{"statusUpdate":{"contextId":"c","taskId":"t"}}}"#, task("t", "c")),
            (r#"{"artifact_update":{"task_id":"t"}}"#, task("t", "")),
            (
                r#"{"id":"r","result":{"kind":"task","id":"t","contextId":"c","history":[{"role":"user"}]}}"#,
                task("t", "c"),
            ),
            (r#"{"result":{"kind":"status-update","taskId":"t\u0031","contextId":"c"}}"#, task("t1", "c")),
            (r#"{"result":{"message":{"messageId":"m","taskId":"t"}}}"#, StreamBegin::Other),
            (r#"{"result":{"kind":"message","taskId":"t"}}"#, StreamBegin::Other),
            (r#"{"task":{"contextId":"c"}}"#, StreamBegin::Other),
            (r#"{"task":{"id":7}}"#, StreamBegin::Other),
            (r#"{"task":[]}"#, StreamBegin::Other),
            ("[]", StreamBegin::Other),
            ("{", StreamBegin::Other),
            ("", StreamBegin::Other),
        ];
        for (event, begin) in table {
            assert_eq!(StreamBegin::read(event.as_bytes()), begin, "{event}");
        }
        let long = format!(r#"{{"task":{{"id":"{}"}}}}"#, "t".repeat(MAX_ID + 1));
        assert_eq!(StreamBegin::read(long.as_bytes()), StreamBegin::Other);
    }

    #[test]
    fn an_error_is_told_by_its_member() {
        for (document, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}"#, true),
            (r#"{"error":"x"}"#, true),
            (r#"{"error":null,"result":{}}"#, false),
            (r#"{"result":{"error":{}}}"#, false),
            (r#"[{"error":{}}]"#, false),
            ("", false),
            ("{", false),
        ] {
            assert_eq!(is_error(document.as_bytes()), expected, "{document}");
        }
    }
}

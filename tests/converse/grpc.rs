//! The same over gRPC, frame by frame.

use bytes::Bytes;
use http::{Request, Response};
use prost::Message;
use prost_types::value::Kind;
use prost_types::{Struct, Value as ProtoValue};
use serde_json::{Value, json};
use tower_a2a_extensions::converse::{Author, Envelope, Routine, RoutineStatus};
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, ConverseReply, testing};

use crate::both::{ADDRESS, ON_REQUEST, SECRET, both, citing, given};
use crate::findings::observed;
use crate::messages::v1;
use crate::support::*;

const AGENT: i32 = 2;
const USER: i32 = 1;

fn message(id: &str, role: i32) -> v1::Message {
    v1::Message { message_id: id.to_owned(), role, ..v1::Message::default() }
}

fn status(state: i32) -> Option<v1::TaskStatus> {
    Some(v1::TaskStatus { state, message: Some(message("m-status", AGENT)) })
}

fn artifact(id: &str) -> v1::Artifact {
    v1::Artifact { artifact_id: id.to_owned(), ..v1::Artifact::default() }
}

fn payloads() -> Vec<v1::Payload> {
    let task = v1::Task {
        status: status(3),
        artifacts: vec![artifact("a-1"), artifact("a-2")],
        history: vec![message("m-user", USER), message("m-old", AGENT)],
        ..v1::Task::default()
    };
    let chunk = v1::ArtifactUpdate { artifact: Some(artifact("a-2")), ..v1::ArtifactUpdate::default() };
    vec![
        v1::Payload::Message(message("m-1", AGENT)),
        v1::Payload::Task(task),
        v1::Payload::StatusUpdate(v1::StatusUpdate { status: status(2), ..v1::StatusUpdate::default() }),
        v1::Payload::ArtifactUpdate(chunk),
    ]
}

fn frame(message: &impl Message) -> Vec<u8> {
    let message = message.encode_to_vec();
    [&[0], &u32::try_from(message.len()).unwrap().to_be_bytes()[..], &message].concat()
}

fn read_frames(mut body: &[u8]) -> Vec<v1::Payload> {
    let mut payloads = Vec::new();
    while !body.is_empty() {
        let length = u32::from_be_bytes(body[1..5].try_into().unwrap()) as usize;
        payloads.push(v1::StreamResponse::decode(&body[5..5 + length]).unwrap().payload.unwrap());
        body = &body[5 + length..];
    }
    payloads
}

/// The envelope of an object, as JSON; the URI is listed exactly where there is one.
#[track_caller]
fn carried(metadata: &Option<Struct>, extensions: &[String]) -> Option<Value> {
    let envelope = metadata.as_ref().and_then(|metadata| metadata.fields.get(CONVERSE)).map(json_of);
    assert_eq!(extensions.iter().filter(|uri| *uri == CONVERSE).count(), usize::from(envelope.is_some()));
    envelope
}

fn json_of(value: &ProtoValue) -> Value {
    match value.kind.as_ref().unwrap() {
        Kind::NullValue(_) => Value::Null,
        Kind::BoolValue(flag) => json!(flag),
        Kind::NumberValue(number) => json!(number),
        Kind::StringValue(text) => json!(text),
        Kind::StructValue(members) => {
            Value::Object(members.fields.iter().map(|(name, value)| (name.clone(), json_of(value))).collect())
        }
        Kind::ListValue(list) => Value::Array(list.values.iter().map(json_of).collect()),
    }
}

fn proto_of(value: &Value) -> ProtoValue {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(*flag),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap()),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(values) => {
            Kind::ListValue(prost_types::ListValue { values: values.iter().map(proto_of).collect() })
        }
        Value::Object(_) => Kind::StructValue(struct_of(value)),
    };
    ProtoValue { kind: Some(kind) }
}

fn struct_of(value: &Value) -> Struct {
    let members = value.as_object().unwrap();
    Struct { fields: members.iter().map(|(name, value)| (name.clone(), proto_of(value))).collect() }
}

/// The objects of a payload: by place, and what they carry.
fn objects(payload: &v1::Payload) -> Vec<(&'static str, Option<Value>)> {
    let of_message = |message: &v1::Message| carried(&message.metadata, &message.extensions);
    let of_artifact = |artifact: &v1::Artifact| carried(&artifact.metadata, &artifact.extensions);
    let of_status = |status: &Option<v1::TaskStatus>| of_message(status.as_ref().unwrap().message.as_ref().unwrap());
    match payload {
        v1::Payload::Message(message) => vec![("message", of_message(message))],
        v1::Payload::Task(task) => vec![
            ("status", of_status(&task.status)),
            ("artifact", of_artifact(&task.artifacts[0])),
            ("artifact by id", of_artifact(&task.artifacts[1])),
            ("user", of_message(&task.history[0])),
            ("history", of_message(&task.history[1])),
        ],
        v1::Payload::StatusUpdate(update) => vec![("status", of_status(&update.status))],
        v1::Payload::ArtifactUpdate(update) => vec![("artifact by id", of_artifact(update.artifact.as_ref().unwrap()))],
    }
}

async fn call(
    layer: &A2aExtensionsLayer,
    method: &str,
    asks: &[&str],
    payloads: Vec<v1::Payload>,
    hand_over: impl Fn(&ConverseReply) + Clone + Send + 'static,
) -> Response<Bytes> {
    let asked = v1::SendMessageRequest { message: Some(message("m-0", USER)), ..v1::SendMessageRequest::default() };
    let mut request = Request::post(format!("/lf.a2a.v1.A2AService/{method}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("a2a-version", "1.0");
    if !asks.is_empty() {
        request = request.header("a2a-extensions", asks.join(", "));
    }
    let frames = payloads.into_iter().map(|payload| frame(&v1::StreamResponse { payload: Some(payload) }));
    let frames = Bytes::from(frames.flatten().collect::<Vec<_>>());
    let agent = move |request: Request<Bytes>| {
        hand_over(&ConverseReply::of(A2aCall::of(request.extensions()).unwrap()));
        let reply = typed_reply("application/grpc", frames.clone());
        async move { reply }
    };
    testing::respond(layer, request.body(frame(&asked)).unwrap(), agent).await
}

fn hand_over(reply: &ConverseReply) {
    reply.set(owned_by("reply"));
    assert!(reply.set_for("a-2", owned_by("id")).is_ok());
}

fn expected(place: &str) -> Option<Value> {
    match place {
        "user" => None,
        "history" => Some(past()),
        "artifact by id" => Some(owned_by("id").to_value()),
        _ => Some(owned_by("reply").to_value()),
    }
}

#[track_caller]
fn check(reply: &Response<Bytes>, sent: &[v1::Payload], active: bool) {
    assert_eq!(reply.headers().get("a2a-extensions").is_some(), active);
    let received = read_frames(reply.body());
    assert_eq!(received.len(), sent.len());
    if !active {
        return assert_eq!(received, sent);
    }
    for (place, carried) in received.iter().flat_map(objects) {
        assert_eq!(carried, expected(place), "{place}");
    }
}

#[tokio::test]
async fn replies_over_grpc_carry_envelopes_exactly_where_they_are_active() {
    for active in [true, false] {
        let asks: &[&str] = if active { &[CONVERSE] } else { &[] };
        for payload in payloads().into_iter().take(2) {
            let reply = call(&layer(), "SendMessage", asks, vec![payload.clone()], hand_over).await;
            check(&reply, &[payload], active);
        }
        let reply = call(&layer(), "SendStreamingMessage", asks, payloads(), hand_over).await;
        check(&reply, &payloads(), active);
    }
}

#[tokio::test]
async fn a_task_that_waits_for_a_routine_is_noticed_over_grpc_too() {
    for (state, findings) in [(6, 1), (2, 0)] {
        let (layer, noticed) = observed();
        let task = v1::Task { status: status(state), ..v1::Task::default() };
        let hand_over = |reply: &ConverseReply| {
            let routine = Routine::new("Book a table", RoutineStatus::Active);
            reply.set(Envelope::builder(Author::Agent).routine(routine).build().unwrap());
        };
        call(&layer, "SendMessage", &[CONVERSE], vec![v1::Payload::Task(task)], hand_over).await;
        assert_eq!(noticed.0.lock().unwrap().len(), findings, "{state}");
    }
}

#[tokio::test]
async fn what_is_withheld_over_grpc_is_not_told_by_its_envelope_either() {
    for converse_first in [true, false] {
        let given = given(true);
        let withheld = v1::Artifact {
            parts: vec![v1::Part { content: Some(v1::Content::Text(SECRET.to_owned())), ..v1::Part::default() }],
            metadata: Some(struct_of(&given["metadata"])),
            ..artifact("a-1")
        };
        let artifacts = vec![withheld, artifact("a-2")];
        let task = v1::Task { status: status(3), artifacts, ..v1::Task::default() };
        let hand_over = |reply: &ConverseReply| {
            reply.set(owned_by("reply"));
            reply.set_for("a-1", citing(SECRET).unwrap()).unwrap();
        };
        let layer = both(converse_first, true);
        let asks = [ON_REQUEST, CONVERSE];
        let reply = call(&layer, "SendMessage", &asks, vec![v1::Payload::Task(task)], hand_over).await;
        let text = String::from_utf8_lossy(reply.body());
        assert!(!text.contains(SECRET) && text.contains(ADDRESS), "{text}");
        let payloads = read_frames(reply.body());
        let [v1::Payload::Task(task)] = &payloads[..] else { panic!("{payloads:?}") };
        let carried = task.artifacts.iter().map(|artifact| carried(&artifact.metadata, &artifact.extensions));
        assert_eq!(carried.collect::<Vec<_>>(), [Some(fallback()), Some(bare("reply"))]);
    }
}

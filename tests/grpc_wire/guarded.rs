//! While a gate is installed no part of a reply over gRPC leaves unread.

use bytes::Bytes;
use prost::Message;
use serde_json::{Value, json};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::messages::v1;
use crate::support::{
    ADDRESS, Reply, SECRET, STREAM, Seen, URI, agents, asking, call, card, frame, gated, proto_struct, raw_frame,
    replying, response, send_to, text_part, unframed,
};

const GET: &str = "/lf.a2a.v1.A2AService/GetTask";

fn mark() -> Value {
    json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS})
}

fn artifact() -> v1::Artifact {
    v1::Artifact { artifact_id: "x".into(), parts: vec![text_part(SECRET)], ..v1::Artifact::default() }
}

fn task(artifact: v1::Artifact) -> v1::Task {
    let status = Some(v1::TaskStatus { state: 3, message: None });
    v1::Task { id: "t".into(), status, artifacts: vec![artifact], ..v1::Task::default() }
}

async fn replied(layer: &A2aExtensionsLayer, path: &str, chunks: Vec<Vec<u8>>) -> Reply {
    send_to(layer, call(path, &[], asking("hi")), &Seen::default(), move || response(chunks.clone())).await
}

/// With both skills opened, so that nothing is forbidden outright.
fn opened() -> A2aExtensionsLayer {
    let mut card = card();
    card["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = json!(true);
    let on_request = tower_a2a_extensions::OnRequest::new().information("service-pricing");
    A2aExtensionsLayer::builder(card).extension(on_request).max_response_document(1_000).max_event(500).build().unwrap()
}

#[tokio::test]
async fn a_mark_beside_the_content_it_belongs_to_withholds_it() {
    let marked = Some(proto_struct(&json!({URI: mark()})));
    let mut in_part = artifact();
    in_part.parts[0].metadata = marked.clone();
    let on_task = v1::Task { metadata: marked, ..task(artifact()) };
    for layer in [gated(), opened()] {
        for reply in [frame(&task(in_part.clone())), frame(&on_task)] {
            let reply = replied(&layer, GET, vec![reply]).await;
            assert!(!reply.tells(), "{reply:?}");
        }
    }
    let reply = replied(&opened(), GET, vec![frame(&on_task)]).await;
    let got = v1::Task::decode(&unframed(&reply.body)[0][..]).unwrap();
    assert_eq!(got.id, "t", "the task itself is not lost");
    assert!(got.artifacts.is_empty() && got.metadata.is_none());
}

#[tokio::test]
async fn b25_a_frame_that_is_longer_than_is_held_does_not_leave_in_part() {
    let long = v1::Task { history: vec![agents(&"x".repeat(2_000))], ..task(artifact()) };
    let event = replying(v1::Payload::Task(long.clone()));
    for (path, whole) in [(GET, frame(&long)), (STREAM, event)] {
        for size in [1, 300, whole.len()] {
            let reply = replied(&opened(), path, whole.chunks(size).map(<[u8]>::to_vec).collect()).await;
            assert!(!reply.tells() && reply.body.is_empty(), "{path} by {size}");
        }
    }
}

#[tokio::test]
async fn a_frame_that_breaks_off_does_not_leave() {
    let whole = frame(&task(artifact()));
    for layer in [gated(), opened()] {
        let reply = replied(&layer, GET, vec![whole[..whole.len() - 1].to_vec()]).await;
        assert!(!reply.tells(), "{reply:?}");
    }
}

#[tokio::test]
async fn a_field_that_is_not_known_ends_a_stream_from_which_something_was_withheld() {
    let given = v1::Artifact { metadata: Some(proto_struct(&json!({URI: mark()}))), ..artifact() };
    let first = replying(v1::Payload::Task(task(given)));
    // Field 90 of the reply, of wire type 2.
    let unknown = [
        &[0, 0, 0, 0],
        &[u8::try_from(SECRET.len() + 3).unwrap()][..],
        &[0xD2, 0x05],
        &[u8::try_from(SECRET.len()).unwrap()],
        SECRET.as_bytes(),
    ]
    .concat();
    let reply = replied(&opened(), STREAM, vec![first, unknown.clone()]).await;
    assert!(!reply.tells(), "{reply:?}");
    let alone = replied(&opened(), STREAM, vec![unknown.clone()]).await;
    assert_eq!(Bytes::from(alone.body), unknown, "an unknown field alone is nobody's");
}

#[tokio::test]
async fn a_field_in_which_nothing_can_hide_ends_no_stream() {
    let given = v1::Artifact { metadata: Some(proto_struct(&json!({URI: mark()}))), ..artifact() };
    let first = replying(v1::Payload::Task(task(given)));
    // Field 90 of the reply, a number.
    let unknown = vec![0, 0, 0, 0, 3, 0xD0, 0x05, 1];
    let reply = replied(&opened(), STREAM, vec![first, unknown.clone()]).await;
    assert!(reply.body.ends_with(&unknown), "{reply:?}");
}

#[tokio::test]
async fn nothing_hides_in_the_role_of_a_message_that_is_withheld() {
    let message = v1::Message { metadata: Some(proto_struct(&json!({URI: mark()}))), role: 0, ..agents("first") };
    let length = u8::try_from(SECRET.len()).unwrap();
    // Field 4 as a group with a text in it.
    let group = [&[0x23, 0x0A, length], SECRET.as_bytes(), &[0x24]].concat();
    let message = [message.encode_to_vec(), group].concat();
    let field = |tag: u8, content: &[u8]| {
        let mut field = vec![tag];
        prost::encoding::encode_varint(u64::try_from(content.len()).unwrap(), &mut field);
        [field, content.to_vec()].concat()
    };
    let task = field(0x1A, &field(0x12, &message));
    for layer in [gated(), opened()] {
        let reply = replied(&layer, GET, vec![raw_frame(0, &task)]).await;
        assert!(!reply.tells(), "{reply:?}");
    }
}

#[tokio::test]
async fn flags_of_the_events_end_no_stream_from_which_something_was_withheld() {
    let given = v1::Artifact { metadata: Some(proto_struct(&json!({URI: mark()}))), ..artifact() };
    let first = replying(v1::Payload::Task(task(given)));
    // An artifact update with `append` and `last_chunk`.
    let update = [&[0x0A, 1][..], b"t", &[0x1A, 3, 0x0A, 1], b"y", &[0x20, 1, 0x28, 1]].concat();
    let reply = [&[0x22, u8::try_from(update.len()).unwrap()], &update[..]].concat();
    let later = raw_frame(0, &reply);
    let reply = replied(&opened(), STREAM, vec![first, later.clone(), later.clone()]).await;
    assert!(reply.body.ends_with(&[later.clone(), later].concat()), "{reply:?}");
}

#[tokio::test]
async fn frames_are_read_whatever_the_status() {
    let given = v1::Artifact { metadata: Some(proto_struct(&json!({URI: mark()}))), ..artifact() };
    for status in [201, 202, 206, 500] {
        let body = frame(&task(given.clone()));
        let reply = move || {
            let mut reply = response([body.clone()]);
            *reply.status_mut() = http::StatusCode::from_u16(status).unwrap();
            reply
        };
        let reply = send_to(&opened(), call(GET, &[], asking("hi")), &Seen::default(), reply).await;
        assert!(!reply.tells(), "{status}: {reply:?}");
    }
}

//! What stands beside a mark that belongs to no Message and no Artifact, over gRPC.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use prost::Message;
use prost_types::Struct;
use serde_json::json;
use tower_a2a_extensions::{A2aExtensionsLayer, OnRequest};

use crate::messages::{v1, v03};
use crate::support::{
    ADDRESS, SECRET, Seen, URI, agents, asking, call, card, frame, gated, proto_struct, raw_frame, response, send_to,
    text_part, unframed,
};

const CASES: u32 = if cfg!(debug_assertions) { 1_500 } else { 30_000 };

/// As the guard wrote it when another assistant got the information.
fn mark() -> Struct {
    let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS, "givenTo": "k1.other"});
    proto_struct(&json!({URI: mark}))
}

fn opened() -> A2aExtensionsLayer {
    let mut card = card();
    card["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = json!(true);
    A2aExtensionsLayer::builder(card).extension(OnRequest::new().information("service-pricing")).build().unwrap()
}

fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::bytes::encode(number, &bytes.to_vec(), &mut out);
    out
}

fn status() -> v1::TaskStatus {
    v1::TaskStatus { state: 3, message: Some(agents("x")) }
}

fn artifact() -> v1::Artifact {
    v1::Artifact { artifact_id: "a".into(), parts: vec![text_part("x")], ..v1::Artifact::default() }
}

/// A Task with the mark, and the secret somewhere in it.
fn marked_task(place: usize) -> Vec<u8> {
    let mut task = v1::Task {
        id: "t".into(),
        status: Some(status()),
        artifacts: vec![artifact()],
        history: vec![agents("y")],
        metadata: Some(mark()),
        ..v1::Task::default()
    };
    let told = |text: &str| vec![text_part("x"), text_part(text)];
    match place % 8 {
        0 => task.artifacts[0].parts = told(SECRET),
        1 => task.artifacts[0].name = SECRET.into(),
        2 => task.status.as_mut().unwrap().message = Some(agents(SECRET)),
        3 => task.history.push(agents(SECRET)),
        4 => task.metadata.as_mut().unwrap().fields.extend(proto_struct(&json!({"total": [SECRET]})).fields),
        5 => task.artifacts[0].parts[0].metadata = Some(proto_struct(&json!({"total": SECRET}))),
        6 => return [field(9, SECRET.as_bytes()), task.encode_to_vec()].concat(),
        _ => return [task.encode_to_vec(), field(3, &field(7, SECRET.as_bytes()))].concat(),
    }
    task.encode_to_vec()
}

fn marked_update(place: usize) -> Vec<u8> {
    let secret = v1::Artifact { description: SECRET.into(), ..artifact() };
    let metadata = Some(mark());
    match place % 4 {
        0 => {
            let status = Some(v1::TaskStatus { state: 2, message: Some(agents(SECRET)) });
            field(3, &v1::StatusUpdate { task_id: "t".into(), status, metadata, ..Default::default() }.encode_to_vec())
        }
        1 => {
            let update =
                v1::StatusUpdate { task_id: "t".into(), status: Some(status()), metadata, ..Default::default() };
            field(3, &[update.encode_to_vec(), field(11, SECRET.as_bytes())].concat())
        }
        2 => {
            let update =
                v1::ArtifactUpdate { task_id: "t".into(), artifact: Some(secret), metadata, ..Default::default() };
            field(4, &update.encode_to_vec())
        }
        _ => {
            let update = v1::ArtifactUpdate { task_id: "t".into(), metadata, ..Default::default() };
            field(4, &[update.encode_to_vec(), field(12, SECRET.as_bytes())].concat())
        }
    }
}

/// A marked Artifact or Message that stands where another message belongs.
fn misplaced(place: usize) -> Vec<u8> {
    let artifact = v1::Artifact {
        name: if place.is_multiple_of(2) { SECRET.into() } else { String::new() },
        extensions: if place.is_multiple_of(3) { vec![URI.into()] } else { Vec::new() },
        parts: vec![text_part(SECRET)],
        metadata: Some(mark()),
        ..artifact()
    };
    let old = v03::Artifact {
        artifact_id: "a".into(),
        parts: vec![v03::Part { part: Some(v03::Content::Text(SECRET.into())) }],
        metadata: Some(mark()),
        ..v03::Artifact::default()
    };
    let message = v1::Message { metadata: Some(mark()), ..agents(SECRET) };
    match place % 4 {
        0 | 1 => artifact.encode_to_vec(),
        2 => old.encode_to_vec(),
        _ => message.encode_to_vec(),
    }
}

/// A method, and what it answers.
fn reply(choices: [usize; 3]) -> (&'static str, Vec<u8>) {
    let [shape, place, other] = choices;
    let task = || marked_task(place);
    let odd = || misplaced(place);
    match shape % 12 {
        0 => ("GetTask", task()),
        1 => ("SendMessage", field(1, &task())),
        2 => ("ListTasks", [field(1, &task()), field(2, b"next")].concat()),
        3 => ("SendStreamingMessage", field(1, &task())),
        4 => ("SendStreamingMessage", marked_update(place)),
        5 => ("GetTask", odd()),
        6 => ("ListTasks", field(1, &odd())),
        7 => ("SendStreamingMessage", field(1 + u32::try_from(other % 4).unwrap(), &odd())),
        8 => ("GetTask", field(3 + u32::try_from(other % 4).unwrap(), &odd())),
        // In a field that A2A does not have, at any depth.
        9 => ("GetTask", field(20, &field(1, &odd()))),
        10 => ("ListTasks", [field(9, &mark().encode_to_vec()), field(8, SECRET.as_bytes())].concat()),
        _ => ("GetTask", field(3, &[field(9, &odd()), status().encode_to_vec()].concat())),
    }
}

#[test]
fn or_5_4_a_secret_beside_anothers_mark_is_in_no_byte_wherever_the_mark_stands() {
    let layers = [gated(), opened()];
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let strategy = (any::<[usize; 3]>(), any::<bool>(), 1..50_usize);
    let result = runner.run(&strategy, |(choices, active, size)| {
        let (method, message) = reply(choices);
        let chunks = raw_frame(0, &message).chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>();
        for layer in &layers {
            for package in ["lf.a2a.v1", "a2a.v1"] {
                let path = format!("/{package}.A2AService/{method}");
                let headers: &[(&str, &str)] = if active { &[("a2a-extensions", URI)] } else { &[] };
                let chunks = chunks.clone();
                let answer = move || response(chunks.clone());
                let request = call(&path, headers, asking("hi"));
                let reply = runtime.block_on(send_to(layer, request, &Seen::default(), answer));
                prop_assert!(!reply.tells(), "{path} {choices:?}: {:?}", bytes::Bytes::from(reply.body));
            }
        }
        Ok(())
    });
    result.unwrap();
}

#[tokio::test]
async fn or_5_4_what_is_beside_a_mark_on_a_task_is_withheld_and_the_task_is_not_lost() {
    let users =
        v1::Message { message_id: "u".into(), role: 1, parts: vec![text_part("how much?")], ..Default::default() };
    let task = v1::Task {
        id: "t".into(),
        context_id: "c".into(),
        status: Some(v1::TaskStatus { state: 3, message: None }),
        artifacts: vec![artifact()],
        history: vec![users.clone(), agents(SECRET)],
        metadata: Some(mark()),
    };
    let request = call("/lf.a2a.v1.A2AService/GetTask", &[], asking("hi"));
    let reply = send_to(&opened(), request, &Seen::default(), move || response([frame(&task)])).await;
    let got = v1::Task::decode(&unframed(&reply.body)[0][..]).unwrap();
    assert_eq!((got.id.as_str(), got.context_id.as_str(), got.history), ("t", "c", vec![users]));
    assert!(got.artifacts.is_empty() && got.metadata.is_none());
    let status = got.status.unwrap();
    let message = status.message.unwrap();
    assert_eq!((status.state, message.message_id.as_str(), message.role), (3, "t-withheld", 2));
    let Some(v1::Content::Text(text)) = &message.parts[0].content else { panic!("{message:?}") };
    assert!(text.contains(ADDRESS), "{text}");
}

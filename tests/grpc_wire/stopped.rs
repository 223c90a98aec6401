//! What of the agent's frames must not leave, or cannot be read.

use prost::Message;
use serde_json::json;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OutgoingObject, Stamp,
};

use crate::messages::v1;
use crate::replies::{GET, artifact, reply_to, task};
use crate::support::{
    ADDRESS, MOOD, SECRET, SEND, STREAM, URI, agents, gated, moody, ok_trailers, proto_struct, raw_frame, replying,
    response, text_part, unframed,
};

#[tokio::test]
async fn c_an_unreadable_reply_goes_on_unless_it_names_a_key() {
    for (inside, passes) in [("nothing of ours".to_owned(), true), (format!("..{MOOD}.."), false)] {
        let broken = raw_frame(0, &[&[0x12, 0x7F], inside.as_bytes()].concat());
        let body = broken.clone();
        let reply = reply_to(&moody(), SEND, MOOD, move || response([body.clone()])).await;
        if passes {
            assert_eq!((reply.body, reply.trailers), (broken, Some(ok_trailers())));
        } else {
            assert!(reply.body.is_empty());
            assert_eq!(reply.trailers.unwrap()["grpc-status"], "13");
        }
    }
}

#[tokio::test]
async fn lies_about_the_length_end_cleanly_and_keep_no_memory() {
    for length in [u32::MAX, 1 << 30, 1000] {
        let lie = [&[0], &length.to_be_bytes()[..], b"short"].concat();
        let body = lie.clone();
        let reply = reply_to(&moody(), SEND, MOOD, move || response([body.clone()])).await;
        assert_eq!((reply.body, reply.trailers), (lie, Some(ok_trailers())), "{length}");
    }
}

#[tokio::test]
async fn a_frame_over_the_limit_goes_on_unstamped_or_is_stopped_at_a_key() {
    let layer = || {
        let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": MOOD}]}});
        A2aExtensionsLayer::builder(card).extension(crate::support::Mood).max_event(200).build().unwrap()
    };
    let long = replying(v1::Payload::Message(agents(&"x".repeat(1000))));
    let chunks =
        long.chunks(37).map(<[u8]>::to_vec).chain([replying(v1::Payload::Message(agents("y")))]).collect::<Vec<_>>();
    let reply = reply_to(&layer(), STREAM, MOOD, move || response(chunks.clone())).await;
    assert_eq!(reply.body[..long.len()], long);
    let last = unframed(&reply.body).pop().unwrap();
    assert!(last.windows(MOOD.len()).any(|window| window == MOOD.as_bytes()));
    let marked = v1::Message { metadata: Some(proto_struct(&json!({MOOD: SECRET}))), ..agents(&"x".repeat(1000)) };
    let marked = replying(v1::Payload::Message(marked));
    for size in [1, 37, 5000] {
        let chunks = marked.chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let reply = reply_to(&layer(), STREAM, "", move || response(chunks.clone())).await;
        assert_eq!(reply.trailers.as_ref().unwrap()["grpc-status"], "13", "{size}");
        assert!(!reply.tells());
    }
}

/// Withholds, or forbids, what names it.
struct Strict;

impl A2aExtension for Strict {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(MOOD)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        match object.metadata(MOOD).and_then(serde_json::Value::as_str) {
            Some("withhold") => Stamp::withhold("not for you"),
            Some("forbid") => Stamp::forbid("never"),
            _ => Stamp::keep(),
        }
    }
}

#[tokio::test]
async fn what_is_withheld_leaves_ids_and_words_alone_and_what_is_forbidden_ends_the_call() {
    let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": MOOD}]}});
    let layer = A2aExtensionsLayer::builder(card).extension(Strict).build().unwrap();
    let marked = |what: &str| v1::Artifact {
        description: SECRET.into(),
        metadata: Some(proto_struct(&json!({MOOD: what, "own": SECRET}))),
        ..artifact(SECRET)
    };
    let withheld = crate::support::frame(&v1::Task { artifacts: vec![marked("withhold"), artifact("b")], ..task() });
    let reply = reply_to(&layer, GET, "", move || response([withheld.clone()])).await;
    assert!(!reply.tells());
    let got = v1::Task::decode(&unframed(&reply.body)[0][..]).unwrap();
    let expected =
        v1::Artifact { artifact_id: "r-1".into(), parts: vec![text_part("not for you")], ..v1::Artifact::default() };
    assert_eq!(got.artifacts, [expected, artifact("b")]);
    let forbidden = crate::support::frame(&v1::Task { artifacts: vec![marked("forbid")], ..task() });
    let reply = reply_to(&layer, GET, "", move || response([forbidden.clone()])).await;
    assert!(reply.body.is_empty() && !reply.tells());
    assert_eq!(reply.trailers.as_ref().unwrap()["grpc-status"], "13");
}

#[tokio::test]
async fn or_5_3_what_the_agent_gives_of_a_closed_skill_does_not_leave() {
    let mark = json!({URI: {"status": "given-on-opt-in", "skillId": "service-pricing"}});
    let given = v1::Artifact { metadata: Some(proto_struct(&mark)), extensions: vec![URI.into()], ..artifact(SECRET) };
    let task = v1::Task { artifacts: vec![given], ..task() };
    for uri in ["", URI] {
        let body = crate::support::frame(&task);
        let reply = reply_to(&gated(), GET, uri, move || response([body.clone()])).await;
        assert!(!reply.tells());
        let got = v1::Task::decode(&unframed(&reply.body)[0][..]).unwrap();
        assert!(format!("{got:?}").contains(ADDRESS));
        let body = replying(v1::Payload::Task(task.clone()));
        let reply = reply_to(&gated(), SEND, uri, move || response([body.clone()])).await;
        assert!(!reply.tells() && reply.trailers.as_ref().unwrap()["grpc-status"] == "13");
    }
}

#[tokio::test]
async fn or_5_1_a_mark_leaves_only_where_it_was_activated() {
    let mark = json!({URI: {"status": "on-request", "skillId": "service-pricing", "personEntry": "https://evil.example"}, "own": 1});
    let message = v1::Message {
        metadata: Some(proto_struct(&mark)),
        extensions: vec!["x:y".into(), URI.into()],
        ..agents(ADDRESS)
    };
    let body = replying(v1::Payload::Message(message));
    let plain = body.clone();
    let reply = reply_to(&gated(), SEND, "", move || response([plain.clone()])).await.message();
    assert_eq!((reply.metadata.unwrap(), reply.extensions), (proto_struct(&json!({"own": 1})), vec!["x:y".to_owned()]));
    let reply = reply_to(&gated(), SEND, URI, move || response([body.clone()])).await.message();
    let corrected =
        json!({"own": 1, URI: {"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS}});
    assert_eq!(
        (reply.metadata.unwrap(), reply.extensions),
        (proto_struct(&corrected), vec!["x:y".to_owned(), URI.to_owned()])
    );
}

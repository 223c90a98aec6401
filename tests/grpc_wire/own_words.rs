//! An agent that asks the guard over gRPC, is refused, and answers in its own words or fails.

use std::convert::Infallible;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use prost::Message;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aCall, A2aRequestBody, OnRequestGuard};

use crate::messages::v1;
use crate::support::*;

const WORDS: &str = "I would rather not say.";
const ACTIVE: &[(&str, &str)] = &[("a2a-extensions", URI)];

fn trailers(status: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(HeaderName::from_static("grpc-status"), HeaderValue::from_static(status))])
}

/// Asks an agent that is refused its price, then answers with these chunks and this status.
async fn refused(path: &str, headers: &[(&str, &str)], chunks: Vec<Vec<u8>>, status: &'static str) -> Reply {
    let agent = tower::service_fn(move |request: Request<A2aRequestBody<TestBody>>| {
        let chunks = chunks.clone();
        async move {
            let guard = A2aCall::of(request.extensions()).and_then(OnRequestGuard::of).unwrap();
            assert!(guard.disclose("service-pricing").await.is_err());
            let body = TestBody::of(chunks.into_iter().map(Bytes::from), Some(trailers(status)));
            Ok::<_, Infallible>(Response::builder().header("content-type", "application/grpc").body(body).unwrap())
        }
    });
    let response = gated().layer(agent).oneshot(call(path, headers, asking("fees please"))).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned();
    Reply { headers: parts.headers, body: body.to_bytes().to_vec(), trailers }
}

fn payloads(reply: &Reply) -> Vec<v1::Payload> {
    let messages = unframed(&reply.body);
    messages.iter().map(|message| v1::StreamResponse::decode(&message[..]).unwrap().payload.unwrap()).collect()
}

fn texts(message: &v1::Message) -> Vec<&str> {
    let texts = message.parts.iter().map(|part| match &part.content {
        Some(v1::Content::Text(text)) => text.as_str(),
        _ => "",
    });
    texts.collect()
}

fn check_mark(message: &v1::Message, is_active: bool) {
    let has_mark = message.metadata.as_ref().is_some_and(|metadata| metadata.fields.contains_key(URI));
    assert_eq!((has_mark, message.extensions.len()), (is_active, usize::from(is_active)), "{message:?}");
}

fn task(state: i32, message: Option<v1::Message>) -> v1::Payload {
    let status = Some(v1::TaskStatus { state, message });
    v1::Payload::Task(v1::Task { id: "t".into(), context_id: "c".into(), status, ..v1::Task::default() })
}

#[tokio::test]
async fn or_6_1_or_6_2_a_message_is_marked_and_gets_the_address_if_it_lacks_it() {
    for path in [SEND, STREAM] {
        for headers in [ACTIVE, &[]] {
            for (words, added) in [
                (agents(WORDS), 1),
                (agents(&format!("Ask at {ADDRESS}.")), 0),
                (v1::Message { parts: vec![], ..agents("") }, 1),
            ] {
                let count = words.parts.len() + added;
                let reply = refused(path, headers, vec![replying(v1::Payload::Message(words))], "0").await;
                let message = reply.message();
                assert_eq!(message.parts.len(), count, "{message:?}");
                assert!(texts(&message).last().unwrap().contains(ADDRESS), "{message:?}");
                check_mark(&message, !headers.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn or_6_1_a_final_status_refers_and_one_without_a_message_gets_one() {
    for path in [SEND, STREAM] {
        for headers in [ACTIVE, &[]] {
            for words in [None, Some(agents(WORDS))] {
                let (id, count) = if words.is_some() { ("a-1", 2) } else { ("t-service-pricing", 1) };
                let reply = refused(path, headers, vec![replying(task(3, words))], "0").await;
                let [v1::Payload::Task(task)] = &payloads(&reply)[..] else { panic!("{reply:?}") };
                let message = task.status.as_ref().unwrap().message.as_ref().unwrap();
                assert_eq!((message.message_id.as_str(), message.role, message.parts.len()), (id, 2, count));
                assert!(texts(message).last().unwrap().contains(ADDRESS), "{message:?}");
                check_mark(message, !headers.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn or_5_3_an_error_behind_a_task_ends_it_with_the_referral() {
    for headers in [ACTIVE, &[]] {
        let before = replying(task(2, Some(agents("One moment."))));
        let reply = refused(STREAM, headers, vec![before], "13").await;
        assert_eq!(reply.trailers.as_ref().unwrap()["grpc-status"], "0");
        let [v1::Payload::Task(_), v1::Payload::StatusUpdate(update)] = &payloads(&reply)[..] else {
            panic!("{reply:?}")
        };
        assert_eq!((update.task_id.as_str(), update.context_id.as_str()), ("t", "c"));
        let status = update.status.as_ref().unwrap();
        let message = status.message.as_ref().unwrap();
        assert_eq!((status.state, message.context_id.as_str()), (3, "c"));
        assert!(texts(message)[0].contains(ADDRESS), "{message:?}");
        check_mark(message, !headers.is_empty());
    }
}

#[tokio::test]
async fn or_5_3_an_error_without_a_frame_before_it_becomes_a_message() {
    for path in [SEND, STREAM] {
        let reply = refused(path, ACTIVE, vec![], "7").await;
        let message = reply.message();
        assert!(texts(&message)[0].contains(ADDRESS), "{message:?}");
        check_mark(&message, true);
    }
}

#[tokio::test]
async fn an_error_stays_where_the_stream_has_referred_or_holds_a_message() {
    let ended = replying(task(4, Some(agents(WORDS))));
    for before in [ended, replying(v1::Payload::Message(agents(WORDS)))] {
        let reply = refused(STREAM, &[], vec![before], "13").await;
        assert_eq!(reply.trailers.as_ref().unwrap()["grpc-status"], "13");
        assert_eq!(unframed(&reply.body).len(), 1);
        assert!(String::from_utf8_lossy(&reply.body).contains(ADDRESS));
    }
    // A unary reply has room for one message, which has gone.
    let reply = refused(SEND, &[], vec![replying(task(2, None))], "13").await;
    assert_eq!(
        (reply.trailers.as_ref().unwrap()["grpc-status"].as_bytes(), unframed(&reply.body).len()),
        (&b"13"[..], 1)
    );
}

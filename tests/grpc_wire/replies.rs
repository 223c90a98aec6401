//! What happens to the agent's frames and trailers.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response};
use http_body::Body;
use http_body_util::BodyExt;
use prost::Message;
use serde_json::json;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer};

use crate::messages::{v1, v03};
use crate::support::{
    MOOD, Reply, SECRET, SEND, STREAM, Seen, TestBody, agents, asking, call, moody, ok_trailers, proto_struct,
    raw_frame, replying, response, send_to, text_part, unframed,
};

pub(crate) const GET: &str = "/lf.a2a.v1.A2AService/GetTask";
const LIST: &str = "/lf.a2a.v1.A2AService/ListTasks";

pub(crate) async fn reply_to(
    layer: &A2aExtensionsLayer,
    path: &str,
    uri: &str,
    reply: impl Fn() -> Response<TestBody> + Clone + Send + Sync + 'static,
) -> Reply {
    send_to(layer, call(path, &[("a2a-extensions", uri)], asking("hi")), &Seen::default(), reply).await
}

pub(crate) fn artifact(text: &str) -> v1::Artifact {
    v1::Artifact {
        artifact_id: "r-1".into(),
        name: "n".into(),
        parts: vec![text_part(text)],
        ..v1::Artifact::default()
    }
}

pub(crate) fn task() -> v1::Task {
    v1::Task {
        id: "t-1".into(),
        context_id: "c-1".into(),
        status: Some(v1::TaskStatus { state: 3, message: Some(agents("done")) }),
        artifacts: vec![artifact("one"), artifact("two")],
        history: vec![crate::support::users("hi"), agents("hello")],
        metadata: Some(proto_struct(&json!({"own": 1}))),
    }
}

pub(crate) fn stamped(metadata: &Option<prost_types::Struct>, extensions: &[String]) -> bool {
    let is_set = metadata.as_ref().is_some_and(|metadata| metadata.fields.contains_key(MOOD));
    assert_eq!(is_set, extensions.iter().any(|uri| uri == MOOD));
    is_set
}

pub(crate) fn stamps(task: &v1::Task) -> usize {
    let messages = task.status.iter().filter_map(|status| status.message.as_ref()).chain(&task.history);
    let messages = messages.filter(|message| stamped(&message.metadata, &message.extensions)).count();
    messages + task.artifacts.iter().filter(|one| stamped(&one.metadata, &one.extensions)).count()
}

#[tokio::test]
async fn every_object_of_every_reply_is_stamped_and_no_other() {
    let list = v1::ListTasksResponse { tasks: vec![task(), task()], next_page_token: "p".into() };
    let body = crate::support::frame(&list);
    let reply = reply_to(&moody(), LIST, MOOD, move || response([body.clone()])).await;
    let listed = v1::ListTasksResponse::decode(&unframed(&reply.body)[0][..]).unwrap();
    assert_eq!(listed.tasks.iter().map(stamps).collect::<Vec<_>>(), [4, 4]);
    assert_eq!(listed.next_page_token, "p");
    let body = crate::support::frame(&task());
    let reply = reply_to(&moody(), GET, MOOD, move || response([body.clone()])).await;
    let got = v1::Task::decode(&unframed(&reply.body)[0][..]).unwrap();
    assert_eq!(stamps(&got), 4);
    assert!(!stamped(&got.history[0].metadata, &got.history[0].extensions), "the user's");
    assert_eq!(got.metadata, task().metadata);
    assert_eq!(reply.trailers.unwrap(), ok_trailers());
}

#[tokio::test]
async fn b27_several_messages_in_one_chunk_and_one_over_many() {
    let status = v1::StatusUpdate {
        task_id: "t".into(),
        status: Some(v1::TaskStatus { state: 2, message: Some(agents("working")) }),
        ..v1::StatusUpdate::default()
    };
    let update = v1::ArtifactUpdate { artifact: Some(artifact("chunk")), ..v1::ArtifactUpdate::default() };
    let bytes = [
        replying(v1::Payload::Task(task())),
        replying(v1::Payload::StatusUpdate(status)),
        replying(v1::Payload::ArtifactUpdate(update)),
        replying(v1::Payload::Message(agents("bye"))),
    ]
    .concat();
    let whole = bytes.clone();
    let expected = reply_to(&moody(), STREAM, MOOD, move || response([whole.clone()])).await;
    let counts = unframed(&expected.body).into_iter().map(|message| {
        match v1::StreamResponse::decode(&message[..]).unwrap().payload.unwrap() {
            v1::Payload::Task(task) => stamps(&task),
            v1::Payload::Message(message) => usize::from(stamped(&message.metadata, &message.extensions)),
            v1::Payload::StatusUpdate(update) => {
                let message = update.status.unwrap().message.unwrap();
                usize::from(stamped(&message.metadata, &message.extensions))
            }
            v1::Payload::ArtifactUpdate(update) => {
                let artifact = update.artifact.unwrap();
                usize::from(stamped(&artifact.metadata, &artifact.extensions))
            }
        }
    });
    assert_eq!(counts.collect::<Vec<_>>(), [4, 1, 1, 1]);
    for size in [1, 3, 5, 7, 100] {
        let chunks = bytes.chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let reply = reply_to(&moody(), STREAM, MOOD, move || response(chunks.clone())).await;
        assert_eq!(reply.body, expected.body, "{size}");
        assert_eq!(reply.trailers, expected.trailers);
    }
}

#[tokio::test]
async fn b25_trailers_and_trailers_only_replies_are_forwarded() {
    let mut failed = HeaderMap::new();
    failed.insert("grpc-status", HeaderValue::from_static("5"));
    failed.insert("grpc-message", HeaderValue::from_static("task%20not%20found"));
    failed.insert("x-own", HeaderValue::from_bytes(b"\xC3\xA9").unwrap());
    let trailers = failed.clone();
    let layer = moody();
    let reply = reply_to(&layer, STREAM, MOOD, move || {
        let body = TestBody::of([Bytes::from(replying(v1::Payload::Message(agents("x"))))], Some(trailers.clone()));
        Response::builder().header("content-type", "application/grpc").body(body).unwrap()
    });
    let reply = reply.await;
    assert_eq!(reply.trailers.as_ref(), Some(&failed));
    assert_eq!(unframed(&reply.body).len(), 1);
    let head = failed.clone();
    let reply = reply_to(&layer, SEND, MOOD, move || {
        let mut response = Response::new(TestBody::default());
        *response.headers_mut() = head.clone();
        response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
        response
    });
    let reply = reply.await;
    assert_eq!((reply.refusal(), reply.headers["grpc-message"].to_str().unwrap()), ("5", "task%20not%20found"));
    assert_eq!(reply.headers["a2a-extensions"], MOOD);
}

#[tokio::test]
async fn b26_hint_and_end_are_honest() {
    let agent = tower::service_fn(async |_| {
        let body = http_body_util::Full::new(Bytes::from(replying(v1::Payload::Message(agents("x")))));
        let reply = Response::builder().header("content-type", "application/grpc").header("content-length", "5");
        Ok::<_, std::convert::Infallible>(reply.body(body).unwrap())
    });
    let request = call(SEND, &[("a2a-extensions", MOOD)], asking("hi"));
    let response = moody().layer(agent).oneshot(request).await.unwrap();
    assert!(!response.headers().contains_key("content-length"));
    let body = response.into_body();
    assert!(!body.is_end_stream());
    assert_eq!(body.size_hint().exact(), None);
    assert!(!body.collect().await.unwrap().to_bytes().is_empty());
}

#[tokio::test]
async fn b27_a_compressed_frame_of_the_agent_is_stopped() {
    let first = replying(v1::Payload::Message(agents("first")));
    let second = raw_frame(1, SECRET.as_bytes());
    let chunks = [first.clone(), second];
    let reply = reply_to(&moody(), STREAM, MOOD, move || response(chunks.clone())).await;
    assert_eq!(unframed(&reply.body).len(), 1);
    assert_eq!(reply.trailers.as_ref().unwrap()["grpc-status"], "13");
    assert_eq!(reply.error_info().1.reason, "INVALID_AGENT_RESPONSE");
    assert!(!reply.tells());
}

#[tokio::test]
async fn b28_fields_of_a_newer_peer_stay_byte_for_byte() {
    let newer = [0x9A, 0x06, 3, b'n', b'e', b'w'];
    let message = [&agents("x").encode_to_vec()[..], &newer].concat();
    let reply = [&[0x12, u8::try_from(message.len()).unwrap()], &message[..], &newer].concat();
    let body = raw_frame(0, &reply);
    let reply = reply_to(&moody(), SEND, MOOD, move || response([body.clone()])).await;
    assert_eq!(reply.message().extensions, [MOOD]);
    let found = reply.body.windows(newer.len()).filter(|window| *window == newer).count();
    assert_eq!(found, 2);
}

#[tokio::test]
async fn without_an_active_extension_the_bytes_are_the_agents() {
    let body = [replying(v1::Payload::Task(task())), replying(v1::Payload::Message(agents("x")))].concat();
    let agents_own = body.clone();
    let reply = reply_to(&moody(), STREAM, "https://x.example/other", move || response([body.clone()])).await;
    assert_eq!(reply.body, agents_own);
}

#[tokio::test]
async fn replies_of_0_3_are_read_with_its_numbers() {
    let part = v03::Part { part: Some(v03::Content::Text("x".into())) };
    let artifact =
        v03::Artifact { artifact_id: "r".into(), name: "n".into(), parts: vec![part], ..v03::Artifact::default() };
    let payload =
        v03::Payload::ArtifactUpdate(v03::ArtifactUpdate { artifact: Some(artifact.clone()), task_id: "t".into() });
    let body = crate::support::frame(&v03::StreamResponse { payload: Some(payload) });
    let reply = reply_to(&moody(), "/a2a.v1.A2AService/TaskSubscription", MOOD, move || response([body.clone()])).await;
    let got = v03::StreamResponse::decode(&unframed(&reply.body)[0][..]).unwrap().payload;
    let Some(v03::Payload::ArtifactUpdate(update)) = got else { panic!("{got:?}") };
    let got = update.artifact.unwrap();
    assert!(stamped(&got.metadata, &got.extensions));
    assert_eq!((got.name, got.parts), (artifact.name, artifact.parts));
}

#[tokio::test]
async fn a_reply_without_objects_is_searched_and_a_card_is_not() {
    let marked = v1::Message { metadata: Some(proto_struct(&json!({MOOD: SECRET}))), ..agents("x") };
    let body = replying(v1::Payload::Message(marked));
    for (method, passes) in
        [("GetExtendedAgentCard", true), ("CreateTaskPushNotificationConfig", false), ("SomethingNewer", false)]
    {
        let body = body.clone();
        let path = format!("/lf.a2a.v1.A2AService/{method}");
        let reply = reply_to(&moody(), &path, "", move || response([body.clone()])).await;
        assert_eq!(reply.tells(), passes, "{method}");
        let status = if passes { "0" } else { "13" };
        assert_eq!(reply.trailers.unwrap()["grpc-status"], status, "{method}");
    }
}

#[tokio::test]
async fn an_answer_of_the_agent_made_here_gets_its_trailers_from_the_layer() {
    let agent = tower::service_fn(async |request: http::Request<tower_a2a_extensions::A2aRequestBody<TestBody>>| {
        let call = A2aCall::of(request.extensions()).unwrap();
        let answer = tower_a2a_extensions::Answer::text("Not today.").into_http_response(call);
        Ok::<_, std::convert::Infallible>(answer.map(http_body_util::Full::new))
    });
    let request = call(SEND, &[("a2a-extensions", MOOD)], asking("hi"));
    let reply = moody().layer(agent).oneshot(request).await.unwrap().into_body().collect().await.unwrap();
    assert_eq!(reply.trailers(), Some(&ok_trailers()));
    assert!(reply.to_bytes().windows(10).any(|window| window == b"Not today."));
}

#[tokio::test]
async fn replies_are_frames_whatever_their_label_and_what_is_none_is_stopped() {
    let marked = v1::Message { metadata: Some(proto_struct(&json!({MOOD: SECRET}))), ..agents("x") };
    let body = replying(v1::Payload::Message(marked));
    for kind in [None, Some("text/plain"), Some("application/json"), Some("application/octet-stream")] {
        let labelled = |body: Vec<u8>| {
            move || {
                let mut reply = response([body.clone()]);
                reply.headers_mut().remove("content-type");
                if let Some(kind) = kind {
                    reply.headers_mut().insert("content-type", HeaderValue::from_static(kind));
                }
                reply
            }
        };
        let reply = reply_to(&moody(), SEND, "", labelled(body.clone())).await;
        assert!(!reply.tells() && reply.message().metadata.unwrap().fields.is_empty(), "{kind:?}");
        let json = format!(r#"{{"message":{{"metadata":{{"{MOOD}":"{SECRET}"}}}}}}"#);
        let reply = reply_to(&moody(), SEND, "", labelled(json.into_bytes())).await;
        assert!(!reply.tells(), "{kind:?}");
        assert_eq!(reply.trailers.unwrap()["grpc-status"], "13");
    }
}

#[tokio::test]
async fn b8_a_message_leaves_before_the_next_one_is_there() {
    let request = call(STREAM, &[("a2a-extensions", MOOD)], asking("hi"));
    let agent = tower::service_fn(async |_| {
        let first = replying(v1::Payload::Message(agents("first")));
        let mut body = TestBody::of([Bytes::from(first), Bytes::from_static(b"\0\0\0")], None);
        body.endless = true;
        let reply = Response::builder().header("content-type", "application/grpc");
        Ok::<_, std::convert::Infallible>(reply.body(body).unwrap())
    });
    let mut body = Box::pin(moody().layer(agent).oneshot(request).await.unwrap().into_body());
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.windows(MOOD.len()).any(|window| window == MOOD.as_bytes()));
    let mut next = tokio_test::task::spawn(body.frame());
    tokio_test::assert_pending!(next.poll());
}

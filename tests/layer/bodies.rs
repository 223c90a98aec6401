//! Honest heads and bodies.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aExtensionsBody, A2aRequestBody};

use crate::support::{FIRST, stamping_layer};

const REPLY: &str = r#"{"message":{"role":"ROLE_AGENT","parts":[]}}"#;
const STAMPED: &str = r#"{"message":{"role":"ROLE_AGENT","parts":[],"#;
const JSON: (&str, &str) = ("content-type", "application/json");

/// A body of given frames; an error where one is asked for.
struct Frames(VecDeque<Result<Frame<Bytes>, &'static str>>);

impl Body for Frames {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.pop_front().map(|frame| frame.map_err(std::io::Error::other)))
    }
}

fn data(text: &'static str) -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::data(Bytes::from_static(text.as_bytes())))
}

fn trailers() -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::trailers(HeaderMap::from_iter([(http::header::ETAG, HeaderValue::from_static("later"))])))
}

/// The reply of an agent that answers with these frames.
struct Agent {
    method: Method,
    status: StatusCode,
    headers: Vec<(&'static str, &'static str)>,
    frames: Vec<Result<Frame<Bytes>, &'static str>>,
}

fn agent(headers: &[(&'static str, &'static str)], frames: Vec<Result<Frame<Bytes>, &'static str>>) -> Agent {
    Agent { method: Method::POST, status: StatusCode::OK, headers: headers.to_vec(), frames }
}

impl Agent {
    async fn reply(self) -> Response<A2aExtensionsBody<Frames>> {
        let mut response = Response::new(Frames(self.frames.into()));
        *response.status_mut() = self.status;
        for (name, value) in self.headers {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        let response = Arc::new(Mutex::new(Some(response)));
        let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
            let response = response.lock().unwrap().take().unwrap();
            std::future::ready(Ok::<_, Infallible>(response))
        });
        let request = Request::builder().method(self.method).uri("/message:send").header("a2a-extensions", FIRST);
        let body = Full::new(Bytes::from_static(br#"{"message":{"parts":[]}}"#));
        stamping_layer().layer(agent).oneshot(request.body(body).unwrap()).await.unwrap()
    }
}

#[tokio::test]
async fn b25_b26_trailers_follow_a_stamped_body_and_the_hints_are_true() {
    let (head, tail) = REPLY.split_at(10);
    let reply = agent(&[JSON, ("content-length", "44")], vec![data(head), data(tail), trailers()]).reply().await;
    assert!(!reply.headers().contains_key("content-length"), "HTTP/1.1 would drop the trailers");
    let mut body = reply.into_body();
    assert_eq!(body.size_hint().exact(), None);
    let (mut text, mut seen) = (String::new(), None);
    while let Some(frame) = body.frame().await {
        assert!(seen.is_none(), "trailers are last");
        match frame.unwrap().into_data() {
            Ok(chunk) => {
                text.push_str(std::str::from_utf8(&chunk).unwrap());
                assert!(!body.is_end_stream(), "trailers are still to come");
            }
            Err(frame) => seen = frame.into_trailers().ok(),
        }
    }
    assert!(body.is_end_stream());
    assert_eq!(seen.unwrap()["etag"], "later");
    assert!(text.starts_with(STAMPED));
    let short = agent(&[JSON, ("content-length", "44")], vec![data(REPLY)]).reply().await;
    let announced = short.headers()["content-length"].to_str().unwrap().parse().unwrap();
    assert_eq!(short.body().size_hint().exact(), Some(announced));
    assert_eq!(short.into_body().collect().await.unwrap().to_bytes().len(), usize::try_from(announced).unwrap());
}

#[tokio::test]
async fn b36_what_describes_the_old_bytes_goes_only_with_them() {
    let validators =
        [JSON, ("etag", "\"1\""), ("content-digest", "sha-256=:a:"), ("accept-ranges", "bytes"), ("x-own", "1")];
    let stamped = agent(&validators, vec![data(REPLY)]).reply().await;
    for name in ["etag", "content-digest", "accept-ranges"] {
        assert!(!stamped.headers().contains_key(name), "{name}");
    }
    assert_eq!(
        (&stamped.headers()["x-own"], &stamped.headers()["content-type"]),
        (&"1".parse().unwrap(), &JSON.1.parse().unwrap())
    );
    let untouched = agent(&validators, vec![data(r#"{"name":"a card"}"#)]).reply().await;
    assert_eq!(untouched.headers()["etag"], "\"1\"");
    assert!(!untouched.headers().contains_key("content-length"), "none is invented");
}

#[tokio::test]
async fn b3_replies_without_a_body_keep_their_heads() {
    for (method, status) in [(Method::POST, 205), (Method::GET, 304)] {
        let headers = [JSON, ("content-length", "44"), ("etag", "\"1\"")];
        let reply = Agent { method, status: StatusCode::from_u16(status).unwrap(), ..agent(&headers, Vec::new()) }
            .reply()
            .await;
        assert_eq!(reply.headers()["content-length"], "44", "{status}");
        assert_eq!(reply.headers()["etag"], "\"1\"", "{status}");
        assert_eq!(reply.headers()["a2a-extensions"], FIRST, "{status}");
    }
}

#[tokio::test]
async fn a_reply_of_204_or_304_has_no_body_whatever_the_agent_sends() {
    for (status, length) in [(204, None), (304, Some("44"))] {
        let status = StatusCode::from_u16(status).unwrap();
        let headers = [JSON, ("content-length", "44"), ("etag", "\"1\"")];
        let reply = Agent { status, ..agent(&headers, vec![data(REPLY), trailers()]) }.reply().await;
        assert_eq!(reply.headers().get("content-length").map(|value| value.to_str().unwrap()), length);
        assert_eq!(
            (&reply.headers()["etag"], &reply.headers()["a2a-extensions"]),
            (&"\"1\"".parse().unwrap(), &FIRST.parse().unwrap())
        );
        assert!(reply.body().is_end_stream(), "{status}: the head ends the stream");
        assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), "");
    }
}

#[tokio::test]
async fn b5_a_compressed_reply_to_an_operation_is_stopped_and_any_other_passes() {
    for coding in ["gzip", "identity, br", "x"] {
        let coded = || agent(&[JSON, ("content-encoding", coding)], vec![data("\u{1f}not read")]);
        let stopped = coded().reply().await;
        assert_eq!(stopped.status(), 500, "{coding}: in the binding of the path");
        assert!(!stopped.into_body().collect().await.unwrap().to_bytes().starts_with(b"\x1f"));
        let other = Agent { method: Method::GET, ..coded() }.reply().await;
        assert_eq!(other.into_body().collect().await.unwrap().to_bytes(), "\u{1f}not read");
    }
    for coding in ["identity", "", "identity, IDENTITY"] {
        let reply = agent(&[JSON, ("content-encoding", coding)], vec![data(REPLY)]).reply().await;
        assert!(reply.into_body().collect().await.unwrap().to_bytes().starts_with(STAMPED.as_bytes()), "{coding}");
    }
}

#[tokio::test]
async fn a23_json_is_told_by_its_essence_in_any_case() {
    for kind in
        ["application/json", "APPLICATION/A2A+JSON", "application/a2a+json; charset=utf-8", "application/problem+json"]
    {
        let reply = agent(&[], vec![data(REPLY)]);
        let reply = Agent { headers: vec![("content-type", kind)], ..reply }.reply().await;
        assert_eq!(reply.headers()["content-type"], kind, "it is never touched");
        let text = reply.into_body().collect().await.unwrap().to_bytes();
        assert!(text.starts_with(STAMPED.as_bytes()), "{kind}");
    }
    for kind in ["text/plain", "application/octet-stream", "application/jsonp"] {
        let reply = Agent { headers: vec![("content-type", kind)], ..agent(&[], vec![data(REPLY)]) }.reply().await;
        assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), REPLY, "{kind}");
    }
}

#[tokio::test]
async fn a_reply_that_breaks_off_is_passed_on_with_its_error() {
    let (head, _) = REPLY.split_at(20);
    let reply = agent(&[JSON], vec![data(head), Err("broken pipe")]).reply().await;
    let mut body = reply.into_body();
    let mut text = Vec::new();
    let error = loop {
        match body.frame().await.unwrap() {
            Ok(frame) => text.extend_from_slice(&frame.into_data().unwrap()),
            Err(error) => break error,
        }
    };
    assert_eq!((text.as_slice(), error.to_string().as_str()), (head.as_bytes(), "broken pipe"));
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn b4_a_stale_transfer_encoding_is_removed_and_none_is_set() {
    let reply = agent(&[JSON, ("transfer-encoding", "chunked")], vec![data(REPLY)]).reply().await;
    assert!(!reply.headers().contains_key("transfer-encoding") && !reply.headers().contains_key("connection"));
}

#[test]
fn both_bodies_have_an_empty_default() {
    assert!(A2aRequestBody::<Full<Bytes>>::default().is_end_stream());
    assert!(A2aExtensionsBody::<Full<Bytes>>::default().is_end_stream());
    assert_eq!(A2aRequestBody::<Full<Bytes>>::from(Bytes::from_static(b"abc")).size_hint().exact(), Some(3));
}

#[tokio::test]
async fn without_a_gate_an_upload_keeps_its_wishes_and_a_call_does_not() {
    let agent = tower::service_fn(async |request: Request<A2aRequestBody<Full<Bytes>>>| {
        let asked = request.headers().contains_key("accept-encoding").to_string();
        Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(asked))))
    });
    for (kind, kept) in [("application/octet-stream", "true"), ("application/json", "false")] {
        let request = Request::post("/files/x").header("content-type", kind).header("accept-encoding", "gzip");
        let request = request.body(Full::new(Bytes::from_static(b"..."))).unwrap();
        let reply = stamping_layer().layer(agent).oneshot(request).await.unwrap();
        assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), kept, "{kind}");
    }
}

/// Always ready, and never with a byte, for this many frames.
struct EmptyFrames(usize);

impl Body for EmptyFrames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0 = self.0.saturating_sub(1);
        Poll::Ready((self.0 > 0).then(|| Ok(Frame::data(Bytes::new()))))
    }
}

#[test]
fn a_reply_of_empty_frames_gives_other_tasks_their_turn() {
    for kind in ["application/json", "text/event-stream", "text/plain"] {
        let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
            let response = Response::builder().header("content-type", kind).body(EmptyFrames(100_000));
            std::future::ready(Ok::<_, Infallible>(response.unwrap()))
        });
        let request = Request::post("/message:send").body(Full::<Bytes>::default()).unwrap();
        let whole = async { stamping_layer().layer(agent).oneshot(request).await.unwrap().into_body().collect().await };
        let first_turn = pin!(whole).poll(&mut Context::from_waker(Waker::noop()));
        assert!(first_turn.is_pending(), "{kind}");
    }
}

#[tokio::test]
async fn small_frames_count_towards_the_limit_of_a_document_with_their_bytes() {
    for (behind, is_stamped) in [(200, true), (5_000, false)] {
        let layer = tower_a2a_extensions::A2aExtensionsLayer::builder(crate::support::two());
        let layer = layer.extension(crate::support::Stamping(FIRST)).max_response_document(4096).build().unwrap();
        let frames = REPLY.split_inclusive("").filter(|byte| !byte.is_empty()).map(data).collect::<VecDeque<_>>();
        let frames = frames.into_iter().chain(std::iter::repeat_n((), behind).map(|()| data(" "))).collect();
        let frames = Arc::new(Mutex::new(Some(frames)));
        let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
            let body = Frames(frames.lock().unwrap().take().unwrap());
            std::future::ready(Ok::<_, Infallible>(Response::builder().header(JSON.0, JSON.1).body(body).unwrap()))
        });
        let request =
            Request::post("/message:send").header("a2a-extensions", FIRST).body(Full::<Bytes>::default()).unwrap();
        let reply = layer.layer(agent).oneshot(request).await.unwrap().into_body().collect().await.unwrap().to_bytes();
        assert!(reply.ends_with(" ".repeat(behind).as_bytes()));
        assert_eq!(reply.len() > REPLY.len() + behind, is_stamped, "{behind}");
    }
}

#[tokio::test]
async fn the_last_frame_of_a_stream_that_knows_its_end_ends_it() {
    let agent = tower::service_fn(|_: Request<A2aRequestBody<Full<Bytes>>>| async {
        let reply = Response::builder().header("content-type", "text/event-stream");
        Ok::<_, Infallible>(reply.body(Full::<Bytes>::from(format!("data: {REPLY}\n\n"))).unwrap())
    });
    let request = Request::post("/message:stream").header("a2a-extensions", FIRST).body(Full::default()).unwrap();
    let mut body = stamping_layer().layer(agent).oneshot(request).await.unwrap().into_body();
    let mut stamped = Vec::new();
    while !body.is_end_stream() {
        stamped.extend_from_slice(&body.frame().await.unwrap().unwrap().into_data().unwrap());
    }
    assert!(stamped.starts_with(format!("data: {STAMPED}").as_bytes()) && stamped.ends_with(b"\n\n"));
    assert!(body.frame().await.is_none());
}

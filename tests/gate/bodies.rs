//! How long and how slow a body may be.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use serde_json::Value;
use tokio::time::{Instant, Sleep, sleep};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::support::*;

/// A body that gives one byte after another, each after a pause.
struct Dripping {
    rest: Bytes,
    pause: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl http_body::Body for Dripping {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        std::task::ready!(Future::poll(self.sleep.as_mut(), cx));
        let next = Instant::now() + self.pause;
        self.sleep.as_mut().reset(next);
        let byte = (!self.rest.is_empty()).then(|| self.rest.split_to(1));
        Poll::Ready(byte.map(|byte| Ok(Frame::data(byte))))
    }
}

fn dripping(text: &'static str, pause: Duration) -> Body {
    Body::new(Dripping { rest: Bytes::from_static(text.as_bytes()), pause, sleep: Box::pin(sleep(pause)) })
}

/// Chunks of 64 KB without an announced length.
fn chunks(first: &'static [u8], filler: u8, count: usize) -> Body {
    let filler = Bytes::from(vec![filler; 64 << 10]);
    let stream =
        (0..count).map(move |n| Ok::<_, Infallible>(if n == 0 { Bytes::from_static(first) } else { filler.clone() }));
    Body::from_stream(ready_stream(stream))
}

pub(crate) fn ready_stream<T>(
    items: impl Iterator<Item = Result<T, Infallible>> + Unpin,
) -> impl futures_core::Stream<Item = Result<T, Infallible>> {
    struct Items<I>(I);
    impl<I: Iterator + Unpin> futures_core::Stream for Items<I> {
        type Item = I::Item;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<I::Item>> {
            Poll::Ready(self.0.next())
        }
    }
    Items(items)
}

#[tokio::test]
async fn b29_three_megabytes_of_json_get_413_with_and_without_a_length() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3 << 20));
    for body in [Body::from(long.clone()), chunks(b"{\"a\":\"", b'x', 50)] {
        let app = TestApp::closed();
        let reply = app.send(post("/a2a/v1", &[], body)).await;
        assert_eq!((app.calls(), reply.status.as_u16()), (0, 413));
        assert_eq!((&reply.json()["error"]["code"], &reply.json()["id"]), (&Value::from(-32600), &Value::Null));
    }
    let app = TestApp::closed();
    let reply = app.send(post("/a2a/rest/message:send", &[], long)).await;
    assert_eq!((app.calls(), reply.status.as_u16(), &reply.json()["error"]["code"]), (0, 413, &Value::from(413)));
}

#[tokio::test]
async fn white_space_counts_towards_the_limit() {
    let app = TestApp::closed();
    let reply = app.send(post("/a2a/v1", &[], chunks(b" ", b' ', 50))).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 413));
}

#[tokio::test]
async fn an_upload_beside_streams_through_unread() {
    let layer = A2aExtensionsLayer::new(card()).unwrap();
    let upload = async |request: axum::extract::Request| {
        let mut body = request.into_body();
        let (mut length, mut largest) = (0, 0);
        while let Some(frame) = http_body_util::BodyExt::frame(&mut body).await {
            let chunk = frame.unwrap().into_data().unwrap();
            length += chunk.len();
            largest = largest.max(chunk.len());
        }
        format!("{length} {largest}")
    };
    let router = axum::Router::new().route("/upload", axum::routing::post(upload)).layer(layer);
    let router = router.layer(axum::extract::DefaultBodyLimit::disable());
    let app = TestApp { router, calls: Default::default() };
    let reply =
        app.send(post("/upload", &[("content-type", "application/octet-stream")], chunks(b"PNG", b'x', 1601))).await;
    assert_eq!(reply.text(), format!("{} {}", 3 + (1600 * (64 << 10)), 64 << 10));
}

#[tokio::test(start_paused = true)]
async fn a_byte_a_minute_gets_408() {
    for (path, code) in [("/a2a/v1", -32600), ("/a2a/rest/message:send", 408)] {
        let app = TestApp::closed();
        let started = Instant::now();
        let reply = app.send(post(path, &[], dripping("{\"a\":1}", Duration::from_secs(60)))).await;
        assert_eq!((app.calls(), reply.status.as_u16(), &reply.json()["error"]["code"]), (0, 408, &Value::from(code)));
        assert_eq!(started.elapsed(), Duration::from_secs(30));
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_is_one_for_the_whole_body() {
    let app = TestApp::closed();
    let started = Instant::now();
    let reply =
        app.send(post("/a2a/v1", &[], dripping("{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1}", Duration::from_secs(2)))).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 408));
    assert_eq!(started.elapsed(), Duration::from_secs(30));
}

#[test]
fn without_a_timer_a_body_that_must_be_waited_for_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let app = TestApp::closed();
        let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &message(QUESTION)).to_string())).await;
        assert!(reply.text().contains(ADDRESS), "a body that is there needs no timer");
        let waiting = Body::from_stream(pending_stream());
        let reply = app.send(post("/a2a/v1", &[], waiting)).await;
        assert_eq!((app.calls(), reply.status.as_u16()), (0, 408));
    });
}

fn pending_stream() -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    ready_then_pending("")
}

/// One chunk, if it is not empty, and then nothing for ever.
pub(crate) fn ready_then_pending(text: &'static str) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    struct Once(Bytes);
    impl futures_core::Stream for Once {
        type Item = Result<Bytes, Infallible>;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            if self.0.is_empty() { Poll::Pending } else { Poll::Ready(Some(Ok(std::mem::take(&mut self.0)))) }
        }
    }
    Once(Bytes::from_static(text.as_bytes()))
}

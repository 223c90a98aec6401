//! Streams: the head, and events that leave as they come.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use futures_core::Stream;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::support::*;

/// The agent's side of a stream: what is sent here becomes a chunk.
struct Chunks {
    receiver: mpsc::UnboundedReceiver<Bytes>,
    dropped: Arc<AtomicBool>,
}

impl Stream for Chunks {
    type Item = Result<Bytes, std::io::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(cx).map(|chunk| chunk.map(Ok))
    }
}

impl Drop for Chunks {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

/// A streaming agent behind the layer, its sender, and whether its body was dropped.
async fn open(content_type: &'static str) -> (Response, mpsc::UnboundedSender<Bytes>, Arc<AtomicBool>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let dropped = Arc::new(AtomicBool::new(false));
    let chunks = std::sync::Mutex::new(Some(Chunks { receiver, dropped: Arc::clone(&dropped) }));
    let chunks = Arc::new(chunks);
    let handler = async move || {
        let chunks = chunks.lock().unwrap().take().unwrap();
        ([("content-type", content_type), ("content-length", "999")], Body::from_stream(chunks))
    };
    let app = Router::new().route("/a2a/v1", post(handler)).layer(stamping_layer());
    let response = call(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    (response, sender, dropped)
}

async fn next(response: &mut Response) -> String {
    let frame = response.body_mut().frame().await.unwrap().unwrap();
    String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
}

fn event(text: &str) -> String {
    let message = json!({"message": {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": text}]}});
    format!("id: 7\ndata: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": message}))
}

#[tokio::test]
async fn a1_b8_the_echo_stands_in_the_head_and_each_event_leaves_before_the_next_is_made() {
    let (mut response, sender, _) = open("text/event-stream").await;
    assert_eq!(response.headers()["a2a-extensions"], FIRST);
    assert_eq!(response.headers()["content-type"], "text/event-stream", "b7: never touched");
    assert!(!response.headers().contains_key("content-length"), "b1: the old length is not true");
    for text in ["one", "two"] {
        let event = event(text);
        let (head, tail) = event.split_at(9);
        for half in [head, tail] {
            sender.send(Bytes::copy_from_slice(half.as_bytes())).unwrap();
        }
        let mut whole = String::new();
        while !whole.ends_with("\n\n") {
            whole.push_str(&next(&mut response).await);
        }
        let data = whole.strip_prefix("id: 7\ndata: ").unwrap();
        let reply: Value = serde_json::from_str(data.trim()).unwrap();
        assert_eq!(reply["result"]["message"]["metadata"][FIRST], "stamped");
        assert_eq!(reply["result"]["message"]["parts"][0]["text"], text);
    }
    drop(sender);
    assert!(response.body_mut().frame().await.is_none());
}

#[tokio::test]
async fn b11_comments_pass_byte_for_byte() {
    let (mut response, sender, _) = open("text/event-stream; charset=utf-8").await;
    for comment in [": ping\n\n", ":\r\n\r\n", ": keep-alive\n\n"] {
        sender.send(Bytes::from(comment)).unwrap();
        assert_eq!(next(&mut response).await, comment);
    }
}

#[tokio::test]
async fn b9_an_error_document_in_place_of_a_stream_is_passed_on() {
    let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"the task has ended"}}"#;
    let handler = post(async move || ([("content-type", "application/json")], error));
    let app = Router::new().route("/a2a/v1", handler).layer(stamping_layer());
    let response = call(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert_eq!(response.headers()["content-length"], error.len().to_string().as_str());
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), error);
}

#[tokio::test]
async fn c15_other_streams_pass_unheld() {
    let (mut response, sender, _) = open("application/x-ndjson").await;
    for line in ["{\"a\":1}\n", "{\"b\":2}\n"] {
        sender.send(Bytes::from(line)).unwrap();
        assert_eq!(next(&mut response).await, line);
    }
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_agents_body() {
    let (response, _sender, dropped) = open("text/event-stream").await;
    assert!(!dropped.load(Ordering::SeqCst));
    drop(response);
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test]
async fn b20_bytes_behind_the_last_boundary_are_flushed() {
    let (mut response, sender, _) = open("text/event-stream").await;
    sender.send(Bytes::from("data: {\"half\":1}\n")).unwrap();
    drop(sender);
    assert_eq!(next(&mut response).await, "data: {\"half\":1}\n");
    assert!(response.body_mut().frame().await.is_none());
}

//! Peers and extensions that never end, and panic where they should not.

use std::convert::Infallible;
use std::panic::panic_any;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http_body::Frame;
use serde_json::json;
use tokio::time::Instant;
use tower_a2a_extensions::on_request::{SkillCall, Verdict};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, Gate, GateFuture, IncomingMessage, MessageGate, OnRequest,
    OutgoingObject, Stamp,
};

use crate::support::*;

/// Always ready, and never with a byte.
struct EmptyFrames;

impl http_body::Body for EmptyFrames {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(Some(Ok(Frame::data(Bytes::new()))))
    }
}

#[tokio::test]
async fn a_body_of_empty_frames_gets_408_and_lets_others_run() {
    let layer = A2aExtensionsLayer::builder(card()).request_body_timeout(Duration::from_millis(50)).build().unwrap();
    let app = TestApp::telling(layer);
    let (reply, ()) = tokio::join!(app.send(post("/a2a/v1", &[], Body::new(EmptyFrames))), async {
        tokio::task::yield_now().await;
    });
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 408));
}

struct HangingGate;

impl A2aExtension for HangingGate {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static("https://harbour.example/hanging")
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

impl MessageGate for HangingGate {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        GateFuture::new(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_hangs_refuses_in_bounded_time() {
    let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": "https://harbour.example/hanging"}]}});
    let app = TestApp::telling(A2aExtensionsLayer::builder(card).extension(HangingGate).build().unwrap());
    let started = Instant::now();
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string())).await;
    assert_eq!((app.calls(), &reply.json()["error"]["code"]), (0, &json!(-32603)));
    assert_eq!(started.elapsed(), Duration::from_secs(10));
}

/// What a panic can carry at worst.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[tokio::test]
async fn b34_a_panic_whose_payload_panics_is_a_referral_as_well() {
    let policy = async |_: SkillCall| -> Verdict { panic_any(Bomb) };
    let on_request = OnRequest::new().information("service-pricing").policy(policy);
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(on_request).build().unwrap();
    let app = TestApp::telling(layer);
    let mut question = message(QUESTION);
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert_eq!((app.calls(), reply.text().contains(ADDRESS)), (0, true), "{}", reply.text());
}

/// An error that panics when it is dropped.
#[derive(Debug)]
struct BombError(#[allow(dead_code)] Bomb);

impl std::fmt::Display for BombError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bomb")
    }
}

impl std::error::Error for BombError {}

#[tokio::test]
async fn b34_a_policy_error_whose_destructor_panics_is_a_referral_as_well() {
    let policy = async |_: SkillCall| Err::<Verdict, _>(BombError(Bomb));
    let on_request = OnRequest::new().information("service-pricing").policy(policy);
    let layer = A2aExtensionsLayer::builder(opened_card()).extension(on_request).build().unwrap();
    let app = TestApp::telling(layer);
    let mut question = message(QUESTION);
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert_eq!((app.calls(), reply.text().contains(ADDRESS)), (0, true), "{}", reply.text());
}

struct SlowGate(&'static str);

impl A2aExtension for SlowGate {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(self.0)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

impl MessageGate for SlowGate {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        GateFuture::new(async {
            tokio::time::sleep(Duration::from_secs(4)).await;
            Gate::Pass
        })
    }
}

#[tokio::test(start_paused = true)]
async fn each_gate_has_its_own_time() {
    let uris = ["urn:slow:1", "urn:slow:2", "urn:slow:3"];
    let declared = uris.map(|uri| json!({"uri": uri}));
    let builder = A2aExtensionsLayer::builder(json!({"name": "Clerk", "capabilities": {"extensions": declared}}));
    let builder = uris.into_iter().fold(builder, |builder, uri| builder.extension(SlowGate(uri)));
    let app = TestApp::telling(builder.build().unwrap());
    app.send(post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string())).await;
    assert_eq!(app.calls(), 1);
}

#[tokio::test]
async fn a_filter_that_panics_leaves_nothing_out() {
    let layer = A2aExtensionsLayer::builder(card()).only(|_| panic!("in the filter")).build().unwrap();
    let app = TestApp::telling(layer);
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &message(QUESTION)).to_string())).await;
    assert_eq!((app.calls(), reply.text().contains(ADDRESS)), (0, true));
}

#[tokio::test]
async fn long_values_under_our_key_are_not_read() {
    let app = TestApp::closed();
    let mut question = message("hello");
    question["metadata"] = json!({URI: {"skillId": "service-pricing", "pad": "x".repeat(65 << 10)}});
    app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert_eq!(app.calls(), 1, "a value over 64 KiB says nothing");
    question["metadata"] = json!({URI: {"skillId": "service-pricing", "pad": "x".repeat(60 << 10)}});
    let reply = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert!(reply.text().contains(ADDRESS));
}

//! Requests that are dropped midway, over a service that counts its permits (B22, B33).

use std::convert::Infallible;
use std::future::{Future, pending};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use axum::body::Body;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use serde_json::json;
use tower::limit::ConcurrencyLimit;
use tower::{Layer, Service, ServiceExt};
use tower_a2a_extensions::on_request::{SkillCall, Verdict};
use tower_a2a_extensions::{A2aExtensionsLayer, A2aRequestBody, OnRequest};
use tower_test::mock;

use crate::support::*;

type Inner = Request<A2aRequestBody<Body>>;

fn waiting_policy() -> A2aExtensionsLayer {
    let policy = async |_: SkillCall| pending::<Verdict>().await;
    A2aExtensionsLayer::builder(opened_card())
        .extension(OnRequest::new().information("service-pricing").policy(policy))
        .build()
        .unwrap()
}

fn opened_question() -> Request<Body> {
    let mut question = message(QUESTION);
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())
}

/// A body that never comes.
fn silent() -> Request<Body> {
    struct Silent;
    impl http_body::Body for Silent {
        type Data = Bytes;
        type Error = Infallible;
        fn poll_frame(
            self: std::pin::Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<http_body::Frame<Bytes>, Infallible>>> {
            Poll::Pending
        }
    }
    post("/a2a/v1", &[], Body::new(Silent))
}

#[tokio::test]
async fn b33_a_request_dropped_while_read_or_gated_frees_the_agents_permit_and_never_reaches_it() {
    let agent = tower::service_fn(async |_: Inner| -> Result<Response<Full<Bytes>>, Infallible> {
        panic!("the agent was called")
    });
    let mut service = waiting_policy().layer(ConcurrencyLimit::new(agent, 1));
    for request in [silent(), opened_question(), silent()] {
        let mut ready = pin!(service.ready());
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(ready)) = ready.as_mut().poll(&mut cx) else { panic!("the permit was not freed") };
        let mut call = Box::pin(ready.call(request));
        assert!(call.as_mut().poll(&mut cx).is_pending());
    }
}

#[tokio::test]
async fn b22_the_ready_instance_is_kept_through_reading_and_gating() {
    let (mut service, mut handle) =
        mock::spawn_layer::<Inner, Response<Full<Bytes>>, _>(A2aExtensionsLayer::new(card()).unwrap());
    handle.allow(1);
    tokio_test::assert_ready_ok!(service.poll_ready());
    // Read and passed by the gate: it goes to the instance that was polled ready.
    let reply = service.call(post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string()));
    let mut reply = tokio_test::task::spawn(reply);
    tokio_test::assert_pending!(reply.poll());
    let (_, send) = handle.next_request().await.unwrap();
    send.send_response(Response::new(Full::default()));
    assert!(reply.await.is_ok());
    handle.allow(1);
    tokio_test::assert_ready_ok!(service.poll_ready());
    let referral =
        service.call(post("/a2a/v1", &[], rpc("SendMessage", &message(QUESTION)).to_string())).await.unwrap();
    assert_eq!(referral.status(), 200);
    tokio_test::assert_pending!(tokio_test::task::spawn(handle.next_request()).poll());
}

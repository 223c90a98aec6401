//! Readiness and errors at poll level, without a clock.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aExtensionsBody, A2aRequestBody};
use tower_test::mock;

use crate::support::stamping_layer;

type Inner = Request<A2aRequestBody<Full<Bytes>>>;

fn request(body: &'static str) -> Request<Full<Bytes>> {
    Request::post("/a2a/v1").body(Full::new(Bytes::from_static(body.as_bytes()))).unwrap()
}

#[tokio::test]
async fn b22_the_instance_that_was_ready_is_the_one_called() {
    let (mut service, mut handle) = mock::spawn_layer::<Inner, Response<Full<Bytes>>, _>(stamping_layer());
    handle.allow(0);
    tokio_test::assert_pending!(service.poll_ready());
    handle.allow(1);
    tokio_test::assert_ready_ok!(service.poll_ready());
    let reply = service.call(request("{}"));
    let (seen, send) = handle.next_request().await.unwrap();
    assert_eq!(seen.uri(), "/a2a/v1");
    send.send_response(Response::new(Full::new(Bytes::from_static(b"as it is"))));
    let reply = reply.await.unwrap().into_body().collect().await.unwrap().to_bytes();
    assert_eq!(reply, "as it is");
    tokio_test::assert_pending!(service.poll_ready());
}

#[tokio::test]
async fn it_stands_under_and_over_a_concurrency_limit() {
    let agent = tower::service_fn(async |_: Inner| {
        Ok::<_, std::convert::Infallible>(Response::new(Full::new(Bytes::from_static(b"ok"))))
    });
    let under = stamping_layer().layer(tower::limit::ConcurrencyLimit::new(agent, 1));
    let both = tower::limit::ConcurrencyLimit::new(under, 1);
    for _ in 0..3 {
        let reply: Response<A2aExtensionsBody<_>> = both.clone().oneshot(request("{}")).await.unwrap();
        assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), "ok");
    }
}

#[tokio::test]
async fn b24_the_inner_error_is_unchanged() {
    #[derive(Debug, PartialEq)]
    struct Down;
    let agent = tower::service_fn(async |_: Inner| Err::<Response<Full<Bytes>>, _>(Down));
    assert_eq!(stamping_layer().layer(agent).oneshot(request("{}")).await.unwrap_err(), Down);
}

#[tokio::test]
async fn the_agent_gets_the_bytes_that_came() {
    let agent = tower::service_fn(async |request: Inner| {
        Ok::<_, std::convert::Infallible>(Response::new(Full::new(
            request.into_body().collect().await.unwrap().to_bytes(),
        )))
    });
    let reply = stamping_layer().layer(agent).oneshot(request(" \n[1, {\"a\":2}]")).await.unwrap();
    assert_eq!(reply.into_body().collect().await.unwrap().to_bytes(), " \n[1, {\"a\":2}]");
}

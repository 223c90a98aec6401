//! Streams over gRPC that nobody reads any more, or not yet.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::A2aRequestBody;

use crate::messages::v1;
use crate::support::{MOOD, STREAM, TestBody, agents, asking, call, moody, replying};

/// A stream without end that counts how often it is asked for more.
struct EndlessStream {
    asked: Arc<AtomicUsize>,
    frame: Bytes,
}

impl Body for EndlessStream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Poll::Ready(Some(Ok(Frame::data(self.frame.clone()))))
    }
}

#[tokio::test]
async fn a_stream_is_asked_for_as_much_as_is_read_and_dropped_with_its_reply() {
    let asked = Arc::new(AtomicUsize::new(0));
    let stream =
        EndlessStream { asked: Arc::clone(&asked), frame: replying(v1::Payload::Message(agents("hi"))).into() };
    let stream = Arc::new(Mutex::new(Some(stream)));
    let agent = tower::service_fn(move |_: Request<A2aRequestBody<TestBody>>| {
        let body = stream.lock().unwrap().take().unwrap();
        let reply = Response::builder().header("content-type", "application/grpc").body(body).unwrap();
        std::future::ready(Ok::<_, Infallible>(reply))
    });
    let service = moody().layer(agent);
    let response = service.oneshot(call(STREAM, &[("a2a-extensions", MOOD)], asking("hi"))).await.unwrap();
    let mut body = Box::pin(response.into_body());
    assert_eq!(asked.load(Ordering::SeqCst), 0, "nothing is read ahead");
    while asked.load(Ordering::SeqCst) < 3 {
        body.frame().await.unwrap().unwrap();
    }
    assert_eq!(Arc::strong_count(&asked), 2);
    drop(body);
    assert_eq!(Arc::strong_count(&asked), 1, "the agent's body went with the reply");
}

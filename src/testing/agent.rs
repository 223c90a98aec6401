//! One request through a layer, with a closure as the agent.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tokio::sync::{mpsc, oneshot};
use tower_layer::Layer;
use tower_service::Service;

use crate::server::{A2aExtensionsLayer, A2aRequestBody};

/// Runs one request through a layer in front of `agent`, and gives the whole reply.
///
/// The layer goes by what `agent` says its reply is. One without a JSON type (`application/json`)
/// or `text/event-stream` in its `content-type` is not stamped. The [module](super) has an example.
///
/// `agent` is called once at most, so it may keep what it likes: nothing needs to be `Clone`, `Send`
/// or `'static`. Where no gate and no agent waits for something, [`ready`](super::ready) gives the
/// reply without a runtime:
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use http::{Request, Response};
/// use tower_a2a_extensions::{A2aExtensionsLayer, testing};
///
/// let layer = A2aExtensionsLayer::new(serde_json::json!({"name": "Clerk"})).unwrap();
/// let seen = AtomicU32::new(0);
/// let agent = async |_| {
///     seen.fetch_add(1, Ordering::Relaxed);
///     Response::new("Hello.".into())
/// };
/// let reply = testing::ready(testing::respond(&layer, Request::get("/hello").body("").unwrap(), agent));
/// assert_eq!(reply.body(), "Hello.");
/// assert_eq!(seen.into_inner(), 1);
/// ```
///
/// # Panics
///
/// Where the reply's body breaks off, for example because it was stopped midway.
pub async fn respond<A, F>(layer: &A2aExtensionsLayer, request: Request<impl Into<Bytes>>, agent: A) -> Response<Bytes>
where
    A: FnOnce(Request<Bytes>) -> F,
    F: Future<Output = Response<Bytes>>,
{
    let (hand_over, mut handed_over) = mpsc::unbounded_channel::<AgentCall>();
    let replying = layer.layer(HandedOver(hand_over)).call(request.map(|body| Full::new(body.into())));
    let mut replying = pin!(async { whole(replying.await).await });
    let answering = pin!(async move {
        if let Some(call) = handed_over.recv().await {
            // Where nobody waits for it, the layer has replied itself.
            drop(call.answer.send(agent(call.request).await));
        }
    });
    let mut answering = Some(answering);
    poll_fn(|cx| {
        loop {
            if let Poll::Ready(reply) = replying.as_mut().poll(cx) {
                return Poll::Ready(reply);
            }
            match answering.as_mut().map(|answering| answering.as_mut().poll(cx)) {
                Some(Poll::Ready(())) => answering = None,
                Some(Poll::Pending) | None => return Poll::Pending,
            }
        }
    })
    .await
}

async fn whole<B>(response: Result<Response<B>, Infallible>) -> Response<Bytes>
where
    B: http_body::Body<Data = Bytes, Error: std::fmt::Display>,
{
    let (parts, body) = match response {
        Ok(response) => response.into_parts(),
        Err(never) => match never {},
    };
    match body.collect().await {
        Ok(body) => Response::from_parts(parts, body.to_bytes()),
        Err(error) => panic!("the reply broke off: {error}"),
    }
}

/// What the layer hands on, and where the answer goes.
struct AgentCall {
    request: Request<Bytes>,
    answer: oneshot::Sender<Response<Bytes>>,
}

/// The service behind the layer. The agent itself runs beside it, in the future of the test: so
/// what it captures is bound by nothing that a service is bound by.
#[derive(Clone)]
struct HandedOver(mpsc::UnboundedSender<AgentCall>);

impl Service<Request<A2aRequestBody<Full<Bytes>>>> for HandedOver {
    type Response = Response<Full<Bytes>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<A2aRequestBody<Full<Bytes>>>) -> Self::Future {
        let agent = self.0.clone();
        Box::pin(async move {
            let (parts, body) = request.into_parts();
            let request = Request::from_parts(parts, body.collect().await?.to_bytes());
            let (answer, answered) = oneshot::channel();
            drop(agent.send(AgentCall { request, answer }));
            match answered.await {
                Ok(response) => Ok(response.map(Full::new)),
                Err(_) => panic!("the layer called the agent twice"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::testing::ready;

    const URI: &str = "https://example.com/mood/v1";

    fn layer() -> A2aExtensionsLayer {
        A2aExtensionsLayer::new(json!({"capabilities": {"extensions": [{"uri": URI, "required": true}]}})).unwrap()
    }

    fn request(extensions: &str) -> Request<String> {
        let body = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "Hello?"}]}});
        let request = Request::post("/message:send").header("a2a-version", "1.0").header("a2a-extensions", extensions);
        request.body(body.to_string()).unwrap()
    }

    #[test]
    fn an_agent_may_keep_what_it_counts_with() {
        let seen = AtomicU32::new(0);
        let borrows = async |request: Request<Bytes>| {
            seen.fetch_add(1, Ordering::Relaxed);
            Response::new(request.into_body())
        };
        let reply = ready(respond(&layer(), request(URI), borrows));
        assert!(reply.body().starts_with(b"{\"message\""));
        assert_eq!(seen.load(Ordering::Relaxed), 1);

        let owns = async move |_| {
            seen.fetch_add(1, Ordering::Relaxed);
            Response::new(seen.load(Ordering::Relaxed).to_string().into())
        };
        assert_eq!(ready(respond(&layer(), request(URI), owns)).body(), "2");

        let mut neither_send_nor_sync = Cell::new(0);
        let counts = async |_| {
            *neither_send_nor_sync.get_mut() += 1;
            Response::default()
        };
        ready(respond(&layer(), request(URI), counts));
        assert_eq!(neither_send_nor_sync.get(), 1);
    }

    #[test]
    fn what_the_layer_refuses_does_not_reach_the_agent() {
        let reached = Cell::new(false);
        let agent = async |_| {
            reached.set(true);
            Response::default()
        };
        let reply = ready(respond(&layer(), request("https://example.com/other"), agent));
        assert_eq!(reply.status(), 400);
        assert!(!reached.get());
    }

    #[tokio::test]
    async fn an_agent_may_wait_and_the_test_may_be_spawned() {
        let (layer, nap) = (layer(), Duration::from_millis(1));
        let reply = tokio::spawn(async move {
            let agent = async move |_| {
                tokio::time::sleep(nap).await;
                Response::new("Good morning.".into())
            };
            respond(&layer, request(URI), agent).await
        });
        assert_eq!(reply.await.unwrap().body(), "Good morning.");
    }

    #[test]
    #[should_panic(expected = "the agent fell over")]
    fn a_panic_of_the_agent_fails_the_test() {
        ready(respond(&layer(), request(URI), async |_| panic!("the agent fell over")));
    }
}

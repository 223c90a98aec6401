//! Agents with and without the layer, and extensions for it.

use std::borrow::Cow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use serde_json::{Value, json};
use tower::{Layer, Service};
use tower_a2a_extensions::bench_support::StampingBench;
use tower_a2a_extensions::testing::ready;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, Gate, GateFuture, IncomingMessage, MessageGate,
    OutgoingObject, Stamp,
};

use crate::bodies::Reply;

pub(crate) const URIS: [&str; 3] =
    ["https://example.com/ext/one/v1", "https://example.com/ext/two/v1", "https://example.com/ext/three/v1"];
pub(crate) const KEYS: [&str; 3] = ["example.com/ext/one/key", "example.com/ext/two/key", "example.com/ext/three/key"];
pub(crate) const VALUE: &str = "2026-01-01T00:00:00Z";
const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";

/// Sets one value, as the `timestamp` example does.
struct Stamping(usize);

impl A2aExtension for Stamping {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URIS[self.0])
    }

    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        vec![KEYS[self.0].into()]
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set(VALUE) } else { Stamp::remove() }
    }
}

/// Lets every message pass, and stamps nothing.
struct Passing;

impl MessageGate for Passing {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        GateFuture::ready(Gate::Pass)
    }
}

impl A2aExtension for Passing {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URIS[0])
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

/// The stamper alone, with so many extensions.
pub(crate) fn stamping(extensions: usize, active: bool) -> StampingBench {
    let extensions = (0..extensions).map(|index| Arc::new(Stamping(index)) as Arc<dyn A2aExtension>);
    StampingBench::new(extensions.collect(), active)
}

fn card(uris: &[&str]) -> Value {
    let declared = uris.iter().map(|uri| json!({"uri": uri})).collect::<Vec<_>>();
    json!({"name": "Bench", "capabilities": {"extensions": declared}, "skills": []})
}

/// What stands in front of the agent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Front {
    /// A declared extension that nobody implements.
    NothingInstalled,
    /// One extension that stamps.
    Stamping,
    /// A gate that lets pass.
    PassingGate,
    /// On Request, which finds nothing to refer.
    OnRequest,
}

pub(crate) fn layer(front: Front) -> A2aExtensionsLayer {
    let built = match front {
        Front::NothingInstalled => A2aExtensionsLayer::new(card(&URIS[..1])),
        Front::Stamping => A2aExtensionsLayer::builder(card(&URIS[..1])).extension(Stamping(0)).build(),
        Front::PassingGate => A2aExtensionsLayer::builder(card(&URIS[..1])).extension(Passing).build(),
        Front::OnRequest => A2aExtensionsLayer::new(json!({
            "name": "Bench",
            "provider": {"organization": "Bench", "url": "https://example.com"},
            "capabilities": {"extensions": [{
                "uri": ON_REQUEST,
                "params": {"skills": [{"id": "price", "personEntry": "https://ask.example.com"}]},
            }]},
            "skills": [{"id": "price", "name": "Price", "description": "On request.", "tags": []}],
        })),
    };
    built.expect("the card is good")
}

/// An agent that reads a JSON request and replies with this task.
pub(crate) fn agent(reply: Reply) -> Router {
    let reply = Arc::new(reply);
    let handler = move |Json(_call): Json<Value>| {
        let reply = Arc::clone(&reply);
        async move { Json(Shared(reply)) }
    };
    Router::new().route("/message:send", post(handler))
}

#[derive(serde::Serialize)]
struct Shared(#[serde(serialize_with = "serialize_shared")] Arc<Reply>);

fn serialize_shared<S: serde::Serializer>(reply: &Arc<Reply>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&**reply, serializer)
}

/// The head of the answer to one request; it is 200, or there is no use in measuring it.
pub(crate) fn respond<S, R>(service: &S, body: &Bytes, asked: Option<&'static str>) -> Response<R>
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>> + Clone,
{
    let mut request = Request::post("/message:send").header("content-type", "application/json");
    request = request.header("a2a-version", "1.0");
    if let Some(asked) = asked {
        request = request.header("a2a-extensions", asked);
    }
    let request = request.body(Full::new(body.clone())).expect("the request is good");
    let response = ready(service.clone().call(request)).unwrap_or_else(|_| panic!("the agent answers"));
    assert_eq!(response.status(), StatusCode::OK);
    response
}

/// One whole call: how many bytes the reply has.
pub(crate) fn call<S, R>(service: &S, body: &Bytes, asked: Option<&'static str>) -> usize
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>> + Clone,
    R: Body<Data = Bytes>,
{
    let mut length = 0;
    read(pin!(respond(service, body, asked).into_body()), |chunk| length += chunk.len());
    length
}

/// Reads a body that is all there.
pub(crate) fn read(mut body: Pin<&mut impl Body<Data = Bytes>>, mut each: impl FnMut(&Bytes)) {
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match body.as_mut().poll_frame(&mut context) {
            Poll::Ready(Some(Ok(frame))) => frame.data_ref().into_iter().for_each(&mut each),
            Poll::Ready(None) => return,
            Poll::Ready(Some(Err(_))) | Poll::Pending => panic!("the body is whole and all there"),
        }
    }
}

/// The agent behind the layer.
pub(crate) fn layered(
    front: Front,
    reply: Reply,
) -> impl Service<Request<Full<Bytes>>, Response = Response<impl Body<Data = Bytes>>> + Clone {
    layer(front).layer(agent(reply))
}

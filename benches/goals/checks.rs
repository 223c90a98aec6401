//! That the work is done: what is fast because it does nothing must not pass for fast.

use std::pin::pin;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use serde_json::Value;
use tower::Service;
use tower_a2a_extensions::bench_support::{EventsBench, StampingBench};

use crate::agents::{self, KEYS, URIS, VALUE};
use crate::bodies::naive;

fn out(bench: &StampingBench, document: &Bytes) -> Vec<u8> {
    bench.document(document).expect("the reply is not stopped").concat()
}

fn parsed(json: &[u8]) -> Value {
    serde_json::from_slice(json).expect("what leaves is JSON")
}

/// A stamper with so many active extensions, which does to this document what the naive way does.
pub(crate) fn stamping(extensions: usize, document: &Bytes) -> StampingBench {
    let bench = agents::stamping(extensions, true);
    let expected = naive(document, &URIS[..extensions], &KEYS[..extensions], VALUE);
    assert_ne!(parsed(&expected), parsed(document));
    assert_eq!(parsed(&out(&bench, document)), parsed(&expected));
    bench
}

/// A stamper on which nothing is active, which leaves this document as it is.
pub(crate) fn inactive(document: &Bytes) -> StampingBench {
    let bench = agents::stamping(1, false);
    assert!(out(&bench, document) == document[..]);
    bench
}

/// A stamper with one active extension, which stamps the artifact of this event.
pub(crate) fn event_stamping(json: &Bytes) -> StampingBench {
    let bench = agents::stamping(1, true);
    let left = parsed(&out(&bench, json));
    assert_eq!(left["artifactUpdate"]["artifact"]["metadata"][KEYS[0]], VALUE);
    bench
}

/// As an event it leaves as long as its document does, with the two line ends and `data: `.
pub(crate) fn event_is_stamped(events: &mut EventsBench, event: &Bytes, bench: &StampingBench, json: &Bytes) {
    let framing = event.len() - json.len();
    assert_eq!(events.push(event.clone()), out(bench, json).len() + framing);
}

/// The agent answers, and its artifact carries the key exactly where it was asked for.
pub(crate) fn answers<S, R>(service: &S, body: &Bytes, asked: Option<&'static str>)
where
    S: Service<Request<Full<Bytes>>, Response = Response<R>> + Clone,
    R: Body<Data = Bytes>,
{
    let mut reply = Vec::new();
    let response = agents::respond(service, body, asked);
    agents::read(pin!(response.into_body()), |chunk| reply.extend_from_slice(chunk));
    let reply = parsed(&reply);
    let artifact = &reply["result"]["task"]["artifacts"][0];
    assert!(artifact["parts"].is_array(), "{reply}");
    let key = artifact["metadata"].get(KEYS[0]).and_then(Value::as_str);
    assert_eq!(key, asked.map(|_| VALUE), "{reply}");
}

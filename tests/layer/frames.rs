//! Both bodies frame by frame: hints that hold, ends that are ends, and waits that are woken.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::Full;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsBody, A2aExtensionsLayer, A2aRequestBody, ExtensionUri, Gate, GateFuture,
    IncomingMessage, MessageGate, OutgoingObject, Stamp,
};

use crate::support::*;

const MESSAGE: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}"#;
const MESSAGE_AND_SPACE: &str = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}} "#;
const REPLY: &str = r#"{"message":{"role":"ROLE_AGENT","parts":[]}}"#;

/// What a body does next.
#[derive(Clone, Copy, Debug)]
enum Step {
    Data(&'static str),
    Trailers,
    Error,
    /// It is not there at once, and wakes.
    Wait,
}

/// A body of given steps, which knows its length if it says so.
struct Steps {
    steps: std::vec::IntoIter<Step>,
    says_length: bool,
}

fn steps(steps: &[Step]) -> Steps {
    Steps { steps: Vec::from(steps).into_iter(), says_length: false }
}

impl Body for Steps {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(step) = self.steps.next() else { return Poll::Ready(None) };
        Poll::Ready(Some(match step {
            Step::Data(text) => Ok(Frame::data(Bytes::from_static(text.as_bytes()))),
            Step::Trailers => {
                let later = (http::header::ETAG, HeaderValue::from_static("later"));
                Ok(Frame::trailers(HeaderMap::from_iter([later])))
            }
            Step::Error => Err(std::io::Error::other("broken pipe")),
            Step::Wait => {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.steps.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let length = |step: &Step| if let Step::Data(text) = step { text.len() as u64 } else { 0 };
        let length = self.steps.as_slice().iter().map(length).sum();
        if self.says_length { SizeHint::with_exact(length) } else { SizeHint::default() }
    }
}

/// What came of a body that was read to its end.
#[derive(Debug, Default)]
struct Read {
    text: String,
    trailers: bool,
    error: Option<String>,
    waits: usize,
}

/// Drives a future to its end; each time it waits it must have been woken.
fn drive<T>(future: impl Future<Output = T>, waits: &mut usize) -> T {
    let mut task = tokio_test::task::spawn(future);
    loop {
        match task.poll() {
            Poll::Ready(output) => return output,
            Poll::Pending => assert!(task.is_woken(), "it waits, and nobody wakes it"),
        }
        *waits += 1;
    }
}

/// Reads a body to its end, and holds what it said of itself before each frame against what came.
fn read<B>(body: B) -> Read
where
    B: Body<Data = Bytes>,
    B::Error: std::fmt::Display,
{
    let mut body = tokio_test::task::spawn(body);
    let (mut read, mut said, mut frames) = (Read::default(), Vec::new(), 0);
    loop {
        let (hint, ended) = body.enter(|_, body| (body.size_hint(), body.is_end_stream()));
        said.push((read.text.len() as u64, frames, hint, ended));
        match body.enter(|cx, body| body.poll_frame(cx)) {
            Poll::Pending => {
                assert!(body.is_woken(), "it waits, and nobody wakes it");
                read.waits += 1;
                continue;
            }
            Poll::Ready(None) => break,
            Poll::Ready(Some(Err(error))) => read.error = Some(error.to_string()),
            Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => read.text.push_str(std::str::from_utf8(&data).unwrap()),
                Err(_) => read.trailers = true,
            },
        }
        frames += 1;
    }
    assert!(body.enter(|_, body| body.is_end_stream()), "it ended");
    for (length, frame, hint, ended) in said {
        let remains = read.text.len() as u64 - length;
        assert!(hint.lower() <= remains, "frame {frame}: {hint:?} says more than the {remains} bytes that came");
        assert!(hint.upper().is_none_or(|upper| upper >= remains), "frame {frame}: {hint:?}, but {remains} came");
        assert!(!ended || frame == frames, "{} frames came after an end", frames - frame);
    }
    read
}

/// Lets every message pass, after it was read.
struct PassingGate;

impl A2aExtension for PassingGate {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(FIRST)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

impl MessageGate for PassingGate {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        Gate::Pass.into()
    }
}

fn gated() -> A2aExtensionsLayer {
    A2aExtensionsLayer::builder(two()).extension(PassingGate).build().unwrap()
}

/// The body that the agent gets behind a layer, and how often the layer waited before.
fn passed_on(layer: &A2aExtensionsLayer, body: Steps) -> (A2aRequestBody<Steps>, usize) {
    let passed = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&passed);
    let agent = tower::service_fn(move |request: Request<A2aRequestBody<Steps>>| {
        *kept.lock().unwrap() = Some(request.into_body());
        std::future::ready(Ok::<_, Infallible>(Response::new(Full::<Bytes>::default())))
    });
    let request = Request::post("/message:send").body(body).unwrap();
    let mut waits = 0;
    drive(layer.layer(agent).oneshot(request), &mut waits).unwrap();
    let body = passed.lock().unwrap().take().expect("the agent is called");
    (body, waits)
}

#[tokio::test]
async fn the_agents_body_says_the_truth_of_itself_in_every_kind() {
    use Step::{Data, Trailers, Wait};
    let cases: [(&str, &[Step], &str); 8] = [
        ("Untouched", &[Data("{}"), Wait, Data("later"), Trailers], "{}later"),
        ("Peeked", &[Data("no "), Wait, Data("JSON")], "no JSON"),
        ("Peeked", &[Data(" "), Data(" no "), Data("JSON"), Trailers], "  no JSON"),
        ("Peeked", &[Wait, Data("all of it")], "all of it"),
        ("Read", &[Data(MESSAGE)], MESSAGE),
        ("Read", &[Data(""), Wait, Data(MESSAGE), Data(" "), Trailers], MESSAGE_AND_SPACE),
        ("Read", &[Data(" "), Wait, Data("\n")], " \n"),
        ("Read", &[Wait, Data(""), Trailers], ""),
    ];
    for (kind, given, text) in cases {
        let layer = if kind == "Untouched" { stamping_layer() } else { gated() };
        for says_length in [true, false] {
            let (body, waits) = passed_on(&layer, Steps { says_length, ..steps(given) });
            assert!(format!("{body:?}").contains(kind), "{given:?}: {body:?}");
            let read = read(body);
            let given_trailers = given.iter().any(|step| matches!(step, Trailers));
            let given_waits = given.iter().filter(|step| matches!(step, Wait)).count();
            assert_eq!((read.text.as_str(), read.trailers, &read.error), (text, given_trailers, &None), "{given:?}");
            assert_eq!(waits + read.waits, given_waits, "{given:?}");
        }
    }
}

#[tokio::test]
async fn a_request_of_many_frames_gives_others_their_turn_and_comes_back() {
    let blank = vec![Step::Data(" "); 3000];
    let (body, waits) = passed_on(&gated(), steps(&blank));
    assert_eq!((read(body).text.len(), waits), (3000, 2));
}

/// The body that the client gets of an agent that answers with these steps, and how often the layer
/// waited before it had a head.
fn answered(path: &str, content_type: &'static str, body: Steps) -> (A2aExtensionsBody<Steps>, usize) {
    let body = Arc::new(Mutex::new(Some(body)));
    let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
        let response = Response::builder().header("content-type", content_type);
        let response = response.body(body.lock().unwrap().take().unwrap()).unwrap();
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let request = Request::post(path).header("content-type", if path == CALL { JSON } else { "image/png" });
    let request = request.header("a2a-extensions", FIRST).body(Full::from(MESSAGE)).unwrap();
    let mut waits = 0;
    let response = drive(stamping_layer().layer(agent).oneshot(request), &mut waits).unwrap();
    (response.into_body(), waits)
}

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const TEXT: &str = "text/plain";
const CALL: &str = "/message:send";

#[tokio::test]
async fn the_clients_body_says_the_truth_of_itself_in_every_kind() {
    use Step::{Data, Error, Trailers, Wait};
    let event = "data: {\"message\":{\"role\":\"ROLE_AGENT\",\"parts\":[]}}\n\n";
    let cases: [(&str, &str, &'static str, &[Step]); 14] = [
        ("Inner", "/files/log", TEXT, &[Data("a"), Wait, Data("b"), Trailers]),
        ("Inner", "/files/log", TEXT, &[Data("a"), Error]),
        ("Chunks", CALL, JSON, &[Data(REPLY)]),
        ("Chunks", CALL, JSON, &[Wait, Data("{"), Data(""), Wait, Data("}")]),
        ("Chunks", CALL, JSON, &[Data(REPLY), Trailers]),
        ("Chunks", CALL, JSON, &[Data("")]),
        ("Chunks", CALL, JSON, &[Data("{\"message\""), Data(":"), Error]),
        ("Filtered", CALL, EVENTS, &[Data(event), Wait, Data(event)]),
        ("Filtered", CALL, EVENTS, &[Data(event), Data("data: not ended"), Trailers]),
        ("Filtered", CALL, EVENTS, &[Data("data: not ended"), Error]),
        ("Filtered", CALL, EVENTS, &[Trailers]),
        ("Filtered", CALL, TEXT, &[Data("some"), Wait, Data(" text")]),
        ("Filtered", CALL, TEXT, &[Data("some"), Data(" text"), Trailers]),
        ("Filtered", CALL, TEXT, &[Data("https://example.com/first"), Error]),
    ];
    for (kind, path, content_type, given) in cases {
        let (body, waits) = answered(path, content_type, steps(given));
        assert!(format!("{body:?}").contains(kind), "{given:?}: {body:?}");
        let read = read(body);
        let given_waits = given.iter().filter(|step| matches!(step, Wait)).count();
        assert_eq!(read.trailers, given.iter().any(|step| matches!(step, Trailers)), "{given:?}");
        assert_eq!(read.error.is_some(), given.iter().any(|step| matches!(step, Error)), "{given:?}: {read:?}");
        assert_eq!(waits + read.waits, given_waits, "{given:?}");
        let sent = given.iter().filter(|step| matches!(step, Data(text) if !text.is_empty())).count();
        assert_eq!(read.text.is_empty(), sent == 0, "{given:?}: {read:?}");
    }
}

#[tokio::test]
async fn a_body_of_known_length_is_held_or_passed_on_with_it() {
    let known = |given: &[Step]| Steps { says_length: true, ..steps(given) };
    let (held, _) = answered(CALL, TEXT, known(&[Step::Data("some"), Step::Data(" text")]));
    assert_eq!((format!("{held:?}").contains("Chunks"), read(held).text.as_str()), (true, "some text"));
    let (inner, _) = answered("/files/log", TEXT, known(&[Step::Data("a"), Step::Wait, Step::Data("b")]));
    assert_eq!((inner.size_hint().exact(), read(inner).text.as_str()), (Some(2), "ab"));
}

#[tokio::test]
async fn a_stream_that_is_stopped_ends_with_what_it_says() {
    let key = "data: {\"message\":{\"role\":\"ROLE_AGENT\",\"metadata\":{\"https://example.com/second/v1\":{\"a\":";
    let long = "data: [\"https://example.com/second/v1";
    for (content_type, text) in [(EVENTS, key), (TEXT, "\"https://example.com/second/v1\": 1"), (EVENTS, long)] {
        let (body, _) =
            answered(CALL, content_type, steps(&[Step::Data(text), Step::Data("\n\n"), Step::Data("more")]));
        let read = read(body);
        assert!(!read.text.contains("second/v1\":{"), "{read:?}");
        assert_eq!(read.error.is_some(), content_type == TEXT, "{read:?}");
    }
}

#[tokio::test]
async fn a_reply_of_many_frames_gives_others_their_turn_and_comes_back() {
    for content_type in [JSON, EVENTS, TEXT] {
        let mut given = vec![Step::Data(""); 3000];
        given.push(Step::Data("{}"));
        let (body, waits) = answered(CALL, content_type, steps(&given));
        let read = read(body);
        assert_eq!((read.text.as_str(), waits + read.waits), ("{}", 2), "{content_type}");
    }
}

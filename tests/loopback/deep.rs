//! Replies that nest a million levels deep.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aRequestBody, PayloadStopKind, StoredActivation};

use crate::server::{URI, layer};
use crate::{HEAP, alone};

const LEVELS: usize = 1_000_000;
/// A bit for each level, twice while the list of them grows, and what one call costs.
const BOUND: usize = 256 << 10;

/// A message whose data Part nests `LEVELS` deep around `core`, and that carries a managed key.
fn deep(open: &str, core: &str, close: &str) -> Bytes {
    let data = [&open.repeat(LEVELS), core, &close.repeat(LEVELS)].concat();
    let parts = format!(r#"[{{"data":{data}}}]"#);
    format!(r#"{{"message":{{"role":"ROLE_AGENT","parts":{parts},"metadata":{{"{URI}":"glad"}}}}}}"#).into()
}

/// The frames that leave go to `see` and are dropped, as a server does. Gives the most heap that
/// was in use over what was there before.
async fn peak_of(document: &Bytes, active: bool, mut see: impl FnMut(&Bytes)) -> usize {
    let document = document.clone();
    let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
        let reply = Response::builder().header("content-type", "application/json");
        std::future::ready(Ok::<_, Infallible>(reply.body(Full::new(document.clone())).unwrap()))
    });
    let service = layer().layer(agent);
    let request = Request::post("/rpc").header("a2a-version", "1.0");
    let request = if active { request.header("a2a-extensions", URI) } else { request };
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask"}).to_string();
    let request = request.body(Full::new(body.into())).unwrap();
    let baseline = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let mut body = service.oneshot(request).await.unwrap().into_body();
    while let Some(frame) = body.frame().await {
        see(&frame.unwrap().into_data().unwrap());
    }
    HEAP.peak_usage().saturating_sub(baseline)
}

#[tokio::test]
async fn one_million_levels_are_stamped_and_stripped_in_flat_memory() {
    let _alone = alone().await;
    for (open, core, close) in [("[", "1", "]"), ("{\"a\":", "1", "}")] {
        let document = deep(open, core, close);
        // Of the same length is what the value is set to; the URI is listed in addition.
        let (listed, entry) = (format!(",\"extensions\":[\"{URI}\"]"), format!("\"{URI}\":\"glad\""));
        for (active, expected) in [(true, document.len() + listed.len()), (false, document.len() - entry.len())] {
            let (mut length, mut last) = (0, Vec::new());
            let peak = peak_of(&document, active, |frame| {
                length += frame.len();
                last = frame[frame.len().saturating_sub(200)..].to_vec();
            })
            .await;
            println!("{} bytes, active {active}: {peak} bytes over baseline", document.len());
            assert!(peak <= BOUND, "{open}, active {active}: {peak} bytes");
            assert_eq!((length, last.ends_with(b"}}")), (expected, true), "{open}, active {active}");
        }
    }
}

#[tokio::test]
async fn one_million_levels_that_never_close_are_handed_on_or_stopped() {
    let _alone = alone().await;
    for open in ["[", "{\"a\":"] {
        let document = Bytes::from(format!(r#"{{"message":{}"#, open.repeat(LEVELS)));
        let mut length = 0;
        let peak = peak_of(&document, true, |frame| length += frame.len()).await;
        println!("{} bytes, unclosed: {peak} bytes over baseline", document.len());
        assert_eq!(length, document.len(), "{open}");
        assert!(peak <= BOUND, "{open}: {peak} bytes");

        let held = Bytes::from([document.as_ref(), format!("{{\"{URI}\":1").as_bytes()].concat());
        let mut stopped = Vec::new();
        peak_of(&held, true, |frame| stopped.extend_from_slice(frame)).await;
        let stopped = String::from_utf8(stopped).unwrap();
        assert!(stopped.len() < 1000 && stopped.contains("-32006"), "{open}: {stopped:.1000}");
        let filter = layer().filter();
        let error = filter.stamp(held, &filter.call_for(&StoredActivation::default())).unwrap_err();
        assert_eq!(error.kind(), PayloadStopKind::Unreadable);
    }
}

//! A small document cut off or spoiled at every byte.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::{A2aRequestBody, testing};

use tower_a2a_extensions::A2aExtensionsLayer;

use crate::alone;
use crate::server::{Mood, URI, layer};

/// A reply with the managed key as key and as value, once escaped.
fn document() -> String {
    let escaped = URI.replace('/', "\\/").replace('m', "\\u006d");
    format!(
        r#"{{"task":{{"id":"t","status":{{"state":"TASK_STATE_COMPLETED"}},"artifacts":[{{"artifactId":"{URI}","parts":[],"metadata":{{"{escaped}":"glad","b":"{URI}"}},"extensions":["{URI}"]}}],"metadata":{{"{URI}":1}}}}}}"#
    )
}

/// Where the value of each managed key starts: behind its colon it must not leave.
fn key_ends(document: &str) -> Vec<usize> {
    let escaped = URI.replace('/', "\\/").replace('m', "\\u006d");
    let keys = [format!("\"{escaped}\":"), format!("\"{URI}\":")];
    keys.iter().flat_map(|key| document.match_indices(key.as_str()).map(|(at, _)| at + key.len())).collect()
}

/// What leaves of a reply that the agent sends as `content_type`: all of it, or until it breaks off.
async fn leaves(
    layer: &A2aExtensionsLayer,
    body: Bytes,
    content_type: &'static str,
    chunk: usize,
) -> (u16, Bytes, bool) {
    let agent = tower::service_fn(move |_: Request<A2aRequestBody<Full<Bytes>>>| {
        let chunks = body.chunks(chunk.max(1)).map(Bytes::copy_from_slice).collect::<Vec<_>>();
        let frames = chunks.into_iter().map(|chunk| Ok::<_, std::io::Error>(http_body::Frame::data(chunk)));
        let body = http_body_util::StreamBody::new(futures_util::stream::iter(frames));
        let reply = Response::builder().header("content-type", content_type).body(body).unwrap();
        std::future::ready(Ok::<_, std::convert::Infallible>(reply))
    });
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask"}).to_string();
    let request = Request::post("/rpc").header("a2a-version", "1.0").body(Full::new(ask.into())).unwrap();
    let response = layer.layer(agent).oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let mut out = Vec::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => out.extend_from_slice(&frame.into_data().unwrap_or_default()),
            Err(_) => return (status, out.into(), true),
        }
    }
    (status, out.into(), false)
}

fn is_refusal(out: &[u8]) -> bool {
    let error = serde_json::from_slice::<Value>(out).ok();
    error.is_some_and(|error| error["error"]["code"] == -32006)
}

#[tokio::test]
async fn a_document_cut_at_every_byte_leaves_only_without_a_managed_key() {
    let _alone = alone().await;
    let (layer, whole) = (layer(), document());
    let first = key_ends(&whole).into_iter().min().unwrap();
    let (mut handed_on, mut stopped) = (0, 0);
    for cut in 0..whole.len() {
        let part = Bytes::copy_from_slice(&whole.as_bytes()[..cut]);
        let (status, out, broke) = leaves(&layer, part.clone(), "application/json", cut).await;
        assert!(!broke && status == 200, "{cut}");
        if cut < first {
            assert_eq!(out, part, "{cut}: nothing to hide, so it is handed on");
            handed_on += 1;
        } else {
            assert!(is_refusal(&out), "{cut}: {}", String::from_utf8_lossy(&out));
            stopped += 1;
        }
    }
    assert!(handed_on > 50 && stopped > 50, "{handed_on}, {stopped}");
    let (_, out, _) = leaves(&layer, whole.into(), "application/json", 7).await;
    testing::assert_conformant(&serde_json::from_slice(&out).unwrap(), &Mood, false);
}

#[tokio::test]
async fn the_same_in_an_event_or_an_unknown_type_never_lets_a_managed_key_out() {
    let _alone = alone().await;
    let (layer, whole) = (layer(), document());
    for (content_type, before) in [("text/event-stream", "data: "), ("application/octet-stream", "")] {
        for cut in 0..whole.len() {
            let part = [before, &whole[..cut]].concat();
            let ends = key_ends(&part);
            let (_, out, broke) = leaves(&layer, part.clone().into(), content_type, 5).await;
            let text = String::from_utf8(out.to_vec()).unwrap();
            assert!(key_ends(&text).is_empty(), "{content_type} {cut}: {text}");
            if ends.is_empty() {
                assert_eq!((text.as_str(), broke), (part.as_str(), false), "{content_type} {cut}");
            } else {
                assert!(broke || text.contains("-32006"), "{content_type} {cut}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn garbage_at_every_byte_never_lets_a_managed_key_out() {
    let _alone = alone().await;
    let (layer, whole) = (layer(), document());
    let mut unreadable = 0;
    for at in 0..whole.len() {
        for garbage in ["\0", "\u{FF}", "\"", "}", "]", "{", ",", "\\", "\u{1}"] {
            let spoiled = [&whole[..at], garbage, &whole[at + 1..]].concat();
            let (_, out, _) = leaves(&layer, spoiled.clone().into(), "application/json", spoiled.len()).await;
            let text = String::from_utf8(out.to_vec()).unwrap();
            if is_refusal(&out) {
                unreadable += 1;
                continue;
            }
            match serde_json::from_str::<Value>(&text) {
                Ok(reply) => testing::assert_conformant(&reply, &Mood, false),
                // Read by the scanner, not by serde: no member may still be named like the key.
                Err(_) => assert!(key_ends(&text).is_empty(), "{at} {garbage:?}: {text}"),
            }
        }
    }
    assert!(unreadable > whole.len(), "{unreadable} of {}", 9 * whole.len());
}

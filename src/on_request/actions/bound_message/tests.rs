use serde_json::json;

use super::*;
use crate::binding::IncomingMessage;

fn digest(message: &Value) -> Option<[u8; 32]> {
    let message = IncomingMessage::from_value(message, None).unwrap();
    BoundMessage::of(&message, &[]).map(|bound| bound.digest())
}

fn of_parts(parts: &Value) -> Option<[u8; 32]> {
    digest(&json!({"messageId": "m", "parts": parts}))
}

#[test]
fn twins_have_one_digest_however_they_are_written() {
    let twins = [
        (json!([{"text": "a\u{e9}"}]), json!([{"kind": "text", "text": "a\u{e9}"}])),
        (json!([{"raw": "-_8="}]), json!([{"raw": "+/8"}])),
        (
            json!([{"raw": "eA==", "filename": "x", "mediaType": "a/b"}]),
            json!([{"kind": "file", "file": {"bytes": "eA==", "name": "x", "mimeType": "a/b"}}]),
        ),
        (json!([{"url": "https://x.example/y"}]), json!([{"file": {"fileWithUri": "https://x.example/y"}}])),
        (json!([{"data": {"a": 1, "b": [2.0, 0]}}]), json!([{"data": {"b": [2, -0.0], "a": 1.0}}])),
    ];
    for (one, other) in twins {
        assert!(of_parts(&one).is_some());
        assert_eq!(of_parts(&one), of_parts(&other), "{one}");
    }
    let empty = json!({"messageId": "m", "contextId": "", "taskId": "", "parts": []});
    assert_eq!(digest(&empty), digest(&json!({"messageId": "other", "parts": []})), "the id is part of the key");
}

#[test]
fn e2_what_asks_for_something_else_has_another_digest() {
    let all = [
        json!({"parts": []}),
        json!({"parts": [{"text": ""}]}),
        json!({"parts": [{"text": "a"}]}),
        json!({"parts": [{"text": "a"}, {"text": "b"}]}),
        json!({"parts": [{"text": "b"}, {"text": "a"}]}),
        json!({"parts": [{"text": "ab"}]}),
        json!({"parts": [{"url": "a"}]}),
        json!({"parts": [{"raw": "aaaa"}]}),
        json!({"parts": [{"data": "a"}]}),
        json!({"parts": [{"data": ["a"]}]}),
        json!({"parts": [{"data": {"a": null}}]}),
        json!({"parts": [{"data": {"a": [null]}}]}),
        json!({"parts": [{"data": 1}]}),
        json!({"parts": [{"data": true}]}),
        json!({"contextId": "c", "parts": []}),
        json!({"taskId": "c", "parts": []}),
        json!({"contextId": "c", "taskId": "t", "parts": []}),
        json!({"parts": [], "metadata": {"x": 1}}),
        json!({"parts": [], "metadata": {"x": 2}}),
    ];
    let digests = all.iter().map(|message| digest(message).unwrap());
    assert_eq!(digests.collect::<std::collections::BTreeSet<_>>().len(), all.len());
}

#[test]
fn what_can_be_read_in_two_ways_has_no_digest() {
    assert_eq!(of_parts(&json!([{"file": {"bytes": "eA==", "uri": "u"}}])), None);
    assert_eq!(of_parts(&json!([{"file": {"bytes": "eA==", "fileWithBytes": "eQ=="}}])), None);
    assert_eq!(of_parts(&json!([{"file": {"bytes": 1}}])), None);
    for beyond in [json!(9_007_199_254_740_993_u64), json!(-9_007_199_254_740_993_i64)] {
        assert_eq!(of_parts(&json!([{"data": beyond}])), None, "over gRPC it would be another number");
    }
}

#[test]
fn e2_metadata_of_every_place_is_part_of_it() {
    let of = |json: &str| {
        let body = bytes::Bytes::from(json.to_owned());
        let uri = http::Uri::from_static("/rpc");
        let headers = http::HeaderMap::new();
        let head = crate::binding::RequestHead {
            method: &http::Method::POST,
            uri: &uri,
            headers: &headers,
            route: crate::binding::RouteFacts::default(),
        };
        BoundMessage::of(&crate::binding::read_request(head, &body, &[]).ok()?.message?, &[])
            .map(|bound| bound.digest())
    };
    let message = r#""message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x"}]}"#;
    let call = |params: &str, top: &str| {
        let (params, top) = (params.replace('\'', "\""), top.replace('\'', "\""));
        of(&format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {{{message}{params}}}{top}}}"#))
    };
    let bodies = [
        call("", ""),
        call(", 'metadata': {'a': 1}", ""),
        call(", 'metadata': {'a': 1}", ", 'metadata': {'for': 'one'}"),
        call(", 'metadata': {'a': 1}", ", 'metadata': {'for': 'another'}"),
    ];
    assert!(bodies.iter().all(Option::is_some));
    assert_eq!(bodies.iter().collect::<std::collections::BTreeSet<_>>().len(), bodies.len());
    assert_eq!(call(", 'metadata': {}", ", 'metadata': null"), call("", ""));
}

mod changes;
#[cfg(feature = "grpc")]
mod protobuf;

/// The digest of a request, as it comes in under this path.
fn of_request(path: &'static str, version: &'static str, body: Vec<u8>) -> Option<[u8; 32]> {
    let uri = http::Uri::from_static(path);
    let mut headers = http::HeaderMap::new();
    headers.insert("a2a-version", http::HeaderValue::from_static(version));
    let head = crate::binding::RequestHead {
        method: &http::Method::POST,
        uri: &uri,
        headers: &headers,
        route: crate::binding::RouteFacts::default(),
    };
    let reading = crate::binding::read_request(head, &body.into(), &[]).ok()?;
    BoundMessage::of(&reading.message?, &[]).map(|bound| bound.digest())
}

/// A request with all members that a message has.
fn full_request() -> Value {
    json!({
        "tenant": "chapel",
        "metadata": {"trace": "r-1"},
        "message": {
            "messageId": "m", "contextId": "c", "taskId": "t", "role": "ROLE_USER",
            "extensions": ["https://x.example/1", "https://x.example/2"],
            "referenceTaskIds": ["t-1", "t-2"],
            "metadata": {"for": "one", "nested": {"list": [1.5, "two", {"deep": "x"}]}},
            "parts": [
                {"text": "Please book", "metadata": {"EUR": 3}},
                {"raw": "eHl6", "filename": "oak.txt", "mediaType": "text/plain"},
                {"url": "https://files.example/1", "filename": "rose.txt", "mediaType": "text/html"},
                {"data": {"day": "Tuesday", "people": 2, "sure": true, "none": null}},
            ],
        },
    })
}

//! Routes of other apps under the layer: what is refused there is no success.

use crate::support::*;

/// A refusal that is none of JSON-RPC's.
async fn refused_as_http(path: &str, content_type: &str, body: impl Into<Vec<u8>>, status: u16) {
    let app = TestApp::closed();
    let mut request = post(path, &[], body.into());
    request.headers_mut().insert("content-type", content_type.parse().unwrap());
    request.headers_mut().remove("a2a-version");
    let reply = app.send(request).await;
    let case = format!("{path} {content_type}: {}", reply.text());
    assert_eq!((reply.status.as_u16(), app.calls()), (status, 0), "{case}");
    assert_eq!(reply.headers["content-type"], "application/json", "{case}");
    assert_eq!(reply.json()["error"]["code"], status, "{case}");
    assert!(reply.json().get("jsonrpc").is_none(), "{case}");
}

#[tokio::test]
async fn a_body_that_is_refused_elsewhere_is_an_http_error() {
    let utf_16 = |text: &str| [vec![0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
    refused_as_http("/todo/7", "application/json-patch+json", r#"[{"op":"remove","path":"/done"}]"#, 400).await;
    refused_as_http("/_bulk", "application/x-ndjson", "{\"index\":{}}\n{\"a\":1}\n", 400).await;
    refused_as_http("/upload", "text/csv; charset=utf-16", utf_16("a,b"), 415).await;
    refused_as_http("/upload", "application/json", vec![b'['; 3 << 20], 413).await;
    refused_as_http("/upload", "application/json; charset=utf-7", "+AHs-", 415).await;
}

#[tokio::test]
async fn a_body_that_reads_as_json_rpc_is_answered_so_wherever_it_comes() {
    let app = TestApp::closed();
    let twice = r#"{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{},"message":{}}}"#;
    let reply = app.send(post("/elsewhere", &[], twice)).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["error"]["code"]), (200, &serde_json::json!(-32600)));
    assert_eq!(reply.json()["id"], 7);
}

#[tokio::test]
async fn at_the_paths_of_the_card_and_of_the_mount_an_unreadable_body_is_told_in_json_rpc() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"SendMessage"}]"#;
    let reply = TestApp::closed().send(post("/a2a/v1", &[], batch)).await;
    assert_eq!((reply.status.as_u16(), &reply.json()["error"]["code"]), (200, &serde_json::json!(-32600)));
    let layer = tower_a2a_extensions::A2aExtensionsLayer::builder(card()).mounted_at("/a2a").build().unwrap();
    for path in ["/", "/v1"] {
        let reply = TestApp::telling(layer.clone()).send(post(path, &[], batch)).await;
        assert_eq!(reply.json()["jsonrpc"], "2.0", "{path}");
    }
    let reply = TestApp::telling(layer).send(post("/other", &[], batch)).await;
    assert_eq!(reply.status.as_u16(), 400);
}

#[tokio::test]
async fn talked_past_a_comment_or_a_comma_in_front_of_the_message_is_refused() {
    for before in ["// x\n", "/* x */", "# x\n", ",", " \n,"] {
        let app = TestApp::closed();
        let body = format!("{before}{}", rpc("SendMessage", &message(QUESTION)));
        let reply = app.send(post("/a2a/v1", &[], body)).await;
        assert_eq!((app.calls(), &reply.json()["error"]["code"]), (0, &serde_json::json!(-32700)), "{before}");
    }
}

#[tokio::test]
async fn talked_past_a_transfer_encoding_is_refused_like_a_content_encoding() {
    for (name, value) in [("content-encoding", "gzip"), ("transfer-encoding", "gzip, chunked")] {
        let app = TestApp::closed();
        let reply = app.send(post("/a2a/v1", &[(name, value)], "\u{1f}compressed")).await;
        assert_eq!((reply.status.as_u16(), app.calls()), (415, 0), "{name}");
    }
}

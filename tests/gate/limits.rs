//! Limits of layers outside keep their meaning.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::A2aExtensionsLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::support::*;

#[tokio::test]
async fn a_body_limit_outside_the_layer_is_a_413_in_the_callers_binding() {
    let app = TestApp::closed();
    let long = "x".repeat(5_000);
    let rpc = rpc("SendMessage", &message(&long)).to_string();
    let rest = serde_json::json!({"message": message(&long)}).to_string();
    for (path, body, code) in [("/a2a/v1", rpc, -32600), ("/a2a/rest/message:send", rest, 413)] {
        // A body without a length meets the limit while it is read.
        let chunks =
            body.into_bytes().chunks(1_000).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect::<Vec<_>>();
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        let limited = RequestBodyLimitLayer::new(4_000).layer(app.router.clone());
        let reply = limited.oneshot(post(path, &[], body)).await.unwrap();
        assert_eq!((reply.status().as_u16(), app.calls()), (413, 0), "{path}");
        let bytes = reply.into_body().collect().await.unwrap().to_bytes();
        let reply: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(reply["error"]["code"], code, "{path}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_matter_of_length() {
    let app = TestApp::telling(A2aExtensionsLayer::new(card()).unwrap());
    let chunks = [Ok("{\"jsonrpc\"".to_owned()), Err(std::io::Error::other("gone"))];
    let request: Request<Body> = post("/a2a/v1", &[], Body::from_stream(futures_util::stream::iter(chunks)));
    let reply = app.send(request).await;
    assert_eq!((reply.status.as_u16(), app.calls()), (200, 0));
    assert_eq!(reply.json()["error"]["code"], -32600);
}

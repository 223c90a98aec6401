//! A body that has ended before the layer wraps it stays ended, on the wire too: END_STREAM stands on the
//! head in HTTP/2, and HTTP/1.1 knows the length.

use std::net::SocketAddr;

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use bytes::Bytes;
use http::{Method, Request, StatusCode};
use tokio::net::{TcpListener, TcpStream};

use crate::alone;
use crate::client::RawClient;
use crate::server::{URI, layer};

/// What the agent answers: status, content type, body.
type Answer = (StatusCode, &'static str, &'static str);

const ERROR: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}"#;

/// Replies without a byte, each on another way through the layer.
const EMPTY: [Answer; 6] = [
    (StatusCode::OK, "application/json", ""),
    (StatusCode::OK, "text/event-stream", ""),
    (StatusCode::OK, "text/plain", ""),
    (StatusCode::BAD_GATEWAY, "text/html", ""),
    (StatusCode::NO_CONTENT, "", ""),
    (StatusCode::NOT_MODIFIED, "", ""),
];

async fn serve((status, kind, body): Answer, layered: bool) -> SocketAddr {
    let agent = move || async move {
        let mut response: Response = (status, Body::from(body)).into_response();
        response.headers_mut().remove("content-type");
        if !kind.is_empty() {
            response.headers_mut().insert("content-type", kind.parse().unwrap());
        }
        response
    };
    let mut app = Router::new().route("/rpc", any(agent));
    if layered {
        app = app.layer(layer());
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    address
}

/// Whether the head ends the stream, and the bytes behind it.
async fn over_h2(address: SocketAddr, method: Method) -> (bool, Bytes) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = Request::builder()
        .method(method.clone())
        .uri(format!("http://{address}/rpc"))
        .header("a2a-version", "1.0")
        .header("a2a-extensions", URI)
        .header("content-type", "application/json")
        .body(())
        .unwrap();
    let is_bodiless = method == Method::HEAD;
    let (response, mut sender) = client.ready().await.unwrap().send_request(request, is_bodiless).unwrap();
    if !is_bodiless {
        let ask = r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}"#;
        sender.send_data(ask.into(), true).unwrap();
    }
    let response = response.await.unwrap();
    let head_ends = response.body().is_end_stream();
    let (mut body, mut data) = (response.into_body(), Vec::new());
    while let Some(chunk) = body.data().await {
        data.extend_from_slice(&chunk.unwrap());
    }
    (head_ends, data.into())
}

#[tokio::test]
async fn an_empty_reply_ends_with_its_head_over_h2() {
    let _alone = alone().await;
    for layered in [false, true] {
        for answer in EMPTY {
            let (head_ends, data) = over_h2(serve(answer, layered).await, Method::POST).await;
            assert!(head_ends && data.is_empty(), "layered: {layered}, {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_head_request_ends_with_its_head_over_h2() {
    let _alone = alone().await;
    for kind in ["application/json", "text/event-stream", "text/plain"] {
        let (head_ends, data) = over_h2(serve((StatusCode::OK, kind, ERROR), true).await, Method::HEAD).await;
        assert!(head_ends && data.is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn an_error_of_the_agent_does_not_end_before_its_body() {
    let _alone = alone().await;
    for layered in [false, true] {
        let (head_ends, data) =
            over_h2(serve((StatusCode::OK, "application/json", ERROR), layered).await, Method::POST).await;
        assert_eq!((head_ends, data), (false, Bytes::from_static(ERROR.as_bytes())), "layered: {layered}");
    }
}

#[tokio::test]
async fn an_empty_reply_has_a_length_over_http_1_1() {
    let _alone = alone().await;
    for answer in EMPTY {
        let mut client = RawClient::connect(serve(answer, true).await).await;
        client.ask("").await;
        let head = client.until("\r\n\r\n").await.to_ascii_lowercase();
        assert!(!head.contains("transfer-encoding"), "{answer:?}: {head}");
        let has_body = !matches!(answer.0, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
        assert_eq!(head.contains("content-length: 0\r\n"), has_body, "{answer:?}: {head}");
        client.ask("").await;
        assert!(client.until("\r\n\r\n").await.starts_with("HTTP/1.1 "), "{answer:?}: the connection goes on");
    }
}

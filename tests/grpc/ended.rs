//! A trailers-only reply leaves as one HEADERS frame that ends the stream. Clients on C-core and grpc-js lose
//! the status of any other.

use bytes::Bytes;
use http::{HeaderMap, Request};
use tokio::net::TcpStream;

use crate::client::chapel;
use crate::driver::ON_REQUEST;

/// A `GetTaskRequest` for the task `none`, in its frame.
const GET_TASK: &[u8] = b"\0\0\0\0\x06\x0a\x04none";

/// The head of the reply, and whether it ends the stream.
async fn call(address: &str, path: &str, frame: &'static [u8], active: bool) -> (HeaderMap, bool) {
    let stream = TcpStream::connect(address).await.unwrap();
    let (client, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let mut request = Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("a2a-version", "1.0");
    if active {
        request = request.header("a2a-extensions", ON_REQUEST);
    }
    let (response, mut body) = client.ready().await.unwrap().send_request(request.body(()).unwrap(), false).unwrap();
    body.send_data(Bytes::from_static(frame), true).unwrap();
    let response = response.await.unwrap();
    let head_ends = response.body().is_end_stream();
    (response.into_parts().0.headers, head_ends)
}

#[tokio::test]
async fn errors_of_the_agent_and_of_the_layer_end_with_their_head() {
    let chapel = chapel();
    let agents_own = ("/lf.a2a.v1.A2AService/GetTask", GET_TASK, "5");
    let unknown_method = ("/lf.a2a.v1.A2AService/Nothing", GET_TASK, "12");
    // A frame that says it is compressed.
    let refused = ("/lf.a2a.v1.A2AService/SendMessage", &b"\x01\0\0\0\0"[..], "12");
    for (path, frame, status) in [agents_own, unknown_method, refused] {
        for active in [false, true] {
            let (head, head_ends) = call(chapel.addr(), path, frame, active).await;
            assert_eq!(
                head.get("grpc-status").map(|status| status.to_str().unwrap()),
                Some(status),
                "{path}: {head:?}"
            );
            assert!(head_ends, "{path}, active: {active}");
        }
    }
}

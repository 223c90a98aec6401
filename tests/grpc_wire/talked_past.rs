//! Calls that every tonic server acts on: the price is in no reply.

use crate::support::{QUESTION, SEND, STREAM, asking, call, gated, send};

#[tokio::test]
async fn talked_past_a_grpc_path_without_or_with_another_content_type() {
    for path in [SEND, STREAM, "/prefix/lf.a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2A%53ervice/%53endMessage"] {
        let mut bare = call(path, &[], asking(QUESTION));
        bare.headers_mut().remove("content-type");
        for request in [bare, call(path, &[("content-type", "application/grpc-web+proto")], asking(QUESTION))] {
            let (reply, seen) = send(&gated(), request).await;
            assert_eq!((reply.refusal(), seen.calls(), reply.tells()), ("12", 0, false), "{path}");
        }
        let (reply, seen) = send(&gated(), call(path, &[], asking(QUESTION))).await;
        assert_eq!((seen.calls(), reply.tells()), (0, false), "{path}");
    }
}

#[tokio::test]
async fn talked_past_http_versions_do_not_matter() {
    for version in [http::Version::HTTP_10, http::Version::HTTP_11, http::Version::HTTP_2, http::Version::HTTP_3] {
        let mut request = call(SEND, &[], asking(QUESTION));
        *request.version_mut() = version;
        assert_eq!(send(&gated(), request).await.1.calls(), 0);
    }
}

#[tokio::test]
async fn talked_past_a_content_encoding_is_refused() {
    let (reply, seen) = send(&gated(), call(SEND, &[("content-encoding", "gzip")], asking(QUESTION))).await;
    assert_eq!((reply.refusal(), seen.calls()), ("3", 0));
    // The encoding of frames is said in each frame.
    assert_eq!(
        send(&gated(), call(SEND, &[("grpc-encoding", "gzip")], asking("When are you open?"))).await.1.calls(),
        1
    );
}

#[tokio::test]
async fn talked_past_in_json_on_the_path_of_a_method_that_takes_no_message() {
    let json = format!(
        r#"{{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {{"message": {{"parts": [{{"text": "{QUESTION}"}}]}}}}}}"#
    );
    let methods = ["GetTask", "ListTasks", "CancelTask", "SubscribeToTask", "GetExtendedAgentCard"];
    for method in methods.into_iter().chain(["DeleteTaskPushNotificationConfig"]) {
        for service in ["lf.a2a.v1.A2AService", "a2a.v1.A2AService"] {
            let path = format!("/{service}/{method}");
            let framed = crate::support::raw_frame(0, json.as_bytes());
            // A brace is no flag of a plain frame.
            for (body, status) in [(json.clone().into_bytes(), "12"), (framed, "3")] {
                let (reply, seen) = send(&gated(), call(&path, &[], body)).await;
                assert_eq!((reply.refusal(), seen.calls(), reply.tells()), (status, 0, false), "{path}");
            }
            let (_, seen) = send(&gated(), call(&path, &[], crate::support::raw_frame(0, b"\x0a\x03t-1"))).await;
            assert_eq!(seen.calls(), 1, "{path}");
        }
    }
}

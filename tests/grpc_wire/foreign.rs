//! Replies to gRPC calls that are no gRPC: a proxy's page, an auth layer's JSON.

use bytes::Bytes;
use http::{Response, StatusCode};

use crate::messages::v1;
use crate::support::{SECRET, Seen, TestBody, URI, agents, asking, call, gated, moody, raw_frame, send_to};
use prost::Message;

const GET: &str = "/lf.a2a.v1.A2AService/GetTask";

fn page(status: u16, kind: Option<&'static str>) -> Response<TestBody> {
    let body = TestBody::of([Bytes::from(format!("<p>{SECRET}</p>"))], None);
    let mut page = Response::new(body);
    *page.status_mut() = StatusCode::from_u16(status).unwrap();
    if let Some(kind) = kind {
        page.headers_mut().insert("content-type", kind.parse().unwrap());
    }
    page.headers_mut().insert("etag", "of-the-page".parse().unwrap());
    page
}

#[tokio::test]
async fn a_reply_of_another_type_is_a_grpc_error_with_the_status_that_grpc_maps() {
    for (status, code) in [
        (400, "13"),
        (401, "16"),
        (403, "7"),
        (404, "12"),
        (429, "14"),
        (502, "14"),
        (503, "14"),
        (504, "14"),
        (500, "2"),
        (302, "2"),
        (200, "2"),
    ] {
        for kind in ["text/html", "application/json", "text/plain; charset=utf-8"] {
            let request = call(GET, &[("a2a-extensions", URI)], asking("hi"));
            let reply = send_to(&gated(), request, &Seen::default(), move || page(status, Some(kind))).await;
            assert_eq!(reply.refusal(), code, "{status} {kind}");
            assert_eq!(reply.headers["a2a-extensions"], URI);
            assert!(!reply.tells() && !reply.headers.contains_key("etag"));
        }
    }
    let untyped = send_to(&gated(), call(GET, &[], asking("hi")), &Seen::default(), || page(503, None)).await;
    assert_eq!(untyped.refusal(), "14");
}

#[tokio::test]
async fn without_a_gate_a_proxys_page_leaves_as_it_is() {
    let reply =
        send_to(&moody(), call(GET, &[], asking("hi")), &Seen::default(), || page(503, Some("text/html"))).await;
    assert!(reply.tells() && reply.headers["etag"] == "of-the-page");
}

#[tokio::test]
async fn what_says_that_it_is_grpc_is_read_as_frames() {
    for kind in ["application/grpc", "application/grpc+proto", "Application/gRPC; x=y"] {
        let frame = raw_frame(
            0,
            &v1::Task { id: "t".into(), history: vec![agents("hello")], ..Default::default() }.encode_to_vec(),
        );
        let answer = move || {
            let body = TestBody::of([Bytes::from(frame.clone())], None);
            Response::builder().header("content-type", kind).body(body).unwrap()
        };
        let reply = send_to(&gated(), call(GET, &[], asking("hi")), &Seen::default(), answer).await;
        assert!(!reply.body.is_empty(), "{kind}");
    }
}

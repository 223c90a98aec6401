//! What is no plain gRPC, and what two protobuf readers could take differently.

use prost::Message;
use serde_json::json;

use crate::messages::v1;
use crate::support::{
    QUESTION, SEND, STREAM, TestBody, URI, asking, call, gated, moody, proto_struct, raw_frame, send, users,
};

fn request(message: &[u8]) -> Vec<u8> {
    raw_frame(0, &[&[0x12, u8::try_from(message.len()).unwrap()], message].concat())
}

#[tokio::test]
async fn grpc_web_and_connect_are_refused() {
    for kind in [
        "application/grpc-web+proto",
        "application/grpc-web-text",
        "application/grpc-web",
        "application/connect+proto",
        "application/proto",
        "application/json",
        "application/grpc+json",
        "text/plain",
        "application/grpc, application/grpc-web",
    ] {
        for layer in [gated(), moody()] {
            let (reply, seen) = send(&layer, call(SEND, &[("content-type", kind)], asking(QUESTION))).await;
            assert_eq!((reply.refusal(), seen.calls()), ("12", 0), "{kind}");
        }
    }
    for kind in ["application/grpc", "application/grpc+proto", "Application/gRPC; charset=utf-8"] {
        let (_, seen) = send(&gated(), call(SEND, &[("content-type", kind)], asking("When are you open?"))).await;
        assert_eq!(seen.calls(), 1, "{kind}");
    }
}

#[tokio::test]
async fn other_methods_and_unknown_rpcs_are_refused_where_a_gate_would_be_passed() {
    for method in ["GET", "PUT", "BREW", "HEAD", "OPTIONS"] {
        let mut request = call(SEND, &[], asking(QUESTION));
        *request.method_mut() = method.parse().unwrap();
        let (reply, seen) = send(&gated(), request).await;
        assert_eq!((reply.refusal(), seen.calls()), ("12", 0), "{method}");
    }
    for rpc in ["SendLiveMessage", "sendMessage", "", "SendMessage/x"] {
        let path = format!("/lf.a2a.v1.A2AService/{rpc}");
        let (reply, seen) = send(&gated(), call(&path, &[], asking(QUESTION))).await;
        assert_eq!((reply.refusal(), seen.calls()), ("12", 0), "{rpc}");
        assert_eq!(send(&moody(), call(&path, &[], asking(QUESTION))).await.1.calls(), 1, "{rpc}");
    }
}

#[tokio::test]
async fn talked_past_frames_that_are_not_one_plain_one_are_refused() {
    let one = asking("When are you open?");
    let cases = [
        ("compressed", raw_frame(1, &one[5..]), "12"),
        ("another flag", raw_frame(2, &one[5..]), "12"),
        ("two frames", [one.clone(), asking(QUESTION)].concat(), "3"),
        ("trailing bytes", [one.clone(), vec![0]].concat(), "3"),
        ("cut head", one[..4].to_vec(), "3"),
        ("cut message", one[..one.len() - 1].to_vec(), "3"),
        ("length lie", [&[0, 0xFF, 0xFF, 0xFF, 0xFF][..], &one[5..]].concat(), "3"),
        ("no frame", b"{\"message\":{}}".to_vec(), "12"),
    ];
    for (name, body, status) in cases {
        for path in [SEND, STREAM, "/a2a.v1.A2AService/SendMessage"] {
            let (reply, seen) = send(&gated(), call(path, &[], body.clone())).await;
            assert_eq!((reply.refusal(), seen.calls()), (status, 0), "{name}");
        }
    }
}

#[tokio::test]
async fn talked_past_duplicate_singular_fields_are_refused() {
    let message = users("When are you open?").encode_to_vec();
    let text_twice = [0x2A, 8, 0x0A, 2, b'h', b'i', 0x0A, 2, b'n', b'o'];
    let text_and_url = [0x2A, 8, 0x0A, 2, b'h', b'i', 0x1A, 2, b'n', b'o'];
    let part_metadata_twice = [0x2A, 8, 0x0A, 2, b'h', b'i', 0x2A, 0, 0x2A, 0];
    for (name, more) in [
        ("text", &text_twice[..]),
        ("text and url", &text_and_url),
        ("metadata of a Part", &part_metadata_twice),
        ("message_id", &[0x0A, 1, b'x']),
        ("context_id", &[0x12, 1, b'x']),
        ("role", &[0x20, 2]),
        ("metadata", &[0x32, 0, 0x32, 0]),
        ("role of another type", &[0x22, 1, 1]),
        ("parts of another type", &[0x28, 1]),
        ("no UTF-8", &[0x1A, 1, 0xFF]),
        ("field 0", &[0x00, 1]),
        ("group without end", &[0x9B, 0x06]),
    ] {
        let body = request(&[&message[..], more].concat());
        let (reply, seen) = send(&gated(), call(SEND, &[], body)).await;
        assert_eq!((reply.refusal(), seen.calls()), ("3", 0), "{name}");
    }
    let twice = [request(&message)[5..].to_vec(), request(&users(QUESTION).encode_to_vec())[5..].to_vec()].concat();
    let (reply, seen) = send(&gated(), call(SEND, &[], raw_frame(0, &twice))).await;
    assert_eq!((reply.refusal(), seen.calls()), ("3", 0));
}

/// A delimited field.
fn field(number: u32, content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    prost::encoding::bytes::encode(number, &content.to_vec(), &mut out);
    out
}

#[tokio::test]
async fn c4_a_key_of_ours_that_occurs_twice_is_refused() {
    let own = |key: &str, skill: &str| proto_struct(&json!({key: {"skillId": skill}})).encode_to_vec();
    let request = |metadata: &[u8]| {
        let message = [users("hello").encode_to_vec(), field(6, metadata)].concat();
        call(SEND, &[], raw_frame(0, &field(2, &message)))
    };
    for (metadata, status) in [
        ([own(URI, "opening-hours"), own(URI, "service-pricing")].concat(), Some("3")),
        ([own(URI, "opening-hours"), own(URI, "opening-hours")].concat(), Some("3")),
        ([own("own", "x"), own(URI, "opening-hours"), own("own", "y")].concat(), None),
    ] {
        let (reply, seen) = send(&gated(), request(&metadata)).await;
        match status {
            Some(status) => assert_eq!((reply.refusal(), seen.calls()), (status, 0)),
            None => assert_eq!(seen.calls(), 1),
        }
    }
}

#[tokio::test]
async fn values_nested_too_deep_are_refused_and_cost_no_stack() {
    let nested = |depth: usize| (0..depth).fold(Vec::new(), |value, _| field(6, &field(1, &value)));
    let request = |depth: usize| {
        let message = field(5, &field(4, &nested(depth)));
        call(SEND, &[], raw_frame(0, &field(2, &message)))
    };
    assert_eq!(send(&gated(), request(90)).await.1.calls(), 1);
    for depth in [101, 3_000] {
        let (reply, seen) = send(&gated(), request(depth)).await;
        assert_eq!((reply.refusal(), seen.calls()), ("3", 0), "{depth}");
    }
}

#[tokio::test]
async fn bodies_are_bounded_in_size() {
    let layer = tower_a2a_extensions::A2aExtensionsLayer::builder(crate::support::card())
        .max_request_body(1000)
        .build()
        .unwrap();
    let (reply, seen) = send(&layer, call(SEND, &[], asking(&"x".repeat(1000)))).await;
    assert_eq!((reply.refusal(), seen.calls()), ("3", 0));
}

#[tokio::test(start_paused = true)]
async fn bodies_are_bounded_in_time() {
    let mut endless = call(SEND, &[], asking("When are you open?"));
    let mut body = TestBody::of([bytes::Bytes::from(asking("When are you open?"))], None);
    body.endless = true;
    *endless.body_mut() = body;
    let (reply, seen) = send(&gated(), endless).await;
    assert_eq!((reply.refusal(), seen.calls()), ("3", 0));
}

#[tokio::test]
async fn an_empty_request_is_the_agents_to_judge() {
    for body in [Vec::new(), raw_frame(0, &[])] {
        assert_eq!(send(&gated(), call(SEND, &[], body)).await.1.calls(), 1);
    }
    let only_tenant = v1::SendMessageRequest { tenant: "x".into(), ..v1::SendMessageRequest::default() };
    assert_eq!(send(&gated(), call(SEND, &[], crate::support::frame(&only_tenant))).await.1.calls(), 1);
}

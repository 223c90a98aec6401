//! The gate's answers: a message and trailers, in the version of the call.

use prost::Message;
use serde_json::json;

use crate::messages::{v1, v03};
use crate::support::{
    ADDRESS, QUESTION, SEND, STREAM, URI, asking, call, frame, gated, proto_struct, proto_value, send, text_part, users,
};

fn text(message: &v1::Message) -> &str {
    match message.parts[0].content.as_ref().unwrap() {
        v1::Content::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_on_request_question_is_referred_unary_and_streamed() {
    for path in [SEND, STREAM] {
        let (reply, seen) = send(&gated(), call(path, &[("a2a-extensions", URI)], asking(QUESTION))).await;
        assert_eq!(seen.calls(), 0);
        assert_eq!(reply.headers["content-type"], "application/grpc");
        assert_eq!(reply.headers["a2a-extensions"], URI);
        assert!(!reply.headers.contains_key("content-length"));
        let message = reply.message();
        assert!(text(&message).contains(ADDRESS));
        assert_eq!((message.role, message.context_id.as_str()), (2, "c-1"));
        let mark = json!({"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS});
        assert_eq!(message.metadata.unwrap().fields[URI], proto_value(&mark));
        assert_eq!(message.extensions, [URI]);
    }
}

#[tokio::test]
async fn a_client_that_activated_nothing_gets_the_words_alone() {
    let (reply, seen) = send(&gated(), call(SEND, &[], asking(QUESTION))).await;
    let message = reply.message();
    assert_eq!(seen.calls(), 0);
    assert!(text(&message).contains(ADDRESS));
    assert_eq!((message.metadata, message.extensions.len()), (None, 0));
}

#[tokio::test]
async fn a16_ids_text_data_and_both_places_of_metadata_are_read() {
    let skill = |id: &str| Some(proto_struct(&json!({URI: {"skillId": id}})));
    let in_message = v1::Message { metadata: skill("service-pricing"), ..users("hello") };
    let in_request = v1::SendMessageRequest {
        message: Some(users("hello")),
        metadata: skill("service-pricing"),
        ..v1::SendMessageRequest::default()
    };
    for body in [
        frame(&v1::SendMessageRequest { message: Some(in_message), ..v1::SendMessageRequest::default() }),
        frame(&in_request),
    ] {
        assert_eq!(send(&gated(), call(SEND, &[], body)).await.1.calls(), 0);
    }
    let two_parts = v1::Message { parts: vec![text_part("x"), text_part("y")], ..users("") };
    let body = frame(&v1::SendMessageRequest { message: Some(two_parts), ..v1::SendMessageRequest::default() });
    assert_eq!(send(&gated(), call(SEND, &[], body)).await.1.calls(), 1);
}

fn asking_03(text: &str) -> v03::SendMessageRequest {
    let part = v03::Part { part: Some(v03::Content::Text(text.into())) };
    let message = v03::Message { message_id: "m".into(), role: 1, content: vec![part], ..v03::Message::default() };
    v03::SendMessageRequest { request: Some(message), metadata: None }
}

#[tokio::test]
async fn the_numbers_of_0_3_are_its_own() {
    for path in ["/a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/SendStreamingMessage"] {
        let headers = [("a2a-version", "0.3"), ("a2a-extensions", URI)];
        let (reply, seen) = send(&gated(), call(path, &headers, frame(&asking_03(QUESTION)))).await;
        assert_eq!(seen.calls(), 0, "{path}");
        let messages = crate::support::unframed(&reply.body);
        let Some(v03::Payload::Message(message)) = v03::StreamResponse::decode(&messages[0][..]).unwrap().payload
        else {
            panic!("{reply:?}");
        };
        assert!(matches!(&message.content[0].part, Some(v03::Content::Text(text)) if text.contains(ADDRESS)));
        assert!(message.metadata.unwrap().fields.contains_key(URI));
    }
    let with_metadata = v03::SendMessageRequest {
        metadata: Some(proto_struct(&json!({URI: {"skillId": "service-pricing"}}))),
        ..asking_03("hello")
    };
    assert_eq!(send(&gated(), call("/a2a.v1.A2AService/SendMessage", &[], frame(&with_metadata))).await.1.calls(), 0);
    assert_eq!(
        send(&gated(), call("/a2a.v1.A2AService/SendMessage", &[], frame(&asking_03("hello")))).await.1.calls(),
        1
    );
}

#[tokio::test]
async fn a_version_that_the_card_does_not_list_is_not_answered_for() {
    let mut card = crate::support::card();
    card["supportedInterfaces"] =
        json!([{"url": "https://x.example", "protocolBinding": "GRPC", "protocolVersion": "1.0"}]);
    let layer = tower_a2a_extensions::A2aExtensionsLayer::new(card).unwrap();
    for (path, version) in [
        (SEND, "0.3"),
        (SEND, "0.9"),
        ("/a2a.v1.A2AService/SendMessage", "1.0"),
        ("/a2a.v1.A2AService/SendMessage", ""),
    ] {
        let body = if path == SEND { asking(QUESTION) } else { frame(&asking_03(QUESTION)) };
        let (reply, seen) = send(&layer, call(path, &[("a2a-version", version)], body)).await;
        assert_eq!((reply.refusal(), seen.calls()), ("9", 0), "{path} {version}");
        assert_eq!(reply.error_info().1.reason, "VERSION_NOT_SUPPORTED");
    }
    let (reply, _) = send(&layer, call(SEND, &[("a2a-version", "")], asking(QUESTION))).await;
    assert!(text(&reply.message()).contains(ADDRESS), "the service says which version is meant");
}

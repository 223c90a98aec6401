use uuid::Uuid;

use super::*;
use crate::binding::IncomingMessage;
use crate::error::A2aErrorKind;

const ON: Binding = Binding::JsonRpc;

fn target(binding: Binding, version: ProtocolVersion, id: ReplyId, streaming: bool) -> ReplyTarget {
    ReplyTarget { binding, version, id, streaming, plain_json: None }
}

fn draft() -> ReplyDraft {
    ReplyDraft {
        text: "line\n\"two\"".to_owned(),
        metadata: vec![("k".to_owned(), json!({"a": 1}))],
        extensions: vec!["https://u.example".to_owned()],
        message_id: "m".to_owned(),
        context_id: Some("c".to_owned()),
    }
}

fn raw(id: &'static str) -> ReplyId {
    ReplyId::Raw(Bytes::from_static(id.as_bytes()))
}

fn header<'a>(response: &'a Response<Bytes>, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

#[track_caller]
fn json_of(response: &Response<Bytes>) -> Value {
    assert_eq!(header(response, "content-length"), Some(response.body().len().to_string().as_str()));
    serde_json::from_slice(response.body()).unwrap()
}

fn current_message() -> Value {
    json!({
        "messageId": "m", "contextId": "c", "role": "ROLE_AGENT", "parts": [{"text": "line\n\"two\""}],
        "metadata": {"k": {"a": 1}}, "extensions": ["https://u.example"]
    })
}

#[test]
fn a24_a_message_in_the_shapes_of_each_binding_and_version() {
    let mut kinds = current_message();
    kinds["kind"] = "message".into();
    kinds["role"] = "agent".into();
    kinds["parts"] = json!([{"kind": "text", "text": "line\n\"two\""}]);
    let mut content = current_message();
    content["content"] = content["parts"].take();
    content.as_object_mut().unwrap().remove("parts");
    for (binding, version, media_type, expected) in [
        (
            ON,
            ProtocolVersion::V1_0,
            "application/json",
            json!({"jsonrpc": "2.0", "id": "x", "result": {"message": current_message()}}),
        ),
        (ON, ProtocolVersion::V0_3, "application/json", json!({"jsonrpc": "2.0", "id": "x", "result": kinds})),
        (Binding::HttpJson, ProtocolVersion::V1_0, "application/a2a+json", json!({"message": current_message()})),
        (Binding::HttpJson, ProtocolVersion::V0_3, "application/json", json!({"message": content})),
    ] {
        let response = message_response(&target(binding, version, raw("\"x\""), false), &draft());
        assert_eq!(response.status(), 200);
        assert_eq!(header(&response, "content-type"), Some(media_type));
        assert_eq!(json_of(&response), expected);

        let stream = message_response(&target(binding, version, raw("\"x\""), true), &draft());
        assert_eq!(header(&stream, "content-type"), Some("text/event-stream"));
        assert_eq!(header(&stream, "cache-control"), Some("no-cache"));
        let body = std::str::from_utf8(stream.body()).unwrap();
        let data = body.strip_prefix("data: ").and_then(|body| body.strip_suffix("\n\n")).unwrap();
        assert!(!data.contains(['\n', '\r']));
        assert_eq!(serde_json::from_str::<Value>(data).unwrap(), expected);
    }
}

#[test]
fn what_is_empty_is_left_out() {
    let bare = ReplyDraft { metadata: vec![], extensions: vec![], context_id: None, ..draft() };
    let value = bare.to_value(ON, ProtocolVersion::V1_0);
    assert_eq!(value, json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "line\n\"two\""}]}));
}

#[test]
fn c12_the_raw_id_stands_in_the_reply_as_it_came() {
    for id in ["0", "1.50", "123456789012345678901234567890", "1e999", r#""\u0041\/""#] {
        let target = target(ON, ProtocolVersion::V1_0, raw(id), false);
        for response in [
            message_response(&target, &draft()),
            error_response(&target, &A2aError::new(A2aErrorKind::InvalidRequest, "no")),
        ] {
            let body = std::str::from_utf8(response.body()).unwrap();
            assert!(body.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{body}");
            assert!(serde_json::from_str::<&serde_json::value::RawValue>(body).is_ok(), "{body}");
        }
    }
}

#[test]
fn c11_a_notification_gets_no_message_but_its_errors() {
    let target = target(ON, ProtocolVersion::V1_0, ReplyId::Absent, false);
    let response = message_response(&target, &draft());
    assert_eq!((response.status().as_u16(), response.body().len()), (204, 0));
    assert!(response.headers().is_empty());
    let error = error_response(&target, &A2aError::new(A2aErrorKind::InvalidRequest, "no"));
    assert_eq!(json_of(&error), json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}}));
}

#[test]
fn a10_errors_carry_error_info_where_a2a_defines_a_reason() {
    let error = A2aError::new(A2aErrorKind::ExtensionSupportRequired, "needed")
        .with_metadata("missingExtensions", "https://a,https://b");
    let info = json!({
        "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "EXTENSION_SUPPORT_REQUIRED",
        "domain": "a2a-protocol.org", "metadata": {"missingExtensions": "https://a,https://b"}
    });
    let rpc = error_response(&target(ON, ProtocolVersion::V0_3, raw("7"), true), &error);
    assert_eq!((rpc.status().as_u16(), header(&rpc, "content-type")), (200, Some("application/json")));
    let expected = json!({"code": -32008, "message": "needed", "data": [info]});
    assert_eq!(json_of(&rpc), json!({"jsonrpc": "2.0", "id": 7, "error": expected}));
    for (version, media_type) in
        [(ProtocolVersion::V1_0, "application/a2a+json"), (ProtocolVersion::V0_3, "application/json")]
    {
        let http = error_response(&target(Binding::HttpJson, version, ReplyId::Null, true), &error);
        assert_eq!((http.status().as_u16(), header(&http, "content-type")), (400, Some(media_type)));
        let expected = json!({"code": 400, "status": "FAILED_PRECONDITION", "message": "needed", "details": [info]});
        assert_eq!(json_of(&http), json!({"error": expected}));
    }
    let plain = error_response(
        &target(Binding::HttpJson, ProtocolVersion::V1_0, ReplyId::Null, false),
        &A2aError::new(A2aErrorKind::InvalidJson, "no"),
    );
    assert_eq!(json_of(&plain), json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "no"}}));
}

#[test]
fn a_request_that_was_not_read_is_told_its_http_status_with_id_null() {
    for (kind, status) in
        [(A2aErrorKind::BodyTooLarge, 413), (A2aErrorKind::BodyTimeout, 408), (A2aErrorKind::UnsupportedMediaType, 415)]
    {
        let error = A2aError::new(kind, "no");
        let rpc = error_response(&target(ON, ProtocolVersion::V1_0, raw("7"), false), &error);
        assert_eq!(rpc.status().as_u16(), status);
        assert_eq!(json_of(&rpc), json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no"}}));
        let http = error_response(&target(Binding::HttpJson, ProtocolVersion::V1_0, ReplyId::Null, false), &error);
        assert_eq!(http.status().as_u16(), status);
        assert_eq!(json_of(&http)["error"]["code"], status);
        assert_eq!(json_of(&http)["error"]["status"], "INVALID_ARGUMENT");
    }
}

#[test]
fn a_grpc_refusal_is_trailers_only() {
    let error = A2aError::new(A2aErrorKind::UnsupportedOperation, "50 % \u{e9}\n");
    let response = error_response(&target(Binding::Grpc, ProtocolVersion::V1_0, ReplyId::Null, false), &error);
    assert_eq!(response.status(), 200);
    assert!(response.body().is_empty());
    assert_eq!(header(&response, "content-type"), Some("application/grpc"));
    assert_eq!(header(&response, "grpc-status"), Some("9"));
    assert_eq!(header(&response, "grpc-message"), Some("50 %25 %C3%A9%0A"));
}

#[test]
fn an_answer_has_a_fresh_id_and_the_callers_context() {
    let of = |message: Value| ReplyDraft::answering(Some(&IncomingMessage::from_value(&message, None).unwrap()), "x");
    assert_eq!(of(json!({"contextId": "c", "taskId": "t"})).context_id.as_deref(), Some("c"));
    assert_eq!(of(json!({"taskId": "t"})).context_id, None);
    assert!(of(json!({})).context_id.is_some_and(|id| Uuid::parse_str(&id).is_ok()));
    assert!(of(json!({"contextId": ""})).context_id.is_some_and(|id| !id.is_empty()));
    let (first, second) = (ReplyDraft::answering(None, "x"), ReplyDraft::answering(None, "x"));
    assert_ne!(first.message_id, second.message_id);
    assert_ne!(first.context_id, second.context_id);
}

use serde_json::json;

use super::*;
use crate::binding::envelope::Envelope;

fn message(message: &Value, metadata: Option<&Value>) -> IncomingMessage {
    IncomingMessage::from_value(message, metadata).unwrap()
}

#[test]
fn parts_and_ids_are_read_as_written() {
    let read = message(
        &json!({
            "messageId": "m\u{1f600}", "contextId": "", "parts": [
                {"text": "first \"line\""}, {"data": {"a": [1]}}, {"raw": "eA=="}, {"text": "second"}, {"data": null}, {}
            ]
        }),
        None,
    );
    assert_eq!(read.text(), "first \"line\"\nsecond");
    assert_eq!(read.texts().collect::<Vec<_>>(), ["first \"line\"", "second"]);
    assert_eq!(read.data().collect::<Vec<_>>(), [r#"{"a":[1]}"#, "null"]);
    assert_eq!(read.message_id().as_deref(), Some("m\u{1f600}"));
    assert_eq!(read.context_id().as_deref(), Some(""));
    assert_eq!(read.task_id(), None);
    assert_eq!(message(&json!({}), None).text(), "");
}

#[test]
fn a16_metadata_comes_from_the_message_then_from_the_request() {
    let read = message(&json!({"metadata": {"k": 1, "x": 0}}), Some(&json!({"k": {"a": 2}})));
    assert_eq!(read.metadata("k").collect::<Vec<_>>(), [json!(1), json!({"a": 2})]);
    assert_eq!(read.metadata("absent").count(), 0);
    assert_eq!(message(&json!({}), Some(&json!({"k": 3}))).metadata("k").collect::<Vec<_>>(), [json!(3)]);
    assert_eq!(message(&json!({"metadata": null}), None).metadata("k").count(), 0);
}

#[test]
fn metadata_that_cannot_be_read_is_left_out() {
    let body = Bytes::from_static(br#"{"message":{"metadata":{"k":"\ud800"}},"metadata":{"\u006b":2}}"#);
    let read = Envelope::read(&body, &[]).unwrap().into_message(body, RequestForm::default()).unwrap();
    assert_eq!(read.metadata("k").collect::<Vec<_>>(), [json!(2)]);
}

#[test]
fn data_of_proto_json_0_3_is_unwrapped() {
    let body = Bytes::from_static(
        br#"{"request":{"content":[{"data":{"data":{"a":1}}},{"data":{"data":1,"b":2}},{"data":[1]}]}}"#,
    );
    let read = Envelope::read(&body, &[])
        .unwrap()
        .into_message(body.clone(), RequestForm { wraps_data: true, ..RequestForm::default() })
        .unwrap();
    assert_eq!(read.data().collect::<Vec<_>>(), [r#"{"a":1}"#, r#"{"data":1,"b":2}"#, "[1]"]);
    let read = Envelope::read(&body, &[]).unwrap().into_message(body, RequestForm::default()).unwrap();
    assert_eq!(read.data().next().as_deref(), Some(r#"{"data":{"a":1}}"#));
}

#[test]
fn what_a_request_would_be_refused_for_is_an_error() {
    for bad in [
        json!("text"),
        json!([]),
        json!(null),
        json!({"parts": {}}),
        json!({"parts": [{"text": 1}]}),
        json!({"Parts": []}),
    ] {
        assert!(IncomingMessage::from_value(&bad, None).is_err(), "{bad}");
    }
    assert!(IncomingMessage::from_value(&json!({}), Some(&json!([]))).is_err());
}

#[test]
fn a_clone_is_a_pointer_and_debug_shows_no_text() {
    let read =
        message(&json!({"messageId": "secret-id", "parts": [{"text": "secret"}], "metadata": {"k": "secret"}}), None);
    let clone = read.clone();
    assert!(Arc::ptr_eq(&read.0, &clone.0));
    assert!(!format!("{read:?}").contains("secret"));
    fn crosses_tasks<T: Send + Sync + 'static>(_: &T) {}
    crosses_tasks(&read);
}

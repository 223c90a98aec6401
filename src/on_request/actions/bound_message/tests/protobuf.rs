//! The same message in every binding, and any change of any byte in protobuf.

use a2a_pb::proto::SendMessageRequest;
use prost::Message as _;

use super::*;

fn encoded(request: &Value) -> Vec<u8> {
    serde_json::from_value::<a2a_pb::protojson::SendMessageRequest>(request.clone()).unwrap().encode_to_vec()
}

fn framed(request: &[u8]) -> Vec<u8> {
    let mut frame = vec![0];
    frame.extend(u32::try_from(request.len()).unwrap().to_be_bytes());
    frame.extend(request);
    frame
}

fn grpc(request: &[u8]) -> Option<[u8; 32]> {
    of_request("/lf.a2a.v1.A2AService/SendMessage", "1.0", framed(request))
}

/// A field that holds a text or a message of its own.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, u8::try_from(content.len()).unwrap()], content].concat()
}

#[test]
fn e2_a_message_with_all_its_members_is_one_in_every_binding() {
    let mut request = full_request();
    let over_grpc = grpc(&encoded(&request));
    assert!(over_grpc.is_some());
    assert_eq!(of_request("/message:send", "1.0", request.to_string().into_bytes()), over_grpc);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": &request});
    assert_eq!(of_request("/rpc", "1.0", call.to_string().into_bytes()), over_grpc);

    let message = &mut request["message"];
    message["kind"] = json!("message");
    message["role"] = json!("user");
    message["parts"] = json!([
        {"kind": "text", "text": "Please book", "metadata": {"EUR": 3.0}},
        {"kind": "file", "file": {"bytes": "eHl6", "name": "oak.txt", "mimeType": "text/plain"}},
        {"kind": "file", "file": {"uri": "https://files.example/1", "name": "rose.txt", "mimeType": "text/html"}},
        {"kind": "data", "data": {"people": 2, "day": "Tuesday", "none": null, "sure": true}},
    ]);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": request});
    assert_eq!(of_request("/rpc", "0.3", call.to_string().into_bytes()), over_grpc);
}

#[test]
fn e2_a_message_of_0_3_in_protobuf_is_that_of_1_0() {
    let metadata = field(1, &[field(1, b"k"), field(2, &field(3, b"v"))].concat());
    let file = [field(1, b"https://f.example/1"), field(3, b"text/html"), field(4, b"rose.txt")].concat();
    let part = [field(2, &file), field(4, &metadata)].concat();
    let message = [field(1, b"m"), vec![4 << 3, 1], field(5, &part)].concat();
    let old = of_request("/a2a.v1.A2AService/SendMessage", "0.3", framed(&field(1, &message)));
    let newer = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{
        "url": "https://f.example/1", "filename": "rose.txt", "mediaType": "text/html", "metadata": {"k": "v"},
    }]}});
    assert!(old.is_some());
    assert_eq!(of_request("/message:send", "1.0", newer.to_string().into_bytes()), old);
}

/// What prost reads, without what is not bound.
fn read(request: &[u8]) -> Option<SendMessageRequest> {
    let mut request = SendMessageRequest::decode(request).ok()?;
    request.configuration = None;
    request.message.as_mut()?.message_id.clear();
    Some(request)
}

#[test]
fn or_5_6_any_change_of_any_byte_changes_the_digest_or_what_is_asked_for_is_the_same() {
    let request = encoded(&full_request());
    let (whole, meaning) = (grpc(&request), read(&request));
    let mut same = 0;
    for at in 0..request.len() {
        for flipped in (0..8).map(|bit| 1_u8 << bit).chain([0xFF, 0x08 | 0x10]) {
            let mut other = request.clone();
            other[at] ^= flipped;
            if grpc(&other) == whole {
                assert_eq!(read(&other), meaning, "byte {at}, {flipped:#x}");
                same += 1;
            }
        }
    }
    assert!(same < 40, "{same}: the id, and numbers that say `true` or `null`");
}

#[test]
fn or_5_6_fields_that_nobody_knows_have_no_digest_wherever_they_stand() {
    let nested = |levels: &[u8], inner: &[u8]| {
        let mut request = levels.iter().rev().fold(inner.to_vec(), |inner, number| field(*number, &inner));
        if levels.first() != Some(&2) {
            request.extend(field(2, &[]));
        }
        grpc(&request)
    };
    // The request, its message, a Part, the metadata of each, an entry and a value of it, and data.
    for levels in [&[][..], &[2], &[2, 5], &[2, 6], &[2, 5, 5], &[4], &[4, 1], &[4, 1, 2], &[2, 5, 4], &[2, 5, 4, 6]] {
        assert!(nested(levels, &[]).is_some(), "{levels:?}");
        assert_eq!(nested(levels, &field(15, b"x")), None, "{levels:?}");
    }
}

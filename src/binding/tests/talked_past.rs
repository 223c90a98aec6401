//! One test for each row of the requests that real servers act on and that a gate misses easily.

use super::*;

const PRICE: &str = "what is the price?";

fn real() -> String {
    message(PRICE)
}

#[test]
fn talked_past_json_rpc_and_http_json_at_once_is_refused() {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{{"id":"x"}},"message":{}}}"#, real());
    for path in ["/message:send", "/a2a/rest/message:send", "/t/v1/message%3Astream", "/message/send"] {
        assert_eq!(Sample::post(path, &body).refused(), (-32600, Binding::HttpJson), "{path}");
    }
}

#[test]
fn talked_past_a_decoy_message_is_refused() {
    let (real, decoy) = (real(), message("opening hours?"));
    for (top, inner) in [(&real, &decoy), (&decoy, &real), (&real, &real)] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"message":{inner}}},"message":{top}}}"#);
        assert_eq!(Sample::post("/message:send", &body).refused(), (-32600, Binding::HttpJson));
        assert_eq!(Sample::rpc(&body).refused(), (-32600, Binding::JsonRpc));
    }
}

#[test]
fn talked_past_json_rpc_on_a_path_of_http_json_is_refused() {
    for path in ["/rest/tasks/x:cancel", "/rest/extendedAgentCard", "/rest/message:send", "/tasks/x/cancel"] {
        assert_eq!(Sample::post(path, send(PRICE)).refused(), (-32600, Binding::HttpJson), "{path}");
    }
}

#[test]
fn talked_past_any_http_method_with_a_body_is_read() {
    for method in ["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "BREW"] {
        assert_eq!(Sample::rpc(send(PRICE)).method(method).gated(), PRICE, "{method}");
        let body = format!(r#"{{"message":{}}}"#, real());
        assert_eq!(Sample::post("/message:send", body).method(method).gated(), PRICE, "{method}");
    }
}

#[test]
fn talked_past_a_message_is_gated_under_any_method_and_path() {
    let unknown = send(PRICE).replace("SendMessage", "tasks/send");
    assert_eq!(Sample::rpc(&unknown).read().unwrap().operation, Some(Operation::UnknownWithMessage));
    assert_eq!(Sample::rpc(&unknown).gated(), PRICE);
    let get = send(PRICE).replace("SendMessage", "GetTask");
    assert_eq!(Sample::rpc(get).gated(), PRICE);
    let plain = Sample::post("/elsewhere", format!(r#"{{"message":{}}}"#, real()));
    let reading = plain.read().unwrap();
    assert_eq!(reading.operation, Some(Operation::UnknownWithMessage));
    assert_eq!(reading.target.binding, Binding::HttpJson);
    assert_eq!(plain.gated(), PRICE);
    let card = send(PRICE).replace("SendMessage", "GetExtendedAgentCard");
    assert_eq!(Sample::rpc(card).read().unwrap().operation, Some(Operation::UnknownWithMessage));
    let cancel = Sample::post("/tasks/x:cancel", format!(r#"{{"message":{}}}"#, real()));
    assert_eq!(cancel.gated(), PRICE);
}

#[test]
fn talked_past_json_rpc_without_jsonrpc_is_json_rpc() {
    let sample = Sample::rpc(send(PRICE).replace(r#""jsonrpc":"2.0","#, ""));
    assert_eq!(sample.gated(), PRICE);
    assert_eq!(sample.read().unwrap().target.binding, Binding::JsonRpc);
    assert_eq!(Sample::rpc(send(PRICE).replace(r#""2.0""#, "1.0")).gated(), PRICE);
}

#[test]
fn talked_past_the_content_type_does_not_matter() {
    for value in ["text/plain", "multipart/form-data; boundary=x", "application/grpc", "application/grpc-web+proto"] {
        assert_eq!(Sample::rpc(send(PRICE)).header("content-type", value).gated(), PRICE, "{value}");
    }
    assert_eq!(Sample::rpc(send(PRICE)).gated(), PRICE);
}

#[test]
fn talked_past_what_is_skipped_is_not_judged() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for extra in [deep.as_str(), "1e999", r#""\ud800""#, r#"{"\ud800":1}"#, r#"{"a":1,"a":2}"#] {
        let body = send(PRICE).replacen('{', &format!(r#"{{"extra":{extra},"#), 1);
        assert_eq!(Sample::rpc(&body).gated(), PRICE);
        let body = send(PRICE).replace(r#""messageId""#, &format!(r#""extra":{extra},"messageId""#));
        assert_eq!(Sample::rpc(&body).gated(), PRICE);
        let body = send(PRICE).replace(r#"{"text""#, &format!(r#"{{"metadata":{extra},"text""#));
        assert_eq!(Sample::rpc(&body).gated(), PRICE);
    }
    let mut body = send(PRICE).replacen('{', r#"{"extra":"?","#, 1).into_bytes();
    *body.iter_mut().find(|byte| **byte == b'?').unwrap() = 0xFF;
    assert_eq!(Sample::rpc(&body).gated(), PRICE);
}

#[test]
fn talked_past_utf_16_and_utf_32_are_refused() {
    let text = send(PRICE);
    let utf_16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<_>>();
    let utf_32 = |order: fn(u32) -> [u8; 4]| text.chars().map(u32::from).flat_map(order).collect::<Vec<_>>();
    for body in [
        utf_16(u16::to_le_bytes),
        utf_16(u16::to_be_bytes),
        [b"\xff\xfe".to_vec(), utf_16(u16::to_le_bytes)].concat(),
        [b"\xfe\xff".to_vec(), utf_16(u16::to_be_bytes)].concat(),
        utf_32(u32::to_le_bytes),
        utf_32(u32::to_be_bytes),
        [b"\xff\xfe\0\0".to_vec(), utf_32(u32::to_le_bytes)].concat(),
        [b"\0\0\xfe\xff".to_vec(), utf_32(u32::to_be_bytes)].concat(),
        [b" ".to_vec(), utf_16(u16::to_be_bytes)].concat(),
    ] {
        assert_eq!(Sample::rpc(&body).refused(), (-32700, Binding::JsonRpc));
        assert_eq!(Sample::post("/message:send", &body).refused(), (-32700, Binding::HttpJson));
    }
}

#[test]
fn talked_past_a_struct_written_as_an_array_is_refused() {
    let real = real();
    for body in [
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":["",{real}]}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"unknown","params":["",{real}]}}"#),
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":["m",[{"text":"price"}]]}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":{"text":"price"}}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":[["price"]]}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":"{}"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":"price"}}"#.to_owned(),
    ] {
        assert_eq!(Sample::rpc(&body).refused(), (-32602, Binding::JsonRpc), "{body}");
    }
    let whole = format!(r#"["2.0",1,"SendMessage",{{"message":{real}}}]"#);
    assert_eq!(Sample::rpc(&whole).refused(), (-32600, Binding::JsonRpc));
    assert_eq!(Sample::post("/message:send", r#"{"message":["m"]}"#).refused(), (-32602, Binding::HttpJson));
    assert_eq!(Sample::post("/message:send", r#"{"message":"price"}"#).refused(), (-32602, Binding::HttpJson));
}

#[test]
fn talked_past_the_names_of_0_3_are_read() {
    let body = format!(r#"{{"request":{}}}"#, real().replace("parts", "content"));
    let sample = Sample::post("/v1/message:send", &body);
    assert_eq!(sample.gated(), PRICE);
    assert_eq!(sample.read().unwrap().target.version, ProtocolVersion::V0_3);
    let body = send(PRICE).replace(r#""message":"#, r#""request":"#);
    assert_eq!(Sample::rpc(body).gated(), PRICE);
}

#[test]
fn talked_past_a_decoy_under_the_other_name_is_refused() {
    let (real, decoy) = (real(), message("opening hours?"));
    for members in [
        format!(r#""message":{decoy},"request":{real}"#),
        format!(r#""request":{decoy},"message":{real}"#),
        format!(r#""message":"hi","request":{real}"#),
        format!(r#""message":null,"request":{real}"#),
        format!(r#""request":{{"message":{real}}}"#),
        format!(r#""message":{{"params":{{"message":{real}}}}}"#),
    ] {
        assert_eq!(Sample::post("/message:send", format!("{{{members}}}")).refused().0, -32600, "{members}");
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"message/send","params":{{{members}}}}}"#);
        assert_eq!(Sample::rpc(body).refused().0, -32600, "{members}");
    }
    let both = real.replace(r#""parts":"#, r#""content":[{"text":"opening hours?"}],"parts":"#);
    assert_eq!(Sample::post("/message:send", format!(r#"{{"message":{both}}}"#)).refused().0, -32600);
}

#[test]
fn talked_past_snake_case_is_read_and_both_spellings_are_refused() {
    let snake = send(PRICE).replace(r#""messageId":"m""#, r#""message_id":"m","context_id":"c","task_id":"t""#);
    let message = Sample::rpc(snake).read().unwrap().message.unwrap();
    assert_eq!(message.message_id().as_deref(), Some("m"));
    assert_eq!(message.context_id().as_deref(), Some("c"));
    assert_eq!(message.task_id().as_deref(), Some("t"));
    for (camel, snake) in [("messageId", "message_id"), ("contextId", "context_id"), ("taskId", "task_id")] {
        let members = format!(r#""{camel}":"m","{snake}":"m","role""#);
        let body = send(PRICE).replace(r#""messageId":"m","#, "").replace(r#""role""#, &members);
        assert_eq!(Sample::rpc(body).refused().0, -32600, "{camel}");
    }
}

#[test]
fn talked_past_duplicate_members_are_refused() {
    let twice = |member: &str, decoy: &str| {
        let name = format!(r#""{member}":"#);
        send(PRICE).replacen(&name, &format!("{name}{decoy},{name}"), 1)
    };
    for (member, decoy) in [
        ("text", r#""opening hours?""#),
        ("parts", "[]"),
        ("message", "{}"),
        ("message", r#""hi""#),
        ("message", "null"),
        ("params", "{}"),
        ("params", "null"),
        ("method", r#""GetTask""#),
        ("messageId", r#""n""#),
        ("role", r#""agent""#),
        ("id", "2"),
        ("jsonrpc", r#""2.0""#),
    ] {
        assert_eq!(Sample::rpc(twice(member, decoy)).refused().0, -32600, "{member}");
    }
    let escaped = send(PRICE).replace(r#"{"text""#, r#"{"\u0074ext":"opening hours?","text""#);
    assert_eq!(Sample::rpc(escaped).refused().0, -32600);
}

#[test]
fn talked_past_a_part_with_two_contents_is_refused() {
    for other in [
        r#""data":{"q":1}"#,
        r#""raw":"eA==""#,
        r#""url":"https://x""#,
        r#""file":{"uri":"x"}"#,
        r#""kind":"data""#,
        r#""kind":"file""#,
        r#""kind":"other""#,
        r#""Text":"x""#,
    ] {
        let body = send(PRICE).replace(r#"{"text""#, &format!(r#"{{{other},"text""#));
        assert_eq!(Sample::rpc(body).refused().0, -32600, "{other}");
    }
    let mistyped = send(PRICE).replace(r#"{"text""#, r#"{"kind":1,"text""#);
    assert_eq!(Sample::rpc(mistyped).refused().0, -32602);
    for harmless in [r#""raw":null,"url":null,"data":null"#, r#""kind":"text""#, r#""filename":"x""#] {
        let body = send(PRICE).replace(r#"{"text""#, &format!(r#"{{{harmless},"text""#));
        assert_eq!(Sample::rpc(body).gated(), PRICE, "{harmless}");
    }
}

#[test]
fn talked_past_the_role_does_not_matter() {
    for role in [r#""ROLE_AGENT""#, r#""agent""#, "2", r#""nonsense""#, "null"] {
        assert_eq!(Sample::rpc(send(PRICE).replace(r#""ROLE_USER""#, role)).gated(), PRICE, "{role}");
    }
    assert_eq!(Sample::rpc(send(PRICE).replace(r#""role":"ROLE_USER","#, "")).gated(), PRICE);
}

#[test]
fn c10_talked_past_a_batch_is_refused_with_id_null() {
    for body in [format!("[{}]", send(PRICE)), format!(" \r\n\t[{},{}]", send("x"), send(PRICE)), "[]".to_owned()] {
        let refusal = Sample::rpc(&body).read().unwrap_err();
        assert_eq!(refusal.error.kind().codes().json_rpc, -32600);
        assert_eq!(refusal.target.id, ReplyId::Null);
        assert_eq!(Sample::rpc(&body).refused().1, Binding::JsonRpc);
        assert_eq!(Sample::post("/message:send", &body).refused(), (-32600, Binding::HttpJson));
    }
}

#[test]
fn c11_talked_past_a_notification_is_read_as_one() {
    let sample = Sample::rpc(send(PRICE).replace(r#""id":1,"#, ""));
    assert_eq!(sample.gated(), PRICE);
    assert_eq!(sample.read().unwrap().target.id, ReplyId::Absent);
    assert_eq!(Sample::rpc(send(PRICE).replace("1,", "null,")).read().unwrap().target.id, ReplyId::Null);
}

#[test]
fn talked_past_names_that_only_look_alike_are_refused() {
    for (exact, folded) in [
        ("params", "Params"),
        ("message", "Message"),
        ("message", "mes\u{17f}age"),
        ("message", "_message"),
        ("message", "\u{feff}message"),
        ("message", "re_quest"),
        ("method", "Method"),
        ("parts", "Parts"),
        ("messageId", "MessageId"),
        ("messageId", "messageid"),
        ("text", "TEXT"),
    ] {
        let body = send(PRICE).replace(&format!(r#""{exact}":"#), &format!(r#""{folded}":"#));
        assert_eq!(Sample::rpc(&body).refused().0, -32600, "{folded}");
    }
    let marked = format!("\u{feff}{}", send(PRICE));
    assert_eq!(Sample::rpc(marked).gated(), PRICE, "c5: a BOM before the body is read over");
}

#[test]
fn talked_past_strings_that_are_used_must_be_valid() {
    for bad in [r"\ud800", r"\q", "\u{1}"] {
        assert_eq!(Sample::rpc(send(bad)).refused().0, -32600, "{bad}");
        let body = send(PRICE).replace(r#""m""#, &format!(r#""{bad}""#));
        assert_eq!(Sample::rpc(body).refused().0, -32600, "{bad}");
        let body = send(PRICE).replace("SendMessage", &format!("SendMessage{bad}"));
        assert_eq!(Sample::rpc(body).refused().0, -32600, "{bad}");
    }
    assert_eq!(Sample::rpc(send(r"\u0070rice\n\ud83d\ude00")).gated(), "price\n\u{1f600}");
}

#[test]
fn talked_past_what_is_no_json_is_refused() {
    for body in
        ["{", "{}x", r#"{"a":1,}"#, "{}{}", "{'a':1}", "{]", "[", "{\"message\":{}", "\u{feff}{x", "\u{feff}\u{feff}{}"]
    {
        assert_eq!(Sample::rpc(body).refused(), (-32700, Binding::JsonRpc), "{body}");
        assert_eq!(Sample::rpc(body).read().unwrap_err().target.id, ReplyId::Null, "{body}");
        assert_eq!(Sample::post("/tasks/7:cancel", body).refused(), (-32700, Binding::HttpJson), "{body}");
    }
}

#[test]
fn the_routes_of_other_apps_are_untouched() {
    for (path, body) in [
        ("/contact", r#"{"message":"Hi"}"#),
        ("/contact", r#"{"message":"Hi","message":"Ho"}"#),
        ("/contact", r#"{"name":"x","request":"a quote","id":1,"id":2}"#),
        ("/tasks", r#"{"title":"milk"}"#),
        ("/tasks/7/cancel", r#"{"method":"email"}"#),
        ("/pay", r#"{"method":{"type":"card"},"metadata":"x"}"#),
        ("/mcp", r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"message":{}}}}"#),
        ("/mcp", r#"{"jsonrpc":"2.0","method":"elicitation/create","params":{"message":"?","requestedSchema":{}}}"#),
        ("/eth", r#"{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x0","latest"]}"#),
        ("/x", "{}"),
    ] {
        Sample::post(path, body).untouched();
    }
    let tasks = Sample::post("/app/tasks", "").method("GET");
    assert_eq!(tasks.bodyless().operation, Some(Operation::SharedPath));
    assert_eq!(tasks.header("a2a-version", "1.0").bodyless().operation, Some(Operation::ListTasks));
}

#[test]
fn c4_a_duplicate_of_an_extensions_metadata_is_refused_wherever_it_stands() {
    let twice = format!(r#"{{"{KEY}":{{"skillId":"hours"}},"other":1,"other":2,"{KEY}":{{"skillId":"pricing"}}}}"#);
    let inside = format!(r#"{{"{KEY}":{{"skillId":"hours","skillId":"pricing"}}}}"#);
    let foreign = r#"{"other":1,"other":2}"#;
    for (metadata, refused) in
        [(twice.as_str(), true), (inside.as_str(), true), ("[]", true), (foreign, false), ("null", false)]
    {
        let in_message = send(PRICE).replace(r#""role""#, &format!(r#""metadata":{metadata},"role""#));
        let in_params = send(PRICE).replace(r#"{"message""#, &format!(r#"{{"metadata":{metadata},"message""#));
        let on_top = format!(r#"{{"metadata":{metadata},"message":{}}}"#, real());
        for sample in [Sample::rpc(in_message), Sample::rpc(in_params), Sample::post("/message:send", on_top)] {
            assert_eq!(sample.read().is_err(), refused, "{metadata} {:?}", sample.body);
        }
    }
    let both = send(PRICE).replace(r#"{"message""#, r#"{"metadata":{},"metadata":{},"message""#);
    assert_eq!(Sample::rpc(both).refused().0, -32600);
}

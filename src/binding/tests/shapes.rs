//! Binding, version and id of well-formed requests.

use super::*;

fn read(sample: &Sample) -> (Binding, Option<Operation>, ProtocolVersion, bool) {
    let reading = sample.read().unwrap();
    (reading.target.binding, reading.operation, reading.target.version, reading.target.streaming)
}

#[test]
fn a24_the_method_name_decides_the_shape_of_json_rpc() {
    use Operation as O;
    use ProtocolVersion::{V0_3, V1_0};
    for (method, operation, version, streaming) in [
        ("SendMessage", O::SendMessage, V1_0, false),
        ("message/send", O::SendMessage, V0_3, false),
        ("SendStreamingMessage", O::SendStreamingMessage, V1_0, true),
        ("message/stream", O::SendStreamingMessage, V0_3, true),
        ("tasks/resubscribe", O::SubscribeToTask, V0_3, true),
        ("GetTask", O::GetTask, V1_0, false),
        ("unknown", O::UnknownWithMessage, V1_0, false),
    ] {
        let sample = Sample::rpc(send("x").replace("SendMessage", method));
        assert_eq!(read(&sample), (Binding::JsonRpc, Some(operation), version, streaming), "{method}");
        let sample = sample.header("a2a-version", "1.0");
        assert_eq!(read(&sample).2, version, "{method}: the header does not decide");
    }
    let card = Sample::rpc(r#"{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}"#);
    assert_eq!(read(&card), (Binding::JsonRpc, Some(O::ExtendedAgentCard), V0_3, false));
    // A method of neither family leaves it to the members of the message, and those to the header.
    for method in ["tasks/send", "message.send", "vendor.ask"] {
        let of = |message: &str, said: &str| {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"message":{message}}}}}"#);
            read(&Sample::rpc(body).header("a2a-version", said)).2
        };
        let parts = r#""parts":[{"text":"x"}]"#;
        for (message, version) in [
            (format!(r#"{{"role":"ROLE_USER",{parts}}}"#), V1_0),
            (format!(r#"{{{parts},"role":"user"}}"#), V0_3),
            (format!(r#"{{"kind":"message",{parts}}}"#), V0_3),
            (r#"{"parts":[{"kind":"text","text":"x"}]}"#.to_owned(), V0_3),
            (r#"{"content":[{"text":"x"}]}"#.to_owned(), V0_3),
        ] {
            assert_eq!((of(&message, "0.3"), of(&message, "1.0")), (version, version), "{method} {message}");
        }
        let neither = format!("{{{parts}}}");
        assert_eq!((of(&neither, "0.3"), of(&neither, "1.0"), of(&neither, "")), (V0_3, V1_0, V1_0), "{method}");
    }
}

#[test]
fn a24_the_shape_of_http_json_goes_by_the_version_then_by_0_3_names_then_by_the_path() {
    use ProtocolVersion::{V0_3, V1_0};
    let current = format!(r#"{{"message":{}}}"#, message("x"));
    let old = current.replace("parts", "content");
    for (path, body, said, expected) in [
        ("/message:send", &current, None, V1_0),
        ("/message:send", &current, Some("1.0"), V1_0),
        ("/message:send", &current, Some("0.3"), V0_3),
        ("/message:send", &current, Some("9.9"), V1_0),
        ("/message:send", &current, Some(""), V1_0),
        ("/message:send", &old, None, V0_3),
        ("/message:send", &old, Some("1.0"), V1_0),
        ("/v1/message:send", &current, None, V0_3),
        ("/v1/message:send", &current, Some("1.0"), V1_0),
        ("/v1/tenant/message:send", &current, None, V1_0),
        ("/elsewhere", &old, None, V0_3),
    ] {
        let mut sample = Sample::post(path, body);
        if let Some(said) = said {
            sample = sample.header("a2a-version", said);
        }
        assert_eq!(read(&sample).2, expected, "{path} {said:?} {body}");
        let requested = sample.read().unwrap().requested_version;
        let said = said.filter(|said| !said.is_empty());
        assert_eq!(requested.said, said.map(SaidVersion::from));
    }
    let streaming = Sample::post("/tenant/message:stream?A2A-Version=1.0", &current);
    assert_eq!(read(&streaming), (Binding::HttpJson, Some(Operation::SendStreamingMessage), V1_0, true));
    assert_eq!(streaming.read().unwrap().requested_version.said, Some("1.0".into()));
}

#[test]
fn c12_an_id_is_repeated_as_it_came() {
    for raw in [
        "1",
        "0",
        "-0",
        r#""1""#,
        r#""""#,
        "1.5",
        "9007199254740993",
        "123456789012345678901234567890",
        "1e999",
        r#""\u0041\n\/""#,
        "\"\u{e9}\"",
    ] {
        let sample = Sample::rpc(send("x").replace(r#""id":1"#, &format!(r#""id": {raw} "#)));
        assert_eq!(sample.read().unwrap().target.id, ReplyId::Raw(Bytes::copy_from_slice(raw.as_bytes())), "{raw}");
    }
}

#[test]
fn c12_an_id_that_cannot_be_repeated_is_null() {
    let huge = format!("\"{}\"", "x".repeat(2 << 20));
    let long = "1".repeat(1025);
    for raw in ["{}", "[1]", "null", "true", r#""\ud800""#, "\"\u{1}\"", huge.as_str(), long.as_str()] {
        let sample = Sample::rpc(send("x").replace(r#""id":1"#, &format!(r#""id":{raw}"#)));
        assert_eq!(sample.read().unwrap().target.id, ReplyId::Null);
    }
    let twice = Sample::rpc(send("x").replace(r#""id":1"#, r#""id":1,"id":1"#));
    assert_eq!(twice.read().unwrap_err().target.id, ReplyId::Null);
    for invalid in ["01", "1.", "+1", "0x1", ""] {
        let sample = Sample::rpc(send("x").replace(r#""id":1"#, &format!(r#""id":{invalid}"#)));
        assert_eq!(sample.read().unwrap_err().target.id, ReplyId::Null, "{invalid}");
        assert_eq!(sample.refused().0, -32700, "{invalid}");
    }
}

#[test]
fn c12_a_refusal_repeats_an_id_that_stands_behind_what_is_wrong() {
    let body = r#"{"params":{"message":[]},"jsonrpc":"2.0","method":"SendMessage","id":"late"}"#;
    assert_eq!(Sample::rpc(body).read().unwrap_err().target.id, ReplyId::Raw(Bytes::from_static(b"\"late\"")));
}

#[test]
fn without_a_body_the_path_decides() {
    let bodyless = |method: &str, path: &str| Sample::post(path, "").method(method).bodyless();
    let cancel = bodyless("POST", "/rest/tasks/7:cancel");
    assert_eq!((cancel.target.binding, cancel.operation), (Binding::HttpJson, Some(Operation::CancelTask)));
    assert!(bodyless("GET", "/v1/tasks/7:subscribe").target.streaming);
    assert_eq!(bodyless("GET", "/v1/tasks/7:subscribe").target.version, ProtocolVersion::V0_3);
    assert_eq!(bodyless("GET", "/.well-known/agent-card.json").operation, Some(Operation::PublicAgentCard));
    for (method, path) in
        [("OPTIONS", "/message:send"), ("HEAD", "/extendedAgentCard"), ("GET", "/health"), ("POST", "/rpc")]
    {
        assert_eq!(bodyless(method, path).operation, None, "{method} {path}");
    }
    let blank = Sample::post("/tasks/7:cancel", " \n");
    let reading = read_request(blank.head(), &blank.body, &[]).unwrap();
    assert_eq!(reading.operation, Some(Operation::CancelTask));
}

#[test]
fn a_body_on_a_grpc_path_is_refused_as_grpc() {
    let sample = Sample::post("/lf.a2a.v1.A2AService/SendMessage", send("x"));
    assert_eq!(sample.refused().1, Binding::Grpc);
    assert_eq!(sample.bodyless().target.binding, Binding::Grpc);
}

#[test]
fn a_body_that_is_all_brackets_or_members_is_read_in_linear_time() {
    let brackets = "[".repeat(2 << 20);
    let members = format!("{{{}\"x\":1}}", r#""m_e-S\u0073age":1,"#.repeat(1_000_000));
    let metadata =
        format!(r#"{{"message":{{"metadata":{{"{KEY}":{{{}"x":1}}}}}}}}"#, r#""a":[{"b":1}],"#.repeat(200_000));
    let parts = format!(r#"{{"message":{{"parts":[{}{{}}]}}}}"#, r#"{"text":"x"},"#.repeat(300_000));
    let started = std::time::Instant::now();
    assert_eq!(Sample::rpc(brackets).refused().0, -32700);
    Sample::post("/x", members).untouched();
    assert_eq!(Sample::post("/x", metadata).refused().0, -32600);
    assert_eq!(Sample::post("/x", parts).gated().len(), 599_999);
    // Generous for a slow machine; quadratic work would take hours.
    assert!(started.elapsed() < std::time::Duration::from_secs(30));
}

//! Requests that real agents execute: each is gated or refused, and never reaches the agent.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};

use crate::support::*;

/// What has to come back.
#[derive(Clone, Copy, Debug)]
enum Expected {
    /// A referral, in whatever shape.
    Referral,
    /// A refusal with this HTTP status and, in JSON-RPC, this code.
    Refused(u16, i64),
}
use Expected::{Referral, Refused};

async fn check(name: &str, request: Request<Body>, expected: Expected) {
    let app = TestApp::closed();
    let reply = app.send(request).await;
    assert_eq!(app.calls(), 0, "{name}: the agent was called");
    assert!(!reply.tells(), "{name}: {}", reply.text());
    match expected {
        Referral => {
            assert_eq!(reply.status, 200, "{name}: {}", reply.text());
            assert!(reply.text().contains(ADDRESS), "{name}: {}", reply.text());
        }
        Refused(status, code) => {
            assert_eq!(reply.status, status, "{name}: {}", reply.text());
            let error = &reply.json()["error"];
            assert_eq!(error["code"], code, "{name}: {error}");
        }
    }
}

fn question() -> Value {
    message(QUESTION)
}

fn send_message() -> String {
    rpc("SendMessage", &question()).to_string()
}

#[tokio::test]
async fn talked_past_a_json_rpc_envelope_on_an_http_json_path() {
    let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}});
    body["message"] = question();
    check("envelope", post("/a2a/rest/message:send", &[], body.to_string()), Refused(400, 400)).await;
}

#[tokio::test]
async fn talked_past_a_decoy_message() {
    for (inner, outer) in [(message("hello"), question()), (question(), message("hello"))] {
        for path in ["/a2a/rest/message:send", "/a2a/v1", "/elsewhere"] {
            let body = json!({"params": {"message": inner}, "message": outer}).to_string();
            let app = TestApp::closed();
            let reply = app.send(post(path, &[], body)).await;
            assert_eq!((app.calls(), reply.tells()), (0, false), "{path}");
            assert!(reply.json()["error"]["code"].is_i64(), "{path}: {}", reply.text());
        }
    }
}

#[tokio::test]
async fn talked_past_send_message_posted_to_other_operations() {
    for path in ["/a2a/rest/tasks/x:cancel", "/a2a/rest/extendedAgentCard", "/a2a/rest/message:send"] {
        check(path, post(path, &[], send_message()), Refused(400, 400)).await;
    }
}

#[tokio::test]
async fn talked_past_by_any_method() {
    for method in [Method::GET, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let mut request = post("/a2a/v1", &[], send_message());
        *request.method_mut() = method.clone();
        check(method.as_str(), request, Referral).await;
    }
    let mut request = post("/a2a/v1", &[], send_message());
    *request.method_mut() = Method::HEAD;
    let app = TestApp::closed();
    let reply = app.send(request).await;
    assert_eq!((app.calls(), reply.tells()), (0, false), "HEAD performs nothing");
}

#[tokio::test]
async fn talked_past_without_jsonrpc_or_under_an_unknown_method() {
    let mut body = rpc("SendMessage", &question());
    body.as_object_mut().unwrap().remove("jsonrpc");
    check("no jsonrpc", post("/a2a/v1", &[], body.to_string()), Referral).await;
    check("unknown method", post("/a2a/v1", &[], rpc("agent/ask", &question()).to_string()), Referral).await;
    check("bare", post("/anything", &[], json!({"message": question()}).to_string()), Referral).await;
}

#[tokio::test]
async fn talked_past_under_other_content_types() {
    for kind in [
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/grpc",
        "application/grpc-web+proto",
        "nonsense",
        "",
    ] {
        check(kind, post("/a2a/v1", &[("content-type", kind)], send_message()), Referral).await;
    }
    let mut request = post("/a2a/v1", &[], send_message());
    request.headers_mut().remove("content-type");
    check("none", request, Referral).await;
}

#[tokio::test]
async fn talked_past_beside_members_that_a_strict_reader_trips_over() {
    for extra in [
        "[".repeat(200) + &"]".repeat(200),
        "[".repeat(20_000) + &"]".repeat(20_000),
        "1e999".into(),
        r#""\ud800""#.into(),
    ] {
        for place in ["{\"x\":EXTRA,", "{\"jsonrpc\":\"2.0\",\"x\":EXTRA,"] {
            let body = place.replace("EXTRA", &extra) + send_message().strip_prefix('{').unwrap();
            let body = body.replacen("\"jsonrpc\":\"2.0\",\"x\"", "\"x\"", 1);
            check(&extra[..5], post("/a2a/v1", &[], body), Referral).await;
        }
    }
}

#[tokio::test]
async fn talked_past_in_utf_16_and_utf_32() {
    let le = send_message().encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let be = send_message().encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
    let wide = send_message().chars().flat_map(|c| u32::from(c).to_le_bytes()).collect::<Vec<_>>();
    let wide_be = send_message().chars().flat_map(|c| u32::from(c).to_be_bytes()).collect::<Vec<_>>();
    let marked_le = [&[0xff, 0xfe][..], &le].concat();
    let marked_be = [&[0xfe, 0xff][..], &be].concat();
    for (name, body) in
        [("le", le), ("be", be), ("wide", wide), ("wide be", wide_be), ("bom le", marked_le), ("bom be", marked_be)]
    {
        let app = TestApp::closed();
        let reply = app.send(post("/a2a/v1", &[], body)).await;
        assert_eq!((app.calls(), reply.json()["error"]["code"].as_i64()), (0, Some(-32700)), "{name}");
    }
}

#[tokio::test]
async fn c5_a_utf_8_bom_is_read_over_however_it_is_split() {
    let marked = [b"\xef\xbb\xbf", send_message().as_bytes()].concat();
    check("bom", post("/a2a/v1", &[], marked.clone()), Referral).await;
    for at in 1..6 {
        let chunks = [marked[..at].to_vec(), marked[at..].to_vec()].into_iter().map(Ok::<_, std::convert::Infallible>);
        check("split", post("/a2a/v1", &[], Body::from_stream(crate::bodies::ready_stream(chunks))), Referral).await;
    }
    let bytes = marked.into_iter().map(|byte| Ok::<_, std::convert::Infallible>(vec![byte]));
    check("dripped", post("/a2a/v1", &[], Body::from_stream(crate::bodies::ready_stream(bytes))), Referral).await;
}

#[tokio::test]
async fn talked_past_behind_spaces_that_only_some_servers_trim() {
    for space in [
        "\u{85}", "\u{a0}", "\u{1680}", "\u{2000}", "\u{200b}", "\u{2028}", "\u{202f}", "\u{205f}", "\u{3000}",
        "\u{b}", "\u{c}", "\u{1c}", "\u{1}", "\u{8}", "\u{7f}",
    ] {
        let body = format!(" {space}\n{space}{}", send_message());
        check(space, post("/a2a/v1", &[], body.clone()), Refused(200, -32700)).await;
        let bytes = body.into_bytes().into_iter().map(|byte| Ok::<_, std::convert::Infallible>(vec![byte]));
        let dripped = Body::from_stream(crate::bodies::ready_stream(bytes));
        check(space, post("/a2a/v1", &[], dripped), Refused(200, -32700)).await;
    }
}

#[tokio::test]
async fn talked_past_in_a_compressed_body() {
    for coding in ["gzip", "br", "deflate, identity", "x-gzip", "zstd"] {
        let request = post("/a2a/v1", &[("content-encoding", coding)], &b"\x1f\x8b\x08\x00rest"[..]);
        check(coding, request, Refused(415, -32600)).await;
    }
    check("identity", post("/a2a/v1", &[("content-encoding", "identity")], send_message()), Referral).await;
}

#[tokio::test]
async fn talked_past_with_structs_as_arrays() {
    let array = json!(["2.0", 1, "SendMessage", {"message": question()}]).to_string();
    check("envelope as an array", post("/a2a/v1", &[], array), Refused(200, -32600)).await;
    let message = json!(["m-1", null, null, "ROLE_USER", [{"text": QUESTION}]]);
    check("message as an array", post("/a2a/v1", &[], rpc("SendMessage", &message).to_string()), Refused(200, -32602))
        .await;
    let params = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": [question()]}).to_string();
    check("params as an array", post("/a2a/v1", &[], params), Refused(200, -32602)).await;
}

#[tokio::test]
async fn talked_past_by_names_of_0_3() {
    let content = json!({"messageId": "m", "role": "ROLE_USER", "content": [{"text": QUESTION}]});
    let request = json!({"request": content}).to_string();
    check("request", post("/a2a/rest/v1/message:send", &[("a2a-version", "0.3")], request), Referral).await;
    check("content", post("/a2a/v1", &[], rpc("SendMessage", &content).to_string()), Referral).await;
    let both = json!({"message": message("hello"), "request": content}).to_string();
    check("both", post("/a2a/rest/message:send", &[], both), Refused(400, 400)).await;
    let mut two_contents = question();
    two_contents["content"] = json!([{"text": "hello"}]);
    check(
        "parts and content",
        post("/a2a/v1", &[], rpc("SendMessage", &two_contents).to_string()),
        Refused(200, -32600),
    )
    .await;
}

#[tokio::test]
async fn talked_past_by_snake_case() {
    let snake = json!({"message_id": "m", "role": "ROLE_USER", "parts": [{"text": QUESTION}]});
    check("message_id", post("/a2a/v1", &[], rpc("SendMessage", &snake).to_string()), Referral).await;
    let mut twice = question();
    twice["message_id"] = json!("m-2");
    check("both spellings", post("/a2a/v1", &[], rpc("SendMessage", &twice).to_string()), Refused(200, -32600)).await;
}

#[tokio::test]
async fn c4_talked_past_by_duplicate_members() {
    let envelope = |message: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{message}}}}}"#)
    };
    let question = question().to_string();
    let bodies = [
        envelope(&format!(r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi","text":"{QUESTION}"}}]}}"#)),
        envelope(&format!(
            r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi"}}],"parts":[{{"text":"{QUESTION}"}}]}}"#
        )),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{{"parts":[]}},"message":{question}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"GetTask","method":"SendMessage","params":{{"message":{question}}}}}"#
        ),
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{}},"params":{{"message":{question}}}}}"#),
        envelope(&format!(
            r#"{{"messageId":"m","role":"ROLE_USER","parts":[{{"text":"hi","t\u0065xt":"{QUESTION}"}}]}}"#
        )),
    ];
    for body in bodies {
        check(&body.clone(), post("/a2a/v1", &[], body), Refused(200, -32600)).await;
    }
}

#[tokio::test]
async fn talked_past_by_keys_that_only_fold_to_ours() {
    let question = question().to_string();
    for key in [
        "Message",
        "MESSAGE",
        "me\u{17f}\u{17f}age",
        "_message",
        "mes_sage",
        "Request",
        "\\u004dessage",
        "\\ufeffmessage",
    ] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"{key}":{question}}}}}"#);
        check(key, post("/a2a/v1", &[], body), Refused(200, -32600)).await;
    }
    let text = format!(r#"{{"messageId":"m","parts":[{{"Text":"{QUESTION}"}}]}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{{"message":{text}}}}}"#);
    check("Text", post("/a2a/v1", &[], body), Refused(200, -32600)).await;
}

#[tokio::test]
async fn talked_past_by_role() {
    for role in [json!("ROLE_AGENT"), json!("agent"), json!(2), Value::Null] {
        let mut message = question();
        message["role"] = role.clone();
        check("role", post("/a2a/v1", &[], rpc("SendMessage", &message).to_string()), Referral).await;
    }
    let mut message = question();
    message.as_object_mut().unwrap().remove("role");
    check("no role", post("/a2a/v1", &[], rpc("SendMessage", &message).to_string()), Referral).await;
}

#[tokio::test]
async fn c10_talked_past_in_a_batch() {
    for body in [format!("[{}]", send_message()), format!(" \n [{}]", send_message()), "[]".into()] {
        let app = TestApp::closed();
        let reply = app.send(post("/a2a/v1", &[], body)).await;
        let error = reply.json();
        assert_eq!((app.calls(), error["error"]["code"].as_i64(), &error["id"]), (0, Some(-32600), &Value::Null));
    }
}

#[tokio::test]
async fn c11_talked_past_by_a_notification() {
    let mut body = rpc("SendMessage", &question());
    body.as_object_mut().unwrap().remove("id");
    let app = TestApp::closed();
    let reply = app.send(post("/a2a/v1", &[], body.to_string())).await;
    assert_eq!((app.calls(), reply.status.as_u16(), reply.bytes.len()), (0, 204, 0));
}

#[tokio::test]
async fn talked_past_by_a_public_skill_id_beside_the_question() {
    let mut message = question();
    message["metadata"] = json!({URI: {"skillId": "opening-hours"}});
    check("public id", post("/a2a/v1", &[], rpc("SendMessage", &message).to_string()), Referral).await;
    let mut body = rpc("SendMessage", &question());
    body["params"]["metadata"] = json!({URI: {"skillId": "opening-hours"}});
    check("public id in params", post("/a2a/v1", &[], body.to_string()), Referral).await;
}

#[tokio::test]
async fn talked_past_in_utf_7() {
    for kind in [
        "application/json; charset=utf-7",
        "application/json;charset=\"UTF-16\"",
        "application/a2a+json; a=b; CHARSET=latin1",
    ] {
        let body = "+AHs-".to_owned() + &send_message();
        check(kind, post("/a2a/v1", &[("content-type", kind)], body), Refused(415, -32600)).await;
    }
    for kind in ["text/plain; charset=utf-7", "application/vnd.a2a; charset=\"UTF-7\"", "text/plain; charset=ibm037"] {
        check(kind, post("/a2a/v1", &[("content-type", kind)], "+AHs-"), Refused(415, -32600)).await;
    }
    for kind in ["application/json; charset=utf-8", "application/json; charset=\"US-ASCII\""] {
        check(kind, post("/a2a/v1", &[("content-type", kind)], send_message()), Referral).await;
    }
}

#[tokio::test]
async fn a16_the_skill_id_is_read_in_both_places() {
    let said = message("tell me");
    let mut in_message = said.clone();
    in_message["metadata"] = json!({URI: {"skillId": "service-pricing"}});
    check("message", post("/a2a/v1", &[], rpc("SendMessage", &in_message).to_string()), Referral).await;
    let mut in_params = rpc("SendMessage", &said);
    in_params["params"]["metadata"] = json!({URI: {"skillId": "service-pricing"}});
    check("params", post("/a2a/v1", &[], in_params.to_string()), Referral).await;
    let in_body = json!({"message": said, "metadata": {URI: {"skillId": "service-pricing"}}});
    check("body", post("/a2a/rest/message:send", &[], in_body.to_string()), Referral).await;
}

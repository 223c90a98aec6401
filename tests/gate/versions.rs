//! Which version, which shape: every way that cards list versions, against every way that calls name one.

use http::Request;
use serde_json::{Value, json};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::support::*;

const HEADERS: [&str; 7] = ["", "0.3", "1.0", "1.1", "v1.0", "1.0.1", "nonsense"];

/// A card whose interfaces list these versions; `null` lists none.
fn listing(versions: &[Value]) -> Value {
    let mut card = card();
    let of = |version: &Value, binding: &str, path: &str| {
        let mut interface = json!({"url": format!("https://agent.harbour.example{path}"), "protocolBinding": binding});
        if !version.is_null() {
            interface["protocolVersion"] = version.clone();
        }
        interface
    };
    let interfaces = versions.iter().flat_map(|version| {
        [("JSONRPC", "/a2a/v1"), ("HTTP+JSON", "/a2a/rest"), ("GRPC", "")]
            .map(|(binding, path)| of(version, binding, path))
    });
    card["supportedInterfaces"] = interfaces.collect();
    card
}

/// A card in the shape of 0.3.
fn old(version: Option<&str>) -> Value {
    let mut card = listing(&[]);
    card.as_object_mut().unwrap().remove("supportedInterfaces");
    card["url"] = json!("https://agent.harbour.example/a2a/v1");
    card["preferredTransport"] = json!("JSONRPC");
    card["additionalInterfaces"] = json!([
        {"url": "https://agent.harbour.example/a2a/rest", "transport": "HTTP+JSON"},
        {"url": "https://agent.harbour.example", "transport": "GRPC"},
    ]);
    if let Some(version) = version {
        card["protocolVersion"] = json!(version);
    }
    card
}

fn with_version_of_card(version: &str) -> Value {
    let mut card = listing(&[Value::Null, json!("")]);
    card["protocolVersion"] = json!(version);
    card
}

/// Cards, the headers that each lets pass, and the only family of their HTTP+JSON interfaces.
fn corpus() -> Vec<(Value, Vec<&'static str>, Option<&'static str>)> {
    let (old_only, new_only) = (Some("0.3"), Some("1.0"));
    let one = |version: &str| listing(&[json!(version)]);
    let any_1 = vec!["", "1.0", "1.1", "v1.0", "1.0.1"];
    let of_1_0 = vec!["", "1.0", "v1.0", "1.0.1"];
    vec![
        (one("0.1"), vec![""], old_only),
        (one("0.2.1"), vec![""], old_only),
        (one("0.2.5"), vec![""], old_only),
        (one("0.3"), vec!["", "0.3"], old_only),
        (one("0.3.0"), vec!["", "0.3"], old_only),
        (one("1"), of_1_0.clone(), new_only),
        (one("1.0"), of_1_0.clone(), new_only),
        (one("v1.0"), of_1_0.clone(), new_only),
        (one("1.1"), vec!["", "1.1"], new_only),
        (one("2.0"), vec![""], new_only),
        (one(""), any_1.clone(), new_only),
        (listing(&[Value::Null]), any_1, new_only),
        (listing(&[json!("0.3"), json!("1.0")]), [vec!["0.3"], of_1_0].concat(), None),
        (listing(&[json!("0.2.5"), json!("1.1")]), vec!["", "1.1"], None),
        (with_version_of_card("1.1"), vec!["", "1.1"], new_only),
        (old(None), vec!["", "0.3"], old_only),
        (old(Some("0.2.5")), vec![""], old_only),
        (old(Some("0.3.0")), vec!["", "0.3"], old_only),
        (listing(&[]), HEADERS.to_vec(), None),
    ]
}

fn with(header: &str, mut request: Request<axum::body::Body>) -> Request<axum::body::Body> {
    request.headers_mut().remove("a2a-version");
    if !header.is_empty() {
        request.headers_mut().insert("a2a-version", header.parse().unwrap());
    }
    request
}

/// The message in the members of one version.
fn question_of(version: &str) -> Value {
    match version {
        "0.3" => {
            json!({"kind": "message", "messageId": "m", "role": "user", "parts": [{"kind": "text", "text": QUESTION}]})
        }
        _ => message(QUESTION),
    }
}

#[tokio::test]
async fn json_rpc_is_answered_in_the_shape_of_the_call_where_the_card_lists_its_version() {
    for (card, accepted, _) in corpus() {
        let app = TestApp::telling(A2aExtensionsLayer::new(card.clone()).unwrap());
        for header in HEADERS {
            for (method, shape) in [
                ("SendMessage", "1.0"),
                ("message/send", "0.3"),
                ("tasks/send", "1.0"),
                ("tasks/send", "0.3"),
                ("vendor.ask", "0.3"),
            ] {
                let request = post("/a2a/v1", &[], rpc(method, &question_of(shape)).to_string());
                let reply = app.send(with(header, request)).await;
                let case =
                    format!("{method} {shape}, header {header:?}, {}: {}", card["supportedInterfaces"], reply.text());
                assert_eq!((reply.status.as_u16(), reply.tells()), (200, false), "{case}");
                let reply = reply.json();
                if !accepted.contains(&header) {
                    assert_eq!(reply["error"]["code"], -32009, "{case}");
                    continue;
                }
                let message = if shape == "1.0" { &reply["result"]["message"] } else { &reply["result"] };
                assert_eq!(message["kind"].is_string(), shape == "0.3", "{case}");
                assert!(message["parts"][0]["text"].as_str().unwrap().contains(ADDRESS), "{case}");
            }
        }
        assert_eq!(app.calls(), 0);
    }
}

#[tokio::test]
async fn http_json_is_answered_in_the_shape_of_the_header_then_the_members_then_the_path_then_the_card() {
    for (card, accepted, listed) in corpus() {
        let app = TestApp::telling(A2aExtensionsLayer::new(card.clone()).unwrap());
        for header in HEADERS {
            for (path, members, told) in [
                ("/a2a/rest/message:send", "parts", None),
                ("/a2a/rest/message:send", "content", Some("0.3")),
                ("/a2a/rest/v1/message:send", "parts", Some("0.3")),
            ] {
                let body = json!({"message": {"messageId": "m", members: [{"text": QUESTION}]}}).to_string();
                let reply = app.send(with(header, post(path, &[], body))).await;
                let case =
                    format!("{path} {members}, header {header:?}, {}: {}", card["supportedInterfaces"], reply.text());
                assert!(!reply.tells(), "{case}");
                if !accepted.contains(&header) {
                    assert_eq!(reply.status.as_u16(), 400, "{case}");
                    assert_eq!(reply.json()["error"]["details"][0]["reason"], "VERSION_NOT_SUPPORTED", "{case}");
                    continue;
                }
                let of_header = if header.starts_with("0.") { "0.3" } else { "1.0" };
                let shape = if header.is_empty() { told.or(listed).unwrap_or("1.0") } else { of_header };
                let parts = if shape == "0.3" { "content" } else { "parts" };
                let text = reply.json()["message"][parts][0]["text"].as_str().map(str::to_owned);
                assert!(text.is_some_and(|text| text.contains(ADDRESS)), "{case}");
                let media_type = if shape == "0.3" { "application/json" } else { "application/a2a+json" };
                assert_eq!(reply.headers["content-type"], media_type, "{case}");
            }
        }
        assert_eq!(app.calls(), 0);
    }
}

#[cfg(feature = "grpc")]
#[tokio::test]
async fn grpc_is_answered_where_the_card_lists_the_family_of_the_service_and_the_named_version() {
    /// A field with a short string or message.
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }
    for (card, accepted, _) in corpus() {
        let app = TestApp::telling(A2aExtensionsLayer::new(card.clone()).unwrap());
        let families = match &card["supportedInterfaces"] {
            Value::Array(listed) if listed.is_empty() => vec!["0.3", "1.0"],
            Value::Array(listed) => listed
                .iter()
                .map(|interface| interface["protocolVersion"].as_str().filter(|said| !said.is_empty()).unwrap_or("1.0"))
                .map(|version| if version.starts_with("0.") { "0.3" } else { "1.0" })
                .collect(),
            _ => vec!["0.3"],
        };
        for header in HEADERS {
            for (service, number, family) in [("lf.a2a.v1", 2, "1.0"), ("a2a.v1", 1, "0.3")] {
                let message = [field(1, b"m"), field(5, &field(1, QUESTION.as_bytes()))].concat();
                let request = field(number, &message);
                let frame = [&[0, 0, 0, 0, u8::try_from(request.len()).unwrap()], &*request].concat();
                let mut request = post(&format!("/{service}.A2AService/SendMessage"), &[], frame);
                request.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
                let reply = app.send(with(header, request)).await;
                let refused = reply.headers.get("grpc-status").map(|status| status.to_str().unwrap().to_owned());
                let passes = accepted.contains(&header) && families.contains(&family);
                let case = format!("{service}, header {header:?}, {}", card["supportedInterfaces"]);
                assert_eq!(refused.as_deref(), (!passes).then_some("9"), "{case}");
                let told = reply.bytes.windows(ADDRESS.len()).any(|window| window == ADDRESS.as_bytes());
                assert_eq!(told, passes, "{case}");
            }
        }
        assert_eq!(app.calls(), 0);
    }
}

#[tokio::test]
async fn nothing_is_refused_where_no_gate_would_answer_and_nothing_is_required() {
    let app = TestApp::telling(A2aExtensionsLayer::new(listing(&[json!("1.1")])).unwrap());
    for header in HEADERS {
        let hello = post("/a2a/v1", &[], rpc("SendMessage", &message("hello")).to_string());
        assert!(app.send(with(header, hello)).await.tells(), "{header}");
    }
}

#[tokio::test]
async fn a_version_comes_before_what_is_required_and_the_refusal_names_what_is_missing() {
    let needed = ["https://a.example/one", "https://a.example/two"];
    let mut card = listing(&[json!("1.1")]);
    for uri in needed {
        let required = json!({"uri": uri, "required": true});
        card["capabilities"]["extensions"].as_array_mut().unwrap().push(required);
    }
    let app = TestApp::telling(A2aExtensionsLayer::new(card).unwrap());
    for text in ["hello", QUESTION] {
        let ask = || post("/a2a/v1", &[], rpc("SendMessage", &message(text)).to_string());
        assert_eq!(app.send(with("1.0", ask())).await.json()["error"]["code"], -32009);
        let missing = app.send(with("", ask())).await.json();
        assert_eq!(missing["error"]["code"], -32008);
        let told = missing["error"]["message"].as_str().unwrap();
        assert!(needed.iter().all(|uri| told.contains(uri)), "{told}");
        assert_eq!(missing["error"]["data"][0]["metadata"]["missingExtensions"], needed.join(","));
    }
    assert_eq!(app.calls(), 0);
}

#[tokio::test]
async fn a_card_that_writes_false_does_not_stream_and_one_that_says_nothing_gets_one_event() {
    for (streaming, streams) in [(json!(true), true), (json!(false), false), (Value::Null, true), (json!("true"), true)]
    {
        let mut card = card();
        card["capabilities"]["streaming"] = streaming.clone();
        let app = TestApp::telling(A2aExtensionsLayer::new(card).unwrap());
        let ask = post("/a2a/v1", &[], rpc("SendStreamingMessage", &message(QUESTION)).to_string());
        let reply = app.send(ask).await;
        if streams {
            assert!(reply.event().to_string().contains(ADDRESS), "{streaming}");
        } else {
            assert_eq!(reply.json()["error"]["code"], -32004, "{streaming}");
        }
        assert_eq!(app.calls(), 0);
    }
}

#[tokio::test]
async fn under_v1_as_mount_http_json_is_read_as_0_3() {
    let mut card = listing(&[json!("0.3"), json!("1.0")]);
    for interface in card["supportedInterfaces"].as_array_mut().unwrap() {
        interface["url"] = json!("https://agent.harbour.example/v1");
    }
    let layer = A2aExtensionsLayer::builder(card).mounted_at("/v1").build().unwrap();
    let inside = TestApp::telling(layer);
    let body = || json!({"message": {"messageId": "m", "parts": [{"text": QUESTION}]}}).to_string();
    let reply = inside.send(with("", post("/message:send", &[], body()))).await;
    assert!(reply.json()["message"]["content"].is_array(), "{}", reply.text());
    let nested = axum::Router::new().nest("/v1", inside.router.clone());
    let nested = TestApp { router: nested, calls: inside.calls.clone() };
    let reply = nested.send(with("", post("/v1/message:send", &[], body()))).await;
    assert!(reply.json()["message"]["content"].is_array(), "{}", reply.text());
    let reply = nested.send(with("1.0", post("/v1/message:send", &[], body()))).await;
    assert!(reply.json()["message"]["parts"].is_array(), "{}", reply.text());
}

#[tokio::test]
async fn accept_chooses_the_media_type_of_an_http_json_answer() {
    let app = TestApp::closed();
    for (accept, expected) in [
        ("application/json", "application/json"),
        ("application/a2a+json", "application/a2a+json"),
        ("application/json;q=0.5, application/a2a+json", "application/a2a+json"),
        ("application/a2a+json;q=0.5, application/json", "application/json"),
        ("*/*", "application/a2a+json"),
    ] {
        for body in [json!({"message": message(QUESTION)}), json!({"message": []})] {
            let request = post("/a2a/rest/message:send", &[("accept", accept)], body.to_string());
            assert_eq!(app.send(request).await.headers["content-type"], expected, "{accept} {body}");
        }
    }
}

#[tokio::test]
async fn refusals_have_the_codes_that_the_sdks_have() {
    let app = TestApp::closed();
    let parts = r#"{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":"x"}}}"#;
    let no_utf_8: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"SendMessage\",\"params\":{\"message\":{\"parts\":[{\"text\":\"\xff\"}]}}}";
    let quotes = "{'jsonrpc': '2.0', 'method': 'SendMessage'}";
    for (content_type, body, code, status) in [
        ("application/json", parts.as_bytes(), -32602, 400),
        ("application/json", no_utf_8, -32700, 400),
        ("application/json", quotes.as_bytes(), -32700, 400),
        ("text/plain", quotes.as_bytes(), -32005, 415),
    ] {
        let request = |path: &str| {
            let mut request = post(path, &[], body.to_vec());
            request.headers_mut().insert("content-type", content_type.parse().unwrap());
            request
        };
        let reply = app.send(request("/a2a/v1")).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["error"]["code"]), (200, &json!(code)), "{content_type}");
        let elsewhere = app.send(request("/a2a/rest/message:send")).await;
        assert_eq!(elsewhere.status.as_u16(), status, "{content_type}");
    }
    assert_eq!(app.calls(), 0);
}

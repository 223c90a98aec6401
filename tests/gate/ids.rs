//! The `id` of our own replies (C12).

use serde_json::{Value, json};

use crate::support::*;

fn with_id(id: &str) -> String {
    let rest = rpc("SendMessage", &message(QUESTION));
    format!(r#"{{"id":{id},"jsonrpc":"2.0","method":"SendMessage","params":{}}}"#, rest["params"])
}

async fn raw_reply(body: String) -> String {
    let app = TestApp::closed();
    let reply = app.send(post("/a2a/v1", &[], body)).await;
    assert_eq!((app.calls(), reply.status.as_u16()), (0, 200));
    reply.json();
    reply.text()
}

#[tokio::test]
async fn c12_an_id_is_repeated_as_it_was_sent() {
    for id in [
        "0",
        r#""1""#,
        "null",
        "1.5",
        "9007199254740993",
        "123456789012345678901234567890",
        "-0",
        "1e2",
        r#""\u0041\/\"x""#,
        r#""好""#,
    ] {
        let reply = raw_reply(with_id(id)).await;
        assert!(reply.contains(&format!(r#""id":{id}"#)), "{id}: {reply}");
    }
}

#[tokio::test]
async fn c12_an_id_that_cannot_be_repeated_is_null() {
    let long = format!("\"{}\"", "x".repeat(2 << 19));
    for id in ["{}", r#"{"a":1}"#, "[1]", "true", long.as_str(), r#""\ud800""#, r#""\q""#] {
        assert_eq!(
            serde_json::from_str::<Value>(&raw_reply(with_id(id)).await).unwrap()["id"],
            Value::Null,
            "{}",
            &id[..2]
        );
    }
    let twice = with_id("1").replacen("\"id\":1", "\"id\":1,\"id\":2", 1);
    let app = TestApp::closed();
    let reply = app.send(post("/a2a/v1", &[], twice)).await;
    assert_eq!((app.calls(), &reply.json()["id"]), (0, &Value::Null));
    let invalid = app.send(post("/a2a/v1", &[], with_id("01"))).await;
    assert_eq!(
        (app.calls(), &invalid.json()["id"], invalid.json()["error"]["code"].clone()),
        (0, &Value::Null, json!(-32700))
    );
}

//! What a referral looks like in each binding and version, and what is asked before it.

use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, Severity};

use crate::support::*;

/// A referral of 1.0, with or without the data of the active extension.
fn assert_referral(message: &Value, version: &str, active: bool) {
    let (role, kind) = if version == "1.0" { ("ROLE_AGENT", Value::Null) } else { ("agent", json!("message")) };
    assert_eq!((&message["role"], &message["kind"]), (&json!(role), &kind));
    let text = message["parts"][0]["text"].as_str().unwrap_or_else(|| panic!("{message}"));
    assert!(text.contains(ADDRESS) && text.contains("Harbour Lights"), "{text}");
    assert_eq!(message["contextId"], "c-1");
    assert!(message.get("taskId").is_none());
    let id = message["messageId"].as_str().unwrap();
    assert!(!id.is_empty() && id != "m-1");
    if active {
        let mark = json!({"status": "on-request", "skillId": "service-pricing", "personEntry": ADDRESS});
        assert_eq!(message["metadata"], json!({URI: mark}));
        assert_eq!(message["extensions"], json!([URI]));
    } else {
        assert!(!message.to_string().contains(URI), "{message}");
    }
}

#[tokio::test]
async fn or_5_3_or_6_1_or_6_2_the_referral_in_every_binding_active_or_not() {
    let question = message(QUESTION);
    let http_json = json!({"message": question}).to_string();
    for active in [true, false] {
        let with = |version: &'static str| {
            let mut headers = vec![("a2a-version", version)];
            let name = if version == "1.0" { "a2a-extensions" } else { "x-a2a-extensions" };
            headers.extend(active.then_some((name, URI)));
            headers
        };
        let app = TestApp::closed();
        let send = app.send(post("/a2a/v1", &with("1.0"), rpc("SendMessage", &question).to_string())).await;
        assert_eq!(
            (send.headers.get("a2a-extensions").is_some(), send.headers["content-type"].to_str().unwrap()),
            (active, "application/json")
        );
        assert_referral(&send.json()["result"]["message"], "1.0", active);
        let rest = app.send(post("/a2a/rest/message:send", &with("1.0"), http_json.clone())).await;
        assert_eq!(rest.headers["content-type"], "application/a2a+json");
        assert_referral(&rest.json()["message"], "1.0", active);
        let old = app.send(post("/a2a/v1", &with("0.3"), rpc("message/send", &question).to_string())).await;
        assert_eq!((old.headers.get("x-a2a-extensions").is_some(), old.headers.get("a2a-extensions")), (active, None));
        assert_referral(&old.json()["result"], "0.3", active);
        let stream = app.send(post("/a2a/v1", &with("1.0"), rpc("SendStreamingMessage", &question).to_string())).await;
        assert_eq!((stream.event()["id"].clone(), stream.headers.get("a2a-extensions").is_some()), (json!(1), active));
        assert_referral(&stream.event()["result"]["message"], "1.0", active);
        let rest = app.send(post("/a2a/rest/message:stream", &with("1.0"), http_json.clone())).await;
        assert_referral(&rest.event()["message"], "1.0", active);
        let old = app.send(post("/a2a/v1", &with("0.3"), rpc("message/stream", &question).to_string())).await;
        assert_referral(&old.event()["result"], "0.3", active);
        assert_eq!(app.calls(), 0);
    }
}

#[tokio::test]
async fn a_gate_answer_has_the_callers_context_or_a_new_one() {
    let app = TestApp::closed();
    let mut question = message(QUESTION);
    question.as_object_mut().unwrap().remove("contextId");
    let context = |reply: &Reply| reply.json()["result"]["message"]["contextId"].clone();
    let first = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    let second = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert!(context(&first).is_string() && context(&first) != context(&second));
    question["taskId"] = json!("t-1");
    let third = app.send(post("/a2a/v1", &[], rpc("SendMessage", &question).to_string())).await;
    assert_eq!(context(&third), Value::Null, "a task has its own context, which is not ours to guess");
}

#[tokio::test]
async fn or_5_7_an_action_is_referred_whether_opened_or_not() {
    for card in [card(), opened_card()] {
        let app = TestApp::telling(A2aExtensionsLayer::new(card).unwrap());
        let mut booking = message("please BOOK a   meeting!");
        booking["metadata"] = json!({URI: {"actingFor": "ref-1"}});
        let reply =
            app.send(post("/a2a/v1", &[("a2a-extensions", URI)], rpc("SendMessage", &booking).to_string())).await;
        let mark = &reply.json()["result"]["message"]["metadata"][URI];
        assert_eq!(
            mark,
            &json!({"status": "action-referred", "skillId": "arrangement-booking", "personEntry": "https://ask.harbour.example/book"})
        );
        assert_eq!(app.calls(), 0);
    }
}

#[tokio::test]
async fn an_opened_card_alone_gives_nothing_and_warns() {
    let layer = A2aExtensionsLayer::new(opened_card()).unwrap();
    let warned = layer.findings().iter().filter(|finding| finding.severity == Severity::Warning);
    let warned = warned.map(|finding| (finding.rule.as_ref(), finding.pointer.as_str())).collect::<Vec<_>>();
    assert_eq!(warned, [("OR-3.6", "/capabilities/extensions/0/params/skills/0"), ("OR-5.10", "/skills")]);
    let app = TestApp::telling(layer);
    let mut question = message(QUESTION);
    question["metadata"] = json!({URI: {"actingFor": "ref-1"}});
    let reply = app.send(post("/a2a/v1", &[("a2a-extensions", URI)], rpc("SendMessage", &question).to_string())).await;
    assert_eq!(reply.json()["result"]["message"]["metadata"][URI]["status"], "on-request");
    assert_eq!((app.calls(), reply.tells()), (0, false));
}

#[tokio::test]
async fn a_gate_never_answers_for_a_service_the_card_does_not_offer() {
    let mut silent = card();
    silent["capabilities"]["streaming"] = json!(false);
    let app = TestApp::telling(A2aExtensionsLayer::new(silent).unwrap());
    let reply = app.send(post("/a2a/v1", &[], rpc("SendStreamingMessage", &message(QUESTION)).to_string())).await;
    assert_eq!(reply.json()["error"]["code"], -32004);
    assert_eq!(reply.json()["error"]["data"][0]["reason"], "UNSUPPORTED_OPERATION");
    let stream = json!({"message": message(QUESTION)}).to_string();
    let reply = app.send(post("/a2a/rest/message:stream", &[], stream)).await;
    let reason = &reply.json()["error"]["details"][0]["reason"];
    assert_eq!((reply.status.as_u16(), reason), (400, &json!("UNSUPPORTED_OPERATION")));
    let reply =
        app.send(post("/a2a/v1", &[("a2a-version", "9.9")], rpc("SendMessage", &message(QUESTION)).to_string())).await;
    assert_eq!(reply.json()["error"]["code"], -32009);
    let reply = app
        .send(post(
            "/a2a/rest/message:send",
            &[("a2a-version", "9.9")],
            json!({"message": message(QUESTION)}).to_string(),
        ))
        .await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["error"]["details"][0]["reason"]),
        (400, &json!("VERSION_NOT_SUPPORTED"))
    );
    assert_eq!(app.calls(), 0);
    let passed =
        app.send(post("/a2a/v1", &[("a2a-version", "9.9")], rpc("SendMessage", &message("hello")).to_string())).await;
    assert_eq!((app.calls(), passed.status.as_u16()), (1, 200), "all else is the agent's to check");
}

#[tokio::test]
async fn the_version_may_come_in_the_query() {
    let app = TestApp::closed();
    let mut request = post("/a2a/v1?A2A-Version=1.0", &[], rpc("SendMessage", &message(QUESTION)).to_string());
    request.headers_mut().remove("a2a-version");
    assert!(app.send(request).await.text().contains(ADDRESS));
}

#[tokio::test]
async fn a_public_question_gets_the_agents_own_bytes() {
    let reply = r#"{ "result" : {"message":{"metadata":{"x":1.10},"parts":[{"text":"9 to \u0035"}],"role":"ROLE_AGENT"}} ,"id":1,"jsonrpc":"2.0"}"#;
    for headers in [&[][..], &[("a2a-extensions", URI)]] {
        let app = TestApp::answering(A2aExtensionsLayer::new(card()).unwrap(), "application/json", reply);
        let answer =
            app.send(post("/a2a/v1", headers, rpc("SendMessage", &message("When are you open?")).to_string())).await;
        assert_eq!((app.calls(), answer.text().as_str()), (1, reply));
        assert_eq!(answer.headers["content-length"], reply.len().to_string().as_str());
    }
}

#[tokio::test]
async fn who_activated_nothing_gets_no_empty_lists() {
    let guarded = |guard: tower_a2a_extensions::OnRequestGuard| async move {
        guard.disclose("service-pricing").await.map(|_| "never").map_err(axum::response::IntoResponse::into_response)
    };
    let routes = axum::Router::new().route("/a2a/v1", axum::routing::post(guarded));
    let layer = tower_a2a_extensions::A2aExtensionsLayer::new(card()).unwrap();
    let by_guard = TestApp { router: routes.layer(layer), calls: Default::default() };
    for (app, text) in [(TestApp::closed(), QUESTION), (by_guard, "and the other one?")] {
        for method in ["SendMessage", "SendStreamingMessage", "message/send", "message/stream"] {
            let reply = app.send(post("/a2a/v1", &[], rpc(method, &message(text)).to_string())).await;
            let reply = reply.text();
            assert!(reply.contains(ADDRESS), "{method}: {reply}");
            assert!(!reply.contains("metadata") && !reply.contains("extensions"), "{method}: {reply}");
        }
    }
}

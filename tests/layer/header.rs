//! Design §4: the header in, the header out.

use std::sync::{Arc, Mutex};

use http::{HeaderValue, Request};
use serde_json::json;
use tower_a2a_extensions::{A2aExtensionsLayer, ExtensionsEvent, ExtensionsObserver};

use crate::support::*;

async fn echo(lines: &[(&str, &[u8])]) -> (Option<String>, Option<String>) {
    let app = agent(&Seen::default()).layer(stamping_layer());
    let (headers, _) = ok(&app, send(lines)).await;
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
    (text("a2a-extensions"), text("x-a2a-extensions"))
}

#[tokio::test]
async fn a6_members_of_all_lines_are_read_in_client_order() {
    let second_then_first = Some(format!("{SECOND}, {FIRST}"));
    let lines: &[(&str, &[u8])] = &[
        ("a2a-extensions", b"https://example.com/second/v1"),
        ("a2a-extensions", b" , https://example.com/first/v1,,"),
    ];
    assert_eq!(echo(lines).await, (second_then_first.clone(), None));
    let one_line: &[u8] =
        b"https://example.com/second/v1,\thttps://example.com/first/v1 ,https://example.com/second/v1";
    assert_eq!(echo(&[("a2a-extensions", one_line)]).await, (second_then_first, None));
}

#[tokio::test]
async fn a3_the_name_of_0_3_is_read_and_answered() {
    assert_eq!(echo(&[("x-a2a-extensions", FIRST.as_bytes())]).await, (None, Some(FIRST.into())));
    let both = Some(format!("{FIRST}, {SECOND}"));
    let lines: &[(&str, &[u8])] = &[("x-a2a-extensions", SECOND.as_bytes()), ("a2a-extensions", FIRST.as_bytes())];
    assert_eq!(echo(lines).await, (both.clone(), both));
    assert_eq!(echo(&[("a2a-extension", FIRST.as_bytes())]).await, (None, None), "the singular is no header of A2A");
}

#[tokio::test]
async fn a8_a_bad_member_is_dropped_alone() {
    for line in [
        &b"https://x/\xc3\xa9, https://example.com/first/v1"[..],
        b"\xff,https://example.com/first/v1",
        b"a b,https://example.com/first/v1",
    ] {
        assert_eq!(echo(&[("a2a-extensions", line)]).await.0.as_deref(), Some(FIRST));
    }
}

#[tokio::test]
async fn a14_a26_only_the_exact_uri_activates() {
    for other in [
        "https://example.com/first/v2",
        "https://example.com/first/v1/",
        "https://EXAMPLE.com/first/v1",
        "HTTPS://example.com/first/v1",
        "https://example.com/first/v1#",
        "https://example.com/first/v",
        "https://example.com/first%2Fv1",
        "",
        ",",
        "*",
    ] {
        assert_eq!(echo(&[("a2a-extensions", other.as_bytes())]).await, (None, None), "{other}");
    }
}

#[tokio::test]
async fn ten_thousand_uris_are_read_without_harm() {
    let many = (0..10_000).map(|n| format!("https://example.com/{n}")).collect::<Vec<_>>().join(",");
    let lines: &[(&str, &[u8])] = &[("a2a-extensions", many.as_bytes()), ("a2a-extensions", FIRST.as_bytes())];
    assert_eq!(echo(lines).await.0.as_deref(), Some(FIRST));
}

#[tokio::test]
async fn the_agent_sees_active_uris_only() {
    let seen = Seen::default();
    let app = agent(&seen).layer(stamping_layer());
    ok(&app, send(&[("a2a-extensions", format!("https://else.example/x, {SECOND}").as_bytes())])).await;
    ok(&app, send(&[("x-a2a-extensions", b"https://else.example/x"), ("accept-encoding", b"gzip")])).await;
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].get_all("a2a-extensions").iter().collect::<Vec<_>>(), [SECOND]);
    assert!(!seen[1].contains_key("x-a2a-extensions"));
    assert!(!seen[1].contains_key("accept-encoding"), "a compressed reply could not be stamped");
}

const ELSE: &str = "https://else.example/x";

/// An agent that says these are active.
fn claiming(lines: &'static [(&'static str, &'static str)]) -> axum::Router {
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": {"message": {"role": "ROLE_AGENT", "parts": []}}});
    let agent = async move || (axum::response::AppendHeaders(lines.to_vec()), axum::Json(reply));
    axum::Router::new().route("/a2a/v1", axum::routing::post(agent))
}

#[tokio::test]
async fn what_is_active_and_implemented_is_echoed_whatever_the_agent_says() {
    for lines in [
        &[("a2a-extensions", ELSE)][..],
        &[("a2a-extensions", "")],
        &[("x-a2a-extensions", SECOND), ("a2a-extensions", "https://example.com/first/v1, https://else.example/x")],
    ] {
        let app = claiming(lines).layer(stamping_layer());
        let both = format!("{SECOND}, {FIRST}");
        let (headers, reply) = ok(&app, send(&[("a2a-extensions", both.as_bytes())])).await;
        assert_eq!(headers.get_all("a2a-extensions").iter().collect::<Vec<_>>(), [&both], "{lines:?}");
        assert!(!headers.contains_key("x-a2a-extensions"));
        assert_eq!(reply["result"]["message"]["extensions"].as_array().unwrap().len(), 2, "what is stamped is echoed");
        let (headers, _) = ok(&app, send(&[])).await;
        assert!(!headers.contains_key("a2a-extensions"), "nothing is active, so nothing is named");
    }
}

#[tokio::test]
async fn the_agents_own_echo_decides_about_what_only_the_card_declares() {
    let layer = || A2aExtensionsLayer::builder(two()).extension(Stamping(FIRST)).build().unwrap();
    let both = format!("{SECOND}, {FIRST}");
    for (lines, wanted) in [
        (&[][..], &*both),
        (&[("a2a-extensions", SECOND)], &both),
        (&[("x-a2a-extensions", SECOND)], &both),
        (&[("a2a-extensions", FIRST)], FIRST),
        (&[("a2a-extensions", ELSE)], FIRST),
    ] {
        let (headers, _) = ok(&claiming(lines).layer(layer()), send(&[("a2a-extensions", both.as_bytes())])).await;
        assert_eq!(headers["a2a-extensions"], wanted, "{lines:?}");
    }
}

#[derive(Default)]
struct Noticed(Arc<Mutex<Vec<String>>>);

impl ExtensionsObserver for Noticed {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        if let ExtensionsEvent::Noticed { extension, .. } = event {
            self.0.lock().unwrap().push(extension.to_string());
        }
    }
}

#[tokio::test]
async fn an_agent_that_claims_what_the_card_does_not_declare_is_told_of_once() {
    let told = Noticed::default();
    let seen = Arc::clone(&told.0);
    let layer = A2aExtensionsLayer::builder(two()).extension(Stamping(FIRST)).observer(told).build().unwrap();
    let app =
        claiming(&[("a2a-extensions", "https://example.com/second/v1, https://else.example/x, no uri")]).layer(layer);
    for _ in 0..3 {
        ok(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    }
    assert_eq!(*seen.lock().unwrap(), [ELSE]);
}

#[tokio::test]
async fn a_declined_extension_is_neither_named_nor_stamped() {
    let inner = axum::routing::post(async |extensions: http::Extensions| {
        let active = tower_a2a_extensions::A2aCall::of(&extensions).unwrap().activated();
        active.decline(FIRST).unwrap();
        assert!(!active.contains(FIRST) && active.contains(SECOND));
        axum::Json(json!({"jsonrpc": "2.0", "id": 1, "result": {"message": {"role": "ROLE_AGENT", "parts": []}}}))
    });
    let app = axum::Router::new().route("/a2a/v1", inner).layer(stamping_layer());
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", format!("{FIRST},{SECOND}").as_bytes())])).await;
    assert_eq!(headers["a2a-extensions"], SECOND);
    assert_eq!(reply["result"]["message"]["metadata"], json!({SECOND: "stamped"}));
    assert_eq!(reply["result"]["message"]["extensions"], json!([SECOND]));
}

#[tokio::test]
async fn a2_the_echo_can_be_switched_off_and_the_body_still_names_the_uri() {
    let layer = tower_a2a_extensions::A2aExtensionsLayer::builder(two())
        .extension(Stamping(FIRST))
        .echo(false)
        .build()
        .unwrap();
    let app = agent(&Seen::default()).layer(layer);
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert!(!headers.contains_key("a2a-extensions"));
    assert_eq!(reply["result"]["message"]["extensions"], json!([FIRST]));
}

#[tokio::test]
async fn a_declared_extension_without_implementation_is_activated_and_echoed() {
    let layer = tower_a2a_extensions::A2aExtensionsLayer::new(two()).unwrap();
    let app = agent(&Seen::default()).layer(layer);
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert_eq!(headers["a2a-extensions"], FIRST);
    assert!(reply["result"]["message"].get("extensions").is_none(), "nothing is stamped");
}

#[tokio::test]
async fn a9_a_missing_required_extension_is_refused_before_the_agent() {
    let seen = Seen::default();
    let card = card(json!([{"uri": FIRST, "required": true}, {"uri": SECOND, "required": true}]));
    let app = agent(&seen).layer(tower_a2a_extensions::A2aExtensionsLayer::new(card).unwrap());
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", SECOND.as_bytes())])).await;
    assert!(!headers.contains_key("a2a-extensions"), "the refusal names nothing as active");
    assert_eq!(reply["id"], 1);
    assert_eq!(reply["error"]["code"], -32008);
    assert_eq!(reply["error"]["data"][0]["reason"], "EXTENSION_SUPPORT_REQUIRED");
    assert_eq!(reply["error"]["data"][0]["domain"], "a2a-protocol.org");
    assert_eq!(reply["error"]["data"][0]["metadata"]["missingExtensions"], FIRST);
    assert!(seen.lock().unwrap().is_empty());
    ok(&app, send(&[("a2a-extensions", format!("{FIRST},{SECOND}").as_bytes())])).await;
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn b31_options_is_never_refused_or_rewritten() {
    let card = card(json!([{"uri": FIRST, "required": true}]));
    let inner = axum::routing::any(async || ([("access-control-allow-headers", "a2a-extensions")], ""));
    let app =
        axum::Router::new().route("/a2a/v1", inner).layer(tower_a2a_extensions::A2aExtensionsLayer::new(card).unwrap());
    let request = Request::options("/a2a/v1").header("access-control-request-headers", "a2a-extensions,a2a-version");
    let response = call(&app, request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["access-control-allow-headers"], HeaderValue::from_static("a2a-extensions"));
    assert!(!response.headers().contains_key("vary"));
}

//! Other routes, other protocols, and how far the layer reaches.

use axum::body::Body;
use axum::routing::{any, get, post as axum_post};
use axum::{Json, Router};
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};
use tower_a2a_extensions::{A2aExtensionsLayer, Held, OnRequestGuard, Referral};

use crate::support::*;

fn layer() -> A2aExtensionsLayer {
    A2aExtensionsLayer::new(card()).unwrap()
}

#[tokio::test]
async fn an_offer_of_h2c_is_stripped_and_the_request_answered() {
    let echo = any(async |headers: http::HeaderMap| format!("{:?}", headers.get("upgrade")));
    let app = TestApp { router: Router::new().fallback(echo).layer(layer()), calls: Default::default() };
    let offer = [("connection", "Upgrade, HTTP2-Settings"), ("upgrade", "h2c"), ("http2-settings", "AAMAAABk")];
    let passed = app.send(post("/a2a/v1", &offer, rpc("SendMessage", &message("hello")).to_string())).await;
    assert_eq!((passed.status.as_u16(), passed.text().as_str()), (200, "None"));
    let gated = app.send(post("/a2a/v1", &offer, rpc("SendMessage", &message(QUESTION)).to_string())).await;
    assert!(gated.text().contains(ADDRESS));
}

#[tokio::test]
async fn other_upgrades_are_refused_unless_allowed() {
    let offer = || {
        let request = Request::get("/socket").header("connection", "upgrade").header("upgrade", "websocket");
        request.body(Body::empty()).unwrap()
    };
    let closed = TestApp::closed();
    assert_eq!((closed.send(offer()).await.status.as_u16(), closed.calls()), (501, 0));
    let connect =
        Request::builder().method(Method::CONNECT).uri("agent.harbour.example:443").body(Body::empty()).unwrap();
    assert_eq!((closed.send(connect).await.status.as_u16(), closed.calls()), (501, 0));
    let open = TestApp::telling(A2aExtensionsLayer::builder(card()).allow_upgrades(true).build().unwrap());
    assert_eq!((open.send(offer()).await.status.as_u16(), open.calls()), (200, 1));
}

#[tokio::test]
async fn a_101_from_inside_is_a_500() {
    let router = Router::new().fallback(async || StatusCode::SWITCHING_PROTOCOLS).layer(layer());
    let app = TestApp { router, calls: Default::default() };
    let request = Request::get("/socket").body(Body::empty()).unwrap();
    assert_eq!(app.send(request).await.status, 500);
}

#[tokio::test]
async fn another_apps_routes_are_untouched() {
    let contact = axum_post(async |Json(form): Json<Value>| Json(form));
    let tasks = get(async || {
        ([("etag", "\"1\"")], Json(json!({"tasks": [{"id": 1, "title": "buy milk", "metadata": {"a": 1}}]})))
    });
    let router = Router::new().route("/contact", contact).route("/tasks", tasks).layer(layer());
    let app = TestApp { router, calls: Default::default() };
    let form = app.send(post("/contact", &[], r#"{"message":"Hi"}"#)).await;
    assert_eq!(form.text(), r#"{"message":"Hi"}"#);
    let list = app.send(Request::get("/tasks").body(Body::empty()).unwrap()).await;
    assert_eq!(list.json()["tasks"][0]["title"], "buy milk");
    assert_eq!(list.headers["etag"], "\"1\"");
    assert!(!list.headers.contains_key("vary"));
}

#[tokio::test]
async fn another_apps_preconditions_and_wishes_reach_it() {
    let echo = any(async |headers: http::HeaderMap| {
        ["if-match", "if-none-match", "accept-encoding", "range"]
            .map(|name| headers.contains_key(name).to_string())
            .join(" ")
    });
    let app = TestApp { router: Router::new().fallback(echo).layer(layer()), calls: Default::default() };
    let asking =
        [("if-match", "\"1\""), ("if-none-match", "\"1\""), ("accept-encoding", "gzip"), ("range", "bytes=0-1")];
    for method in ["PUT", "PATCH", "DELETE", "POST"] {
        let mut request = post("/todo/1", &asking, r#"{"title":"buy milk"}"#);
        *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        assert_eq!(app.send(request).await.text(), "true true true true", "{method}");
    }
    let shared = Request::get("/tasks").header("if-none-match", "\"1\"").body(Body::empty()).unwrap();
    assert_eq!(app.send(shared).await.text(), "false true false false", "a condition can show nothing");
    let operation = post("/a2a/v1", &asking, json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask"}).to_string());
    assert_eq!(app.send(operation).await.text(), "false false false false");
}

#[tokio::test]
async fn uploads_and_other_services_that_start_oddly_pass() {
    for start in [
        &b"\xff\xd8\xff\xe0"[..],
        b"\xff\xfb\x90",
        b"\0\0\0\x18ftyp",
        b"\0asm",
        b"\0\0\0\0\x7b\x0a",
        b"\xef\xbb\xbfname;price",
        b"\x89PNG",
    ] {
        let app = TestApp::closed();
        app.send(post("/upload", &[("content-type", "application/octet-stream")], start)).await;
        assert_eq!(app.calls(), 1, "{start:?}");
    }
}

#[tokio::test]
async fn json_that_another_app_streams_is_not_held() {
    let endless = get(async || {
        let stream = crate::bodies::ready_then_pending("{\"line\": 1}\n");
        ([("content-type", "application/json")], Body::from_stream(stream))
    });
    let app = Router::new().route("/watch", endless).layer(layer());
    let request = Request::get("/watch").body(Body::empty()).unwrap();
    let mut response = tower::ServiceExt::oneshot(app, request).await.unwrap();
    let first = http_body_util::BodyExt::frame(response.body_mut()).await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, "{\"line\": 1}\n");
}

#[tokio::test]
async fn only_leaves_other_json_routes_alone() {
    let layer =
        A2aExtensionsLayer::builder(card()).only(|parts| parts.uri.path().starts_with("/a2a/")).build().unwrap();
    let app = TestApp::telling(layer);
    let todo = json!([{"title": "buy milk"}, {"title": "sell milk"}]).to_string();
    assert_eq!(app.send(post("/todo", &[], todo.clone())).await.status, 200);
    assert_eq!(app.send(post("/a2a/v1", &[], todo)).await.json()["error"]["code"], -32600);
    assert_eq!(app.calls(), 1);
}

static PRICE: Held<&str> = Held::new("service-pricing", SECRET);

async fn priced(guard: OnRequestGuard) -> Result<String, Referral> {
    Ok(guard.open(&PRICE).await?.value().to_string())
}

#[tokio::test]
async fn a_guard_without_the_layer_gives_nothing() {
    let added_after =
        Router::new().route("/a2a/v1", axum_post(async || "agent")).layer(layer()).route("/late", axum_post(priced));
    for (router, path) in [(Router::new().route("/late", axum_post(priced)), "/late"), (added_after, "/late")] {
        let app = TestApp { router, calls: Default::default() };
        let reply = app.send(post(path, &[], rpc("SendMessage", &message("hi")).to_string())).await;
        assert_eq!((reply.status.as_u16(), reply.tells()), (500, false));
        assert!(!reply.text().contains("layer"), "the caller is not told how the server is built: {}", reply.text());
    }
}

#[tokio::test]
async fn the_guard_refers_what_the_gate_cannot_recognise() {
    let app =
        TestApp { router: Router::new().route("/a2a/v1", axum_post(priced)).layer(layer()), calls: Default::default() };
    let reply = app
        .send(post(
            "/a2a/v1",
            &[("a2a-extensions", URI)],
            rpc("SendMessage", &message("and the second one?")).to_string(),
        ))
        .await;
    assert_eq!((reply.status.as_u16(), reply.tells()), (200, false));
    let message = &reply.json()["result"]["message"];
    assert_eq!(message["metadata"][URI]["personEntry"], ADDRESS);
    assert_eq!(message["extensions"], json!([URI]));
}

#[tokio::test]
async fn a_path_of_the_grpc_service_is_refused_while_a_gate_is_installed() {
    for path in
        ["/lf.a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/SendMessage", "/lf.a2a.v1.A2AService/%53endMessage"]
    {
        let app = TestApp::closed();
        let reply = app.send(post(path, &[("content-type", "application/grpc")], &b"\0\0\0\0\x02\x08\x01"[..])).await;
        // With the feature it is read, and is no message of A2A.
        let status = if cfg!(feature = "grpc") { "3" } else { "12" };
        assert_eq!((app.calls(), reply.headers["grpc-status"].to_str().unwrap()), (0, status), "{path}");
    }
}

#[tokio::test]
async fn an_interface_at_the_root_does_not_make_every_path_an_operation() {
    let mut root = card();
    root["supportedInterfaces"] = json!([
        {"url": "https://agent.harbour.example/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
        {"url": "https://agent.harbour.example/", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
    ]);
    let download = any(async |headers: http::HeaderMap| {
        let wishes = ["accept-encoding", "range"].map(|name| headers.contains_key(name).to_string()).join(" ");
        ([("content-encoding", "gzip"), ("content-type", "application/json")], wishes)
    });
    let layer = A2aExtensionsLayer::new(root).unwrap();
    let app = TestApp { router: Router::new().fallback(download).layer(layer), calls: Default::default() };
    let request = Request::get("/files/report").header("accept-encoding", "gzip").header("range", "bytes=0-1");
    assert_eq!(app.send(request.body(Body::empty()).unwrap()).await.text(), "true true");
}

//! What the head of a reply tells: HEAD no more than GET, and caches what they may not keep.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tower_a2a_extensions::A2aExtensionsLayer;

use crate::support::*;
use crate::withheld::{given, opened, task};

/// An agent whose reply holds something that others were given, with all that describes it.
fn describing(layer: A2aExtensionsLayer, cache: &'static [(&'static str, &'static str)]) -> TestApp {
    let mut task = task();
    task["artifacts"] = json!([given()]);
    let reply = task.to_string();
    let agent = async move || {
        let length = reply.len().to_string();
        let described = [
            ("content-type", "application/json"),
            ("etag", "\"of-the-price\""),
            ("digest", "sha-256=of-the-price"),
            ("repr-digest", "of-the-price"),
            ("accept-ranges", "bytes"),
        ];
        let mut headers = http::HeaderMap::new();
        for (name, value) in described.iter().chain(cache) {
            headers.append(*name, value.parse().unwrap());
        }
        headers.insert("content-length", length.parse().unwrap());
        (headers, reply)
    };
    TestApp { router: axum::Router::new().fallback(agent).layer(layer), calls: Default::default() }
}

fn bare(method: Method, path: &str) -> Request<Body> {
    Request::builder().method(method).uri(path).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn head_on_an_operation_tells_nothing_that_get_withholds() {
    let app = describing(opened(), &[]);
    for path in
        ["/a2a/rest/tasks/t", "/a2a/rest/tasks", "/a2a/rest/acme/tasks/t", "/proxied/v1/tasks/t", "/a2a/rest/odd"]
    {
        let get = app.send(bare(Method::GET, path)).await;
        let head = app.send(bare(Method::HEAD, path)).await;
        assert!(!get.tells(), "{path}");
        for name in ["content-length", "etag", "digest", "repr-digest", "accept-ranges"] {
            assert!(!head.headers.contains_key(name), "{path}: {name}");
        }
        assert_eq!(head.headers["cache-control"], "no-store", "{path}");
        let varies = "A2A-Extensions, X-A2A-Extensions, A2A-Version, Authorization";
        assert_eq!(head.headers["vary"], varies, "{path}");
        assert_eq!(head.headers["content-type"], "application/json", "{path}");
        assert!(head.bytes.is_empty(), "{path}");
    }
    for path in ["/files/report", "/a2a/rest/extendedAgentCard"] {
        let head = app.send(bare(Method::HEAD, path)).await;
        assert_eq!(head.headers["etag"], "\"of-the-price\"", "{path}: nobody's business here");
    }
    let layer = A2aExtensionsLayer::new(json!({"capabilities": {"extensions": []}})).unwrap();
    let head = describing(layer, &[]).send(bare(Method::HEAD, "/a2a/rest/tasks/t")).await;
    assert!(head.headers.contains_key("content-length") && head.headers.contains_key("etag"), "nothing is changed");
}

#[tokio::test]
async fn head_cannot_ask_whether_the_agent_knows_a_state_of_a_task() {
    let agent = async |headers: http::HeaderMap| match headers.contains_key("if-none-match") {
        true => http::StatusCode::NOT_MODIFIED,
        false => http::StatusCode::OK,
    };
    let router = axum::Router::new().fallback(agent).layer(opened());
    let app = TestApp { router, calls: Default::default() };
    let mut request = bare(Method::HEAD, "/a2a/rest/tasks/t");
    request.headers_mut().insert("if-none-match", "\"of-the-price\"".parse().unwrap());
    assert_eq!(app.send(request).await.status, 200);
}

#[tokio::test]
async fn no_store_is_added_to_what_the_agent_says_of_caching() {
    for (said, wanted) in [
        (&[][..], "no-store"),
        (&[("cache-control", "no-transform")], "no-transform, no-store"),
        (
            &[("cache-control", "private , max-age=60"), ("cache-control", "no-transform")],
            "private, max-age=60, no-transform, no-store",
        ),
        (&[("cache-control", "No-Store")], "no-store"),
        (&[("cache-control", "max-age=60, Must-Understand")], "max-age=60, no-store"),
        (&[("cdn-cache-control", "max-age=60"), ("surrogate-control", "max-age=60")], "no-store"),
    ] {
        let got = describing(opened(), said).send(bare(Method::GET, "/a2a/rest/tasks/t")).await;
        let lines = got.headers.get_all("cache-control").iter().collect::<Vec<_>>();
        assert_eq!(lines, [wanted], "{said:?}");
        assert!(!got.headers.contains_key("cdn-cache-control") && !got.headers.contains_key("surrogate-control"));
        assert_ne!(got.json()["artifacts"], Value::Null);
    }
}

//! The extractors where the layer is missing.
#![cfg(feature = "axum")]
#![allow(clippy::unwrap_used)]

use axum::body::{Body, to_bytes};
use axum::routing::get;
use axum::{Router, response::IntoResponse};
use http::{Request, StatusCode};
use tower::ServiceExt;
use tower_a2a_extensions::{A2aCall, ActivatedExtensions, ConverseReply, Held, OnRequestGuard, Referral};

static PRICE: Held<&str> = Held::new("pricing", "the price");

async fn guarded(guard: OnRequestGuard) -> Result<String, Referral> {
    Ok((*guard.open(&PRICE).await?.value()).to_owned())
}

async fn optional(guard: Option<OnRequestGuard>, call: Option<A2aCall>, reply: Option<ConverseReply>) -> String {
    format!("{} {} {}", guard.is_some(), call.is_some(), reply.is_some())
}

async fn answer(path: &str) -> (StatusCode, String) {
    let app = Router::new()
        .route("/guard", get(guarded))
        .route("/call", get(async |_: A2aCall| ()))
        .route("/activated", get(async |_: ActivatedExtensions| ()))
        .route("/reply", get(async |_: ConverseReply| ()))
        .route("/optional", get(optional));
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = app.oneshot(request).await.unwrap().into_response();
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 16).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn without_the_layer_nothing_is_given_and_nothing_is_said() {
    for path in ["/guard", "/call", "/activated", "/reply"] {
        assert_eq!(answer(path).await, (StatusCode::INTERNAL_SERVER_ERROR, String::new()), "{path}");
    }
}

#[tokio::test]
async fn without_the_layer_an_optional_extractor_is_none() {
    assert_eq!(answer("/optional").await, (StatusCode::OK, "false false false".to_owned()));
}

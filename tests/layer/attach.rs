//! Every way of attaching the layer compiles and behaves (B23).

use axum::Router;
use axum::body::Body;
use axum::routing::{get, post};
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tower::{Layer, ServiceBuilder, ServiceExt};
use tower_a2a_extensions::{A2aExtensionsLayer, Severity};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::CorsLayer;
use tower_http::decompression::RequestDecompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::map_request_body::MapRequestBodyLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use tower_http::validate_request::ValidateRequestHeaderLayer;

use crate::support::*;

async fn stamps(app: Router) {
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert_eq!(headers["a2a-extensions"], FIRST);
    assert_eq!(reply["result"]["message"]["metadata"][FIRST], "stamped");
}

#[tokio::test]
async fn on_the_agents_router_merged_into_an_app() {
    let other = Router::new().route("/health", post(async || "ok"));
    stamps(other.merge(agent(&Seen::default()).layer(stamping_layer()))).await;
}

#[tokio::test]
async fn on_the_whole_app_and_on_routes_and_methods() {
    stamps(agent(&Seen::default()).layer(stamping_layer())).await;
    stamps(agent(&Seen::default()).route_layer(stamping_layer())).await;
    let method =
        post(async || axum::Json(serde_json::json!({"result": {"message": {"role": "ROLE_AGENT", "parts": []}}})));
    stamps(Router::new().route("/a2a/v1", method.layer(stamping_layer()))).await;
}

#[tokio::test]
async fn in_a_service_builder_with_the_layers_of_tower_http_around() {
    let stack = ServiceBuilder::new()
        .layer(TraceLayer::new_for_http())
        .layer(CorsLayer::permissive())
        .layer(CompressionLayer::new())
        .layer(TimeoutLayer::with_status_code(http::StatusCode::REQUEST_TIMEOUT, std::time::Duration::from_secs(9)))
        .layer(CatchPanicLayer::new())
        .layer(RequestBodyLimitLayer::new(1 << 20))
        .layer(ValidateRequestHeaderLayer::has_header_value("a2a-version", "1.0").unwrap())
        .layer(stamping_layer())
        .layer(TraceLayer::new_for_http())
        .layer(RequestDecompressionLayer::new())
        .layer(RequestBodyLimitLayer::new(1 << 20));
    stamps(agent(&Seen::default()).layer(stack)).await;
}

#[tokio::test]
async fn from_fn_inside_takes_a_mapped_body() {
    async fn inside(request: axum::extract::Request, next: axum::middleware::Next) -> axum::response::Response {
        next.run(request).await
    }
    let stack = ServiceBuilder::new()
        .layer(stamping_layer())
        .layer(MapRequestBodyLayer::new(Body::new))
        .layer(axum::middleware::from_fn(inside));
    stamps(agent(&Seen::default()).layer(stack)).await;
    let two_calls = agent(&Seen::default()).layer(axum::middleware::from_fn(inside)).layer(stamping_layer());
    stamps(two_calls).await;
}

#[tokio::test]
async fn around_a_finished_app_as_a_fallback_served_over_a_socket() {
    let layered = stamping_layer().layer(agent(&Seen::default()));
    let app = Router::new().fallback_service(layered);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, app).await });

    let client = Client::builder(TokioExecutor::new()).build_http::<Body>();
    for _ in 0..2 {
        let mut request = send(&[("a2a-extensions", FIRST.as_bytes())]);
        *request.uri_mut() = format!("http://{address}/a2a/v1").parse().unwrap();
        let response = client.request(request).await.unwrap();
        let announced = response.headers()["content-length"].to_str().unwrap().parse::<usize>().unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(announced, body.len(), "b1: the length is that of the stamped bytes");
        let reply: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(reply["result"]["message"]["extensions"][0], FIRST);
    }
    server.abort();
}

/// Whether a reply on an interface's own path, of an operation that is not known here, is stamped;
/// and whether one of a type that is not read is stopped for a key that must not leave.
async fn treats_what_the_card_serves(app: &Router) -> (bool, bool) {
    let asking = |path: &str| Request::get(path).header("a2a-extensions", FIRST).body(Body::empty()).unwrap();
    let (_, reply) = ok(app, asking("/a2a/rest/later-operation")).await;
    let text = call(app, asking("/a2a/rest/as-text")).await.into_body().collect().await.unwrap().to_bytes();
    let holds_the_key = text.windows(SECOND.len()).any(|window| window == SECOND.as_bytes());
    (reply["message"]["metadata"][FIRST] == "stamped", !holds_the_key)
}

#[tokio::test]
async fn around_a_nested_router_or_inside_with_its_prefix_but_not_inside_alone() {
    let reply = async || axum::Json(serde_json::json!({"message": {"role": "ROLE_AGENT", "parts": []}}));
    let text = async || format!("{{\"{SECOND}\": 1}}");
    let agent = || Router::new().route("/later-operation", get(reply)).route("/as-text", get(text));
    let nested = |agent: Router| Router::new().nest("/a2a/rest", agent);

    let around = nested(agent()).layer(stamping_layer());
    assert_eq!(treats_what_the_card_serves(&around).await, (true, true));
    let inside = nested(agent().layer(stamping_layer()));
    assert_eq!(treats_what_the_card_serves(&inside).await, (false, false), "axum has taken the prefix off the path");
    for mount in ["/a2a/rest", "a2a/rest/"] {
        let layer = A2aExtensionsLayer::builder(two()).extension(Stamping(FIRST)).extension(Stamping(SECOND));
        let layer = layer.mounted_at(mount).build().unwrap();
        assert!(layer.findings().is_empty());
        assert_eq!(treats_what_the_card_serves(&nested(agent().layer(layer))).await, (true, true), "{mount}");
    }
}

#[test]
fn a_mount_where_the_card_serves_nothing_is_a_warning() {
    for (mount, warnings) in [("/", 0), ("/a2a", 0), ("/a2a/rest/v1", 0), ("/a2a/res", 1), ("/other", 1)] {
        let layer = A2aExtensionsLayer::builder(two()).mounted_at(mount).build().unwrap();
        let warned = layer.findings().iter().filter(|finding| finding.severity == Severity::Warning);
        assert_eq!(warned.count(), warnings, "{mount}");
    }
}

#[tokio::test]
async fn the_same_layer_twice_is_once() {
    let layer = stamping_layer();
    let app = agent(&Seen::default()).layer(layer.clone()).layer(layer);
    let response = call(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert_eq!(response.headers().get_all("a2a-extensions").iter().count(), 1);
    assert_eq!(body(response).await["result"]["message"]["extensions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn two_different_layers_both_run() {
    let other = "https://example.com/third/v1";
    let card = card(serde_json::json!([{"uri": other}]));
    let outer = A2aExtensionsLayer::builder(card).extension(Stamping("https://example.com/third/v1")).build().unwrap();
    let seen = Seen::default();
    let app = agent(&seen).layer(stamping_layer()).layer(outer);
    let asked = format!("{FIRST}, {other}, https://else.example/x");
    let (headers, reply) = ok(&app, send(&[("a2a-extensions", asked.as_bytes())])).await;
    let metadata = &reply["result"]["message"]["metadata"];
    assert_eq!((&metadata[other], &metadata[FIRST]), (&"stamped".into(), &"stamped".into()));
    let both = format!("{other}, {FIRST}");
    assert_eq!(headers.get_all("a2a-extensions").iter().collect::<Vec<_>>(), [both.as_str()]);
    assert_eq!(seen.lock().unwrap()[0]["a2a-extensions"], both.as_str());
}

#[tokio::test]
async fn two_layers_of_the_same_extension_name_it_once() {
    let app = agent(&Seen::default()).layer(stamping_layer()).layer(stamping_layer());
    let (headers, _) = ok(&app, send(&[("a2a-extensions", FIRST.as_bytes())])).await;
    assert_eq!(headers["a2a-extensions"], FIRST);
}

/// Never run: it is enough that it compiles.
#[allow(dead_code)]
fn tonic_takes_the_layer(layer: A2aExtensionsLayer, routes: tonic::service::Routes) {
    drop(tonic::transport::Server::builder().layer(layer.clone()).add_routes(routes.clone()));
    drop(routes.into_axum_router().layer(layer));
}

/// Never run: it is enough that it compiles.
#[allow(dead_code)]
fn the_types_go_everywhere() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    fn sent<T: Send>(_: T) {}
    shared::<A2aExtensionsLayer>();
    shared::<tower_a2a_extensions::A2aCall>();
    shared::<tower_a2a_extensions::ActivatedExtensions>();
    shared::<tower_a2a_extensions::A2aExtensionsService<Router>>();
    let service = stamping_layer()
        .layer(agent(&Seen::default()).into_service::<tower_a2a_extensions::A2aRequestBody<Empty<Bytes>>>());
    sent(service.oneshot(Request::new(Empty::new())));
}

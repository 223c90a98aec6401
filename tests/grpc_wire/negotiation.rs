//! Which extensions are active: in the head of every gRPC reply.

use crate::messages::v1;
use crate::support::{
    MOOD, Reply, SECRET, SEND, STREAM, Seen, URI, agents, asking, call, moody, proto_value, replying, response, send,
    send_to,
};
use serde_json::json;
use tower_a2a_extensions::A2aExtensionsLayer;

const NEEDED: &str = "https://biz.example/needed/v1";

fn needing() -> A2aExtensionsLayer {
    let extensions =
        json!([{"uri": NEEDED, "required": true}, {"uri": "https://biz.example/other/v1", "required": true}]);
    A2aExtensionsLayer::new(json!({"name": "Clerk", "capabilities": {"extensions": extensions}})).unwrap()
}

fn echo(reply: &Reply) -> Vec<&str> {
    reply.headers.get_all("a2a-extensions").iter().map(|line| line.to_str().unwrap()).collect()
}

#[tokio::test]
async fn a5_a6_all_entries_count_each_split_on_commas_and_bin_is_ignored() {
    let entries = [
        ("a2a-extensions", "https://x.example/none"),
        ("a2a-extensions", "https://y.example/v1, "),
        ("x-a2a-extensions", MOOD),
    ];
    let (reply, _) = send(&moody(), call(SEND, &entries, asking("hi"))).await;
    assert_eq!(reply.headers["x-a2a-extensions"], MOOD);
    assert!(reply.message().extensions.contains(&MOOD.to_owned()));
    let two = format!("https://y.example/v1,{MOOD}");
    let (reply, seen) =
        send(&moody(), call(SEND, &[("a2a-extensions", "https://x.example/"), ("a2a-extensions", &two)], asking("hi")))
            .await;
    assert_eq!(echo(&reply), [MOOD]);
    assert_eq!(seen.0.lock().unwrap()[0].0["a2a-extensions"], MOOD);
    let (reply, _) = send(&moody(), call(SEND, &[("a2a-extensions-bin", MOOD)], asking("hi"))).await;
    assert!(echo(&reply).is_empty());
    assert_eq!(reply.message(), agents(SECRET));
}

#[tokio::test]
async fn the_echo_is_initial_metadata_of_unary_calls_and_of_streams() {
    for path in [SEND, STREAM, "/a2a.v1.A2AService/SendStreamingMessage", "/lf.a2a.v1.A2AService/GetTask"] {
        let (reply, _) = send(&moody(), call(path, &[("a2a-extensions", MOOD)], asking("hi"))).await;
        assert_eq!(echo(&reply), [MOOD], "{path}");
        assert!(!reply.trailers.unwrap().contains_key("a2a-extensions"));
    }
}

#[tokio::test]
async fn a9_a10_a11_a_missing_required_extension_is_told_in_error_info() {
    for path in [
        SEND,
        STREAM,
        "/lf.a2a.v1.A2AService/GetTask",
        "/a2a.v1.A2AService/CancelTask",
        "/lf.a2a.v1.A2AService/Unknown",
    ] {
        let (reply, seen) = send(&needing(), call(path, &[], asking("hi"))).await;
        assert_eq!((reply.refusal(), seen.calls()), ("9", 0), "{path}");
        let (status, info) = reply.error_info();
        assert_eq!(status.code, 9);
        assert_eq!((info.reason.as_str(), info.domain.as_str()), ("EXTENSION_SUPPORT_REQUIRED", "a2a-protocol.org"));
        assert_eq!(info.metadata["missingExtensions"], format!("{NEEDED},https://biz.example/other/v1"));
        let told = reply.headers["grpc-message"].to_str().unwrap();
        assert_eq!(percent_encoding::percent_decode_str(told).decode_utf8().unwrap(), status.message);
        assert!(echo(&reply).is_empty());
    }
}

#[tokio::test]
async fn a13_cards_and_preflights_are_never_refused() {
    for path in ["/lf.a2a.v1.A2AService/GetExtendedAgentCard", "/a2a.v1.A2AService/GetAgentCard"] {
        assert_eq!(send(&needing(), call(path, &[], vec![0, 0, 0, 0, 0])).await.1.calls(), 1, "{path}");
    }
    let mut preflight = call(SEND, &[], "");
    *preflight.method_mut() = http::Method::OPTIONS;
    assert_eq!(send(&needing(), preflight).await.1.calls(), 1);
}

#[tokio::test]
async fn other_services_pass_untouched() {
    let layer = crate::support::gated();
    for path in ["/grpc.health.v1.Health/Check", "/lf.a2a.v1.Other/SendMessage"] {
        let (reply, seen) = send(&layer, call(path, &[("a2a-extensions", URI)], asking("hi"))).await;
        assert_eq!((seen.calls(), reply.message()), (1, agents(SECRET)), "{path}");
    }
}

#[tokio::test]
async fn compression_of_replies_is_not_asked_for_where_they_may_change() {
    let asks = async |layer: &A2aExtensionsLayer, path: &str| {
        let (_, seen) = send(layer, call(path, &[("grpc-accept-encoding", "gzip")], asking("hi"))).await;
        let seen = seen.0.lock().unwrap();
        seen[0].0.contains_key("grpc-accept-encoding")
    };
    assert!(!asks(&moody(), SEND).await);
    assert!(!asks(&moody(), "/lf.a2a.v1.A2AService/ListTasks").await);
    assert!(asks(&moody(), "/grpc.health.v1.Health/Check").await);
    let bare = A2aExtensionsLayer::new(json!({"name": "Clerk"})).unwrap();
    assert!(asks(&bare, SEND).await);
}

#[tokio::test]
async fn the_inner_service_gets_exactly_the_bytes_that_came() {
    let unknown = [asking("When are you open?"), Vec::new()].concat();
    for layer in [moody(), crate::support::gated()] {
        let (_, seen) = send(&layer, call(SEND, &[], unknown.clone())).await;
        assert_eq!(seen.0.lock().unwrap()[0].1, unknown);
    }
}

#[tokio::test]
async fn a_value_is_the_struct_of_the_same_json() {
    let (layer, seen) = (moody(), Seen::default());
    let reply = send_to(&layer, call(SEND, &[("a2a-extensions", MOOD)], asking("hi")), &seen, || {
        response([replying(v1::Payload::Message(agents("hello")))])
    });
    let message = reply.await.message();
    assert_eq!(message.metadata.unwrap().fields[MOOD], proto_value(&json!({"mood": "calm", "level": 3})));
    assert_eq!(message.extensions, [MOOD]);
}

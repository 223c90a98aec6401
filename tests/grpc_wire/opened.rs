//! An opened skill over gRPC: the same policy, guard, marks and call key as in the other bindings.

use http::Response;
use prost::Message;
use serde_json::{Value, json};
use tower::{Layer, ServiceExt};
use tower_a2a_extensions::on_request::OnRequestGuard;
use tower_a2a_extensions::{A2aCall, A2aExtensionsLayer, A2aRequestBody, Binding, Held, OnRequest, ProtocolVersion};

use crate::messages::v1;
use crate::support::{
    ADDRESS, QUESTION, Reply, SECRET, SEND, Seen, TestBody, URI, agents, call, card, frame, proto_struct, proto_value,
    replying, response, send_to, text_part, unframed, users,
};

static PRICE: Held<&str> = Held::new("service-pricing", SECRET);

fn opened() -> A2aExtensionsLayer {
    let mut card = card();
    card["capabilities"]["extensions"][0]["params"]["skills"][0]["assistantAccess"] = json!(true);
    let on_request = OnRequest::new().information("service-pricing").held(&PRICE);
    A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap()
}

/// The question, from an assistant that names a person in one of the two places, or nobody.
fn question(in_message: Option<Value>, in_request: Option<Value>) -> Vec<u8> {
    let metadata = |own: Option<Value>| own.map(|own| proto_struct(&json!({URI: own})));
    let message = v1::Message { metadata: metadata(in_message), ..users(QUESTION) };
    frame(&v1::SendMessageRequest { message: Some(message), metadata: metadata(in_request), tenant: String::new() })
}

fn giving() -> Response<TestBody> {
    let artifact = v1::Artifact { artifact_id: "r".into(), parts: vec![text_part(SECRET)], ..v1::Artifact::default() };
    let status = Some(v1::TaskStatus { state: 3, message: None });
    response([replying(v1::Payload::Task(v1::Task { status, artifacts: vec![artifact], ..v1::Task::default() }))])
}

async fn ask(layer: &A2aExtensionsLayer, body: Vec<u8>, seen: &Seen) -> Reply {
    send_to(layer, call(SEND, &[("a2a-extensions", URI)], body), seen, giving).await
}

#[tokio::test]
async fn or_5_4_what_is_given_is_an_artifact_that_says_so() {
    let acting = || Some(json!({"actingFor": "ref-1"}));
    for body in [question(acting(), None), question(None, acting())] {
        let seen = Seen::default();
        let reply = ask(&opened(), body, &seen).await;
        assert_eq!((seen.calls(), reply.headers["cache-control"].to_str().unwrap()), (1, "no-store"));
        let Some(v1::Payload::Task(task)) = v1::StreamResponse::decode(&unframed(&reply.body)[0][..]).unwrap().payload
        else {
            panic!("{reply:?}");
        };
        let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": ADDRESS});
        assert_eq!(task.artifacts[0].metadata.as_ref().unwrap().fields[URI], proto_value(&mark));
        assert_eq!(
            (task.artifacts[0].parts.clone(), task.artifacts[0].extensions.clone()),
            (vec![text_part(SECRET)], vec![URI.to_owned()])
        );
    }
}

#[tokio::test]
async fn or_5_5_a_caller_that_acts_for_nobody_or_for_two_is_referred() {
    let acting = |whom: &str| Some(json!({"actingFor": whom}));
    for body in [question(None, None), question(acting("..."), None), question(acting("ref-1"), acting("ref-2"))] {
        let seen = Seen::default();
        let reply = ask(&opened(), body, &seen).await;
        assert_eq!((seen.calls(), reply.tells()), (0, false));
        assert_eq!(reply.message().extensions, [URI]);
    }
}

#[tokio::test]
async fn the_agent_finds_call_and_guard_in_extensions_and_by_the_call_key() {
    let layer = opened();
    let calls = layer.calls();
    let agent = tower::service_fn(move |request: http::Request<A2aRequestBody<TestBody>>| {
        let calls = calls.clone();
        async move {
            let call = A2aCall::of(request.extensions()).unwrap();
            assert_eq!((call.binding(), call.protocol_version()), (Some(Binding::Grpc), Some(ProtocolVersion::V1_0)));
            assert_eq!(call.message().unwrap().text(), "hello");
            let found = calls.from_headers(request.headers()).unwrap();
            let refused = OnRequestGuard::of(&found).unwrap().open(&PRICE).await.unwrap_err();
            // What a handler tells in its own binding passes the layer like the gate's own.
            Ok::<_, std::convert::Infallible>(refused.into_http_response().map(http_body_util::Full::new))
        }
    });
    let body = frame(&v1::SendMessageRequest { message: Some(users("hello")), ..v1::SendMessageRequest::default() });
    let reply = layer.layer(agent).oneshot(call(SEND, &[("a2a-extensions", URI)], body)).await.unwrap();
    let reply = http_body_util::BodyExt::collect(reply.into_body()).await.unwrap();
    assert_eq!(reply.trailers().unwrap()["grpc-status"], "0");
    let Some(v1::Payload::Message(message)) =
        v1::StreamResponse::decode(&unframed(&reply.to_bytes())[0][..]).unwrap().payload
    else {
        panic!();
    };
    assert_ne!(message, agents(SECRET));
    assert!(message.metadata.unwrap().fields.contains_key(URI));
}

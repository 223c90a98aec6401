//! Three servers with one store: one action is done once, whoever of them is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_a2a_extensions::on_request::Caller;
use tower_a2a_extensions::on_request::actions::store::ActionLimit;
use tower_a2a_extensions::on_request::actions::{ActionTerms, Actions, Attestation, StaffNotice};
use tower_a2a_extensions::{
    A2aCall, A2aExtensionsLayer, A2aRequestBody, BoxError, CallFacts, OnRequest, OnRequestGuard,
};

use crate::MINUTE;
use crate::server::RedisServer;

const URI: &str = "https://agent-capability.org/ext/on-request/v1";

/// What three servers have done together.
#[derive(Clone, Default)]
struct Diary {
    booked: Arc<AtomicUsize>,
    told: Arc<AtomicUsize>,
}

fn layer(server: &RedisServer, diary: &Diary, wait: Duration) -> A2aExtensionsLayer {
    let told = Arc::clone(&diary.told);
    let until = SystemTime::now() + MINUTE;
    let actions = Actions::new("chapel", "example.com", server.store())
        .attestation(Attestation::new("example.com", 2, until))
        .staff(move |notice: StaffNotice| {
            told.fetch_add(usize::from(notice.event().as_str() == "starting"), Ordering::SeqCst);
            async { Ok::<_, BoxError>(()) }
        })
        .duplicate_wait(wait);
    let terms = ActionTerms::new("booking").reversible("cancel it").staff("Mair Evans");
    let on_request = OnRequest::new()
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.headers().get("x-assistant")?.to_str().ok()?)))
        .actions(actions)
        .action(terms.limits(ActionLimit::new(3, MINUTE), ActionLimit::new(10, MINUTE)));
    let skills = json!([{"id": "booking", "personEntry": "https://ask.example.com/book", "assistantAccess": true,
                         "completion": "in-conversation"}]);
    let card = json!({
        "name": "Chapel",
        "provider": {"organization": "Chapel", "url": "https://example.com"},
        "skills": [{"id": "booking", "name": "Book", "description": "Books.", "tags": []}],
        "capabilities": {"extensions": [{"uri": URI, "params": {"skills": skills}}]},
    });
    A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap()
}

/// Books for whoever may, in half a second.
async fn agent(request: Request<A2aRequestBody<Full<Bytes>>>, diary: Diary) -> Result<Response<Full<Bytes>>, BoxError> {
    let guard = A2aCall::of(request.extensions()).and_then(OnRequestGuard::of).unwrap();
    let permit = match guard.perform("booking").await {
        Ok(permit) => permit,
        Err(reply) => return Ok(reply.into_http_response().map(Full::new)),
    };
    let booked = permit.run(async move {
        tokio::time::sleep(Duration::from_millis(500)).await;
        let number = diary.booked.fetch_add(1, Ordering::SeqCst);
        Ok(json!({"messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": format!("Booked, number {number}.")}]}))
    });
    Ok(match booked.await {
        Ok(message) => Response::new(json!({"message": message}).to_string().into()),
        Err(reply) => reply.into_http_response().map(Full::new),
    })
}

/// What each of these messages is answered, all of them asked at once, one server after the other.
async fn ask(servers: &[A2aExtensionsLayer], diary: &Diary, messages: Vec<(&'static str, String)>) -> Vec<Value> {
    let running = messages.into_iter().zip(servers.iter().cycle()).map(|((assistant, id), layer)| {
        let diary = diary.clone();
        let service = layer.layer(service_fn(move |request| agent(request, diary.clone())));
        let body = json!({"message": {
            "messageId": id, "role": "ROLE_USER", "parts": [{"text": "Book it."}],
            "metadata": {URI: {"actingFor": "a reference"}},
        }});
        let request = Request::post("/message:send").header("content-type", "application/json");
        let request = request.header("a2a-version", "1.0").header("x-assistant", assistant);
        let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
        tokio::spawn(answer(service, request))
    });
    let mut replies = Vec::new();
    for one in running.collect::<Vec<_>>() {
        replies.push(one.await.unwrap());
    }
    replies
}

async fn answer<S, B>(service: S, request: Request<Full<Bytes>>) -> Value
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>>,
    S::Error: std::fmt::Debug,
    B: http_body::Body,
    B::Error: std::fmt::Debug,
{
    let response = service.oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK, "e16: a refusal is a referral");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

fn texts(replies: &[Value]) -> Vec<&str> {
    replies.iter().map(|reply| reply["message"]["parts"][0]["text"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn e3_fifty_at_once_over_three_servers_are_done_once_and_answered_alike() {
    let Some(server) = RedisServer::start() else { return };
    let diary = Diary::default();
    let servers = [0; 3].map(|_| layer(&server, &diary, Duration::from_secs(5)));
    let replies = ask(&servers, &diary, vec![("a:{b}", "m-1".to_owned()); 50]).await;
    assert_eq!(texts(&replies), ["Booked, number 0."; 50]);
    assert_eq!((diary.booked.load(Ordering::SeqCst), diary.told.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn e3_with_no_wait_one_is_done_and_forty_nine_are_referred() {
    let Some(server) = RedisServer::start() else { return };
    let diary = Diary::default();
    let servers = [0; 3].map(|_| layer(&server, &diary, Duration::ZERO));
    let replies = ask(&servers, &diary, vec![("a", "m-1".to_owned()); 50]).await;
    let booked = texts(&replies).into_iter().filter(|text| text.starts_with("Booked")).count();
    let referred = texts(&replies).into_iter().filter(|text| text.contains("https://ask.example.com/book")).count();
    assert_eq!((booked, referred), (1, 49));
    assert_eq!((diary.booked.load(Ordering::SeqCst), diary.told.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn e11_limits_hold_in_total_and_not_times_three() {
    let Some(server) = RedisServer::start() else { return };
    let diary = Diary::default();
    let servers = [0; 3].map(|_| layer(&server, &diary, Duration::from_secs(5)));
    let one = (0..12).map(|number| ("a", format!("m-{number}"))).collect::<Vec<_>>();
    ask(&servers, &diary, one).await;
    assert_eq!(diary.booked.load(Ordering::SeqCst), 3, "three of one assistant");
    let names = ["b", "c", "d", "e", "f", "a:b", "{a}:b", "{}"];
    let many = names.iter().flat_map(|name| (0..3).map(|number| (*name, format!("m-{number}")))).collect();
    ask(&servers, &diary, many).await;
    assert_eq!(diary.booked.load(Ordering::SeqCst), 10, "ten in total");
    assert_eq!(diary.told.load(Ordering::SeqCst), 10, "staff hear of no other");
}

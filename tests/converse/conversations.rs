//! Streams in which a person takes over, and conversations of several clients.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::sse::{Event, Sse};
use axum::routing::post;
use axum::{Json, Router};
use futures_util::stream::{self, StreamExt};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::ConverseReply;
use tower_a2a_extensions::converse::{Author, Envelope, Ownership};

use crate::support::*;

/// Two events of the agent, then two of a person; each envelope is set when its event is asked for.
async fn desk(reply: ConverseReply) -> Sse<impl stream::Stream<Item = Result<Event, Infallible>>> {
    let events = stream::iter(0..4).then(move |number| {
        let reply = reply.clone();
        async move {
            // The person comes while the stream waits, as another task sees it.
            tokio::task::yield_now().await;
            if number % 2 == 0 {
                reply.set(if number < 2 { by_agent() } else { by_person() });
            }
            let status =
                json!({"state": "TASK_STATE_WORKING", "message": message(&format!("m-{number}"), "ROLE_AGENT")});
            let update = json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": status}});
            Ok(Event::default().data(json!({"jsonrpc": "2.0", "id": 1, "result": update}).to_string()))
        }
    });
    Sse::new(events)
}

fn by_agent() -> Envelope {
    Envelope::builder(Author::Agent).ownership(Ownership::ai_owned()).build().unwrap()
}

fn by_person() -> Envelope {
    Envelope::builder(Author::Human).ownership(Ownership::human_owned()).build().unwrap()
}

async fn body(app: Router, request: http::Request<String>) -> Vec<u8> {
    let reply = app.oneshot(request.map(Body::from)).await.unwrap();
    assert!(reply.status().is_success());
    reply.into_body().collect().await.unwrap().to_bytes().into()
}

#[tokio::test]
async fn a_person_takes_over_mid_stream() {
    let app = Router::new().route("/a2a", post(desk)).layer(layer());
    let body = body(app, json_rpc("SendStreamingMessage", &[CONVERSE])).await;
    let envelopes = read_events(&body)
        .iter()
        .map(|event| {
            let message = &event["result"]["statusUpdate"]["status"]["message"];
            assert_eq!(message["role"], "ROLE_AGENT");
            let envelope = Envelope::from_value(&carried(message).unwrap()).unwrap();
            (envelope.author().unwrap().to_string(), envelope.ownership().unwrap().state().to_string())
        })
        .collect::<Vec<_>>();
    let pair = |author: &str, state: &str| (author.to_owned(), state.to_owned());
    let (agent, human) = (pair("agent", "ai_owned"), pair("human", "human_owned"));
    assert_eq!(envelopes, [agent.clone(), agent, human.clone(), human]);
}

#[tokio::test]
async fn what_is_said_through_a_channel_keeps_its_envelope_by_id() {
    async fn channelled(reply: ConverseReply) -> Sse<impl stream::Stream<Item = Result<Event, Infallible>>> {
        let (send, receive) = tokio::sync::mpsc::channel(8);
        for (id, envelope) in [("m-1", by_agent()), ("m-2", by_person())] {
            reply.set_for(id, envelope).unwrap();
            let document = json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message(id, "ROLE_AGENT")}});
            send.send(Event::default().data(document.to_string())).await.unwrap();
        }
        // Everything was said before the first event leaves.
        drop(send);
        Sse::new(stream::unfold(receive, async |mut receive| Some((Ok(receive.recv().await?), receive))))
    }
    let app = Router::new().route("/a2a", post(channelled)).layer(layer());
    let body = body(app, json_rpc("SendStreamingMessage", &[CONVERSE])).await;
    let carried = read_events(&body).iter().map(|event| carried(&event["result"]["message"])).collect::<Vec<_>>();
    assert_eq!(carried, [Some(by_agent().to_value()), Some(by_person().to_value())]);
}

#[tokio::test]
async fn what_another_task_says_through_a_channel_keeps_the_envelope_written_into_it() {
    async fn channelled() -> Sse<impl stream::Stream<Item = Result<Event, Infallible>>> {
        let (send, receive) = tokio::sync::mpsc::channel(8);
        let said = tokio::spawn(async move {
            for (id, envelope) in [("m-1", by_agent()), ("m-2", by_person())] {
                let mut message = message(id, "ROLE_AGENT");
                envelope.write_into(&mut message);
                let document = json!({"jsonrpc": "2.0", "id": 1, "result": {"message": message}});
                send.send(Event::default().data(document.to_string())).await.unwrap();
            }
        });
        said.await.unwrap();
        Sse::new(stream::unfold(receive, async |mut receive| Some((Ok(receive.recv().await?), receive))))
    }
    let app = Router::new().route("/a2a", post(channelled)).layer(layer());
    let read = read_events(&body(app.clone(), json_rpc("SendStreamingMessage", &[CONVERSE])).await);
    let carried = read.iter().map(|event| carried(&event["result"]["message"])).collect::<Vec<_>>();
    assert_eq!(carried, [Some(by_agent().to_value()), Some(by_person().to_value())]);
    let plain = body(app, json_rpc("SendStreamingMessage", &[])).await;
    assert!(!String::from_utf8(plain).unwrap().contains("radioso"));
}

#[tokio::test]
async fn a17_a_persons_words_that_are_stored_with_their_envelope_stay_a_persons() {
    async fn stored() -> Json<Value> {
        let mut task = full_task();
        by_person().write_into(&mut task["status"]["message"]);
        by_person().write_into(&mut task["history"][1]);
        Json(json!({"jsonrpc": "2.0", "id": 1, "result": task}))
    }
    let app = Router::new().route("/a2a", post(stored)).layer(layer());
    let get = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t-1"}}).to_string();
    let read = body(app.clone(), request("/a2a", "1.0", &[CONVERSE], get.clone())).await;
    let read = serde_json::from_slice::<Value>(&read).unwrap();
    for place in ["/result/status/message", "/result/history/1"] {
        assert_eq!(carried(read.pointer(place).unwrap()), Some(by_person().to_value()), "{place}");
    }
    let plain = body(app, request("/a2a", "1.0", &[], get)).await;
    assert_eq!(serde_json::from_slice::<Value>(&plain).unwrap()["result"]["status"]["message"]["metadata"], json!({}));
}

#[tokio::test]
async fn a20_two_clients_of_one_conversation_each_get_their_own_form() {
    async fn agent(reply: ConverseReply, Json(call): Json<Value>) -> Json<Value> {
        // Only what the one client asked for says who owns the conversation.
        if call["params"]["message"]["messageId"] == "m-0" {
            reply.set(by_person());
        }
        tokio::task::yield_now().await;
        Json(json!({"jsonrpc": "2.0", "id": 1, "result": {"task": full_task()}}))
    }
    let app = Router::new().route("/a2a", post(agent)).layer(layer());
    let send = |asks: &[&str], id: &str| {
        let mut message = message(id, "ROLE_USER");
        message["contextId"] = json!("c-1");
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}});
        request("/a2a", "1.0", asks, call.to_string())
    };
    let with = body(app.clone(), send(&[CONVERSE], "m-0"));
    let without = body(app.clone(), send(&[], "m-0"));
    let later = send(&[CONVERSE], "m-9");
    let (with, without, later) = tokio::join!(with, without, body(app.clone(), later));
    let read = |body: &[u8]| serde_json::from_slice::<Value>(body).unwrap();
    assert_eq!(carried(&read(&with)["result"]["task"]["status"]["message"]), Some(by_person().to_value()));
    assert_eq!(read(&without)["result"]["task"], full_task());
    assert!(!String::from_utf8(without).unwrap().contains("radioso"));
    let carried = carried(&read(&later)["result"]["task"]["status"]["message"]);
    assert_eq!(carried, Some(fallback()), "what was set in another call does not show");
}

#[tokio::test]
async fn an_envelope_reaches_the_layer_with_converse_through_another_layer_further_in() {
    async fn agent(reply: ConverseReply) -> Json<Value> {
        reply.set(by_person());
        reply.set_for("a-2", by_agent()).unwrap();
        Json(json!({"jsonrpc": "2.0", "id": 1, "result": {"task": full_task()}}))
    }
    let mut inner = card(&json!([]));
    inner["capabilities"]["extensions"] = json!([{"uri": "https://example.com/other"}]);
    let inner = tower_a2a_extensions::A2aExtensionsLayer::new(inner).unwrap();
    let app = Router::new().route("/a2a", post(agent)).layer(inner).layer(layer());
    let read = serde_json::from_slice::<Value>(&body(app, json_rpc("SendMessage", &[CONVERSE])).await).unwrap();
    let task = &read["result"]["task"];
    assert_eq!(carried(&task["status"]["message"]), Some(by_person().to_value()));
    assert_eq!(carried(&task["artifacts"][1]), Some(by_agent().to_value()));
}

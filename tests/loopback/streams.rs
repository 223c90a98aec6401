//! Events leave as they are made, connections stay, and trailers come last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use tokio::sync::mpsc;

use crate::alone;
use crate::client::RawClient;
use crate::server::{SentFrames, URI, event, reply, serve};

/// A stream behind the layer, what feeds it, and whether the agent's body is gone.
async fn stream(trailers: Option<HeaderMap>) -> (RawClient, mpsc::UnboundedSender<Bytes>, Arc<AtomicBool>) {
    let (sender, frames) = mpsc::unbounded_channel();
    let dropped = Arc::new(AtomicBool::new(false));
    let body = SentFrames { frames, trailers, dropped: Arc::clone(&dropped) };
    let body = Arc::new(Mutex::new(Some(body)));
    let agent = move || {
        let body = body.lock().unwrap().take().unwrap();
        std::future::ready(reply("text/event-stream", Body::new(body)))
    };
    let mut client = RawClient::connect(serve(agent).await).await;
    client.ask("te: trailers\r\n").await;
    (client, sender, dropped)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c15_the_second_event_is_made_only_after_the_client_has_read_the_first() {
    let _alone = alone().await;
    let (mut client, agent, _) = stream(None).await;
    agent.send(event("one").into()).unwrap();
    let head = client.until("\r\n\r\n").await;
    assert!(head.to_ascii_lowercase().contains(&format!("a2a-extensions: {URI}\r\n")), "{head}");
    let first = client.until("\n\n\r\n").await;
    assert!(first.contains("\"one\"") && first.contains(&format!("\"{URI}\":\"calm\"")), "{first}");
    // Only now.
    agent.send(event("two").into()).unwrap();
    let second = client.until("\n\n\r\n").await;
    assert!(second.contains("\"two\"") && second.contains(&format!("\"{URI}\":\"calm\"")), "{second}");
    // Half an event is held until it is whole.
    let third = event("three");
    agent.send(Bytes::copy_from_slice(&third.as_bytes()[..20])).unwrap();
    assert!(!client.hears_within(Duration::from_millis(200)).await);
    agent.send(Bytes::copy_from_slice(&third.as_bytes()[20..])).unwrap();
    assert!(client.until("\n\n\r\n").await.contains("\"three\""));
    drop(agent);
    assert_eq!(client.until("\r\n\r\n").await, "0\r\n\r\n", "the stream ends in order");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_is_gone_ends_the_agents_body() {
    let _alone = alone().await;
    let (mut client, agent, dropped) = stream(None).await;
    agent.send(event("one").into()).unwrap();
    client.until("\n\n\r\n").await;
    assert!(!dropped.load(Ordering::SeqCst));
    drop(client);
    for _ in 0..200 {
        if dropped.load(Ordering::SeqCst) {
            assert!(agent.is_closed());
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the agent's body is still there after 5 s");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b5_trailers_come_behind_the_last_event() {
    let _alone = alone().await;
    let trailers = HeaderMap::from_iter([("x-checked".parse().unwrap(), "yes".parse().unwrap())]);
    let (sender, frames) = mpsc::unbounded_channel();
    let body = SentFrames { frames, trailers: Some(trailers), dropped: Arc::default() };
    let body = Arc::new(Mutex::new(Some(body)));
    let agent = move || {
        let mut response = reply("text/event-stream", Body::new(body.lock().unwrap().take().unwrap()));
        response.headers_mut().insert("trailer", "x-checked".parse().unwrap());
        std::future::ready(response)
    };
    let mut client = RawClient::connect(serve(agent).await).await;
    client.ask("te: trailers\r\n").await;
    sender.send(event("one").into()).unwrap();
    drop(sender);
    let head = client.until("\r\n\r\n").await.to_ascii_lowercase();
    assert!(head.contains("trailer: x-checked\r\n") && head.contains("transfer-encoding: chunked"), "{head}");
    assert!(client.until("\n\n\r\n").await.contains("calm"));
    assert_eq!(client.until("\r\n\r\n").await.to_ascii_lowercase(), "0\r\nx-checked: yes\r\n\r\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b1_two_stamped_replies_on_one_connection_have_the_length_they_state() {
    let _alone = alone().await;
    let document = r#"{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"a","role":"ROLE_AGENT","parts":[]}}}"#;
    let agent = move || std::future::ready(reply("application/json", Body::from(document)));
    let mut client = RawClient::connect(serve(agent).await).await;
    let added = format!(r#","extensions":["{URI}"],"metadata":{{"{URI}":"calm"}}"#);
    let expected = document.replace(r#""parts":[]"#, &format!(r#""parts":[]{added}"#));
    for turn in 0..2 {
        client.ask("connection: keep-alive\r\n").await;
        let head = client.until("\r\n\r\n").await.to_ascii_lowercase();
        assert!(head.starts_with("http/1.1 200") && !head.contains("connection: close"), "{turn}: {head}");
        assert!(head.contains(&format!("content-length: {}\r\n", expected.len())), "{turn}: {head}");
        assert_eq!(client.exactly(expected.len()).await, expected, "{turn}");
    }
    assert!(!client.hears_within(Duration::from_millis(100)).await, "nothing more is sent");
}

//! The extension of the guide in the documentation of `A2aExtension`, whole: a shop tells clients whether it
//! is open, and answers itself where it is closed. The guide's steps, one after the other, give this
//! file. It checks itself. Run it: `cargo run --example opening`.
// Most of it is tests.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, AgentCard, Answer, DeclaredExtension, ExtensionUri, Findings, Gate,
    GateFuture, IncomingMessage, MessageGate, ObjectKind, OutgoingObject, Stamp, testing,
};

const URI: &str = "https://example.com/ext/opening/v1";
const STATE: &str = "example.com/opening/state";
const UNTIL: &str = "example.com/opening/until";
const CLOSED: &str = "We are closed. Please ask again tomorrow.";

#[derive(Default)]
struct Opening {
    /// When the shop closes, as the card says; `None` where it never does.
    until: Option<String>,
    door: Door,
}

/// Stands for a service that knows whether the shop is open.
#[derive(Default)]
struct Door {
    closed: bool,
    answers_after: Duration,
}

impl Door {
    async fn is_open(&self) -> bool {
        tokio::time::sleep(self.answers_after).await;
        !self.closed
    }
}

/// What the gate found out, for the handler and the reply: whether the shop is open.
#[derive(Default)]
struct OpeningOfCall(OnceLock<bool>);

impl MessageGate for Opening {
    fn decide<'a>(&'a self, _message: &'a IncomingMessage, call: &'a A2aCall) -> GateFuture<'a> {
        let found = call.slot::<OpeningOfCall>();
        if self.until.is_none() {
            let _ = found.0.set(true);
            return GateFuture::ready(Gate::Pass);
        }
        GateFuture::new(async move {
            let asked = tokio::time::timeout(call.decision_timeout(), self.door.is_open()).await;
            let open = asked.unwrap_or(false);
            let _ = found.0.set(open);
            if open { Gate::Pass } else { Gate::Answer(Answer::text(CLOSED)) }
        })
    }
}

impl A2aExtension for Opening {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URI)
    }

    fn metadata_keys(&self) -> Vec<Cow<'static, str>> {
        vec![STATE.into(), UNTIL.into()]
    }

    fn bind(&mut self, _card: &AgentCard, declared: &DeclaredExtension<'_>, findings: &mut Findings) {
        match declared.params().and_then(|params| params.get("until")) {
            None => self.until = None,
            Some(Value::String(until)) => self.until = Some(until.clone()),
            Some(_) => {
                let place = format!("{}/params/until", declared.pointer());
                findings.error("opening", place, "`until` must be a string, such as `18:00`");
            }
        }
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
        let state = match call.slot::<OpeningOfCall>().0.get() {
            Some(true) if object.is_active() => "open",
            Some(false) if object.is_active() => "closed",
            // Nobody asked for it, or the reply came without a message, for example to `GetTask`:
            // then nothing was found out.
            _ => return Stamp::remove(),
        };
        match &self.until {
            Some(until) if object.metadata(UNTIL).is_none() => {
                Stamp::set(state).and(Stamp::set_key(UNTIL, until.as_str()))
            }
            _ => Stamp::set(state),
        }
    }
}

fn card() -> Value {
    card_with(&json!({"until": "18:00"}))
}

fn card_with(params: &Value) -> Value {
    let declared = json!({"uri": URI, "params": params});
    json!({"name": "Shop", "capabilities": {"streaming": true, "extensions": [declared]}})
}

fn opening() -> Opening {
    opening_behind(Door::default())
}

fn opening_behind(door: Door) -> Opening {
    testing::bind(Opening { door, ..Opening::default() }, card()).unwrap()
}

/// A call that finds the shop open.
fn open_call() -> A2aCall {
    let call = A2aCall::detached();
    let _ = call.slot::<OpeningOfCall>().0.set(true);
    call
}

fn an_object_says_it_where_it_is_asked_for() {
    let asked_for = OutgoingObject::new(ObjectKind::Message, true);
    let says = Stamp::set("open").and(Stamp::set_key(UNTIL, "18:00"));
    assert_eq!(opening().stamp(&asked_for, &open_call()), says);
    let not_asked_for = OutgoingObject::new(ObjectKind::Artifact, false);
    assert_eq!(opening().stamp(&not_asked_for, &open_call()), Stamp::remove());
}

fn the_card_has_to_declare_it() {
    assert!(A2aExtensionsLayer::builder(card()).extension(opening()).build().is_ok());
    let other_card = json!({"name": "Shop", "capabilities": {"extensions": []}});
    let error = A2aExtensionsLayer::builder(other_card).extension(opening()).build().unwrap_err();
    assert!(error.to_string().contains("the card does not declare it"));
}

fn the_hour_that_the_agent_wrote_stays() {
    let written = OutgoingObject::new(ObjectKind::Message, true).with_metadata(UNTIL, "17:00".into());
    assert_eq!(opening().stamp(&written, &open_call()), Stamp::set("open"));
}

fn the_card_says_until_when() {
    assert_eq!(opening().until.as_deref(), Some("18:00"));
    assert_eq!(testing::bind(Opening::default(), card_with(&json!({}))).unwrap().until, None);
}

fn what_is_wrong_in_the_card_is_told_with_its_place() {
    let Err(error) = testing::bind(Opening::default(), card_with(&json!({"until": 18}))) else {
        panic!("a number is no hour");
    };
    assert_eq!(error.findings.iter().next().unwrap().pointer, "/capabilities/extensions/0/params/until");
    let layer = A2aExtensionsLayer::builder(card_with(&json!({"until": 18}))).extension(Opening::default());
    assert!(layer.build().is_err(), "and no layer is built");
}

/// A text, a typed call, a file, and a message that goes on with a task.
fn messages() -> [IncomingMessage; 4] {
    [
        json!({"messageId": "m", "parts": [{"text": "Hello?"}]}),
        json!({"messageId": "m", "parts": [{"data": {"order": "one loaf"}}]}),
        json!({"messageId": "m", "parts": [{"url": "https://example.com/order.pdf"}]}),
        json!({"messageId": "m", "taskId": "t-1", "parts": []}),
    ]
    .map(|message| testing::incoming_message(&message))
}

async fn a_closed_shop_answers_every_message() {
    let closed = opening_behind(Door { closed: true, ..Door::default() });
    for message in messages() {
        assert_eq!(opening().decide(&message, &A2aCall::detached()).await, Gate::Pass);
        let answer = Gate::Answer(Answer::text(CLOSED));
        assert_eq!(closed.decide(&message, &A2aCall::detached()).await, answer);
    }
}

async fn a_door_that_does_not_answer_in_time_is_closed() {
    let slow = opening_behind(Door { answers_after: Duration::from_secs(60), ..Door::default() });
    let call = testing::detached_call(Duration::from_millis(20));
    assert_eq!(slow.decide(&messages()[0], &call).await, Gate::Answer(Answer::text(CLOSED)));
}

fn a_shop_that_never_closes_does_not_wait() {
    let never_closes = testing::bind(Opening::default(), card_with(&json!({}))).unwrap();
    for message in messages() {
        assert_eq!(testing::ready(never_closes.decide(&message, &A2aCall::detached())), Gate::Pass);
    }
}

async fn the_reply_says_what_the_gate_found_out() {
    let reply = OutgoingObject::new(ObjectKind::Message, true);
    for (closed, state) in [(false, "open"), (true, "closed")] {
        let (opening, call) = (opening_behind(Door { closed, ..Door::default() }), A2aCall::detached());
        assert_eq!(opening.stamp(&reply, &call), Stamp::remove(), "nobody has asked yet");
        opening.decide(&messages()[0], &call).await;
        assert_eq!(opening.stamp(&reply, &call), Stamp::set(state).and(Stamp::set_key(UNTIL, "18:00")));
    }
}

fn every_kind_of_object_is_stamped() {
    let opening = opening();
    let says = Stamp::set("open").and(Stamp::set_key(UNTIL, "18:00"));
    for kind in [ObjectKind::Message, ObjectKind::StatusMessage, ObjectKind::HistoryMessage, ObjectKind::Artifact] {
        for (active, expected) in [(true, &says), (false, &Stamp::remove())] {
            let object = OutgoingObject::new(kind, active).with_task_state("TASK_STATE_COMPLETED");
            assert_eq!(opening.stamp(&object, &open_call()), *expected);
            let written = object.with_metadata(STATE, "as the agent says".into());
            assert_eq!(opening.stamp(&written, &open_call()), *expected);
        }
    }
}

/// A task with a message and an artifact, as an agent without a thought for the extension writes it.
fn task() -> Value {
    let message = json!({"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "Done."}]});
    let artifact = json!({"artifactId": "a-1", "parts": [{"text": "One loaf."}]});
    let status = json!({"state": "TASK_STATE_COMPLETED", "message": message});
    json!({"task": {"id": "t-1", "contextId": "c-1", "status": status, "artifacts": [artifact]}})
}

/// The same in three events.
fn stream() -> String {
    let artifact = json!({"artifactId": "a-1", "parts": [{"text": "One loaf."}]});
    let message = json!({"messageId": "m-2", "role": "ROLE_AGENT", "parts": [{"text": "In the oven."}]});
    let status = json!({"state": "TASK_STATE_WORKING", "message": message});
    let events = [
        json!({"statusUpdate": {"taskId": "t-1", "contextId": "c-1", "status": status}}),
        json!({"artifactUpdate": {"taskId": "t-1", "contextId": "c-1", "artifact": artifact}}),
        task(),
    ];
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

async fn agent(request: Request<Bytes>) -> Response<Bytes> {
    let (kind, body) = match request.uri().path() {
        "/message:stream" => ("text/event-stream", stream()),
        _ => ("application/json", task().to_string()),
    };
    Response::builder().header("content-type", kind).body(body.into()).unwrap()
}

fn question(path: &str, asked: &str) -> Request<String> {
    let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"data": {"order": "one loaf"}}]});
    let request = Request::post(path).header("a2a-version", "1.0").header("a2a-extensions", asked);
    request.body(json!({"message": message}).to_string()).unwrap()
}

fn layer_behind(door: Door) -> A2aExtensionsLayer {
    let opening = Opening { door, ..Opening::default() };
    let layer = A2aExtensionsLayer::builder(card()).extension(opening);
    layer.decision_timeout(Duration::from_millis(50)).build().unwrap()
}

async fn a_reply_is_stamped_throughout_where_the_client_asks() {
    let layer = layer_behind(Door::default());
    for (asked, active) in [(URI, true), ("https://example.com/another", false)] {
        for path in ["/message:send", "/message:stream"] {
            let reply = testing::respond(&layer, question(path, asked), agent).await;
            assert_eq!(reply.headers().contains_key("a2a-extensions"), active, "the echo");
            let documents = match path {
                "/message:stream" => testing::events(reply.body()),
                _ => vec![serde_json::from_slice(reply.body()).unwrap()],
            };
            assert_eq!(documents.len(), if path == "/message:stream" { 3 } else { 1 });
            for document in &documents {
                testing::assert_conformant(document, &opening(), active);
                if active {
                    testing::assert_stamped(document, &opening());
                }
            }
            let artifact = &documents.last().unwrap()["task"]["artifacts"][0];
            assert_eq!(artifact["metadata"].get(STATE), active.then_some(&json!("open")));
        }
    }
}

async fn a_closed_shop_does_not_bother_the_agent() {
    let too_late = Duration::from_secs(60);
    for door in [Door { closed: true, ..Door::default() }, Door { answers_after: too_late, ..Door::default() }] {
        let seen = AtomicU32::new(0);
        let counting = async |request| {
            seen.fetch_add(1, Ordering::Relaxed);
            agent(request).await
        };
        let reply = testing::respond(&layer_behind(door), question("/message:send", URI), counting).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        assert_eq!(reply["message"]["parts"][0]["text"], CLOSED);
        assert_eq!(reply["message"]["metadata"][STATE], "closed");
        testing::assert_stamped(&reply, &opening());
        assert_eq!(seen.into_inner(), 0);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    an_object_says_it_where_it_is_asked_for();
    the_card_has_to_declare_it();
    the_hour_that_the_agent_wrote_stays();
    the_card_says_until_when();
    what_is_wrong_in_the_card_is_told_with_its_place();
    a_closed_shop_answers_every_message().await;
    a_door_that_does_not_answer_in_time_is_closed().await;
    a_shop_that_never_closes_does_not_wait();
    the_reply_says_what_the_gate_found_out().await;
    every_kind_of_object_is_stamped();
    a_reply_is_stamped_throughout_where_the_client_asks().await;
    a_closed_shop_does_not_bother_the_agent().await;
    println!("the shop opens and closes as it should");
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_check_of_the_guide_holds() {
        super::main();
    }
}

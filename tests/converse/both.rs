//! Converse and On Request on one reply.

use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::converse::{Author, Citation, Envelope};
use tower_a2a_extensions::{A2aCall, BoxError};
use tower_a2a_extensions::{A2aExtensionsLayer, Converse, ConverseReply, OnRequest, OnRequestGuard, testing};

use crate::support::*;

pub(crate) const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
pub(crate) const ADDRESS: &str = "https://example.com/ask";
const QUESTION: &str = "What does the hall cost?";
/// What is told to nobody here.
pub(crate) const SECRET: &str = "four thousand and nine";

fn on_request(opened: bool) -> Value {
    json!({"uri": ON_REQUEST, "required": false, "params": {
        "skills": [{"id": "hall", "personEntry": ADDRESS, "assistantAccess": opened}],
    }})
}

pub(crate) fn both(converse_first: bool, opened: bool) -> A2aExtensionsLayer {
    let mut extensions = vec![declaration(), on_request(opened)];
    if !converse_first {
        extensions.reverse();
    }
    let mut card = card(&json!(extensions));
    card["skills"] = json!([
        {"id": "hall", "name": "The hall", "description": "On request.", "tags": [], "examples": [QUESTION]},
    ]);
    A2aExtensionsLayer::builder(card).extension(OnRequest::new().information("hall")).build().unwrap()
}

fn asking(text: &str, asks: &[&str]) -> Request<String> {
    calling("SendMessage", text, asks)
}

fn calling(method: &str, text: &str, asks: &[&str]) -> Request<String> {
    let message = json!({"messageId": "m-0", "role": "ROLE_USER", "parts": [{"text": text}]});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}});
    request("/a2a", "1.0", asks, call.to_string())
}

fn orders() -> [[&'static str; 2]; 2] {
    [[CONVERSE, ON_REQUEST], [ON_REQUEST, CONVERSE]]
}

#[track_caller]
fn check_echo(reply: &Response<Bytes>, asks: &[&str]) {
    let lines = reply.headers().get_all("a2a-extensions").iter().map(|line| line.to_str().unwrap());
    let lines = lines.collect::<Vec<_>>();
    assert_eq!(lines.len(), 1, "one header: {lines:?}");
    assert_eq!(lines[0].split(", ").collect::<Vec<_>>(), asks);
}

#[tokio::test]
async fn a_referral_of_the_layer_carries_both_in_either_order() {
    for converse_first in [true, false] {
        let layer = both(converse_first, false);
        for asks in orders() {
            let reply = respond(&layer, asking(QUESTION, &asks), Response::new(Bytes::new()), |_| panic!()).await;
            check_echo(&reply, &asks);
            let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
            testing::assert_stamped(&reply, &Converse::new());
            testing::assert_stamped(&reply, &OnRequest::new());
            let message = &reply["result"]["message"];
            assert_eq!(carried(message), Some(fallback()));
            assert_eq!(message["metadata"][ON_REQUEST]["personEntry"], ADDRESS);
            assert_eq!(message["extensions"].as_array().unwrap().len(), 2);
            assert_eq!(message["metadata"].as_object().unwrap().len(), 2);
        }
    }
}

#[tokio::test]
async fn a1_a_streamed_referral_of_the_layer_carries_both() {
    for asks in orders() {
        let request = calling("SendStreamingMessage", QUESTION, &asks);
        let reply = respond(&both(false, false), request, Response::new(Bytes::new()), |_| panic!()).await;
        check_echo(&reply, &asks);
        let events = read_events(reply.body());
        assert!(!events.is_empty());
        for event in events {
            let message = &event["result"]["message"];
            assert_eq!(carried(message), Some(fallback()));
            assert_eq!(message["metadata"][ON_REQUEST]["personEntry"], ADDRESS);
        }
    }
}

#[tokio::test]
async fn a_referral_of_the_layer_carries_what_was_activated_and_no_more() {
    for (asks, converse, marked) in [(&[][..], false, false), (&[CONVERSE], true, false), (&[ON_REQUEST], false, true)]
    {
        let reply =
            respond(&both(true, false), asking(QUESTION, asks), Response::new(Bytes::new()), |_| panic!()).await;
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        testing::assert_conformant(&reply, &Converse::new(), converse);
        testing::assert_conformant(&reply, &OnRequest::new(), marked);
        let message = &reply["result"]["message"];
        assert_eq!(carried(message), converse.then(fallback));
        assert_eq!(message["metadata"].get(ON_REQUEST).is_some(), marked);
        assert!(message["parts"].to_string().contains(ADDRESS), "the words are the same");
    }
}

#[tokio::test]
async fn a_referral_of_the_handler_carries_its_envelope_and_the_mark() {
    for asks in orders() {
        let agent = async |request: Request<Bytes>| {
            let call = A2aCall::of(request.extensions()).unwrap().clone();
            ConverseReply::of(&call).set(owned_by("ai_owned"));
            let referral = OnRequestGuard::of(&call).unwrap().disclose("hall").await.unwrap_err();
            referral.into_http_response()
        };
        let reply = testing::respond(&both(true, false), asking("How much is that big room?", &asks), agent).await;
        check_echo(&reply, &asks);
        let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
        let message = &reply["result"]["message"];
        assert_eq!(carried(message), Some(bare("ai_owned")));
        assert_eq!(message["metadata"][ON_REQUEST]["status"], "on-request");
    }
}

pub(crate) fn citing(title: &str) -> Result<Envelope, BoxError> {
    Ok(Envelope::builder(Author::Agent).citation(Citation::new("d-1", "c-1", title)).build()?)
}

/// An artifact that was given to somebody else, and an envelope that tells of its content.
pub(crate) fn given(own: bool) -> Value {
    let mark = json!({"status": "given-on-opt-in", "skillId": "hall", "personEntry": ADDRESS, "givenTo": "somebody"});
    let mut metadata = json!({ ON_REQUEST: mark });
    if own {
        metadata[CONVERSE] = citing(SECRET).unwrap().to_value();
    }
    json!({"artifactId": "a-1", "parts": [{"text": SECRET}], "metadata": metadata})
}

#[tokio::test]
async fn what_is_withheld_is_not_told_by_its_envelope_either() {
    for converse_first in [true, false] {
        for own in [true, false] {
            let artifacts = json!([given(own), {"artifactId": "a-2", "parts": [{"text": "words"}]}]);
            let status = json!({"state": "TASK_STATE_COMPLETED"});
            let task = json!({"id": "t-1", "contextId": "c-1", "status": status, "artifacts": artifacts});
            let document = json!({"jsonrpc": "2.0", "id": 1, "result": task});
            let get = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t-1"}}).to_string();
            let hand_over = |reply: &ConverseReply| {
                reply.set(owned_by("ai_owned"));
                reply.set_for("a-1", citing(SECRET).unwrap()).unwrap();
            };
            let sent = typed_reply("application/json", document.to_string());
            let request = request("/a2a", "1.0", &[CONVERSE, ON_REQUEST], get);
            let reply = respond(&both(converse_first, true), request, sent, hand_over).await;
            let text = String::from_utf8_lossy(reply.body());
            assert!(!text.contains(SECRET) && !text.contains("givenTo"), "{text}");
            let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
            let artifacts = &reply["result"]["artifacts"];
            assert_eq!(carried(&artifacts[0]), Some(fallback()), "{text}");
            let message = &reply["result"]["status"]["message"];
            assert!(carried(message) == Some(fallback()) && message["parts"].to_string().contains(ADDRESS), "{text}");
            assert_eq!(carried(&artifacts[1]), Some(bare("ai_owned")), "{text}");
        }
    }
}

#[tokio::test]
async fn where_something_is_withheld_the_replys_envelope_tells_nothing_of_it_in_front_or_behind() {
    for converse_first in [true, false] {
        for asks in [&[CONVERSE][..], &[CONVERSE, ON_REQUEST]] {
            let message = json!({"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": "Here it is."}]});
            let status = json!({"state": "TASK_STATE_COMPLETED", "message": message});
            let artifacts =
                json!([{"artifactId": "a-0", "parts": []}, given(false), {"artifactId": "a-2", "parts": []}]);
            let task = json!({"id": "t-1", "contextId": "c-1", "status": status, "artifacts": artifacts});
            let document = json!({"jsonrpc": "2.0", "id": 1, "result": task});
            let get = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t-1"}}).to_string();
            let hand_over = |reply: &ConverseReply| reply.set(citing(SECRET).unwrap());
            let sent = typed_reply("application/json", document.to_string());
            let reply = respond(&both(converse_first, true), request("/a2a", "1.0", asks, get), sent, hand_over).await;
            let text = String::from_utf8_lossy(reply.body());
            assert!(!text.contains(SECRET) && !text.contains("givenTo"), "{text}");
            let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
            testing::assert_stamped(&reply, &Converse::new());
        }
    }
}

#[tokio::test]
async fn what_the_guard_refuses_is_not_told_by_the_replys_envelope() {
    let agent = async |request: Request<Bytes>| {
        let call = A2aCall::of(request.extensions()).unwrap().clone();
        ConverseReply::of(&call).set(citing(SECRET).unwrap());
        let referral = OnRequestGuard::of(&call).unwrap().disclose("hall").await.unwrap_err();
        referral.into_http_response()
    };
    let reply = testing::respond(&both(true, false), asking("How much is that big room?", &[CONVERSE]), agent).await;
    let text = String::from_utf8_lossy(reply.body());
    assert!(!text.contains(SECRET) && text.contains(ADDRESS), "{text}");
    let reply = serde_json::from_slice::<Value>(reply.body()).unwrap();
    assert_eq!(carried(&reply["result"]["message"]), Some(fallback()));
}

#[tokio::test]
async fn a_mark_inside_an_envelope_that_the_agent_wrote_does_not_leave() {
    for asks in [&[][..], &[CONVERSE], &[CONVERSE, ON_REQUEST]] {
        let mut artifact = given(false);
        let mark = artifact["metadata"].take();
        artifact["metadata"] = json!({CONVERSE: {"author": "agent", "x": mark}});
        let task = json!({"id": "t-1", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [artifact]});
        let document = json!({"jsonrpc": "2.0", "id": 1, "result": task});
        let get = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t-1"}}).to_string();
        let sent = typed_reply("application/json", document.to_string());
        let reply = respond(&both(true, true), request("/a2a", "1.0", asks, get), sent, |_| {}).await;
        let text = String::from_utf8_lossy(reply.body());
        assert!(!text.contains(SECRET) && !text.contains("givenTo"), "{text}");
    }
}

//! The filter of replies as a plain function: push payloads and bindings of one's own.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, ExtensionsEvent, ExtensionsObserver, MessageGate,
    OutgoingObject, PayloadStopKind, ReplyFilter, Stamp, StoredActivation, testing,
};

const URI: &str = "https://example.com/mood/v1";
const OLD_URI: &str = "https://example.com/mood";
const OTHER: &str = "https://example.com/other/v1";
const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";

/// Writes a mood; a furious one must not leave.
struct Mood;

impl A2aExtension for Mood {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URI)
    }

    fn aliases(&self) -> Vec<ExtensionUri> {
        vec![ExtensionUri::from_static(OLD_URI)]
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        match object.metadata(URI).and_then(Value::as_str) {
            Some("furious") => Stamp::forbid("nobody may see this"),
            Some("sad") => Stamp::withhold("not now"),
            _ if object.is_active() => Stamp::set("calm"),
            _ => Stamp::remove(),
        }
    }
}

fn card(extensions: &[&str]) -> Value {
    let extensions = extensions.iter().map(|uri| json!({"uri": uri})).collect::<Vec<_>>();
    json!({
        "name": "Clerk",
        "supportedInterfaces": [{"url": "https://agent.example.com/a2a", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"}],
        "capabilities": {"streaming": true, "extensions": extensions},
    })
}

fn layer() -> A2aExtensionsLayer {
    A2aExtensionsLayer::builder(card(&[OTHER, URI])).extension(Mood).build().unwrap()
}

fn active(filter: &ReplyFilter) -> A2aCall {
    filter.call_for(&StoredActivation::from_iter([URI]))
}

fn inactive(filter: &ReplyFilter) -> A2aCall {
    filter.call_for(&StoredActivation::default())
}

fn sent(filter: &ReplyFilter, payload: &Value, call: &A2aCall) -> Value {
    serde_json::from_slice(&filter.stamp(payload.to_string(), call).unwrap()).unwrap()
}

/// A push notification of A2A 0.3: a bare Task.
fn bare_task() -> Value {
    json!({
        "kind": "task", "id": "t-1", "contextId": "c-1",
        "status": {"state": "completed", "message": {
            "kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "done"}],
        }},
        "artifacts": [{"artifactId": "a", "parts": [{"kind": "text", "text": "here"}]}],
        "history": [{"kind": "message", "messageId": "u", "role": "user", "parts": []}],
    })
}

fn marked(mut object: Value, mood: &str) -> Value {
    object["metadata"] = json!({URI: mood, "keep": 1});
    object["extensions"] = json!([URI]);
    object
}

fn artifact_update(artifact: &Value) -> Value {
    json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": artifact}})
}

#[test]
fn a_bare_task_of_0_3_is_stamped_where_active_and_stripped_where_not() {
    let filter = layer().filter();
    let stamped = sent(&filter, &bare_task(), &active(&filter));
    testing::assert_conformant(&stamped, &Mood, true);
    for pointer in ["/status/message", "/artifacts/0"] {
        let object = stamped.pointer(pointer).unwrap();
        assert_eq!((&object["metadata"][URI], &object["extensions"]), (&json!("calm"), &json!([URI])), "{pointer}");
    }
    assert_eq!(stamped["history"], bare_task()["history"], "the user's message is not ours");

    let stripped = sent(&filter, &stamped, &inactive(&filter));
    testing::assert_conformant(&stripped, &Mood, false);
    assert!(!stripped.to_string().contains(URI), "{stripped}");
}

#[test]
fn a_stream_response_is_stamped_where_active_and_stripped_where_not() {
    let filter = layer().filter();
    let artifact = json!({"artifactId": "a", "parts": [{"text": "x"}]});
    let status = json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {
        "state": "TASK_STATE_WORKING",
        "message": {"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "on it"}]},
    }}});
    let stamped = sent(&filter, &status, &active(&filter));
    assert_eq!(stamped["statusUpdate"]["status"]["message"]["metadata"][URI], "calm");
    let stamped = sent(&filter, &artifact_update(&artifact), &active(&filter));
    assert_eq!(stamped["artifactUpdate"]["artifact"]["metadata"][URI], "calm");
    let stripped = sent(&filter, &artifact_update(&marked(artifact, "glad")), &inactive(&filter));
    assert_eq!(stripped["artifactUpdate"]["artifact"]["metadata"], json!({"keep": 1}));
    assert_eq!(stripped["artifactUpdate"]["artifact"]["extensions"], json!([]));
}

#[test]
fn nothing_to_change_gives_back_the_same_bytes() {
    let filter = layer().filter();
    for payload in
        [&b"{ \"message\": {\"role\":\"ROLE_AGENT\",\"n\":1.50} }"[..], b"{\"id\":", b"", b" ", b"ping", b"\xFF\xFE"]
    {
        let payload = Bytes::copy_from_slice(payload);
        let back = filter.stamp(payload.clone(), &inactive(&filter)).unwrap();
        assert_eq!((back.as_ptr(), back.len()), (payload.as_ptr(), payload.len()));
    }
    for unreadable in ["{\"message\":", "not JSON", "{\"message\":{}} x"] {
        assert_eq!(filter.stamp(unreadable, &active(&filter)).unwrap(), unreadable, "adding fails open");
    }
}

#[test]
fn what_an_extension_forbids_is_an_error_that_tells_nothing() {
    let filter = layer().filter();
    let furious = artifact_update(&marked(json!({"artifactId": "a", "parts": []}), "furious"));
    for call in [active(&filter), inactive(&filter), A2aCall::detached()] {
        let error = filter.stamp(furious.to_string(), &call).unwrap_err();
        assert_eq!(error.kind(), PayloadStopKind::Forbidden);
        assert!(!format!("{error} {error:?}").contains("nobody"), "{error:?}");
    }
}

#[test]
fn a_managed_key_that_cannot_be_removed_is_an_error() {
    let filter = layer().filter();
    for (payload, kind) in [
        (format!(r#"{{"message":{{"metadata":{{"{URI}":1"#), PayloadStopKind::Unreadable),
        (format!(r#"{{"message":{{"metadata":{{"{URI}":1}}}}}}]"#), PayloadStopKind::Unreadable),
        (format!("\u{FEFF}{{\"message\" \"{URI}\":1}}"), PayloadStopKind::Unreadable),
        (format!(r#"{{"odd":{{"{URI}":1}}}}"#), PayloadStopKind::Forbidden),
    ] {
        for call in [active(&filter), inactive(&filter)] {
            assert_eq!(filter.stamp(payload.clone(), &call).unwrap_err().kind(), kind, "{payload}");
        }
    }
    let wide =
        r#"{"metadata":{"URI":1}}"#.replace("URI", URI).encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let error = filter.stamp(wide, &inactive(&filter)).unwrap_err();
    assert_eq!(error.kind(), PayloadStopKind::Unreadable);
}

#[test]
fn a_payload_over_the_limit_leaves_as_it_is_unless_it_holds_a_managed_key() {
    let small = A2aExtensionsLayer::builder(card(&[URI])).extension(Mood).max_response_document(64).build().unwrap();
    let filter = small.filter();
    let long = artifact_update(&json!({"artifactId": "a", "parts": [{"text": "x".repeat(80)}]}));
    assert_eq!(sent(&filter, &long, &active(&filter)), long);
    let long = artifact_update(&marked(json!({"artifactId": "a", "parts": [{"text": "x".repeat(80)}]}), "glad"));
    let error = filter.stamp(long.to_string(), &active(&filter)).unwrap_err();
    assert_eq!(error.kind(), PayloadStopKind::TooLarge);
}

/// The call of a request that went through the layer, and what it sent.
async fn live(layer: &A2aExtensionsLayer, headers: &str, reply: Value) -> (A2aCall, Value) {
    let seen = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&seen);
    let request = Request::post("/a2a/message:send").header("a2a-version", "1.0").header("a2a-extensions", headers);
    let request = request.header("content-type", "application/json");
    let body = json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}).to_string();
    let reply = testing::respond(layer, request.body(body).unwrap(), move |request| {
        *keep.lock().unwrap() = A2aCall::of(request.extensions()).cloned();
        let reply = Response::builder().header("content-type", "application/json").body(reply.to_string().into());
        std::future::ready(reply.unwrap())
    })
    .await;
    let call = seen.lock().unwrap().clone().unwrap();
    (call, serde_json::from_slice(reply.body()).unwrap())
}

#[tokio::test]
async fn what_was_stored_before_a_restart_does_what_the_live_call_does() {
    let task = json!({"task": {"id": "t", "status": {"state": "TASK_STATE_COMPLETED"}, "artifacts": [{"artifactId": "a", "parts": []}]}});
    for asked in [URI, OLD_URI, "https://example.com/unknown", ""] {
        let (stored, by_layer, by_live) = {
            let layer = layer();
            let (call, by_layer) = live(&layer, asked, task.clone()).await;
            let stored = serde_json::to_string(&call.activated().to_stored()).unwrap();
            (stored, by_layer, sent(&layer.filter(), &task, &call))
        };
        let expected = if [URI, OLD_URI].contains(&asked) { json!([asked]) } else { json!([]) };
        assert_eq!(serde_json::from_str::<Value>(&stored).unwrap(), expected, "as the client spelled it");

        let filter = layer().filter();
        let restored = filter.call_for(&serde_json::from_str(&stored).unwrap());
        assert_eq!(sent(&filter, &task, &restored), by_layer, "{asked}");
        assert_eq!(by_live, by_layer, "{asked}");
        let listed = &by_layer["task"]["artifacts"][0]["extensions"];
        assert_eq!(*listed, if expected == json!([]) { Value::Null } else { expected });
    }
}

#[test]
fn what_the_card_no_longer_declares_and_what_is_no_uri_is_ignored() {
    let stored: StoredActivation = serde_json::from_value(json!([OTHER, "not a URI, at all", "", URI, URI])).unwrap();
    let calls = [layer().filter().call_for(&stored), {
        let smaller = A2aExtensionsLayer::builder(card(&[URI])).extension(Mood).build().unwrap();
        smaller.filter().call_for(&stored)
    }];
    let uris = calls.map(|call| call.activated().iter().map(ToString::to_string).collect::<Vec<_>>());
    assert_eq!(uris, [vec![OTHER.to_owned(), URI.to_owned()], vec![URI.to_owned()]]);
    let none = A2aExtensionsLayer::new(card(&[OTHER])).unwrap().filter();
    let artifact = artifact_update(&marked(json!({"artifactId": "a", "parts": []}), "glad"));
    assert_eq!(sent(&none, &artifact, &none.call_for(&stored)), artifact, "a layer without extensions manages nothing");
    for odd in [json!({}), json!("x"), json!([1]), json!(null)] {
        assert!(serde_json::from_value::<StoredActivation>(odd.clone()).is_err(), "{odd}");
    }
}

#[test]
fn of_another_layers_call_only_the_uris_count() {
    // In the other layer the first place belongs to another extension.
    let other = A2aExtensionsLayer::new(card(&[URI, OTHER])).unwrap().filter();
    let filter = layer().filter();
    let artifact = artifact_update(&json!({"artifactId": "a", "parts": []}));
    let with_mood = other.call_for(&StoredActivation::from_iter([URI]));
    assert_eq!(sent(&filter, &artifact, &with_mood)["artifactUpdate"]["artifact"]["metadata"][URI], "calm");
    let with_other = other.call_for(&StoredActivation::from_iter([OTHER]));
    assert_eq!(sent(&filter, &artifact, &with_other), artifact);
    assert_eq!(sent(&filter, &artifact, &A2aCall::detached()), artifact);
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl ExtensionsObserver for Seen {
    fn observe(&self, event: &ExtensionsEvent<'_>) {
        self.0.lock().unwrap().push(format!("{event:?}"));
    }
}

#[test]
fn the_observer_sees_what_is_stopped_and_what_leaves_unstamped() {
    let seen = Seen::default();
    let layer = A2aExtensionsLayer::builder(card(&[URI])).extension(Mood).observer(seen.clone()).build().unwrap();
    let filter = layer.filter();
    let call = active(&filter);
    filter.stamp("{", &call).unwrap();
    filter.stamp(format!("{{\"{URI}\":"), &call).unwrap_err();
    let seen = seen.0.lock().unwrap().clone();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].starts_with("LeftUnstamped") && seen[1].starts_with("Stopped"), "{seen:?}");
}

#[test]
fn or_5_3_what_was_given_under_a_permit_is_withheld_from_a_restored_call() {
    let mut card = card(&[]);
    card["capabilities"]["extensions"] = json!([{"uri": ON_REQUEST, "params": {"skills": [
        {"id": "service-pricing", "personEntry": "https://ask.example.com/talk", "assistantAccess": true},
    ]}}]);
    card["skills"] = json!([{"id": "service-pricing", "name": "Costs", "description": "On request.", "tags": []}]);
    let on_request = tower_a2a_extensions::OnRequest::new().information("service-pricing");
    let filter = A2aExtensionsLayer::builder(card).extension(on_request).build().unwrap().filter();
    let mark = json!({"status": "given-on-opt-in", "skillId": "service-pricing", "personEntry": "https://ask.example.com/talk"});
    let mut artifact = json!({"artifactId": "a", "parts": [{"text": "seven thousand"}]});
    let chunk = artifact_update(&artifact);
    artifact["metadata"] = json!({ON_REQUEST: mark});
    for uris in [&[ON_REQUEST][..], &[]] {
        let call = filter.call_for(&uris.iter().copied().collect());
        for (payload, says_where) in [(artifact_update(&artifact), true), (chunk.clone(), false)] {
            let sent = sent(&filter, &payload, &call).to_string();
            assert!(!sent.contains("seven thousand"), "{sent}");
            assert_eq!(sent.contains("https://ask.example.com/talk"), says_where, "the first chunk says where: {sent}");
        }
    }
}

//! Content that stands in front of its mark, or apart from it, where a reply cannot be read whole.
//!
//! SDKs write members in the order of the proto: an artifact's Parts come before its `metadata`.

use axum::Router;
use axum::body::{Body, Bytes};
use futures_util::stream;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, Gate, GateFuture, IncomingMessage, MessageGate, OnRequest,
    OutgoingObject, Stamp,
};

use crate::support::*;
use crate::withheld::*;

/// In the order of the proto, with the mark last.
fn artifact() -> String {
    format!(r#"{{"artifactId":"x","parts":[{{"text":"{SECRET}"}}],"metadata":{{"{URI}":{}}}}}"#, mark())
}

fn reply_with(artifact: &str, history: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":"t","status":{{"state":"TASK_STATE_COMPLETED"}},"artifacts":[{artifact}],"history":[{history}]}}}}"#
    )
}

fn subscribe() -> Request<Body> {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "SubscribeToTask", "params": {"id": "t"}});
    post("/a2a/v1", &[], call.to_string())
}

fn event(result: &Value) -> String {
    format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": 1, "result": result}))
}

/// An event whose artifact is withheld.
fn withheld_event() -> String {
    let mut first = given();
    first["parts"][0]["text"] = json!("first");
    event(&json!({"artifactUpdate": {"taskId": "t", "contextId": "c", "artifact": first}}))
}

/// What leaves before the body breaks or ends.
async fn bytes_of(layer: A2aExtensionsLayer, kind: &'static str, chunks: Vec<Result<String, &'static str>>) -> Vec<u8> {
    let agent = async move || ([("content-type", kind)], Body::from_stream(stream::iter(chunks)));
    let router = Router::new().fallback(agent).layer(layer);
    let mut body = router.oneshot(get_task()).await.unwrap().into_body();
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        bytes.extend(frame.into_data().unwrap_or_default());
    }
    bytes
}

fn tells(bytes: &[u8]) -> bool {
    bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes())
}

#[tokio::test]
async fn a_caller_cannot_lengthen_an_event_until_it_is_not_read() {
    let own_words =
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x".repeat(2 << 20)}]}).to_string();
    let reply = reply_with(&artifact(), &own_words);
    withheld("task", "text/event-stream", format!("data: {reply}\n\n"), subscribe).await;
    let chunks = |text: &str| {
        text.as_bytes().chunks(16 << 10).map(|part| Ok(String::from_utf8(part.to_vec()).unwrap())).collect()
    };
    let bytes = bytes_of(opened(), "text/event-stream", chunks(&format!("data: {reply}\n\n"))).await;
    assert!(!tells(&bytes));
    assert!(String::from_utf8(bytes).unwrap().contains(&"x".repeat(2 << 20)), "the rest of the event is not lost");
}

#[tokio::test]
async fn what_is_longer_than_is_held_does_not_leave_in_part() {
    let padding = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "x".repeat(3_000)}]}).to_string();
    for card in [card(), opened_card()] {
        let layer = || {
            let builder = A2aExtensionsLayer::builder(card.clone()).max_response_document(2_000).max_event(1_000);
            builder.extension(OnRequest::new().information("service-pricing")).build().unwrap()
        };
        for reply in [
            reply_with(&artifact(), &padding),
            reply_with("", &padding).replacen("[]", &format!("[{}]", artifact()), 1),
        ] {
            let app = TestApp::answering(layer(), "application/json", reply.clone());
            let answer = app.send(get_task()).await;
            assert_eq!((&answer.json()["error"]["code"], answer.tells()), (&json!(-32006), false));
            let app = TestApp::answering(layer(), "text/event-stream", format!("data: {reply}\n\n"));
            let answer = app.send(subscribe()).await;
            assert_eq!((&answer.event()["error"]["code"], answer.tells()), (&json!(-32006), false));
        }
    }
}

#[tokio::test]
async fn an_artifact_that_breaks_off_before_its_mark_does_not_leave() {
    let reply = reply_with(&artifact(), "");
    for end in [r#","metadata""#, "}],\"metadata", "\"}]"] {
        let cut = &reply[..reply.find(end).unwrap()];
        for layer in [closed, opened] {
            for chunks in [vec![Ok(cut.to_owned())], vec![Ok(cut.to_owned()), Err("the agent went away")]] {
                let breaks = chunks.len() > 1;
                let bytes = bytes_of(layer(), "application/json", chunks.clone()).await;
                assert!(!tells(&bytes), "breaks: {breaks}, {}", String::from_utf8_lossy(&bytes));
                for behind in ["", "\n", "\n\n"] {
                    let event = [vec![Ok(format!("data: {cut}{behind}"))], chunks[1..].to_vec()].concat();
                    assert!(!tells(&bytes_of(layer(), "text/event-stream", event).await), "{cut}{behind}");
                }
            }
        }
    }
    // Content that is told by its members or by its place, and of which the mark would stand further out.
    let part = format!(r#"{{"text":"{SECRET}"}}"#);
    for cut in [
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{"kind":"message","messageId":"m","role":"agent","parts":[{part}]"#
        ),
        format!(r#"{{"messageId":"m","role":"ROLE_AGENT","parts":[{part}]"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"id":"t","artifacts":[{{"artifactId":"a","parts":[{part}]}}]"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"artifactUpdate":{{"artifact":{{"parts":[{part}]}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"output":{{"parts":[{part}]"#),
    ] {
        assert!(!tells(&bytes_of(opened(), "application/json", vec![Ok(cut.clone())]).await), "{cut}");
        let breaking = vec![Ok(cut.clone()), Err("the agent went away")];
        assert!(!tells(&bytes_of(opened(), "application/json", breaking).await), "{cut}");
        for behind in ["", "\n\n"] {
            let event = vec![Ok(format!("data: {cut}{behind}"))];
            assert!(!tells(&bytes_of(opened(), "text/event-stream", event).await), "{cut}{behind}");
        }
    }
    let nonsense = "no JSON at all";
    assert_eq!(bytes_of(opened(), "application/json", vec![Ok(nonsense.to_owned())]).await, nonsense.as_bytes());
}

#[tokio::test]
async fn a_mark_beside_the_content_it_belongs_to_withholds_it() {
    let part = json!({"text": SECRET});
    let mut marked_part = part.clone();
    marked_part["metadata"] = json!({URI: mark()});
    let own = |part: &Value| json!({"artifactId": "z", "parts": [part]});
    let mut in_task = task();
    in_task["artifacts"] = json!([own(&marked_part)]);
    let mut on_task = task();
    on_task["artifacts"] = json!([own(&part)]);
    let mut on_status = on_task.clone();
    on_task["metadata"] = json!({URI: mark()});
    on_status["status"]["metadata"] = json!({URI: mark()});
    let update = json!({"taskId": "t", "artifact": own(&part), "metadata": {URI: mark()}});
    let message = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [part]});
    let status = json!({"taskId": "t", "status": {"state": "TASK_STATE_WORKING", "message": message, "metadata": {URI: mark()}}});
    for result in [
        in_task.clone(),
        on_task.clone(),
        on_status,
        json!({"task": on_task.clone()}),
        json!({"tasks": [on_task.clone()]}),
        json!({"artifactUpdate": update}),
        json!({"statusUpdate": status}),
        json!({"message": message.clone(), "metadata": {URI: mark()}}),
    ] {
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        withheld(&reply.to_string(), "application/json", reply.to_string(), get_task).await;
        withheld(&reply.to_string(), "text/event-stream", format!("data: {reply}\n\n"), subscribe).await;
    }
    // Another task of the list has nothing to do with it.
    let mut other = task();
    other["artifacts"] = json!([{"artifactId": "z", "parts": [{"text": "open to all"}]}]);
    let list = json!({"jsonrpc": "2.0", "id": 1, "result": {"tasks": [on_task, other]}});
    let reply = TestApp::answering(opened(), "application/json", list.to_string()).send(get_task()).await;
    assert!(reply.text().contains("open to all") && !reply.tells(), "{}", reply.text());
}

#[tokio::test]
async fn nothing_hides_in_a_member_that_is_read_as_text() {
    let in_task = |member: &str, value: Value| {
        let mut task = task();
        task[member] = value;
        task
    };
    let in_artifact = |member: &str| json!([{"artifactId": "z", "parts": [], member: given()}]);
    let mut odd = ["kind", "artifactId", "role"].map(|member| in_task("artifacts", in_artifact(member))).to_vec();
    odd.push(in_task("artifacts", json!([{"artifactId": "z", "parts": [], "extensions": [given()]}])));
    odd.push(in_task("artifacts", json!([{"artifactId": "z", "parts": [{"kind": given()}]}])));
    odd.extend(["kind", "messageId", "role"].map(|member| in_task(member, given())));
    odd.extend(["parts", "content", "extensions"].map(|member| in_task(member, json!([given()]))));
    for result in odd {
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": result});
        withheld(&reply.to_string(), "application/json", reply.to_string(), get_task).await;
    }
    let id = json!({"jsonrpc": "2.0", "id": {"x": given()}, "result": task()});
    withheld("id", "application/json", id.to_string(), get_task).await;
    let users = json!({"role": "ROLE_USER", "parts": [], "result": {"x": given()}});
    withheld("beside a user's message", "application/json", users.to_string(), get_task).await;
}

#[tokio::test]
async fn what_is_not_known_ends_a_stream_from_which_something_was_withheld() {
    let later = json!({"artifactId": "x", "parts": [{"text": SECRET}]});
    let unnamed = json!({"parts": [{"text": SECRET}]});
    let update = |artifact: &Value| json!({"taskId": "t", "contextId": "c", "artifact": artifact, "append": true});
    for result in [
        update(&later),
        later.clone(),
        json!({"ArtifactUpdate": update(&later)}),
        json!({"artifactUpdate": update(&unnamed)}),
        json!({"artifactUpdate": update(&json!({"artifactId": 7, "parts": [{"text": SECRET}]}))}),
        json!({"tasks": [{"id": "t", "status": {"state": "TASK_STATE_WORKING"}, "artifacts": [later]}]}),
        json!([{"artifactUpdate": update(&later)}]),
    ] {
        withheld(&result.to_string(), "text/event-stream", withheld_event() + &event(&result), subscribe).await;
    }
    let last =
        event(&json!({"statusUpdate": {"taskId": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}));
    let ended = TestApp::answering(opened(), "text/event-stream", format!("{}{last}: bye\n", withheld_event()));
    let text = ended.send(subscribe()).await.text();
    assert!(text.ends_with(&format!("{last}: bye\n")), "an honest end is not punished: {text}");
    let referring = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [], "referenceTaskIds": ["t-1"]});
    let failed = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no such task", "data": [{}]}});
    let nothing = json!({"jsonrpc": "2.0", "id": 1, "result": null});
    for honest in [event(&json!({"message": referring})), format!("data: {failed}\n\n"), format!("data: {nothing}\n\n")]
    {
        let stream = format!("{}{honest}{last}", withheld_event());
        let text = TestApp::answering(opened(), "text/event-stream", stream).send(subscribe()).await.text();
        assert!(text.ends_with(&format!("{honest}{last}")), "{text}");
    }
}

#[tokio::test]
async fn nothing_hides_in_the_lines_beside_the_data_of_an_event() {
    let reply = reply_with(&artifact(), "");
    let mut odd = [": ", "id: ", "json: ", "DATA: ", " data: ", "data : "]
        .map(|field| format!("{field}{reply}\ndata: {{}}\n\n"))
        .to_vec();
    odd.push(format!("data: {}\n\n", reply.replacen(r#""artifacts""#, "\r\"artifacts\"", 1)));
    odd.push(format!("data: {}\n\n", reply.replacen(r#""metadata""#, "\r\"metadata\"", 1)));
    odd.push(format!("id: {reply}\ndata: {{}}\n"));
    for event in odd {
        withheld(&event, "text/event-stream", event.clone(), subscribe).await;
    }
    let honest = format!("\u{feff}data: {{}}\nid: 7\n: {}\n\n", Bytes::from_static(URI.as_bytes()).escape_ascii());
    let reply = TestApp::answering(opened(), "text/event-stream", honest.clone()).send(subscribe()).await;
    assert_eq!(reply.text(), honest, "a comment may name the URI");
}

#[tokio::test]
async fn what_a_client_wrote_may_stand_in_the_agents_own_data() {
    let asked = json!({URI: {"actingFor": "family-7"}});
    let with = |data: Value, metadata: Value| {
        let mut task = task();
        task["artifacts"] =
            json!([{"artifactId": "a", "parts": [{"data": {"youSent": [data]}}], "metadata": {"request": metadata}}]);
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tasks": [task]}}).to_string()
    };
    for layer in [closed, opened] {
        let reply = with(asked.clone(), json!({"metadata": asked}));
        let answer = TestApp::answering(layer(), "application/json", reply.clone()).send(get_task()).await;
        assert_eq!(answer.text(), reply);
    }
    let mut signed = mark();
    signed["givenTo"] = json!("somebody");
    let within = json!({"actingFor": "family-7", "copy": {URI: mark()}});
    for hidden in [mark(), signed, within, json!({"status": "on-request", "skillId": "service-pricing"})] {
        let told = json!({URI: hidden, "text": SECRET});
        withheld("data", "application/json", with(told.clone(), json!({})), get_task).await;
        withheld("metadata", "application/json", with(json!({}), told), get_task).await;
    }
}

#[tokio::test]
async fn a_reply_in_many_small_chunks_is_no_longer_for_that() {
    let reply = json!({"messageId": "m", "role": "ROLE_AGENT", "parts": [{"text": "x".repeat(300_000)}]}).to_string();
    for size in [1, 8, 5_000] {
        let chunks = reply.as_bytes().chunks(size).map(|part| Ok(String::from_utf8(part.to_vec()).unwrap())).collect();
        assert_eq!(bytes_of(opened(), "application/json", chunks).await, reply.as_bytes(), "by {size}");
    }
}

#[tokio::test]
async fn much_metadata_beside_many_objects_takes_no_long_time() {
    let mut task = task();
    task["metadata"] = json!({URI: {"actingFor": "p", "pad": "x".repeat(1 << 20)}});
    task["artifacts"] = json!(vec![json!({}); 1_000]);
    let reply = json!({"jsonrpc": "2.0", "id": 1, "result": task}).to_string();
    let answer = TestApp::answering(opened(), "application/json", reply).send(get_task()).await;
    assert_eq!(answer.json()["result"]["metadata"], json!({}), "it is judged once, and not for each object");
}

struct PanickingGuard;

impl MessageGate for PanickingGuard {
    fn decide<'a>(&'a self, _: &'a IncomingMessage, _: &'a A2aCall) -> GateFuture<'a> {
        Gate::Pass.into()
    }
}

impl A2aExtension for PanickingGuard {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static("https://harbour.example/guard")
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        Some(self)
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        assert!(object.metadata("https://harbour.example/guard").is_none(), "a mark that nobody expected");
        Stamp::remove()
    }
}

#[tokio::test]
async fn b34_what_is_marked_does_not_leave_where_the_stamp_of_its_guard_panics() {
    let uri = "https://harbour.example/guard";
    let card = json!({"name": "Harbour Lights", "capabilities": {"extensions": [{"uri": uri}]}});
    let marked = json!({"artifactId": "x", "parts": [{"text": SECRET}], "metadata": {uri: 1}});
    let beside = json!({"artifactId": "x", "parts": [{"text": SECRET, "metadata": {uri: 1}}]});
    let unmarked = json!({"artifactId": "x", "parts": [{"text": SECRET}]});
    for (artifact, leaves) in [(marked, false), (beside, false), (unmarked, true)] {
        let layer = A2aExtensionsLayer::builder(card.clone()).extension(PanickingGuard).build().unwrap();
        let mut task = task();
        task["artifacts"] = json!([artifact]);
        let reply = json!({"jsonrpc": "2.0", "id": 1, "result": task}).to_string();
        let answer = TestApp::answering(layer, "application/json", reply).send(get_task()).await;
        assert_eq!(answer.tells(), leaves, "{}", answer.text());
    }
}

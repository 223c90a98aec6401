//! What other crates switch on in `serde_json` changes nothing but how exact a value is.
//!
//! `.ci/run` runs this and the unit tests a second time with `arbitrary_precision` and
//! `preserve_order`, and sets `SERDE_JSON_FEATURES` so that the run is known to be that one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use http::{Request, Response};
use serde_json::{Value, json};
use tower_a2a_extensions::{
    A2aCall, A2aExtension, A2aExtensionsLayer, ExtensionUri, MessageGate, OnRequest, OnRequestGuard, OutgoingObject,
    Stamp, StoredActivation, testing,
};

const ON_REQUEST: &str = "https://agent-capability.org/ext/on-request/v1";
const URI: &str = "https://example.com/numbers/v1";
const ADDRESS: &str = "https://ask.example.com/talk";
/// A reply whose numbers, order, white space and escapes no tree of values would give back.
const TASK: &str = r#"{ "task":{"z":1.10,"b":18446744073709551616,"id":"t","status":{"state":"TASK_STATE_COMPLETED"},
 "artifacts":[{"parts":[{"data":{"z":1e400,"a":-0.0,"m":1E+2}}],"artifactId":"\u0061"}],"a":0.1e-7}}"#;

/// Writes the numbers that it was made of.
struct Numbers(Value);

impl A2aExtension for Numbers {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static(URI)
    }

    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }

    fn stamp(&self, object: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        if object.is_active() { Stamp::set(self.0.clone()) } else { Stamp::remove() }
    }
}

fn is_exact() -> bool {
    let text = serde_json::from_str::<Value>("1.10").unwrap().to_string();
    text == "1.10"
}

fn keeps_order() -> bool {
    let text = serde_json::from_str::<Value>(r#"{"z":1,"a":2}"#).unwrap().to_string();
    text.starts_with(r#"{"z""#)
}

#[test]
fn c2_the_features_are_on_in_the_run_that_is_for_them() {
    let wanted = std::env::var_os("SERDE_JSON_FEATURES").is_some();
    assert_eq!((is_exact(), keeps_order()), (wanted, wanted));
}

fn numbers(value: Value) -> A2aExtensionsLayer {
    let card = json!({"name": "Clerk", "capabilities": {"extensions": [{"uri": URI}]}});
    A2aExtensionsLayer::builder(card).extension(Numbers(value)).build().unwrap()
}

#[test]
fn c2_a_stamp_only_inserts_whatever_numbers_and_order_stand_around() {
    let filter = numbers(json!({"n": 1})).filter();
    let added = format!(r#","extensions":["{URI}"],"metadata":{{"{URI}":{{"n":1}}}}"#);
    let expected = TASK.replace(r#""artifactId":"\u0061""#, &format!(r#""artifactId":"\u0061"{added}"#));
    let active = filter.call_for(&StoredActivation::from_iter([URI]));
    let stamped = filter.stamp(TASK, &active).unwrap();
    assert_eq!(stamped, expected);
    assert_eq!(filter.stamp(stamped.clone(), &active).unwrap(), stamped, "a second pass changes nothing");
    let inactive = filter.call_for(&StoredActivation::default());
    let left = r#","extensions":[],"metadata":{}"#;
    assert_eq!(filter.stamp(stamped, &inactive).unwrap(), expected.replace(&added, left));
}

#[test]
fn c2_a_value_is_written_as_a_number_and_not_as_its_private_form() {
    let value = serde_json::from_str::<Value>(r#"{"z":1.10,"a":[18446744073709551615,-1,0.5]}"#).unwrap();
    let filter = numbers(value.clone()).filter();
    let stamped = filter.stamp(TASK, &filter.call_for(&StoredActivation::from_iter([URI]))).unwrap();
    let text = std::str::from_utf8(&stamped).unwrap();
    assert!(text.contains(&format!("\"{URI}\":{value}")) && !text.contains("private"), "{text}");
    if is_exact() && keeps_order() {
        assert!(text.contains(r#"{"z":1.10,"a":[18446744073709551615,-1,0.5]}"#), "{text}");
    }
}

#[test]
fn c2_numbers_that_a_value_may_not_hold_under_a_managed_key_never_leave_inactive() {
    let filter = numbers(json!(1)).filter();
    for number in ["1.10", "18446744073709551616", "1e400", "-0", "1E+2"] {
        let reply =
            |metadata: &str| format!(r#"{{"message":{{"role":"ROLE_AGENT","parts":[],"metadata":{{{metadata}}}}}}}"#);
        let marked = reply(&format!("\"z\":{number},\"{URI}\":{number},\"a\":{number}"));
        let stripped = filter.stamp(marked.clone(), &filter.call_for(&StoredActivation::default())).unwrap();
        assert_eq!(stripped, reply(&format!("\"z\":{number},\"a\":{number}")));
        let set = filter.stamp(marked, &filter.call_for(&StoredActivation::from_iter([URI]))).unwrap();
        let set = std::str::from_utf8(&set).unwrap();
        assert!(set.contains(&format!("\"z\":{number}")) && set.contains(&format!("\"a\":{number}")), "{set}");
        assert_eq!(set.matches(&format!("\"{URI}\":1")).count(), 1, "{set}");
    }
}

fn on_request_layer() -> A2aExtensionsLayer {
    let card = serde_json::from_str::<Value>(&format!(
        r#"{{"z":1.10,"name":"Clerk","provider":{{"organization":"Clerk","url":"https://example.com"}},
        "capabilities":{{"streaming":true,"extensions":[{{"uri":"{ON_REQUEST}","params":{{"n":18446744073709551615,"skills":[
            {{"id":"pricing","personEntry":"{ADDRESS}"}},
            {{"id":"opened","personEntry":"{ADDRESS}","assistantAccess":true}}]}}}}]}},
        "skills":[{{"id":"pricing","name":"Costs","description":"On request.","tags":[],"examples":["What does it cost?"]}},
            {{"id":"opened","name":"Opened","description":"On request.","tags":[],"examples":["What is it?"]}}]}}"#
    ));
    let on_request = OnRequest::new().information("opened");
    A2aExtensionsLayer::builder(card.unwrap()).extension(on_request).build().unwrap()
}

/// What leaves for a question where the agent asks the guard for the opened skill, then replies.
async fn asked(question: &str, metadata: &str, reply: &'static str) -> String {
    let body = format!(
        r#"{{"message":{{"n":1e400,"messageId":"m","role":"ROLE_USER","parts":[{{"text":"{question}"}},{{"data":{{"z":1.10,"a":1e400}}}}],"metadata":{{{metadata}}}}}}}"#
    );
    let request = Request::post("/a2a/message:send").header("a2a-version", "1.0").header("a2a-extensions", ON_REQUEST);
    let response = testing::respond(&on_request_layer(), request.body(body).unwrap(), move |request| async move {
        let call = A2aCall::of(request.extensions()).unwrap();
        let permit = OnRequestGuard::of(call).unwrap().disclose("opened").await;
        let said = if permit.is_ok() { reply.replace("MAYBE", "given") } else { reply.replace("MAYBE", "referred") };
        Response::builder().header("content-type", "application/json").body(said.into()).unwrap()
    })
    .await;
    String::from_utf8(response.body().to_vec()).unwrap()
}

#[tokio::test]
async fn c2_gate_guard_and_assertion_read_what_they_read_otherwise() {
    let plain = r#"{"message":{"role":"ROLE_AGENT","messageId":"MAYBE","parts":[{"text":"x"}]}}"#;
    let referral = asked("What does it cost?", "", plain).await;
    let referral = serde_json::from_str::<Value>(&referral).unwrap();
    let mark = json!({"status": "on-request", "skillId": "pricing", "personEntry": ADDRESS});
    assert_eq!(referral["message"]["metadata"][ON_REQUEST], mark);

    assert!(asked("What else?", "\"n\":1e400", plain).await.contains("referred"));
    let acting = format!(r#""n":1.10,"{ON_REQUEST}":{{"z":1.10,"skillId":"opened","b":1e3,"actingFor":"ref-1"}}"#);
    assert!(asked("What else?", &acting, plain).await.contains("given"));
}

#[tokio::test]
async fn c2_marks_are_judged_and_what_they_hold_besides_is_kept() {
    let acting = format!(r#""{ON_REQUEST}":{{"actingFor":"ref-1"}}"#);
    let given = r#"{"task":{"id":"t","n":1.10,"status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"seven thousand"}],"metadata":{"https://agent-capability.org/ext/on-request/v1":{"z":1.50,"status":"given-on-opt-in","skillId":"opened","personEntry":"https://elsewhere.example","a":18446744073709551615}}}]}}"#;
    let kept = asked("What is it?", &acting, given).await;
    let mark = &serde_json::from_str::<Value>(&kept).unwrap()["task"]["artifacts"][0]["metadata"][ON_REQUEST];
    assert_eq!(mark["personEntry"], ADDRESS, "the card's");
    assert_eq!(mark["a"], 18_446_744_073_709_551_615_u64);
    assert!(kept.contains("seven thousand") && kept.contains(r#""n":1.10"#) && !kept.contains("private"), "{kept}");
    if is_exact() && keeps_order() {
        assert!(
            kept.contains(r#"{"z":1.50,"status":"given-on-opt-in","skillId":"opened","personEntry":"https://ask"#),
            "{kept}"
        );
    }

    let withheld = asked("What else?", "", given).await;
    assert!(!withheld.contains("seven thousand") && withheld.contains(ADDRESS), "{withheld}");
}

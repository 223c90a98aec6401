use serde_json::{Value, json};

use super::support::*;
use crate::binding::{Binding, ProtocolVersion};
use crate::on_request::*;

async fn referral(skill: &str, message: &Value, binding: Binding, version: ProtocolVersion) -> Referral {
    let call = call(OnRequest::new()).message(message).spoken(binding, version).build();
    OnRequestGuard::of(&call.call).unwrap().disclose(skill).await.unwrap_err()
}

async fn in_1_0(skill: &str) -> Referral {
    referral(skill, &message("?"), Binding::JsonRpc, ProtocolVersion::V1_0).await
}

#[tokio::test]
async fn or_6_1_a_message_carries_the_mark_from_the_start() {
    let reply = in_1_0("closed").await.to_message();
    assert_eq!(reply["extensions"], json!([URI]));
    assert_eq!(reply["metadata"], json!({URI: {"status": "on-request", "skillId": "closed", "personEntry": ENTRY}}));
    assert!(reply["parts"][0]["text"].as_str().unwrap().contains(ENTRY));
}

#[tokio::test]
async fn or_6_1_a_task_ends_completed_for_information_and_rejected_for_an_action() {
    let task = json!({
        "id": "t-1", "contextId": "c-1", "history": [{"messageId": "m"}], "x": 1.10,
        "status": {"state": "TASK_STATE_WORKING", "timestamp": "2026-01-01T00:00:00Z"}
    });
    for (skill, state) in [("closed", "TASK_STATE_COMPLETED"), ("booking", "TASK_STATE_REJECTED")] {
        let ended = in_1_0(skill).await.into_task(task.clone());
        assert_eq!(ended["status"]["state"], state);
        assert_eq!(ended["status"]["timestamp"], task["status"]["timestamp"]);
        assert_eq!(ended["status"]["message"]["metadata"][URI]["skillId"], skill);
        assert_eq!(ended["status"]["message"]["contextId"], "c-1");
        for kept in ["id", "contextId", "history", "x"] {
            assert_eq!(ended[kept], task[kept]);
        }
    }
}

#[tokio::test]
async fn a24_a_task_of_0_3_keeps_its_spelling() {
    let task = json!({"kind": "task", "id": "t-1", "contextId": "c-1", "status": {"state": "working"}});
    for version in [ProtocolVersion::V0_3, ProtocolVersion::V1_0] {
        let referral = referral("booking", &message("?"), Binding::JsonRpc, version).await;
        let ended = referral.into_task(task.clone());
        assert_eq!(ended["status"]["state"], "rejected");
        assert_eq!(ended["status"]["message"]["kind"], "message");
    }
    let new = json!({"id": "t-1", "status": {"state": "TASK_STATE_WORKING"}});
    let ended = referral("closed", &message("?"), Binding::JsonRpc, ProtocolVersion::V0_3).await.into_task(new);
    assert_eq!(ended["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(ended["status"]["message"].get("kind"), None);
}

#[tokio::test]
async fn what_is_no_task_becomes_one() {
    for odd in [json!(null), json!("task"), json!([])] {
        let task = in_1_0("closed").await.into_task(odd);
        assert!(task["id"].is_string() && task["contextId"].is_string());
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    }
    let task = in_1_0("closed").await.into_task(json!({"id": "t", "status": 7}));
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    let old = referral("closed", &message("?"), Binding::JsonRpc, ProtocolVersion::V0_3).await.into_task(json!({}));
    assert_eq!(old["status"]["state"], "completed");
}

#[tokio::test]
async fn the_context_is_the_callers_or_a_new_one_and_none_for_a_bare_task() {
    let context = async |fields: Value| {
        let mut message = message("?");
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let referral = referral("closed", &message, Binding::JsonRpc, ProtocolVersion::V1_0).await;
        referral.to_message().get("contextId").cloned()
    };
    assert_eq!(context(json!({"contextId": "c-9", "taskId": "t"})).await, Some(json!("c-9")));
    assert_eq!(context(json!({"taskId": "t"})).await, None);
    let fresh = context(json!({})).await;
    assert!(fresh.as_ref().is_some_and(|fresh| fresh.as_str().is_some_and(|fresh| !fresh.is_empty())));
    assert_ne!(fresh, context(json!({})).await);
}

#[tokio::test]
async fn a_referral_is_an_error_that_can_be_returned() {
    let returned: Result<(), crate::BoxError> = async { Err(in_1_0("closed").await)? }.await;
    let error = returned.unwrap_err();
    assert_eq!(error.to_string(), format!("closed is referred to {ENTRY}"));
    assert!(error.downcast_ref::<Referral>().is_some());
}

#[test]
fn or_5_10_the_answer_where_nobody_can_be_reached_says_so() {
    assert_eq!(NobodyReachable::new().to_string(), "Nobody can be reached now.");
    let call = call(OnRequest::new()).message(&message("?")).build();
    let reply = NobodyReachable::new().operator("Example Chapel").to_message(&call.call);
    assert_eq!(reply["parts"][0]["text"], "Nobody at Example Chapel can be reached now.");
}

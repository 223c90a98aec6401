//! A deferred action is never called done (OR-5.8).

use serde_json::json;

use crate::support::{Harbour, http_json, json_rpc, message};

#[tokio::test]
async fn or_5_8_a_completed_task_of_a_deferred_action_says_that_it_is_not_finished() {
    let done = json!({
        "id": "t-1", "contextId": "c-1",
        "status": {"state": "TASK_STATE_COMPLETED", "message": {
            "messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": "All done, see you on Tuesday."}],
        }},
        "artifacts": [{"artifactId": "a-1", "parts": [{"text": "Confirmed for Tuesday."}]}],
    });
    let harbour = Harbour::answering("deferred", done);
    for (attempt, request) in [json_rpc(&message("m-1")), json_rpc(&message("m-1"))].into_iter().enumerate() {
        let reply = harbour.send(request).await;
        let text = reply.text();
        assert!(!text.contains("All done") && !text.contains("Confirmed"), "{attempt}: {text}");
        let task = reply.json()["result"]["task"].clone();
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
        let said = task["status"]["message"]["parts"][0]["text"].as_str().unwrap();
        assert!(said.contains("not finished") && said.contains("staff of Harbour Lights complete it later"), "{said}");
    }
    let elsewhere = harbour.send(http_json(&message("m-1"))).await.text();
    assert!(elsewhere.contains("Its task is t-1.") && !elsewhere.contains("COMPLETED"), "{elsewhere}");
    assert_eq!(harbour.booked(), 1);
}

#[tokio::test]
async fn or_5_8_an_action_that_is_finished_at_once_may_say_so() {
    let done = json!({"id": "t-1", "status": {"state": "TASK_STATE_COMPLETED", "message": {
        "messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": "All done, see you on Tuesday."}],
    }}});
    let harbour = Harbour::answering("in-conversation", done);
    assert!(harbour.send(json_rpc(&message("m-1"))).await.text().contains("All done"));
}

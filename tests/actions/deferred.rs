//! A deferred action is never called done (OR-5.8).

use serde_json::json;

use tower_a2a_extensions::StoredActivation;

use crate::support::{ADDRESS, Harbour, URI, http_json, json_rpc, message, reading};

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

#[tokio::test]
async fn or_5_8_a_message_of_a_deferred_action_keeps_its_data_and_loses_its_words() {
    let done = json!({"messageId": "r-1", "role": "ROLE_AGENT", "parts": [
        {"text": "All done, see you on Tuesday."}, {"data": {"reference": "HL-7"}}, {"text": "Goodbye."},
    ]});
    let harbour = Harbour::answering("deferred", done);
    for attempt in 0..2 {
        let message = harbour.send(json_rpc(&message("m-1"))).await.json()["result"]["message"].clone();
        let parts = message["parts"].as_array().unwrap();
        assert_eq!(parts.len(), 2, "{attempt}: {message}");
        assert!(parts[0]["text"].as_str().unwrap().contains("not finished"), "{attempt}: {message}");
        assert_eq!(parts[1]["data"], json!({"reference": "HL-7"}));
    }
}

#[tokio::test]
async fn or_5_8_artifacts_of_other_matters_stay() {
    let given = json!({URI: {"status": "on-request", "skillId": "another"}});
    let done = json!({
        "id": "t-1", "status": {"state": "TASK_STATE_COMPLETED"},
        "artifacts": [
            {"artifactId": "a-1", "parts": [{"text": "Confirmed."}, {"url": "https://harbour.example/form.pdf"}]},
            {"artifactId": "a-2", "metadata": given, "parts": [{"text": "The quay is closed."}]},
        ],
    });
    let harbour = Harbour::answering("deferred", done);
    let task = harbour.send(json_rpc(&message("m-1"))).await.json()["result"]["task"].clone();
    let (first, text) = (&task["artifacts"][0]["parts"], task.to_string());
    assert!(!text.contains("Confirmed."), "{text}");
    assert_eq!(first[1]["url"], "https://harbour.example/form.pdf");
    assert!(task["status"]["message"]["parts"][0]["text"].as_str().unwrap().contains("not finished"), "{text}");
}

#[tokio::test]
async fn or_5_8_what_is_made_with_the_deferred_reply_leaves_as_it_is() {
    let harbour = Harbour::deferring();
    for attempt in 0..2 {
        let reply = harbour.send(json_rpc(&message("m-1"))).await.json();
        let text = reply["result"]["message"]["parts"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("We have your request."), "{attempt}: {text}");
        assert!(text.contains("not finished") && text.contains(ADDRESS), "{attempt}: {text}");
    }
    let tasks = harbour.send(json_rpc(&crate::support::message("task"))).await.json();
    let task = &tasks["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING", "{tasks}");
    assert!(task["status"]["message"]["parts"][0]["text"].as_str().unwrap().starts_with("We have your request."));
}

#[tokio::test]
async fn or_5_8_later_replies_of_the_task_say_the_same_until_staff_have_completed_it() {
    let status = json!({"state": "TASK_STATE_COMPLETED", "message": {
        "messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": "All done."}, {"data": {"reference": "HL-7"}}],
    }});
    let task = json!({"id": "t-1", "contextId": "c-1", "status": status,
        "artifacts": [{"artifactId": "a-1", "parts": [{"text": "All done, at ten."}]}]});
    let harbour = Harbour::answering("deferred", task.clone());
    let payload = task.to_string();
    let push = || {
        let call = harbour.filter.call_for(&StoredActivation::default());
        String::from_utf8(harbour.filter.stamp(payload.clone(), &call).unwrap().to_vec()).unwrap()
    };
    assert_eq!(push(), payload, "nothing is deferred yet");
    harbour.send(json_rpc(&message("m-1"))).await;
    for method in ["GetTask", "SubscribeToTask"] {
        let text = harbour.send(reading(method)).await.text();
        assert!(
            text.contains("not finished") && text.contains("HL-7") && !text.contains("All done"),
            "{method}: {text}"
        );
    }
    let tasks = harbour.send(reading("ListTasks")).await.json()["result"]["tasks"].clone();
    assert!(!tasks[0].to_string().contains("All done") && tasks[1].to_string().contains("All done"), "{tasks}");
    assert!(push().contains("not finished") && !push().contains("All done"));
    assert!(harbour.actions.complete_deferred("t-1").await.unwrap());
    assert!(!harbour.actions.complete_deferred("t-1").await.unwrap());
    for method in ["GetTask", "SubscribeToTask", "ListTasks"] {
        assert!(harbour.send(reading(method)).await.text().contains("All done"), "{method}");
    }
    assert_eq!(push(), payload);
}

#[tokio::test]
async fn or_5_8_another_replica_knows_the_task_from_the_store() {
    let status = json!({"state": "TASK_STATE_COMPLETED", "message": {
        "messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": "All done."}],
    }});
    let task = json!({"id": "t-1", "contextId": "c-1", "status": status});
    let first = Harbour::answering("deferred", task.clone());
    first.send(json_rpc(&message("m-1"))).await;
    let second = first.replica("deferred", task);
    second.actions.tell_overdue().await.unwrap();
    for replica in [&first, &second] {
        let text = replica.send(reading("GetTask")).await.text();
        assert!(text.contains("not finished") && !text.contains("All done"), "{text}");
    }
    assert!(second.actions.complete_deferred("t-1").await.unwrap());
    first.actions.tell_overdue().await.unwrap();
    for replica in [&first, &second] {
        let text = replica.send(reading("GetTask")).await.text();
        assert!(text.contains("All done"), "{text}");
    }
}

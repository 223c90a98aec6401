//! One action in every binding, and what is answered again in each (A2A §5); deferred actions (OR-5.8).

use serde_json::{Value, json};

use super::super::support::URI;
use super::support::{Operator, asking, asking_in, book, booking, opened, perform, reply, terms};
use crate::binding::Binding::{self, Grpc, HttpJson, JsonRpc};
use crate::binding::ProtocolVersion::{self, V0_3, V1_0};
use crate::extension::{A2aExtension, ObjectKind, OutgoingObject, Stamp};
use crate::on_request::OnRequest;

const SPELLINGS: [(Binding, ProtocolVersion); 6] =
    [(JsonRpc, V1_0), (HttpJson, V1_0), (Grpc, V1_0), (JsonRpc, V0_3), (HttpJson, V0_3), (Grpc, V0_3)];

async fn done(on_request: &OnRequest, first: (Binding, ProtocolVersion), reply: Value) {
    let call = asking_in(on_request, &booking("m"), first.0, first.1);
    let permit = perform(&call, "booking").await.unwrap();
    assert_eq!(permit.complete(reply.clone()).await, reply);
}

async fn repeated(on_request: &OnRequest, binding: Binding, version: ProtocolVersion) -> Value {
    let again = perform(&asking_in(on_request, &booking("m"), binding, version), "booking").await.unwrap_err();
    assert!(again.is_repeated());
    again.to_object()
}

#[tokio::test(start_paused = true)]
async fn a_message_is_told_again_in_every_binding() {
    let old =
        json!({"kind": "message", "messageId": "r-1", "role": "agent", "parts": [{"kind": "text", "text": "Booked."}]});
    let proto = json!({"messageId": "r-1", "role": "ROLE_AGENT", "content": [{"text": "Booked."}]});
    let written = |binding, version| match (binding, version) {
        (_, V1_0) => reply("Booked."),
        (JsonRpc, V0_3) => old.clone(),
        (HttpJson | Grpc, V0_3) => proto.clone(),
    };
    for (first_binding, first_version) in SPELLINGS {
        let operator = Operator::default();
        let on_request = opened(&operator.actions(operator.store()), terms("booking"));
        done(&on_request, (first_binding, first_version), written(first_binding, first_version)).await;
        for (binding, version) in SPELLINGS {
            let again = repeated(&on_request, binding, version).await;
            assert_eq!(
                again,
                written(binding, version),
                "{first_binding:?} {first_version:?} to {binding:?} {version:?}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_is_told_again_in_its_own_binding_and_by_its_id_elsewhere() {
    let task = json!({"id": "t-1", "contextId": "c-1", "status": {"state": "TASK_STATE_COMPLETED"}});
    for (first_binding, first_version) in SPELLINGS {
        let operator = Operator::default();
        let on_request = opened(&operator.actions(operator.store()), terms("booking"));
        done(&on_request, (first_binding, first_version), task.clone()).await;
        for (binding, version) in SPELLINGS {
            let again = repeated(&on_request, binding, version).await;
            if (binding, version) == (first_binding, first_version) {
                assert_eq!(again, task);
            } else {
                let text = again.to_string();
                assert!(text.contains("Its task is t-1.") && !text.contains("COMPLETED"), "{text}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_told_again_is_a_whole_reply_of_its_binding() {
    let operator = Operator::default();
    let on_request = opened(&operator.actions(operator.store()), terms("booking"));
    let task = json!({"id": "t-1", "status": {"state": "TASK_STATE_COMPLETED"}});
    done(&on_request, (JsonRpc, V1_0), task.clone()).await;
    let again = asking_in(&on_request, &booking("m"), JsonRpc, V1_0);
    let response = perform(&again, "booking").await.unwrap_err().into_http_response();
    let body = serde_json::from_slice::<Value>(response.body()).unwrap();
    assert_eq!(body, json!({"jsonrpc": "2.0", "id": null, "result": {"task": task}}));
    let again = asking_in(&on_request, &booking("m"), HttpJson, V1_0);
    let response = perform(&again, "booking").await.unwrap_err().into_http_response();
    assert_eq!(response.headers()["content-type"], "application/a2a+json");
    assert!(serde_json::from_slice::<Value>(response.body()).unwrap()["message"]["parts"][0]["text"].is_string());
}

#[tokio::test(start_paused = true)]
async fn or_5_6_every_condition_holds_in_every_binding() {
    for (binding, version) in SPELLINGS {
        let operator = Operator::default();
        let on_request = opened(&operator.actions(operator.store()), terms("booking"));
        for id in ["1", "2", "3"] {
            assert!(book(&asking_in(&on_request, &booking(id), binding, version), &operator).await.is_ok());
        }
        let fourth = book(&asking_in(&on_request, &booking("4"), binding, version), &operator).await.unwrap_err();
        let mark = fourth.to_object()["metadata"][URI].clone();
        assert_eq!(mark["status"], "action-referred", "{binding:?} {version:?}");
        assert_eq!(operator.effects(), 3);
    }
}

/// What leaves of an object of a task in this state, in the call that performed `skill`.
async fn stamped(skill: &str, state: &str, kind: ObjectKind) -> Stamp {
    let operator = Operator::default();
    let on_request = opened(&operator.actions(operator.store()), terms(skill));
    let call = asking(&on_request, "a", &booking("m"));
    let permit = perform(&call, skill).await.unwrap();
    let task = json!({"id": "t", "contextId": "c", "status": {"state": state}});
    let answer = permit.complete(task).await;
    let says_so =
        answer["status"]["message"]["parts"][0]["text"].as_str().is_some_and(|text| text.contains("not finished"));
    assert_eq!(says_so, skill == "later" && state == "TASK_STATE_COMPLETED", "{answer}");
    assert_eq!(call.call.is_shown(), skill == "later");
    let object = OutgoingObject::new(kind, false).with_task_state(state);
    call.on_request.stamp(&object, &call.call)
}

#[tokio::test(start_paused = true)]
async fn or_5_8_a_deferred_action_is_not_called_done() {
    let corrected = stamped("later", "TASK_STATE_COMPLETED", ObjectKind::StatusMessage).await;
    assert!(corrected.text.as_ref().is_some_and(|text| text.contains("staff of Example Chapel complete it later")));
    assert!(stamped("later", "TASK_STATE_COMPLETED", ObjectKind::Artifact).await.text.is_some());
    assert!(stamped("later", "TASK_STATE_WORKING", ObjectKind::Message).await.text.is_some());
    assert!(stamped("booking", "TASK_STATE_WORKING", ObjectKind::Message).await.text.is_none());
    for (skill, state, kind) in [
        ("later", "TASK_STATE_WORKING", ObjectKind::StatusMessage),
        ("later", "TASK_STATE_COMPLETED", ObjectKind::HistoryMessage),
        ("booking", "TASK_STATE_COMPLETED", ObjectKind::StatusMessage),
    ] {
        assert_eq!(stamped(skill, state, kind).await.text, None, "{skill} {state} {kind:?}");
    }
}

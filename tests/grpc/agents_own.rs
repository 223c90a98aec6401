//! What is not on request: the agent's own replies and errors, over gRPC.

use tonic::Code;
use tonic_types::StatusExt;

use crate::client::*;
use crate::driver::ON_REQUEST;

#[tokio::test]
async fn or_5_2_public_skills_are_answered_by_the_agent_without_a_mark() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    for text in ["When can I visit Larkfield Chapel?", "Can I talk to somebody at Larkfield Chapel?"] {
        let caller = Caller::anonymous().activating();
        for reply in
            [client.send(&caller, &text_message(text)).await, client.stream(&caller, &text_message(text)).await]
        {
            let message = &reply.one()["message"];
            assert!(message["parts"][0]["text"].as_str().unwrap().contains("16:30"), "{message}");
            assert!(message.get("metadata").is_none() && message.get("extensions").is_none(), "{message}");
            assert_eq!(reply.echo(), Some(ON_REQUEST), "negotiated all the same");
        }
    }
}

#[tokio::test]
async fn or_5_9_a_sign_in_skill_is_a_task_that_waits_for_the_sign_in() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let caller = Caller::named("acme").activating();
    let question = text_message("Has the transfer happened?");
    let reply = client.send(&caller, &question).await;
    let task = reply.one()["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_AUTH_REQUIRED");
    assert!(!reply.captured.data.windows(ON_REQUEST.len()).any(|window| window == ON_REQUEST.as_bytes()));
    let stream = client.stream(&caller, &question).await;
    let last = stream.messages().last().unwrap();
    assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_AUTH_REQUIRED");

    let id = task["id"].as_str().unwrap();
    assert_eq!(*client.get(&caller, id).await.one(), task);
    let watch = client.cancel(&caller, id).await;
    assert_eq!(watch.one()["status"]["state"], "TASK_STATE_CANCELED");
    assert_eq!(client.cancel(&caller, id).await.status().code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn the_agents_own_errors_leave_with_their_details() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    for caller in [Caller::anonymous(), Caller::anonymous().activating()] {
        let reply = client.get(&caller, "no-such-task").await;
        let status = reply.status();
        assert_eq!(status.code(), Code::NotFound);
        assert_eq!(status.get_error_details().error_info().unwrap().reason, "TASK_NOT_FOUND");
        let reply = client
            .send(&caller.clone().without("a2a-version").with("a2a-version", "9.9"), &text_message("Hello"))
            .await;
        assert_eq!(reply.status().code(), Code::FailedPrecondition);
        assert_eq!(reply.status().get_error_details().error_info().unwrap().reason, "VERSION_NOT_SUPPORTED");
    }
}

#[tokio::test]
async fn a_token_that_is_none_is_refused_before_the_layer() {
    let chapel = chapel();
    let client = Client::of(&chapel).await;
    let caller = Caller::anonymous().with("authorization", "Basic abc");
    assert_eq!(client.send(&caller, &text_message(QUESTION)).await.status().code(), Code::Unauthenticated);
}

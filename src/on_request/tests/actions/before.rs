//! What an action came to before is answered before anything else is asked (OR-5.6, OR-5.7).

use serde_json::json;

use super::super::support::URI;
use super::support::{
    DOMAIN, Operator, asking, asking_in, book, booking, booking_of, epoch, opened, perform, reason, terms,
};
use crate::binding::Binding::JsonRpc;
use crate::binding::ProtocolVersion::{V0_3, V1_0};
use crate::extension::Gate;
use crate::on_request::Verdict;
use crate::on_request::actions::Attestation;

#[tokio::test(start_paused = true)]
async fn or_5_6_what_is_done_is_answered_again_whatever_has_ended_since() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    assert!(book(&asking(&opened(&actions, terms("booking")), "a", &booking("m")), &operator).await.is_ok());
    let ended = actions.clone().attestation(Attestation::new(DOMAIN, 2, epoch()));
    for since in [
        opened(&ended, terms("booking")),
        opened(&actions, terms("booking")).policy(Verdict::Refer),
        opened(&actions, terms("booking").irreversible_part("the deposit is paid")),
    ] {
        let again = asking(&since, "a", &booking("m"));
        let recorded = book(&again, &operator).await.unwrap_err();
        assert!(recorded.is_repeated(), "{recorded:?}");
        assert_eq!(recorded.to_object()["parts"][0]["text"], "Booked, number 0.");
        assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: done-before", 1));
        let other = asking(&since, "a", &booking_of("m", "Book another."));
        assert!(book(&other, &operator).await.unwrap_err().is_in_doubt());
        assert_eq!(reason(&other), "booking: other-request");
        let fresh = asking(&since, "a", &booking("n"));
        assert!(book(&fresh, &operator).await.unwrap_err().referral().is_some(), "nobody has asked for it");
    }
}

#[tokio::test(start_paused = true)]
async fn or_5_7_what_may_have_been_done_is_neither_referred_nor_rejected() {
    for version in [V1_0, V0_3] {
        let operator = Operator::default();
        let actions = operator.actions(operator.store());
        let on_request = opened(&actions, terms("booking"));
        drop(perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap());
        actions.settled().await;
        let again = asking_in(&on_request, &booking("m"), JsonRpc, version);
        let doubt = perform(&again, "booking").await.unwrap_err();
        assert!(doubt.is_in_doubt() && doubt.referral().is_none() && !doubt.is_repeated());
        let message = doubt.to_object();
        let text = message["parts"][0]["text"].as_str().unwrap();
        for words in ["cannot be said here", "do not send this again", "https://ask.example.com/talk"] {
            assert!(text.contains(words), "{text}");
        }
        assert!(!message.to_string().contains(URI), "it carries no mark: {message}");
        let task = doubt.into_task(json!({"id": "t", "contextId": "c"}));
        let failed = if version == V0_3 { "failed" } else { "TASK_STATE_FAILED" };
        assert_eq!((&task["status"]["state"], &task["id"]), (&json!(failed), &json!("t")));
        assert!(!task.to_string().contains(URI) && task.to_string().contains("do not send this again"));
    }
}

#[tokio::test(start_paused = true)]
async fn or_5_7_a_gate_in_front_asks_the_store_too() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    let named = |id: &str| {
        let mut message = booking(id);
        message["metadata"][URI]["skillId"] = json!("booking");
        message
    };
    assert!(book(&asking(&on_request, "a", &named("m")), &operator).await.is_ok());
    let closed = on_request.policy(Verdict::Refer);
    let again = asking(&closed, "a", &named("m"));
    let Gate::Answer(answer) = again.gate().await else { panic!("it passed") };
    let message = answer.to_message(&again.call).to_string();
    assert!(message.contains("cannot be said here") && !message.contains("action-referred"), "{message}");
    let (status, _, text) = asking(&closed, "a", &named("n")).referral().await.unwrap();
    assert!(status == "action-referred" && text.contains("not done"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn or_5_7_a_public_action_that_failed_is_in_doubt_too() {
    let operator = Operator::default();
    let on_request = opened(&operator.actions(operator.store()), terms("booking"));
    let permit = perform(&asking(&on_request, "a", &booking("m")), "hours").await.unwrap();
    let doubt = permit.run(async { Err("lost".into()) }).await.unwrap_err();
    assert!(doubt.is_in_doubt());
    assert!(doubt.to_object().to_string().contains("do not send this again"));
}

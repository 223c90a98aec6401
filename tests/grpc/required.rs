//! A required extension that is not asked for, and services that the card does not offer.

use serde_json::{Value, json};
use tonic::Code;
use tonic_types::StatusExt;

use crate::client::*;
use crate::driver::{CARD, ON_REQUEST};
use crate::leaky::Leaky;

const REQUIRED: &str = "https://biz.example/terms/v1";
const ALSO: &str = "https://biz.example/audit/v1";

fn card() -> Value {
    let mut card = serde_json::from_str::<Value>(CARD).unwrap();
    let extensions = card["capabilities"]["extensions"].as_array_mut().unwrap();
    extensions.extend([json!({"uri": REQUIRED, "required": true}), json!({"uri": ALSO, "required": true})]);
    card
}

/// The refusal is all there is: no echo, no message, its status in the head.
fn assert_refused(reply: &Reply, missing: &str) {
    let status = reply.status();
    assert_eq!(status.code(), Code::FailedPrecondition, "{status:?}");
    let details = status.get_error_details();
    let info = details.error_info().expect("an ErrorInfo");
    assert_eq!((info.reason.as_str(), info.domain.as_str()), ("EXTENSION_SUPPORT_REQUIRED", "a2a-protocol.org"));
    assert_eq!(info.metadata["missingExtensions"], missing);
    assert_eq!(reply.captured.head["grpc-status"], "9", "trailers-only");
    assert!(reply.captured.data.is_empty() && reply.captured.trailers.is_none(), "{reply:?}");
    assert_eq!(reply.echo(), None);
    assert!(!status.message().is_empty());
}

#[tokio::test]
async fn a9_a_missing_required_extension_refuses_every_operation_in_trailers_only() {
    let agent = Leaky::telling();
    let client = Client::connect(&agent.serve(card()).await).await;
    let both = format!("{REQUIRED},{ALSO}");
    let caller = Caller::anonymous();
    let some = caller.clone().with("a2a-extensions", &format!("{ON_REQUEST}, {ALSO}"));
    for (caller, missing) in [(caller, both.as_str()), (some, REQUIRED)] {
        let hello = text_message("hello");
        assert_refused(&client.send(&caller, &hello).await, missing);
        assert_refused(&client.send(&caller, &text_message(QUESTION)).await, missing);
        assert_refused(&client.stream(&caller, &hello).await, missing);
        assert_refused(&client.get(&caller, "t").await, missing);
        assert_refused(&client.list(&caller).await, missing);
        assert_refused(&client.cancel(&caller, "t").await, missing);
        assert_refused(&client.subscribe(&caller, "t").await, missing);
    }
    assert_eq!(agent.calls(), 0);
}

#[tokio::test]
async fn who_asks_for_it_gets_on_and_is_told_so() {
    let agent = Leaky::telling();
    let client = Client::connect(&agent.serve(card()).await).await;
    let caller = Caller::anonymous().with("a2a-extensions", ALSO).with("a2a-extensions", REQUIRED);
    let reply = client.send(&caller.clone().may_be_told(), &text_message("hello")).await;
    assert_eq!((agent.calls(), reply.echo()), (1, Some(format!("{ALSO}, {REQUIRED}").as_str())));
    let reply = client.send(&caller, &text_message(QUESTION)).await;
    referral_text(&reply.one()["message"]);
    assert_eq!(agent.calls(), 1);
}

#[tokio::test]
async fn a_gate_never_answers_for_a_service_that_the_card_does_not_offer() {
    let mut silent = serde_json::from_str::<Value>(CARD).unwrap();
    silent["capabilities"]["streaming"] = json!(false);
    let agent = Leaky::telling();
    let client = Client::connect(&agent.serve(silent).await).await;
    let reply = client.stream(&Caller::anonymous(), &text_message(QUESTION)).await;
    assert_eq!(reply.status().code(), Code::FailedPrecondition);
    assert_eq!(reply.status().get_error_details().error_info().unwrap().reason, "UNSUPPORTED_OPERATION");
    let caller = Caller::anonymous().without("a2a-version").with("a2a-version", "9.9");
    for reply in
        [client.send(&caller, &text_message(QUESTION)).await, client.stream(&caller, &text_message(QUESTION)).await]
    {
        assert_eq!(reply.status().code(), Code::FailedPrecondition);
        assert_eq!(reply.status().get_error_details().error_info().unwrap().reason, "VERSION_NOT_SUPPORTED");
    }
    assert_eq!(agent.calls(), 0);
}

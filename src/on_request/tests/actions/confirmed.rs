//! What the person confirms is what is done (OR-5.6 d): nothing of the message changes after the yes.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::super::support::{URI, call};
use super::support::{Operator, asking, book, opened, reason, terms};
use crate::on_request::actions::{ActionTerms, ConfirmationDesk, ConfirmationQuestion};
use crate::on_request::{Caller, OnRequest};

type Noted = Arc<Mutex<Vec<String>>>;

/// A desk whose person says yes to all that is asked, and what was shown.
fn agreeing() -> (ConfirmationDesk, Noted, Noted) {
    let (tokens, shown) = (Noted::default(), Noted::default());
    let (token_sink, shown_sink) = (Arc::clone(&tokens), Arc::clone(&shown));
    let desk = ConfirmationDesk::new(move |question: &ConfirmationQuestion, token: &str| {
        token_sink.lock().unwrap().push(token.to_owned());
        shown_sink.lock().unwrap().push(question.words().to_owned());
    });
    (desk, tokens, shown)
}

fn paid() -> ActionTerms {
    terms("booking").irreversible_part("the deposit is paid")
}

fn message_with(parts: &Value, more: &Value) -> Value {
    let mut message = json!({
        "messageId": "m", "role": "ROLE_USER", "parts": parts, "metadata": {URI: {"actingFor": "a reference"}},
    });
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

#[tokio::test(start_paused = true)]
async fn or_5_6_d_after_the_yes_no_member_changes() {
    let pay = json!([{"text": "Pay it."}]);
    let url = |more: Value| {
        let mut part = json!({"url": "https://files.example/1"});
        part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([{"text": "Pay it."}, part])
    };
    let none = json!({});
    let cases = [
        (
            message_with(&pay, &json!({"referenceTaskIds": ["t-1"]})),
            message_with(&pay, &json!({"referenceTaskIds": ["t-2"]})),
        ),
        (
            message_with(&json!([{"text": "Pay it.", "metadata": {"EUR": 1}}]), &none),
            message_with(&json!([{"text": "Pay it.", "metadata": {"EUR": 9999}}]), &none),
        ),
        (
            message_with(&url(json!({"filename": "rose.txt"})), &none),
            message_with(&url(json!({"filename": "oak.txt"})), &none),
        ),
        (
            message_with(&url(json!({"mediaType": "text/plain"})), &none),
            message_with(&url(json!({"mediaType": "text/html"})), &none),
        ),
        (message_with(&pay, &json!({"extensions": ["https://x.example/1"]})), message_with(&pay, &json!({}))),
        (message_with(&pay, &json!({"priority": "low"})), message_with(&pay, &json!({"priority": "high"}))),
    ];
    for (confirmed, sent) in cases {
        let operator = Operator::default();
        let (desk, tokens, _) = agreeing();
        let actions = operator.actions(operator.store()).confirmation(desk.clone());
        let on_request = opened(&actions, paid().confirm_addresses(true));
        assert!(book(&asking(&on_request, "a", &confirmed), &operator).await.is_err());
        assert!(desk.confirm(&tokens.lock().unwrap()[0]), "{confirmed}");
        assert!(book(&asking(&on_request, "a", &sent), &operator).await.is_err());
        assert_eq!(operator.effects(), 0, "{sent}");
        assert!(book(&asking(&on_request, "a", &confirmed), &operator).await.is_ok());
        let again = book(&asking(&on_request, "a", &sent), &operator).await.unwrap_err();
        assert!(!again.is_repeated(), "what was done is not said of another: {sent}");
        assert_eq!(operator.effects(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn or_5_6_d_what_no_form_shows_is_referred() {
    let operator = Operator::default();
    let (desk, tokens, shown) = agreeing();
    let actions = operator.actions(operator.store()).confirmation(desk);
    let refused = async |terms: ActionTerms, parts: Value| {
        let call = asking(&opened(&actions, terms), "a", &message_with(&parts, &json!({})));
        assert!(book(&call, &operator).await.is_err());
        assert_eq!(reason(&call), "booking: not-confirmed");
    };
    for parts in [
        json!([{"raw": "eA=="}]),
        json!([{"text": "x"}, {"kind": "file", "file": {"bytes": "eA=="}}]),
        json!([{"kind": "file", "file": {}}]),
    ] {
        refused(paid().confirm_addresses(true), parts).await;
    }
    for parts in [json!([{"url": "https://files.example/1"}]), json!([{"file": {"uri": "https://files.example/1"}}])] {
        refused(paid(), parts).await;
    }
    assert!(tokens.lock().unwrap().is_empty(), "nobody is asked");
    let one = json!([{"url": "https://files.example/1", "filename": "rose.txt"}, {"data": {"day": 2}}]);
    refused(paid().confirm_addresses(true), one).await;
    let shown = shown.lock().unwrap()[0].clone();
    for part in [
        "parts[0].url: https://files.example/1",
        "parts[0].filename: rose.txt",
        "parts[1].data: {\"day\":2}",
        "a reference",
        "role: user",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn or_5_6_c_a_retry_may_change_only_the_metadata_that_the_terms_name() {
    let traced = |message: &str, request: &str| {
        let mut sent = message_with(&json!([{"text": "x"}]), &json!({}));
        sent["metadata"]["trace"] = json!(message);
        (sent, json!({"trace": request}))
    };
    let operator = Operator::default();
    let named = opened(&operator.actions(operator.store()), terms("booking").retry_may_change("trace"));
    let unnamed = opened(&operator.actions(operator.store()), terms("booking"));
    let ask = |on_request: &OnRequest, (message, metadata): (Value, Value)| {
        call(on_request.clone().caller(Caller::assistant("a"))).message_with(&message, Some(&metadata)).build()
    };
    for on_request in [&named, &unnamed] {
        assert!(book(&ask(on_request, traced("1", "1")), &operator).await.is_ok());
    }
    assert!(book(&ask(&named, traced("2", "3")), &operator).await.unwrap_err().is_repeated());
    for other in [traced("2", "1"), traced("1", "2")] {
        let call = ask(&unnamed, other);
        assert!(book(&call, &operator).await.is_err());
        assert_eq!(reason(&call), "booking: other-request");
    }
}

#[tokio::test(start_paused = true)]
async fn or_5_6_b_and_d_confirmer_and_staff_get_who_the_person_is() {
    struct Patient(&'static str);

    let operator = Operator::default();
    let seen = Arc::<Mutex<Vec<(Option<String>, &'static str)>>>::default();
    let sink = Arc::clone(&seen);
    let desk = ConfirmationDesk::new(move |question: &ConfirmationQuestion, _| {
        let patient = question.caller().get::<Patient>().map_or("nobody", |patient| patient.0);
        sink.lock().unwrap().push((question.acting_for().map(str::to_owned), patient));
    });
    let actions = operator.actions(operator.store()).confirmation(desk);
    let message = message_with(&json!([{"text": "x"}]), &json!({}));
    let ask = |terms: ActionTerms| {
        let caller = Caller::assistant("a").acting_for_a_person(true).with(Patient("file 7"));
        call(opened(&actions, terms).caller(caller)).message(&message).build()
    };
    assert!(book(&ask(paid()), &operator).await.is_err());
    assert_eq!(*seen.lock().unwrap(), [(Some("a reference".to_owned()), "file 7")]);
    assert!(book(&ask(terms("booking")), &operator).await.is_ok());
    let notice = &operator.notices()[0];
    assert_eq!((notice.assistant(), notice.acting_for()), (Some("a"), Some("a reference")));
    assert_eq!(notice.caller().get::<Patient>().map(|patient| patient.0), Some("file 7"));
    assert!(!format!("{notice:?}").contains("reference"));
}

//! Each condition of OR-5.6, and each way in which it is not met.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;

use super::super::support::{URI, assistants_message, call, message};
use super::support::{
    DOMAIN, MINUTE, Operator, asking, book, booking, booking_of, epoch, opened, perform, reason, terms,
};
use crate::error::BoxError;
use crate::on_request::actions::{
    Attestation, ConfirmationDesk, ConfirmationQuestion, PersonConfirmation, StaffEvent, StaffNotice,
};
use crate::on_request::{Caller, OnRequest, ReplyStatus, Verdict};

/// It is referred for this reason, nothing was done, and the reply is a whole referral.
async fn assert_referred(on_request: &OnRequest, operator: &Operator, id: &str, why: &str) {
    let call = asking(on_request, "a", &booking(id));
    let done = operator.effects();
    let referred = book(&call, operator).await.unwrap_err();
    assert_eq!(reason(&call), format!("booking: {why}"));
    let referral = referred.referral().expect("a referral");
    assert_eq!((referral.status(), referral.skill()), (Some(ReplyStatus::ActionReferred), Some("booking")));
    assert!(referral.text().contains("https://ask.example.com/talk"), "{}", referral.text());
    assert_eq!(operator.effects(), done, "{why}");
}

#[tokio::test(start_paused = true)]
async fn or_5_6_where_all_conditions_hold_it_is_done_and_staff_are_told() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let call = asking(&opened(&actions, terms("booking")), "a", &booking("m-1"));
    assert_eq!(book(&call, &operator).await.unwrap()["parts"][0]["text"], "Booked, number 0.");
    actions.settled().await;
    assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::Done]);
    let notice = &operator.notices()[0];
    assert_eq!((notice.staff(), notice.skill(), notice.assistant()), ("Mair Evans", "booking", Some("a")));
    assert_eq!((notice.undo(), notice.words(), notice.at()), (Some("cancel it in the diary"), None, epoch()));
    assert_eq!(notice.idempotency_key().len(), 64);
}

#[tokio::test(start_paused = true)]
async fn or_5_7_without_terms_or_a_person_or_an_id_or_the_policys_yes_it_is_referred() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let allowed = opened(&actions, terms("booking"));
    assert_referred(&OnRequest::new(), &operator, "m", "action-conditions").await;
    assert_referred(&allowed.clone().policy(Verdict::Refer), &operator, "m", "policy-refused").await;
    let nobodys = asking(&allowed, "a", &message("Book it."));
    assert!(book(&nobodys, &operator).await.is_err());
    assert_eq!(reason(&nobodys), "booking: acts-for-nobody");
    for id in [json!(""), json!(null)] {
        let mut message = assistants_message("Book it.");
        message["messageId"] = id;
        let call = asking(&allowed, "a", &message);
        assert!(book(&call, &operator).await.is_err());
        assert_eq!(reason(&call), "booking: no-message-id");
    }
    for skill in ["portal", "nowhere"] {
        let call = asking(&allowed, "a", &booking("m"));
        let reply = perform(&call, skill).await.unwrap_err();
        assert_eq!(reply.referral().unwrap().skill(), None, "{skill}");
    }
    let closed = asking(&allowed, "a", &booking("m"));
    assert!(perform(&closed, "closed-booking").await.is_err());
    assert_eq!(reason(&closed), "closed-booking: not-opened");
    assert_eq!(operator.told(), []);
}

#[tokio::test(start_paused = true)]
async fn or_5_6_a_without_a_current_level_2_attestation_of_the_domain_it_is_referred() {
    let operator = Operator::default();
    let later = epoch() + MINUTE;
    let fixed = [
        Attestation::new(DOMAIN, 1, later),
        Attestation::new("other.example", 2, later),
        Attestation::new(DOMAIN, 2, epoch()),
        Attestation::new(DOMAIN, 2, later).with_valid_from(later),
    ];
    for attestation in fixed {
        let actions = operator.actions(operator.store()).attestation(attestation);
        assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
    }
    let failing = || async { Err::<Option<Attestation>, BoxError>("down".into()) };
    let actions = operator.actions(operator.store()).attestation(failing);
    assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
    let actions = operator.actions(operator.store()).attestation(|| async { Ok::<_, BoxError>(None) });
    assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
    let panicking = || async { if DOMAIN.is_empty() { Ok::<_, BoxError>(None) } else { panic!("asked") } };
    let actions = operator.actions(operator.store()).attestation(panicking);
    assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
    let hanging = operator.actions(operator.store()).attestation(pending::<Result<Option<Attestation>, BoxError>>);
    assert_referred(&opened(&hanging, terms("booking")), &operator, "m", "timed-out").await;
    assert_eq!(operator.told(), [], "staff hear of nothing that is not attested");
}

#[tokio::test(start_paused = true)]
async fn or_5_6_a_is_judged_again_before_the_start() {
    let operator = Operator::default();
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    // Valid at the decision, revoked while staff are told.
    let revoked = move || {
        let valid = counter.fetch_add(1, Ordering::SeqCst) == 0;
        async move { Ok::<_, BoxError>(valid.then(|| Attestation::new(DOMAIN, 2, epoch() + MINUTE))) }
    };
    let actions = operator.actions(operator.store()).attestation(revoked);
    assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
    actions.settled().await;
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::NotDone], "staff are told that it was not done");

    // It ends between the two looks, by the clock alone.
    let clock = operator.clone();
    let ends_meanwhile = move |_: StaffNotice| {
        clock.pass(MINUTE);
        async { Ok::<_, BoxError>(()) }
    };
    let short = Attestation::new(DOMAIN, 2, epoch() + MINUTE);
    let actions = operator.actions(operator.store()).attestation(short).staff(ends_meanwhile);
    assert_referred(&opened(&actions, terms("booking")), &operator, "m", "not-attested").await;
}

#[tokio::test(start_paused = true)]
async fn or_5_6_b_where_staff_cannot_be_told_it_is_not_done_and_can_be_asked_again() {
    let operator = Operator::default();
    let store = operator.store();
    let failing = operator.actions(store.clone()).staff(|_: StaffNotice| async { Err::<(), BoxError>("down".into()) });
    assert_referred(&opened(&failing, terms("booking")), &operator, "m", "staff-not-told").await;
    failing.settled().await;
    let hanging = operator.actions(store.clone()).staff(|_: StaffNotice| pending::<Result<(), BoxError>>());
    assert_referred(&opened(&hanging, terms("booking")), &operator, "m", "staff-not-told").await;
    hanging.settled().await;
    let panicking = operator.actions(store.clone()).staff(|notice: StaffNotice| async move {
        if notice.staff().is_empty() { Ok::<_, BoxError>(()) } else { panic!("told") }
    });
    assert_referred(&opened(&panicking, terms("booking")), &operator, "m", "staff-not-told").await;
    panicking.settled().await;
    operator.pass(MINUTE);
    let actions = operator.actions(store);
    assert!(book(&asking(&opened(&actions, terms("booking")), "a", &booking("m")), &operator).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn or_5_6_b_staff_hear_the_words_only_where_the_operator_wants_it() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let call = asking(&opened(&actions, terms("booking").tell_words(true)), "a", &booking("m"));
    assert!(book(&call, &operator).await.is_ok());
    let words = operator.notices()[0].words().unwrap().to_owned();
    assert!(words.contains("parts[0].text: Book it for me.\n"), "{words}");
    assert!(!format!("{:?}", operator.notices()).contains("Book it"), "`Debug` shows no word");
}

#[tokio::test(start_paused = true)]
async fn or_5_6_c_the_fourth_of_one_assistant_and_the_sixth_of_all_are_referred() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    for id in ["1", "2", "3"] {
        assert!(book(&asking(&on_request, "a", &booking(id)), &operator).await.is_ok(), "{id}");
    }
    assert_referred(&on_request, &operator, "4", "limit-reached").await;
    for id in ["1", "2"] {
        assert!(book(&asking(&on_request, "b", &booking(id)), &operator).await.is_ok(), "{id}");
    }
    let sixth = asking(&on_request, "c", &booking("1"));
    assert!(book(&sixth, &operator).await.is_err());
    assert_eq!(reason(&sixth), "booking: limit-reached");
    actions.settled().await;
    let starting = operator.told().into_iter().filter(|event| *event == StaffEvent::Starting).count();
    assert_eq!(starting, 5, "staff are never told over a limit");
    operator.pass(MINUTE / 3);
    assert!(book(&asking(&on_request, "a", &booking("5")), &operator).await.is_ok(), "one more is free again");
    assert_referred(&on_request, &operator, "6", "limit-reached").await;
}

#[tokio::test(start_paused = true)]
async fn e4_anonymous_assistants_are_referred_or_share_one_limit_and_get_nothing_that_was_recorded() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let nobody = |terms, id: &str| {
        let on_request = opened(&actions, terms).allow_anonymous(true);
        call(on_request).message(&booking(id)).build()
    };
    let refused = nobody(terms("booking"), "1");
    assert!(book(&refused, &operator).await.is_err());
    assert_eq!(reason(&refused), "booking: not-identified");
    let allowed = |id: &str| nobody(terms("booking").allow_anonymous(true), id);
    for id in ["1", "2", "3"] {
        assert!(book(&allowed(id), &operator).await.is_ok(), "{id}");
    }
    let fourth = allowed("4");
    assert!(book(&fourth, &operator).await.is_err());
    assert_eq!(reason(&fourth), "booking: limit-reached");
    let again = allowed("1");
    let referred = book(&again, &operator).await.unwrap_err();
    assert!(!referred.is_repeated(), "nobody can be told from somebody else");
    assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: done-before", 3));
}

#[tokio::test(start_paused = true)]
async fn or_5_6_d_what_cannot_be_undone_waits_for_the_person() {
    let operator = Operator::default();
    let final_terms = || terms("booking").irreversible_part("the deposit is paid");
    let never = operator.actions(operator.store());
    assert_referred(&opened(&never, final_terms()), &operator, "m", "not-confirmed").await;

    let tokens = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&tokens);
    let desk = ConfirmationDesk::new(move |question: &ConfirmationQuestion, token: &str| {
        assert_eq!(question.cannot_be_undone(), "the deposit is paid");
        assert_eq!((question.assistant(), question.acting_for()), (Some("a"), Some("a reference")));
        let metadata = json!({URI: {"actingFor": "a reference"}}).to_string();
        let all = [("metadata", metadata.as_str()), ("parts[0].text", "Book it for me."), ("role", "user")];
        assert_eq!(question.members().collect::<Vec<_>>(), all);
        assert_eq!(question.words(), all.map(|(place, text)| format!("{place}: {text}")).join("\n"));
        sink.lock().unwrap().push(token.to_owned());
    });
    let actions = operator.actions(operator.store()).confirmation(desk.clone());
    let on_request = opened(&actions, final_terms());
    let call = asking(&on_request, "a", &booking("m"));
    let referred = book(&call, &operator).await.unwrap_err();
    let token = tokens.lock().unwrap()[0].clone();
    assert!(!referred.to_object().to_string().contains(&token), "the assistant never sees the token");
    assert!(desk.confirm(&token));
    let others = asking(&on_request, "b", &booking("m"));
    assert!(book(&others, &operator).await.is_err(), "another assistant's");
    let reworded = asking(&on_request, "a", &booking_of("m", "Book something else."));
    assert!(book(&reworded, &operator).await.is_err(), "other words");
    assert_eq!(operator.told(), [], "nothing is claimed and nobody is told before the person has confirmed");
    assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_ok());
    assert_eq!(operator.effects(), 1);
    actions.settled().await;
    assert_eq!(operator.notices()[0].undo(), Some("cancel it in the diary"), "(b) holds beside (d)");
}

#[tokio::test(start_paused = true)]
async fn or_5_6_d_a_confirmation_that_fails_hangs_or_panics_is_none() {
    struct Faulty(u8);

    impl PersonConfirmation for Faulty {
        async fn confirmed(&self, _: &ConfirmationQuestion) -> Result<bool, BoxError> {
            match self.0 {
                0 => Err("down".into()),
                1 => pending().await,
                _ => panic!("asked"),
            }
        }
    }

    let operator = Operator::default();
    for fault in 0..3 {
        let actions = operator.actions(operator.store()).confirmation(Faulty(fault));
        let on_request = opened(&actions, terms("booking").irreversible_part("the deposit is paid"));
        assert_referred(&on_request, &operator, "m", "not-confirmed").await;
    }
    let long = booking_of("m", &"x".repeat(20_000));
    let desk = ConfirmationDesk::new(|_, _| panic!("nobody reads so much"));
    let actions = operator.actions(operator.store()).confirmation(desk);
    let on_request = opened(&actions, terms("booking").irreversible_part("the deposit is paid"));
    let call = asking(&on_request, "a", &long);
    assert!(book(&call, &operator).await.is_err());
    assert_eq!(reason(&call), "booking: not-confirmed");
}

#[tokio::test(start_paused = true)]
async fn a_policy_is_asked_with_the_message_and_the_gate_lets_an_allowed_action_through() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    let call = asking(&on_request, "a", &booking("m"));
    assert_eq!(call.referral().await, None, "the gate passes it to the agent");
    assert_eq!(reason(&call), "booking: action-allowed");
    let told = crate::OnRequestGuard::of(&call.call).unwrap().disclose("booking").await;
    assert!(told.is_err(), "to disclose is not to perform");
    let refused = asking(&on_request.clone().policy(Verdict::Refer), "a", &booking("m"));
    assert!(refused.referral().await.is_some());
    let nobody = crate::on_request::tests::support::call(on_request.caller(Caller::anonymous()));
    assert!(nobody.message(&booking("m")).build().referral().await.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_slow_source_is_bounded_by_the_decision_timeout() {
    let operator = Operator::default();
    let slow = || async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        Ok::<_, BoxError>(Some(Attestation::new(DOMAIN, 2, epoch() + MINUTE)))
    };
    let actions = operator.actions(operator.store()).attestation(slow);
    let started = tokio::time::Instant::now();
    assert!(book(&asking(&opened(&actions, terms("booking")), "a", &booking("m")), &operator).await.is_ok());
    assert_eq!(started.elapsed(), Duration::from_secs(6), "twice, each within its limit");
}

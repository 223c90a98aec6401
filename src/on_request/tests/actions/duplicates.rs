//! The same request again (OR-5.6 c): never done twice, whatever happens.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Barrier;
use tokio::time::Instant;

use super::super::support::URI;
use super::support::{
    MINUTE, Operator, SteppedStore, asking, book, booking, booking_of, opened, perform, reason, reply, terms,
};
use crate::error::BoxError;
use crate::on_request::actions::store::ActionLimit;
use crate::on_request::actions::{ConfirmationDesk, StaffEvent, StaffNotice};

#[tokio::test(start_paused = true)]
async fn e2_a_duplicate_gets_what_the_first_was_answered_also_over_the_limit() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    for id in ["1", "2", "3"] {
        assert!(book(&asking(&on_request, "a", &booking(id)), &operator).await.is_ok());
    }
    let again = asking(&on_request, "a", &booking("2"));
    let recorded = book(&again, &operator).await.unwrap_err();
    assert!(recorded.is_repeated() && recorded.referral().is_none());
    assert_eq!(recorded.to_object()["parts"][0]["text"], "Booked, number 1.");
    assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: done-before", 3));
}

#[tokio::test(start_paused = true)]
async fn e2_the_same_id_with_other_words_is_in_doubt_and_claims_nothing() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_ok());
    let other = asking(&on_request, "a", &booking_of("m", "Book another."));
    let referred = book(&other, &operator).await.unwrap_err();
    assert_eq!((reason(&other).as_str(), operator.effects()), ("booking: other-request", 1));
    assert!(referred.is_in_doubt(), "{referred:?}");
    let others = asking(&on_request, "b", &booking("m"));
    assert_eq!(
        book(&others, &operator).await.unwrap()["parts"][0]["text"],
        "Booked, number 1.",
        "never across callers"
    );
}

#[tokio::test(start_paused = true)]
async fn e3_fifty_at_once_are_done_once_and_answered_alike() {
    let operator = Operator::default();
    let actions = operator.actions(SteppedStore(operator.store()));
    let on_request = Arc::new(opened(&actions, terms("booking")));
    let barrier = Arc::new(Barrier::new(50));
    let running = (0..50).map(|_| {
        let (on_request, operator, barrier) = (Arc::clone(&on_request), operator.clone(), Arc::clone(&barrier));
        tokio::spawn(async move {
            let call = asking(&on_request, "a", &booking("m"));
            barrier.wait().await;
            book(&call, &operator).await.unwrap_or_else(|repeated| {
                assert!(repeated.is_repeated(), "{repeated:?}");
                repeated.to_object()
            })
        })
    });
    let mut replies = Vec::new();
    for one in running.collect::<Vec<_>>() {
        replies.push(one.await.unwrap());
    }
    assert!(replies.iter().all(|other| *other == reply("Booked, number 0.")), "{replies:?}");
    actions.settled().await;
    assert_eq!((operator.effects(), operator.told().len()), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn a_duplicate_waits_no_longer_than_it_may_and_then_nothing_is_claimed() {
    let operator = Operator::default();
    for (wait, waited) in [(Duration::ZERO, Duration::ZERO), (MINUTE / 12, MINUTE / 12)] {
        let actions = operator.actions(operator.store()).duplicate_wait(wait);
        let on_request = opened(&actions, terms("booking"));
        let first = perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap();
        let (second, started) = (asking(&on_request, "a", &booking("m")), Instant::now());
        let referred = perform(&second, "booking").await.unwrap_err();
        assert_eq!((reason(&second).as_str(), started.elapsed()), ("booking: still-running", waited));
        assert!(referred.is_in_doubt());
        assert_eq!(first.complete(reply("x")).await, reply("x"));
    }
}

#[tokio::test(start_paused = true)]
async fn of_what_panicked_or_was_dropped_the_outcome_is_unknown_and_it_is_never_run_again() {
    let operator = Operator::default();
    let actions = operator.actions(SteppedStore(operator.store()));
    let on_request = opened(&actions, terms("booking"));
    drop(perform(&asking(&on_request, "a", &booking("dropped")), "booking").await.unwrap());
    let permit = perform(&asking(&on_request, "a", &booking("panicked")), "booking").await.unwrap();
    let in_doubt =
        permit.run(async { if MINUTE.is_zero() { Ok(json!({})) } else { panic!("booked?") } }).await.unwrap_err();
    assert!(in_doubt.to_object().to_string().contains("It cannot be said here"));
    actions.settled().await;
    let unknown = operator.told().into_iter().filter(|event| *event == StaffEvent::Unknown).count();
    assert_eq!(unknown, 2);
    for id in ["dropped", "panicked"] {
        let again = asking(&on_request, "a", &booking(id));
        assert!(book(&again, &operator).await.is_err());
        assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: outcome-unknown", 0));
    }
}

#[tokio::test(start_paused = true)]
async fn what_takes_longer_than_allowed_is_unknown_and_what_it_then_returns_is_recorded() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking").time_allowed(MINUTE));
    let permit = perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap();
    let (finish, finished) = tokio::sync::oneshot::channel::<()>();
    let running = permit.run(async move {
        drop(finished.await);
        Ok(reply("Late."))
    });
    assert!(running.await.is_err());
    operator.pass(MINUTE);
    let again = asking(&on_request, "a", &booking("m"));
    assert!(book(&again, &operator).await.is_err());
    assert_eq!(reason(&again), "booking: outcome-unknown");
    assert_eq!(actions.tell_overdue().await.unwrap(), 1);
    assert_eq!(actions.tell_overdue().await.unwrap(), 0, "once");
    finish.send(()).unwrap();
    actions.settled().await;
    assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::Unknown, StaffEvent::Done]);
    let recorded = book(&asking(&on_request, "a", &booking("m")), &operator).await.unwrap_err();
    assert_eq!((recorded.to_object(), operator.effects()), (reply("Late."), 0));
}

#[tokio::test(start_paused = true)]
async fn what_a_process_left_behind_is_told_by_the_next_one() {
    let operator = Operator::default();
    let store = operator.store();
    let dead = operator.actions(store.clone());
    let permit = perform(&asking(&opened(&dead, terms("booking")), "a", &booking("m")), "booking").await.unwrap();
    // As a process that is killed: nothing of it is run any more.
    let _killed = std::mem::ManuallyDrop::new(permit);
    operator.pass(MINUTE);
    let next = operator.actions(store);
    let on_request = opened(&next, terms("booking"));
    let again = asking(&on_request, "a", &booking("m"));
    assert!(book(&again, &operator).await.is_err());
    assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: outcome-unknown", 0));
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::Unknown], "without being asked");
    assert_eq!(operator.notices()[1].assistant(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_too_long_to_keep_is_not_given_again_and_not_done_again() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    let permit = perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap();
    let long = reply(&"x".repeat(70_000));
    assert_eq!(permit.complete(long.clone()).await, long, "the first caller gets all of it");
    let again = asking(&on_request, "a", &booking("m"));
    assert!(!book(&again, &operator).await.unwrap_err().is_repeated());
    assert_eq!(reason(&again), "booking: done-before");
}

#[tokio::test(start_paused = true)]
async fn an_idempotency_key_is_one_for_each_action() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request =
        opened(&actions, terms("booking").limits(ActionLimit::new(9, MINUTE), ActionLimit::new(9, MINUTE)));
    let mut keys = Vec::new();
    for (assistant, id) in [("a", "m"), ("b", "m"), ("a", "n"), ("a:m", ""), ("{a}", "m")] {
        if let Ok(permit) = perform(&asking(&on_request, assistant, &booking(id)), "booking").await {
            keys.push(permit.idempotency_key().to_owned());
            assert_eq!(permit.complete(reply("x")).await, reply("x"));
        }
    }
    assert_eq!(keys.iter().collect::<std::collections::BTreeSet<_>>().len(), 4, "{keys:?}");
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_held_for_too_long_runs_nothing() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking").time_allowed(MINUTE));
    let permit = perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap();
    tokio::time::advance(MINUTE).await;
    operator.pass(MINUTE);
    let late = permit.run(async { panic!("it is too late") }).await.unwrap_err();
    assert!(late.to_object().to_string().contains("It cannot be said here"));
}

#[tokio::test(start_paused = true)]
async fn what_staff_could_not_be_told_is_told_when_they_can_be() {
    let operator = Operator::default();
    let (down, board) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Vec<StaffEvent>>>::default());
    let (is_down, told) = (Arc::clone(&down), Arc::clone(&board));
    let actions = operator.actions(operator.store()).staff(move |notice: StaffNotice| {
        let down = is_down.load(Ordering::SeqCst);
        if !down {
            told.lock().unwrap().push(notice.event());
        }
        async move { if down { Err(BoxError::from("down")) } else { Ok(()) } }
    });
    let on_request = opened(&actions, terms("booking"));
    let permit = perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap();
    down.store(true, Ordering::SeqCst);
    drop(permit);
    actions.settled().await;
    assert_eq!(*board.lock().unwrap(), [StaffEvent::Starting]);
    down.store(false, Ordering::SeqCst);
    assert_eq!(actions.tell_overdue().await.unwrap(), 1);
    assert_eq!(*board.lock().unwrap(), [StaffEvent::Starting, StaffEvent::Unknown]);
}

#[tokio::test(start_paused = true)]
async fn or_5_6_d_what_cannot_be_undone_is_answered_again_without_a_second_yes() {
    let operator = Operator::default();
    let tokens = Arc::<Mutex<Vec<String>>>::default();
    let sink = Arc::clone(&tokens);
    let desk = ConfirmationDesk::new(move |_, token| sink.lock().unwrap().push(token.to_owned()));
    let actions = operator.actions(operator.store()).confirmation(desk.clone());
    let on_request = opened(&actions, terms("booking").irreversible_part("the deposit is paid"));
    assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_err());
    assert!(desk.confirm(&tokens.lock().unwrap()[0]));
    assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_ok());
    let again = book(&asking(&on_request, "a", &booking("m")), &operator).await.unwrap_err();
    assert!(again.is_repeated());
    assert_eq!((tokens.lock().unwrap().len(), operator.effects()), (1, 1), "the person is asked once");
}

#[test]
fn without_a_time_driver_nothing_is_started() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let call = asking(&opened(&actions, terms("booking")), "a", &booking("m"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(runtime.block_on(book(&call, &operator)).is_err());
    assert_eq!((reason(&call).as_str(), operator.effects()), ("booking: not-settleable", 0));
}

#[tokio::test(start_paused = true)]
async fn e2_what_was_done_for_one_person_is_not_answered_for_another() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_ok());
    let mut others = booking("m");
    others["metadata"] = json!({URI: {"actingFor": "somebody else"}});
    let referred = book(&asking(&on_request, "a", &others), &operator).await.unwrap_err();
    assert!(!referred.is_repeated() && !referred.to_object().to_string().contains("Booked"));
    assert_eq!(operator.effects(), 1);
}

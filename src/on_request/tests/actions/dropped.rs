//! A client that hangs up at every await point: nothing is done twice, nothing is left in the dark.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use serde_json::Value;

use super::super::support::TestCall;
use super::support::{Operator, SteppedStore, Yield, asking, book, booking, opened, perform, reply, terms};
use crate::on_request::actions::{ActionReply, StaffEvent};

/// Polls at most so often. Whether it ended.
async fn polled<F: Future>(work: F, polls: usize) -> bool {
    let mut work = pin!(work);
    for _ in 0..polls {
        if work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return true;
        }
        // What was spawned meanwhile goes on.
        tokio::task::yield_now().await;
    }
    false
}

/// An agent that does the work in its handler, without a task of its own.
async fn book_here(call: &TestCall, operator: &Operator) -> Result<Value, ActionReply> {
    let permit = perform(call, "booking").await?;
    Yield::default().await;
    operator.effects.fetch_add(1, Ordering::SeqCst);
    Yield::default().await;
    Ok(permit.complete(reply("Booked.")).await)
}

/// Hangs up after so many polls, sends the same again, and says whether the first had ended.
async fn hang_up_after(polls: usize, on_a_task: bool) -> bool {
    let operator = Operator::default();
    let actions = operator.actions(SteppedStore(operator.store()));
    let on_request = opened(&actions, terms("booking"));
    let first = asking(&on_request, "a", &booking("m"));
    let ended = match on_a_task {
        true => polled(book(&first, &operator), polls).await,
        false => polled(book_here(&first, &operator), polls).await,
    };
    actions.settled().await;
    let done_first = operator.effects();
    let second = book(&asking(&on_request, "a", &booking("m")), &operator).await;
    actions.settled().await;
    assert!(operator.effects() <= 1, "after {polls} polls it was done twice");
    let told = operator.told();
    match second {
        Ok(_) => assert_eq!(done_first, 0, "after {polls} polls"),
        Err(repeated) if repeated.is_repeated() => assert_eq!(done_first, 1, "after {polls} polls"),
        Err(_) => assert_eq!(told.last(), Some(&StaffEvent::Unknown), "after {polls} polls staff must know: {told:?}"),
    }
    ended
}

#[tokio::test(start_paused = true)]
async fn a_client_that_hangs_up_anywhere_causes_no_second_booking() {
    for on_a_task in [true, false] {
        let mut polls = 0;
        while !hang_up_after(polls, on_a_task).await {
            polls += 1;
            assert!(polls < 100, "it never ends");
        }
        assert!(polls >= 7, "{polls} await points are fewer than there are");
    }
}

#[tokio::test(start_paused = true)]
async fn what_runs_on_its_own_task_is_not_cut_by_a_client_that_hangs_up() {
    let operator = Operator::default();
    let actions = operator.actions(SteppedStore(operator.store()));
    let on_request = opened(&actions, terms("booking"));
    let call = asking(&on_request, "a", &booking("m"));
    let permit = perform(&call, "booking").await.unwrap();
    let effects = Arc::clone(&operator.effects);
    let running = permit.run(async move {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        effects.fetch_add(1, Ordering::SeqCst);
        Ok(reply("Booked."))
    });
    assert!(!polled(running, 1).await);
    actions.settled().await;
    assert_eq!(operator.effects(), 1);
    let recorded = book(&asking(&on_request, "a", &booking("m")), &operator).await.unwrap_err();
    assert_eq!((recorded.to_object(), operator.effects()), (reply("Booked."), 1));
}

#[test]
fn a_permit_that_is_dropped_where_no_runtime_is_any_more_is_unknown_by_its_lease() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let on_request = opened(&actions, terms("booking"));
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let first = runtime();
    let permit = first.block_on(perform(&asking(&on_request, "a", &booking("m")), "booking")).unwrap();
    drop(first);
    drop(permit);
    let second = runtime();
    let again = second.block_on(book(&asking(&on_request, "a", &booking("m")), &operator));
    assert!(again.is_err());
    operator.pass(super::support::MINUTE);
    assert_eq!(second.block_on(actions.tell_overdue()).unwrap(), 1);
    assert_eq!(operator.told().last(), Some(&StaffEvent::Unknown));
    assert_eq!(operator.effects(), 0);
}

#[test]
fn without_a_runtime_nothing_is_started() {
    let operator = Operator::default();
    let actions = operator.actions(operator.store());
    let call = asking(&opened(&actions, terms("booking")), "a", &booking("m"));
    let polled = pin!(perform(&call, "booking")).poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(Err(_)) = polled else { panic!("it was not referred at once") };
    assert_eq!(operator.told(), []);
}

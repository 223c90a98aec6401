//! A store that fails, hangs, panics or loses an answer (E9).

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::support::{MINUTE, Operator, SteppedStore, Yield, asking, book, booking, opened, perform, reason, terms};
use crate::on_request::actions::StaffEvent;
use crate::on_request::actions::store::{
    AbandonOutcome, ActionClaim, ActionKey, ActionState, ActionStore, ClaimOutcome, ClaimToken, StoreError,
    StoreFuture, TaskKey,
};

/// A store that fails from a step on.
struct FailingStore {
    inner: SteppedStore,
    fails: &'static str,
    how: Failure,
    /// How often that step was asked for.
    asked: AtomicUsize,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Failure {
    Errors,
    Hangs,
    /// When it is called, before there is anything to poll.
    Panics,
    /// The first time, after it has done the step.
    LosesItsAnswer,
}

impl FailingStore {
    fn new(operator: &Operator, fails: &'static str, how: Failure) -> Self {
        Self { inner: SteppedStore(operator.store()), fails, how, asked: AtomicUsize::new(0) }
    }

    fn run<'a, T: Send + 'a>(&self, step: &str, run: impl FnOnce() -> StoreFuture<'a, T>) -> StoreFuture<'a, T> {
        if step != self.fails {
            return run();
        }
        let is_first = self.asked.fetch_add(1, Ordering::SeqCst) == 0;
        match self.how {
            Failure::Errors => Box::pin(async {
                Yield::default().await;
                Err(StoreError::new("down"))
            }),
            Failure::Hangs => Box::pin(pending()),
            Failure::Panics => panic!("called"),
            Failure::LosesItsAnswer if is_first => {
                let step = run();
                Box::pin(async move {
                    step.await?;
                    Err(StoreError::new("the answer was lost"))
                })
            }
            Failure::LosesItsAnswer => run(),
        }
    }
}

impl ActionStore for FailingStore {
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome> {
        self.run("claim", || self.inner.claim(claim))
    }

    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool> {
        self.run("start", || self.inner.start(key, token, allowed))
    }

    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool> {
        self.run("complete", || self.inner.complete(key, token, reply))
    }

    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome> {
        self.run("abandon", || self.inner.abandon(key, token))
    }

    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>> {
        self.run("state", || self.inner.state(key))
    }

    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>> {
        self.run("take_overdue", || self.inner.take_overdue(most))
    }

    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool> {
        self.run("defer", || self.inner.defer(task, skill))
    }

    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>> {
        self.run("deferred", || self.inner.deferred(most))
    }

    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool> {
        self.run("complete_deferred", || self.inner.complete_deferred(task))
    }
}

#[tokio::test(start_paused = true)]
async fn e9_where_the_store_fails_or_hangs_nothing_is_done_and_nothing_waits_for_ever() {
    let operator = Operator::default();
    for how in [Failure::Errors, Failure::Hangs, Failure::Panics] {
        for fails in ["claim", "start"] {
            let store = FailingStore::new(&operator, fails, how);
            let actions = operator.actions(store);
            let (call, started) = (asking(&opened(&actions, terms("booking")), "a", &booking("m")), Instant::now());
            let referred = book(&call, &operator).await.unwrap_err();
            assert_eq!((reason(&call).as_str(), operator.effects()), ("booking: store-failed", 0), "{fails}");
            assert!(referred.is_in_doubt());
            assert!(started.elapsed() <= Duration::from_secs(5), "{fails} {how:?}: {:?}", started.elapsed());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn e9_what_is_done_is_answered_even_if_it_cannot_be_recorded_and_is_never_done_again() {
    for how in [Failure::Errors, Failure::Hangs, Failure::Panics] {
        let operator = Operator::default();
        let store = FailingStore::new(&operator, "complete", how);
        let actions = operator.actions(store);
        let on_request = opened(&actions, terms("booking"));
        let started = Instant::now();
        assert!(book(&asking(&on_request, "a", &booking("m")), &operator).await.is_ok());
        assert!(started.elapsed() <= Duration::from_secs(2), "{:?}", started.elapsed());
        let again = asking(&on_request, "a", &booking("m"));
        assert!(book(&again, &operator).await.is_err());
        assert_eq!((reason(&again).as_str(), operator.effects()), ("booking: still-running", 1));
        actions.settled().await;
        assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::Done]);
        operator.pass(MINUTE);
        let later = asking(&on_request, "a", &booking("m"));
        assert!(book(&later, &operator).await.is_err());
        assert_eq!((reason(&later).as_str(), operator.effects()), ("booking: outcome-unknown", 1));
    }
}

#[tokio::test(start_paused = true)]
async fn staff_are_told_of_an_unknown_outcome_though_the_answer_that_said_so_was_lost() {
    let operator = Operator::default();
    let actions = operator.actions(FailingStore::new(&operator, "abandon", Failure::LosesItsAnswer));
    let on_request = opened(&actions, terms("booking"));
    drop(perform(&asking(&on_request, "a", &booking("m")), "booking").await.unwrap());
    actions.settled().await;
    assert_eq!(operator.told(), [StaffEvent::Starting, StaffEvent::Unknown]);
}

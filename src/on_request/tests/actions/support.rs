//! An operator whose bookings are opened, with everything that is told and a clock that is moved.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::super::support::{TestCall, URI, call};
use crate::OnRequestGuard;
use crate::binding::{Binding, ProtocolVersion};
use crate::error::BoxError;
use crate::on_request::actions::store::{
    AbandonOutcome, ActionClaim, ActionKey, ActionLimit, ActionState, ActionStore, ClaimOutcome, ClaimToken,
    MemoryStore, StoreFuture, TaskKey,
};
use crate::on_request::actions::{
    ActionPermit, ActionReply, ActionTerms, Actions, Attestation, StaffEvent, StaffNotice, StaffNotifier,
};
use crate::on_request::{Caller, OnRequest};

pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const DOMAIN: &str = "example.com";

/// A day in seconds since 1970; tests move it.
pub(super) fn epoch() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(86_400)
}

/// What is moved and what is seen.
#[derive(Clone, Default)]
pub(super) struct Operator {
    seconds: Arc<AtomicU64>,
    told: Arc<Mutex<Vec<StaffNotice>>>,
    pub(super) effects: Arc<AtomicUsize>,
}

impl Operator {
    pub(super) fn pass(&self, time: Duration) {
        self.seconds.fetch_add(time.as_secs(), Ordering::SeqCst);
    }

    pub(super) fn store(&self) -> MemoryStore {
        let seconds = Arc::clone(&self.seconds);
        MemoryStore::new().with_clock(move || Duration::from_secs(86_400 + seconds.load(Ordering::SeqCst)))
    }

    /// The events that staff were told, in order.
    pub(super) fn told(&self) -> Vec<StaffEvent> {
        self.told.lock().unwrap().iter().map(StaffNotice::event).collect()
    }

    pub(super) fn notices(&self) -> Vec<StaffNotice> {
        self.told.lock().unwrap().clone()
    }

    pub(super) fn actions(&self, store: impl ActionStore) -> Actions {
        self.actions_in(DOMAIN, store)
    }

    /// Where this domain is attested.
    pub(super) fn actions_of(&self, domain: &str) -> Actions {
        self.actions_in(domain, self.store())
    }

    fn actions_in(&self, domain: &str, store: impl ActionStore) -> Actions {
        let seconds = Arc::clone(&self.seconds);
        Actions::new("chapel", domain, store)
            .attestation(Attestation::new(DOMAIN, 2, epoch() + Duration::from_secs(1_000_000)))
            .staff(self.clone())
            .clock(move || epoch() + Duration::from_secs(seconds.load(Ordering::SeqCst)))
    }

    pub(super) fn effects(&self) -> usize {
        self.effects.load(Ordering::SeqCst)
    }
}

impl StaffNotifier for Operator {
    async fn tell(&self, notice: StaffNotice) -> Result<(), BoxError> {
        Yield::default().await;
        self.told.lock().unwrap().push(notice);
        Yield::default().await;
        Ok(())
    }
}

/// Not ready the first time it is asked.
#[derive(Default)]
pub(super) struct Yield(bool);

impl Future for Yield {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// A store that is not ready at once, before and after each step.
#[derive(Clone)]
pub(super) struct SteppedStore(pub(super) MemoryStore);

fn stepped<'a, T: Send + 'a>(step: impl FnOnce() -> StoreFuture<'a, T> + Send + 'a) -> StoreFuture<'a, T> {
    Box::pin(async move {
        Yield::default().await;
        let done = step().await;
        Yield::default().await;
        done
    })
}

impl ActionStore for SteppedStore {
    fn claim<'a>(&'a self, claim: &'a ActionClaim) -> StoreFuture<'a, ClaimOutcome> {
        stepped(move || self.0.claim(claim))
    }

    fn start<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, allowed: Duration) -> StoreFuture<'a, bool> {
        stepped(move || self.0.start(key, token, allowed))
    }

    fn complete<'a>(&'a self, key: &'a ActionKey, token: ClaimToken, reply: &'a [u8]) -> StoreFuture<'a, bool> {
        stepped(move || self.0.complete(key, token, reply))
    }

    fn abandon<'a>(&'a self, key: &'a ActionKey, token: ClaimToken) -> StoreFuture<'a, AbandonOutcome> {
        stepped(move || self.0.abandon(key, token))
    }

    fn state<'a>(&'a self, key: &'a ActionKey) -> StoreFuture<'a, Option<ActionState>> {
        stepped(move || self.0.state(key))
    }

    fn take_overdue(&self, most: usize) -> StoreFuture<'_, Vec<Vec<u8>>> {
        stepped(move || self.0.take_overdue(most))
    }

    fn defer<'a>(&'a self, task: &'a TaskKey, skill: &'a str) -> StoreFuture<'a, bool> {
        stepped(move || self.0.defer(task, skill))
    }

    fn deferred(&self, most: usize) -> StoreFuture<'_, Vec<(TaskKey, String)>> {
        stepped(move || self.0.deferred(most))
    }

    fn complete_deferred<'a>(&'a self, task: &'a TaskKey) -> StoreFuture<'a, bool> {
        stepped(move || self.0.complete_deferred(task))
    }
}

/// Three for each assistant, five in total.
pub(super) fn terms(skill: &str) -> ActionTerms {
    ActionTerms::new(skill)
        .reversible("cancel it in the diary")
        .staff("Mair Evans")
        .limits(ActionLimit::new(3, MINUTE), ActionLimit::new(5, MINUTE))
}

/// These terms, and the usual ones for the other action that the card opens.
pub(super) fn opened(actions: &Actions, own: ActionTerms) -> OnRequest {
    let other = if own.skill().as_str() == "later" { "booking" } else { "later" };
    OnRequest::new().actions(actions.clone()).action(own).action(terms(other))
}

pub(super) fn booking(id: &str) -> Value {
    booking_of(id, "Book it for me.")
}

pub(super) fn booking_of(id: &str, text: &str) -> Value {
    json!({
        "messageId": id, "role": "ROLE_USER", "parts": [{"text": text}],
        "metadata": {URI: {"actingFor": "a reference"}},
    })
}

/// A call of an assistant.
pub(super) fn asking(on_request: &OnRequest, assistant: &str, message: &Value) -> TestCall {
    call(on_request.clone().caller(Caller::assistant(assistant))).message(message).build()
}

pub(super) fn asking_in(
    on_request: &OnRequest,
    message: &Value,
    binding: Binding,
    version: ProtocolVersion,
) -> TestCall {
    let on_request = on_request.clone().caller(Caller::assistant("a"));
    call(on_request).message(message).spoken(binding, version).build()
}

pub(super) async fn perform(call: &TestCall, skill: &str) -> Result<ActionPermit, ActionReply> {
    OnRequestGuard::of(&call.call).unwrap().perform(skill.to_owned()).await
}

/// What the agent does: it asks, does it, and answers.
pub(super) async fn book(call: &TestCall, operator: &Operator) -> Result<Value, ActionReply> {
    let permit = perform(call, "booking").await?;
    let effects = Arc::clone(&operator.effects);
    permit
        .run(async move {
            Yield::default().await;
            let effect = effects.fetch_add(1, Ordering::SeqCst);
            Yield::default().await;
            Ok(reply(&format!("Booked, number {effect}.")))
        })
        .await
}

pub(super) fn reply(text: &str) -> Value {
    json!({"messageId": "r-1", "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

/// The reason of the last decision.
pub(super) fn reason(call: &TestCall) -> String {
    call.observed.take().last().cloned().unwrap_or_default()
}

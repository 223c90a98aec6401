//! The chapel's clerk: from a message to a reply. This file is what an agent developer writes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tower_a2a_extensions::{Held, OnRequestGuard};
use uuid::Uuid;

use crate::events::{self, Event};
use crate::faults::Fault;
use crate::intent::{Intent, all_text};
use crate::tasks::TaskStore;

/// What the chapel tells the person who asks. Nothing opens it but a yes of the guard.
pub(crate) static PRICE: Held<&str> = Held::new("service-pricing", "EUR 1739.46");

/// The agent. Who asks is `None` for a caller without a token.
pub(crate) struct Clerk {
    pub(crate) tasks: TaskStore,
    talks: Mutex<Talks>,
}

impl Clerk {
    pub(crate) fn new() -> Self {
        Self { tasks: TaskStore::new(), talks: Mutex::default() }
    }

    /// Answers one message. A task comes back as it will be when it has ended; it is for the caller
    /// to store it, or to play it as a stream.
    pub(crate) async fn answer(
        &self,
        message: &Value,
        asker: Option<&str>,
        guard: &OnRequestGuard,
    ) -> Result<Event, Fault> {
        if !message.is_object() {
            return Err(Fault::BadParams);
        }
        if let Some(id) = message.get("taskId").and_then(Value::as_str) {
            return self.go_on(id, asker);
        }
        let given = message.get("contextId").and_then(Value::as_str).filter(|id| !id.is_empty() && id.len() <= 128);
        let context = given.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
        let intent = self.intent(message, &context, asker);
        Ok(reply(intent, &context, guard).await)
    }

    /// A task of the chapel waits for nothing that a message could bring: it has ended, or the
    /// family has to sign in.
    fn go_on(&self, task_id: &str, asker: Option<&str>) -> Result<Event, Fault> {
        let task = self.tasks.get(task_id, asker).ok_or(Fault::TaskNotFound)?;
        if events::is_final(events::state_of(&task)) { Err(Fault::Unsupported) } else { Ok(Event::Task(task)) }
    }

    /// "And the second one?" means what was asked before, by the same asker in the same talk.
    fn intent(&self, message: &Value, context: &str, asker: Option<&str>) -> Option<Intent> {
        let mut talks = self.talks.lock().unwrap_or_else(PoisonError::into_inner);
        let talk = (asker.map(str::to_owned), context.to_owned());
        let intent = Intent::of(&all_text(message)).or_else(|| talks.last(&talk));
        if let Some(intent) = intent {
            talks.remember(talk, intent);
        }
        intent
    }
}

async fn reply(intent: Option<Intent>, context: &str, guard: &OnRequestGuard) -> Event {
    match intent {
        Some(Intent::OpeningHours) => {
            say(context, "Larkfield Chapel is open Monday to Saturday, 08:30 to 16:30, at 4 Mill Lane.")
        }
        Some(Intent::SpeakToStaff) => say(
            context,
            "The desk answers Monday to Saturday, 08:30 to 16:30, in English and Welsh. Leave a number at \
             https://ask.larkfield.example/talk and somebody calls back on the next working day at the latest.",
        ),
        Some(Intent::TransferStatus) => Event::Task(sign_in_first(context)),
        Some(Intent::ServicePricing) => Event::Task(tell_price(context, guard).await),
        Some(Intent::ArrangementBooking) => Event::Task(book(context, guard).await),
        None => say(
            context,
            "I can say when the chapel is open and what its services are, and put you through to the desk.",
        ),
    }
}

fn say(context: &str, text: &str) -> Event {
    Event::Message(events::message(context, text))
}

/// Sign-in is A2A's own business (A2A §7.6).
fn sign_in_first(context: &str) -> Value {
    let text = "The family signs in at https://family.larkfield.example, then I can look.";
    with_status(events::new_task(context), "TASK_STATE_AUTH_REQUIRED", Some(events::message(context, text)))
}

/// The price, where card, rules and policy agree: there is no other way to it. Else the guard's
/// referral, as the end of the same task.
async fn tell_price(context: &str, guard: &OnRequestGuard) -> Value {
    let task = events::new_task(context);
    let price = match guard.open(&PRICE).await {
        Ok(price) => price,
        Err(referral) => return events::task_to_1_0(referral.into_task(task)),
    };
    let artifact =
        price.artifact(|price| json!([{"text": format!("A simple cremation costs {price}, all fees included.")}]));
    let mut task = with_status(task, "TASK_STATE_COMPLETED", None);
    if let Some(members) = task.as_object_mut() {
        members.insert("artifacts".to_owned(), json!([artifact]));
    }
    events::task_to_1_0(task)
}

/// A booking changes something, so the guard is asked before anything is done. It always refers
/// while the card lists the skill as on request: the conditions of OR-5.6 are not met here.
async fn book(context: &str, guard: &OnRequestGuard) -> Value {
    let task = events::new_task(context);
    match guard.disclose("arrangement-booking").await {
        Ok(_) => {
            let question = events::message(context, "Which day would suit?");
            with_status(task, "TASK_STATE_INPUT_REQUIRED", Some(question))
        }
        Err(referral) => events::task_to_1_0(referral.into_task(task)),
    }
}

fn with_status(mut task: Value, state: &str, message: Option<Value>) -> Value {
    if let Some(members) = task.as_object_mut() {
        let status = match message {
            Some(message) => json!({"state": state, "message": message}),
            None => json!({"state": state}),
        };
        members.insert("status".to_owned(), status);
    }
    task
}

/// What was last asked for in each talk; the oldest is forgotten first.
#[derive(Default)]
struct Talks {
    last: HashMap<Talk, Intent>,
    order: VecDeque<Talk>,
}

/// Who talks, and in which context.
type Talk = (Option<String>, String);

impl Talks {
    const MOST: usize = 1_000;

    fn last(&self, talk: &Talk) -> Option<Intent> {
        self.last.get(talk).copied()
    }

    fn remember(&mut self, talk: Talk, intent: Intent) {
        if self.last.insert(talk.clone(), intent).is_none() {
            self.order.push_back(talk);
        }
        if self.order.len() > Self::MOST {
            self.order.pop_front().and_then(|oldest| self.last.remove(&oldest));
        }
    }
}

//! The waiter: from a message to turns, each with the envelope that says what it is.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tower_a2a_extensions::converse::{
    AnswerCoverage, Author, Citation, Coverage, CoverageReason, Envelope, EnvelopeBuilder, EnvelopeError, Invocation,
    InvocationOutcome, Ownership,
};
use uuid::Uuid;

use crate::booking::Booking;

/// What goes out next, and what it says of itself.
pub(crate) struct Turn {
    pub(crate) payload: Value,
    pub(crate) envelope: Result<Envelope, EnvelopeError>,
}

/// The agent, with what it remembers of each conversation.
#[derive(Default)]
pub(crate) struct Waiter(Mutex<Conversations>);

/// A real agent would also look whose conversation it is.
#[derive(Clone, Default)]
struct Conversation {
    has_person: bool,
    /// The task of the routine, while it runs.
    booking: Option<(String, Booking)>,
}

impl Waiter {
    /// Answers one message: with one turn, or with several where they can be streamed.
    pub(crate) fn answer(&self, message: &Value, streams: bool) -> Vec<Turn> {
        let given = message.get("contextId").and_then(Value::as_str).filter(|id| !id.is_empty() && id.len() <= 128);
        let context = given.map_or_else(new_id, str::to_owned);
        let parts = message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<String>().to_lowercase();
        let is_typed = parts.iter().any(|part| part.get("data").is_some());

        let mut conversations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let conversation = conversations.of(&context);
        if conversation.has_person {
            return vec![silent(&context)];
        }
        if text.contains("person") {
            conversation.has_person = true;
            return hand_over(&context, streams);
        }
        if is_typed || conversation.booking.is_some() || text.contains("table") {
            return vec![book(conversation, &context, parts, is_typed)];
        }
        vec![inform(&context, &text)]
    }
}

fn inform(context: &str, text: &str) -> Turn {
    let (words, envelope) = if text.contains("meat") {
        let menu = Citation::new("menu", "menu-2", "Menu").with_source_url("https://copperpot.example/menu");
        let coverage = AnswerCoverage::assessed(Coverage::Answered, CoverageReason::SufficientEvidence);
        ("Yes: the mushroom pot has none.", by_agent().answer_coverage(coverage).citation(menu))
    } else {
        let coverage = AnswerCoverage::assessed(Coverage::Unanswered, CoverageReason::InsufficientEvidence);
        ("I know the menu, and I book tables. For all else I fetch a person.", by_agent().answer_coverage(coverage))
    };
    Turn { payload: json!({"message": say(context, words)}), envelope: envelope.build() }
}

/// A turn of the routine. Whoever sends typed values has called it as a tool.
fn book(conversation: &mut Conversation, context: &str, parts: &[Value], is_typed: bool) -> Turn {
    let is_running = conversation.booking.is_some();
    let (task, mut booking) = conversation.booking.take().unwrap_or_else(|| (new_id(), Booking::default()));
    booking.fill(parts);
    let mut envelope = by_agent().routine(booking.routine());
    if is_typed {
        let outcome = if is_running { InvocationOutcome::Reentered } else { InvocationOutcome::Started };
        envelope = envelope.invocation(Invocation::new("book_table", outcome));
    }
    let payload = match booking.done() {
        Some(booked) => {
            let artifact = json!({"artifactId": "booking", "parts": [{"text": booked}]});
            let status = json!({"state": "TASK_STATE_COMPLETED", "message": say(context, "See you then.")});
            json!({"task": {"id": task, "contextId": context, "status": status, "artifacts": [artifact]}})
        }
        None => {
            let question = say(context, "For which day, and for how many?");
            conversation.booking = Some((task.clone(), booking));
            let status = json!({"state": "TASK_STATE_INPUT_REQUIRED", "message": question});
            json!({"task": {"id": task, "contextId": context, "status": status}})
        }
    };
    Turn { payload, envelope: envelope.build() }
}

/// Fetches a person. What the person says has the agent's role as well.
fn hand_over(context: &str, streams: bool) -> Vec<Turn> {
    let task = new_id();
    let by_person = Envelope::builder(Author::Human).ownership(Ownership::human_owned()).build();
    let status = json!({"state": "TASK_STATE_COMPLETED", "message": say(context, "Good evening, this is Olwen.")});
    if !streams {
        let payload = json!({"task": {"id": task, "contextId": context, "status": status}});
        return vec![Turn { payload, envelope: by_person }];
    }
    let waiting = json!({"state": "TASK_STATE_WORKING", "message": say(context, "I fetch somebody.")});
    let first = json!({"task": {"id": task, "contextId": context, "status": waiting}});
    let second = json!({"statusUpdate": {"taskId": task, "contextId": context, "status": status}});
    vec![Turn { payload: first, envelope: by_agent().build() }, Turn { payload: second, envelope: by_person }]
}

/// A person owns the conversation: the message is passed on, and the agent says nothing to it.
fn silent(context: &str) -> Turn {
    let ownership = Ownership::human_owned().with_suppressed(true);
    let envelope = Envelope::builder(Author::Agent).ownership(ownership).build();
    Turn { payload: json!({"message": say(context, "Passed on.")}), envelope }
}

fn by_agent() -> EnvelopeBuilder {
    Envelope::builder(Author::Agent).ownership(Ownership::ai_owned())
}

fn say(context: &str, text: &str) -> Value {
    json!({"messageId": new_id(), "contextId": context, "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

fn new_id() -> String {
    Uuid::new_v4().to_string()
}

/// The conversations of late; the oldest is forgotten first.
#[derive(Default)]
struct Conversations {
    by_context: HashMap<String, Conversation>,
    order: VecDeque<String>,
}

impl Conversations {
    const MOST: usize = 1_000;

    fn of(&mut self, context: &str) -> &mut Conversation {
        if !self.by_context.contains_key(context) {
            self.order.push_back(context.to_owned());
            if self.order.len() > Self::MOST {
                self.order.pop_front().and_then(|oldest| self.by_context.remove(&oldest));
            }
        }
        self.by_context.entry(context.to_owned()).or_default()
    }
}

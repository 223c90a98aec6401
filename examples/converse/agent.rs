//! The waiter: from a message to turns, each with the envelope that says what it is.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use tower_a2a_extensions::converse::{
    AnswerCoverage, Author, Citation, ConverseTool, Coverage, CoverageReason, Envelope, EnvelopeBuilder, EnvelopeError,
    Invocation, Ownership,
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
    /// Answers one message: with one turn, or with several where they can be streamed. `tool` is the
    /// routine as the card declares it.
    pub(crate) fn answer(&self, message: &Value, tool: Option<&ConverseTool>, streams: bool) -> Vec<Turn> {
        let given = message.get("contextId").and_then(Value::as_str).filter(|id| !id.is_empty() && id.len() <= 128);
        let context = given.map_or_else(new_id, str::to_owned);
        let asked = Asked::from(message);

        let mut conversations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let conversation = conversations.of(&context);
        if conversation.has_person {
            return vec![silent(&context)];
        }
        if asked.text.contains("person") {
            conversation.has_person = true;
            return hand_over(&context, streams);
        }
        let books = asked.data.is_some() || conversation.booking.is_some() || asked.text.contains("table");
        if let Some(tool) = tool.filter(|_| books) {
            return vec![book(conversation, &context, &asked, tool)];
        }
        vec![inform(&context, &asked.text)]
    }
}

/// What a message says, in words and typed.
struct Asked {
    text: String,
    data: Option<Value>,
}

impl From<&Value> for Asked {
    fn from(message: &Value) -> Self {
        let parts = message.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<String>().to_lowercase();
        Self { text, data: parts.iter().find_map(|part| part.get("data")).cloned() }
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

/// A turn of the routine. Whoever sends typed values calls it as a tool.
fn book(conversation: &mut Conversation, context: &str, message: &Asked, tool: &ConverseTool) -> Turn {
    let (task, mut booking) = conversation.booking.take().unwrap_or_else(|| (new_id(), Booking::default()));
    booking.read(&message.text);
    let called = message.data.as_ref().map(|data| booking.call(tool, data));
    let (invocation, words) = match called {
        None => (None, None),
        Some(Ok(outcome)) => (Some(Invocation::new(tool.tool_name(), outcome)), None),
        // It names the slots, and repeats nothing of what was sent.
        Some(Err(error)) if booking.is_running() => (Some(Invocation::from(&error)), Some(error.to_string())),
        Some(Err(error)) => {
            let payload = json!({"message": say(context, &error.to_string())});
            return Turn { payload, envelope: by_agent().invocation(Invocation::from(&error)).build() };
        }
    };
    booking.run();
    let mut envelope = by_agent().routine(booking.routine(tool));
    if let Some(invocation) = invocation {
        envelope = envelope.invocation(invocation);
    }
    let payload = match booking.done() {
        Some(booked) => {
            let artifact = json!({"artifactId": "booking", "parts": [{"text": booked}]});
            let status = json!({"state": "TASK_STATE_COMPLETED", "message": say(context, "See you then.")});
            json!({"task": {"id": task, "contextId": context, "status": status, "artifacts": [artifact]}})
        }
        None => {
            let words = words.as_deref().unwrap_or("For which day, and for how many?");
            let status = json!({"state": "TASK_STATE_INPUT_REQUIRED", "message": say(context, words)});
            conversation.booking = Some((task.clone(), booking));
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

//! The clerk: from a message to a reply. This file is what an agent developer writes.

use serde_json::{Value, json};
use tower_a2a_extensions::on_request::{ActionReply, NobodyReachable, ON_REQUEST_URI};
use tower_a2a_extensions::{OnRequestGuard, ProtocolVersion};
use uuid::Uuid;

use crate::desk::BOOKING;
use crate::diary::Diary;
use crate::intent::{Intent, all_text};

/// The agent.
#[derive(Default)]
pub(crate) struct Clerk {
    diary: Diary,
}

impl Clerk {
    /// Answers one message: with a Message as JSON in the caller's version, or with what the guard
    /// made instead, which is a whole reply as well.
    pub(crate) async fn answer(
        &self,
        message: &Value,
        version: ProtocolVersion,
        guard: &OnRequestGuard,
    ) -> Result<Value, ActionReply> {
        let say = |text: &str| say(message, version, text);
        match wanted(message) {
            Some(Intent::ArrangementBooking) => self.book(message, version, guard).await,
            Some(Intent::ServicePricing) => {
                let _permit = guard.disclose("service-pricing").await?;
                Ok(say("The desk tells what a service costs, and this program does not know it."))
            }
            Some(Intent::OpeningHours) => {
                Ok(say("Larkfield Chapel is open Monday to Saturday, 08:30 to 16:30, at 4 Mill Lane."))
            }
            Some(Intent::SpeakToStaff) => Ok(say(&nobody_reachable().to_string())),
            Some(Intent::TransferStatus) | None => {
                Ok(say("I can say when the chapel is open, and book a first meeting."))
            }
        }
    }

    /// Books, where all conditions hold. Until `perform` has said so nothing is done.
    async fn book(
        &self,
        message: &Value,
        version: ProtocolVersion,
        guard: &OnRequestGuard,
    ) -> Result<Value, ActionReply> {
        let permit = guard.perform(BOOKING).await?;
        let (diary, message) = (self.diary.clone(), message.clone());
        let key = permit.idempotency_key().to_owned();
        // On a task of its own: it goes on although the client hangs up.
        let booking = async move {
            let id = message.get("messageId").and_then(Value::as_str).unwrap_or_default();
            // An error says that nobody knows whether it was booked: staff are told, and the person referred.
            let text = match diary.book(&key, id).await? {
                true => "Booked: Tuesday at ten, with Mair Evans at 4 Mill Lane.",
                false => "This was booked before: Tuesday at ten, with Mair Evans at 4 Mill Lane.",
            };
            Ok(say(&message, version, text))
        };
        permit.run(booking).await
    }
}

/// This program puts nobody through, and says so (OR-5.10).
fn nobody_reachable() -> NobodyReachable {
    NobodyReachable::new()
        .operator("Larkfield Chapel")
        .staffed("Monday to Saturday, 08:30 to 16:30")
        .instead("https://ask.larkfield.example/talk")
}

/// What the message is about: what its sender says, or else what its words say.
fn wanted(message: &Value) -> Option<Intent> {
    let named = message.get("metadata").and_then(|metadata| metadata.get(ON_REQUEST_URI.as_str())?.get("skillId"));
    match named.and_then(Value::as_str) {
        Some(BOOKING) => Some(Intent::ArrangementBooking),
        _ => Intent::of(&all_text(message)),
    }
}

/// A Message of the agent, in the talk of the one that it answers.
fn say(message: &Value, version: ProtocolVersion, text: &str) -> Value {
    let id = Uuid::new_v4().to_string();
    let context = message.get("contextId").and_then(Value::as_str).filter(|id| !id.is_empty() && id.len() <= 128);
    let context = context.map_or_else(|| Uuid::new_v4().to_string(), str::to_owned);
    match version {
        ProtocolVersion::V0_3 => {
            json!({"kind": "message", "messageId": id, "contextId": context, "role": "agent",
                   "parts": [{"kind": "text", "text": text}]})
        }
        _ => json!({"messageId": id, "contextId": context, "role": "ROLE_AGENT", "parts": [{"text": text}]}),
    }
}

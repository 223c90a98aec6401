//! What a message is about, by keyword. A real agent would ask a language model here; for the guard
//! it makes no difference how the agent came to think of a price.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// What a person may want of the chapel. One for each skill of the card.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Intent {
    OpeningHours,
    ServicePricing,
    ArrangementBooking,
    TransferStatus,
    SpeakToStaff,
}

/// The first that fits wins.
const KEYWORDS: [(Intent, &[&str]); 5] = [
    (
        Intent::ServicePricing,
        &[
            "cost",
            "price",
            "pricing",
            "how much",
            "fee",
            "charge",
            "afford",
            "expensive",
            "cheap",
            "quote",
            "tariff",
            "budget",
            "pay for",
            "to pay",
            "bill for",
            "pounds",
            "euros",
            "£",
            "€",
        ],
    ),
    (Intent::ArrangementBooking, &["book", "appointment", "arrange", "reserve", "schedule"]),
    (Intent::TransferStatus, &["transfer", "arrived", "in your care", "brought"]),
    (Intent::SpeakToStaff, &["speak", "talk to", "call me", "callback", "somebody", "human", "phone"]),
    (Intent::OpeningHours, &["open", "hours", "visit", "where are you", "address", "when can"]),
];

impl Intent {
    /// What the text of a message asks for, if it says.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.to_lowercase();
        let named = |words: &[&str]| words.iter().any(|word| text.contains(word));
        KEYWORDS.into_iter().find(|(_, words)| named(words)).map(|(intent, _)| intent)
    }
}

/// Everything a message says: its texts, the strings in its data and the text in its files.
pub(crate) fn all_text(message: &Value) -> String {
    let parts = message.get("parts").and_then(Value::as_array).into_iter().flatten();
    let texts = parts.flat_map(|part| {
        let text = part.get("text").and_then(Value::as_str).map(str::to_owned);
        let raw = part.get("raw").or_else(|| part.pointer("/file/bytes")).and_then(Value::as_str);
        let file =
            raw.and_then(|raw| STANDARD.decode(raw).ok()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        text.into_iter().chain(file).chain(part.get("data").map(strings).unwrap_or_default())
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Every string in a JSON value, the names of its members too.
fn strings(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().cloned());
                open.extend(members.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

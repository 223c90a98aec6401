//! The routine `book_table`: which slots it has, and what a message fills.

use serde_json::Value;
use tower_a2a_extensions::converse::{PendingInput, Routine, RoutineStatus};

/// A booking as far as the guest has got. One that is full is done.
#[derive(Clone, Default)]
pub(crate) struct Booking {
    date: Option<String>,
    party_size: Option<u64>,
}

impl Booking {
    /// Takes what a message says: typed values, or words that can be nothing else.
    pub(crate) fn fill(&mut self, parts: &[Value]) {
        for part in parts {
            if let Some(date) = part.pointer("/data/date").and_then(Value::as_str) {
                self.date = Some(date.to_owned());
            }
            self.party_size = part.pointer("/data/partySize").and_then(Value::as_u64).or(self.party_size);
            for word in part.get("text").and_then(Value::as_str).unwrap_or_default().split_whitespace() {
                let word = word.trim_matches(['.', ',']);
                match word.parse() {
                    Ok(number) => self.party_size = Some(number),
                    Err(_) if is_date(word) => self.date = Some(word.to_owned()),
                    Err(_) => {}
                }
            }
        }
    }

    /// What was booked, once nothing is open.
    pub(crate) fn done(&self) -> Option<String> {
        let (date, guests) = (self.date.as_ref()?, self.party_size?);
        Some(format!("A table for {guests} on {date}."))
    }

    /// How the routine stands, with every slot that is open.
    pub(crate) fn routine(&self) -> Routine {
        let is_done = self.done().is_some();
        let status = if is_done { RoutineStatus::Completed } else { RoutineStatus::WaitingForInput };
        let mut routine = Routine::new("Book a table", status).with_tool_name("book_table");
        if self.date.is_none() {
            routine = routine.with_pending_input(PendingInput::required("date", "string", "The day, as YYYY-MM-DD."));
        }
        if self.party_size.is_none() {
            routine = routine.with_pending_input(PendingInput::required("partySize", "integer", "How many guests."));
        }
        routine
    }
}

fn is_date(word: &str) -> bool {
    let mut lengths = word.split('-').map(|digits| (digits.len(), digits.bytes().all(|byte| byte.is_ascii_digit())));
    [4, 2, 2].into_iter().all(|length| lengths.next() == Some((length, true))) && lengths.next().is_none()
}

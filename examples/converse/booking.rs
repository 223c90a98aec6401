//! The routine `book_table`: which slots the card declares, and what a message fills.

use serde_json::{Value, json};
use tower_a2a_extensions::converse::{
    ConverseTool, InvocationOutcome, PendingInput, Routine, RoutineStatus, Slot, ToolInput, ToolInputError,
};

/// A booking as far as the guest has got. One that is full is done.
#[derive(Clone, Default)]
pub(crate) struct Booking {
    is_running: bool,
    date: Option<String>,
    party_size: Option<u64>,
}

impl Booking {
    /// Takes typed values. The first call has to fit the schema in the card; later ones bring what is
    /// still open.
    pub(crate) fn call(&mut self, tool: &ConverseTool, data: &Value) -> Result<InvocationOutcome, ToolInputError> {
        let input = if self.is_running {
            let rest = ConverseTool::new(tool.tool_name(), tool.description());
            self.open(tool).fold(rest, ConverseTool::with_slot).read_value(data)?
        } else {
            tool.read_value(data)?
        };
        self.fill(&input);
        Ok(if self.is_running { InvocationOutcome::Reentered } else { input.outcome() })
    }

    fn fill(&mut self, input: &ToolInput) {
        if let Some(date) = input.get("date").and_then(Value::as_str) {
            self.date = Some(date.to_owned());
        }
        self.party_size = input.get("partySize").and_then(Value::as_u64).or(self.party_size);
    }

    /// Takes what the words say, where they can be nothing else.
    pub(crate) fn read(&mut self, text: &str) {
        for word in text.split_whitespace() {
            let word = word.trim_matches(['.', ',']);
            match word.parse() {
                Ok(number) => self.party_size = Some(number),
                Err(_) if is_date(word) => self.date = Some(word.to_owned()),
                Err(_) => {}
            }
        }
    }

    /// From now on it waits for what is open.
    pub(crate) fn run(&mut self) {
        self.is_running = true;
    }

    pub(crate) fn is_running(&self) -> bool {
        self.is_running
    }

    /// What was booked, once nothing is open.
    pub(crate) fn done(&self) -> Option<String> {
        let (date, guests) = (self.date.as_ref()?, self.party_size?);
        Some(format!("A table for {guests} on {date}."))
    }

    /// How the routine stands, with every slot that is open.
    pub(crate) fn routine(&self, tool: &ConverseTool) -> Routine {
        let is_done = self.done().is_some();
        let status = if is_done { RoutineStatus::Completed } else { RoutineStatus::WaitingForInput };
        let routine = Routine::new("Book a table", status).with_tool_name(tool.tool_name());
        let open = self.open(tool).filter(|_| !is_done);
        open.fold(routine, |routine, slot| routine.with_pending_input(PendingInput::from(&slot)))
    }

    fn open<'a>(&'a self, tool: &'a ConverseTool) -> impl Iterator<Item = Slot> + 'a {
        let filled = json!({"date": self.date, "partySize": self.party_size});
        tool.slots().filter(move |slot| filled.get(slot.key()).is_none_or(Value::is_null))
    }
}

fn is_date(word: &str) -> bool {
    let mut lengths = word.split('-').map(|digits| (digits.len(), digits.bytes().all(|byte| byte.is_ascii_digit())));
    [4, 2, 2].into_iter().all(|length| lengths.next() == Some((length, true))) && lengths.next().is_none()
}

//! The diary, which stands for a booking system.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A clone is a handle to the same.
#[derive(Clone, Default)]
pub(crate) struct Diary(Arc<Mutex<HashSet<String>>>);

impl Diary {
    /// Books an hour for the message `id`, once for each `key`: the unique constraint, which has the
    /// last word wherever a store has lost what it knew. `false` where `key` has been booked before.
    pub(crate) async fn book(&self, key: &str, id: &str) -> io::Result<bool> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned());
        // Whatever a client wrote into its id, this is one line.
        let id = id.escape_debug();
        print_line(&if is_new { format!("booked {id}") } else { format!("already-booked {id}") })?;
        Ok(is_new)
    }
}

/// Prints a line at once, so that whoever reads along can count.
pub(crate) fn print_line(line: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{line}")?;
    output.flush()
}

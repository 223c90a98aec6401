//! The answer where nobody can be reached (OR-5.10).

use std::fmt;

use serde_json::Value;

use crate::binding::ReplyDraft;
use crate::call::A2aCall;

/// Says that no person can be reached now, when one was asked for (OR-5.10).
///
/// ```
/// use tower_a2a_extensions::on_request::NobodyReachable;
///
/// let answer = NobodyReachable::new()
///     .operator("Example Memorial Chapel")
///     .staffed("Monday to Friday, 09:00 to 17:00")
///     .instead("https://ask.example.com/talk");
/// assert_eq!(
///     answer.to_string(),
///     "Nobody at Example Memorial Chapel can be reached now. Staff can be reached Monday to Friday, 09:00 to 17:00. \
///      You can leave word here: https://ask.example.com/talk"
/// );
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct NobodyReachable {
    operator: Option<String>,
    staffed: Option<String>,
    instead: Option<String>,
}

impl NobodyReachable {
    /// The plain answer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the operator.
    #[must_use]
    pub fn operator(mut self, name: impl Into<String>) -> Self {
        self.operator = Some(name.into());
        self
    }

    /// Says when somebody can be reached.
    #[must_use]
    pub fn staffed(mut self, when: impl Into<String>) -> Self {
        self.staffed = Some(when.into());
        self
    }

    /// Says where word can be left.
    #[must_use]
    pub fn instead(mut self, address: impl Into<String>) -> Self {
        self.instead = Some(address.into());
        self
    }

    /// The answer as a Message in the caller's version.
    #[must_use]
    pub fn to_message(&self, call: &A2aCall) -> Value {
        let target = call.reply_target();
        ReplyDraft::answering(call.message(), self.to_string()).to_value(target.binding, target.version)
    }
}

impl fmt::Display for NobodyReachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.operator {
            Some(operator) => write!(f, "Nobody at {operator} can be reached now.")?,
            None => f.write_str("Nobody can be reached now.")?,
        }
        if let Some(when) = &self.staffed {
            write!(f, " Staff can be reached {when}.")?;
        }
        if let Some(address) = &self.instead {
            write!(f, " You can leave word here: {address}")?;
        }
        Ok(())
    }
}

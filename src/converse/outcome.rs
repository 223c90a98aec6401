//! What became of a typed call of a routine (`invocation.outcome`).

use std::fmt;

/// What became of a typed call of a routine.
///
/// A value that this version does not know is kept as it is written.
///
/// ```
/// use tower_a2a_extensions::converse::InvocationOutcome;
///
/// assert_eq!(InvocationOutcome::from("not_started"), InvocationOutcome::NotStarted);
/// assert_eq!(InvocationOutcome::from("queued").as_str(), "queued");
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum InvocationOutcome {
    /// The routine began.
    Started,
    /// A routine that was left was taken up again.
    Reentered,
    /// The agent, or who it asked, said no.
    Declined,
    /// The routine did not begin, for example because its input did not fit.
    NotStarted,
    /// No exposed routine has this name.
    UnknownTool,
    /// A value of a newer version. Made by [`from`](Self::from), never one of those above.
    Other(String),
}

impl InvocationOutcome {
    const KNOWN: [Self; 5] = [Self::Started, Self::Reentered, Self::Declined, Self::NotStarted, Self::UnknownTool];

    /// As it is written in a reply.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Started => "started",
            Self::Reentered => "reentered",
            Self::Declined => "declined",
            Self::NotStarted => "not_started",
            Self::UnknownTool => "unknown_tool",
            Self::Other(value) => value,
        }
    }
}

impl From<&str> for InvocationOutcome {
    fn from(value: &str) -> Self {
        let known = Self::KNOWN.into_iter().find(|outcome| outcome.as_str() == value);
        known.unwrap_or_else(|| Self::Other(value.to_owned()))
    }
}

impl fmt::Display for InvocationOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_of_the_page_is_read_as_it_is_written() {
        let page = ["started", "reentered", "declined", "not_started", "unknown_tool"];
        for (written, known) in page.into_iter().zip(InvocationOutcome::KNOWN) {
            assert_eq!(InvocationOutcome::from(written), known);
            assert_eq!(known.as_str(), written);
        }
        for other in ["", "Started", "queued"] {
            assert_eq!(InvocationOutcome::from(other), InvocationOutcome::Other(other.to_owned()));
        }
    }
}

//! What became of a typed routine call.

use super::words::words;

words! {
    /// What became of a typed routine call: `invocation.outcome`.
    InvocationOutcome {
        /// The routine began.
        Started = "started",
        /// The routine was running already, and went on.
        Reentered = "reentered",
        /// The call was declined.
        Declined = "declined",
        /// The routine did not begin.
        NotStarted = "not_started",
        /// The agent exposes no routine of this name.
        UnknownTool = "unknown_tool",
    }
}

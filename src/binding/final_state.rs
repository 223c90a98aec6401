//! The states that a task ends in by the word of the layer.

/// How a task ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum FinalState {
    Completed,
    Rejected,
    /// Nobody knows what became of an action.
    Failed,
}

impl FinalState {
    /// In ProtoJSON, A2A 1.0 and 0.3's HTTP+JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Completed => "TASK_STATE_COMPLETED",
            Self::Rejected => "TASK_STATE_REJECTED",
            Self::Failed => "TASK_STATE_FAILED",
        }
    }

    /// In 0.3's JSON-RPC.
    pub(crate) fn short_name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
        }
    }

    /// In protobuf, alike in both versions.
    #[cfg(feature = "grpc")]
    pub(super) fn number(self) -> u64 {
        match self {
            Self::Completed => 3,
            Self::Failed => 4,
            Self::Rejected => 7,
        }
    }

    pub(crate) fn is(self, state: &str) -> bool {
        state == self.name() || state == self.short_name()
    }
}

//! How many outgoing objects each captured reply holds, counted by another program: every JSON
//! object with `parts` that has an `artifactId`, or a `role` other than the user's.

pub(crate) const SERVERS: [&str; 7] = [
    "a2a-protocol-server",
    "a2a-rs-0.10",
    "a2a-rust-0.1",
    "a2a-server-lf",
    "agntcy-a2a-server",
    "js-a2a-sdk",
    "python-a2a-sdk",
];

/// That server has no such reply.
pub(crate) const NONE: usize = usize::MAX;

/// A case, and the count for each server.
#[rustfmt::skip]
pub(crate) const CASES: &[(&str, [usize; 7])] = &[
    ("agent-card", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-cancel-task", [0, 2, 0, 0, 0, 1, 0]),
    ("jsonrpc-cancel-task-terminal", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-batch", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-content-type", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-get", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-invalid-params", [0, 2, 0, 1, 1, 0, 0]),
    ("jsonrpc-error-method-not-found", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-parse", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-task-not-found", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-v03-method", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-error-version", [0, 2, 0, 0, 1, 0, 0]),
    ("jsonrpc-extended-card", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-get-task", [2, 2, 2, 2, 2, 3, 2]),
    ("jsonrpc-get-task-history0", [2, 1, 2, 2, 2, 2, 2]),
    ("jsonrpc-list-tasks", [3, 2, 2, 0, 0, 10, 8]),
    ("jsonrpc-send-message-reply", [1, 2, 1, 1, 1, 1, 1]),
    ("jsonrpc-send-message-reply-ext", [1, 2, 1, 1, 1, 1, 1]),
    ("jsonrpc-send-message-reply-noversion", [0, 2, 1, 0, 1, 0, 0]),
    ("jsonrpc-send-return-immediately", [0, 0, 0, 0, 0, 0, 0]),
    ("jsonrpc-send-task-reply", [2, 2, 2, 2, 2, 3, 2]),
    ("jsonrpc-stream", [5, 7, 0, 5, 5, 5, 5]),
    ("jsonrpc-stream-cancelled", [1, 1, 0, 1, 1, 1, 1]),
    ("jsonrpc-stream-error-missing-task", [0, 7, 0, 0, 5, 0, 0]),
    ("jsonrpc-stream-ext", [5, 7, 0, 5, 5, 5, 5]),
    ("jsonrpc-stream-message-only", [1, 3, 0, 1, 1, 1, 1]),
    ("jsonrpc-subscribe", [1, 1, NONE, 1, 1, 1, 1]),
    ("jsonrpc-subscribe-cancel", [0, 2, NONE, 0, 0, 1, 1]),
    ("jsonrpc-subscribe-terminal-error", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-cancel-task", [0, 2, 0, 0, 0, 1, 0]),
    ("rest-cancel-task-terminal", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-content-type", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-invalid-params", [0, 2, 0, 1, 1, 0, 0]),
    ("rest-error-method", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-parse", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-route-not-found", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-task-not-found", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-error-version", [0, 2, 0, 1, 1, 0, 0]),
    ("rest-extended-card", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-get-task", [2, 2, 2, 2, 2, 3, 2]),
    ("rest-get-task-history0", [2, 1, 2, 2, 2, 2, 2]),
    ("rest-list-tasks", [3, 2, 5, 0, 0, 8, 6]),
    ("rest-list-tasks-status", [1, 1, 2, 2, 2, 4, 3]),
    ("rest-send-message-reply", [1, 2, 1, 1, 1, 1, 1]),
    ("rest-send-message-reply-a2ajson", [1, 2, 1, 1, 1, 1, 1]),
    ("rest-send-message-reply-ext", [1, 2, 1, 1, 1, 1, 1]),
    ("rest-send-return-immediately", [0, 0, 0, 0, 0, 0, 0]),
    ("rest-send-task-reply", [2, 2, 2, 2, 2, 3, 2]),
    ("rest-stream", [5, 7, 5, 5, 5, 5, 5]),
    ("rest-stream-cancelled", [1, 1, 1, 1, 1, 1, 1]),
    ("rest-stream-error-missing-task", [0, 9, 5, 0, 0, 0, 0]),
    ("rest-stream-message-only", [1, 3, 1, 1, 1, 1, 1]),
    ("rest-subscribe", [1, 0, 0, 1, 1, 1, 1]),
    ("rest-subscribe-cancel", [0, 2, 0, 0, 0, 1, 1]),
    ("rest-subscribe-get", [1, 1, 1, 1, 1, 1, 1]),
    ("rest-subscribe-terminal-error", [0, 0, 0, 0, 0, 0, 0]),
];

/// Replies of `js-a2a-sdk-activated`.
pub(crate) const ACTIVATED: &[(&str, usize)] =
    &[("jsonrpc-send-message-reply-ext", 1), ("jsonrpc-stream-ext", 5), ("rest-send-message-reply-ext", 1)];

//! The errors this agent answers itself, for both bindings. What concerns extensions, bodies that
//! cannot be read and gated calls is answered by the layer before anything here runs.

use axum::http::{HeaderMap, Uri};
use serde_json::{Value, json};

/// What went wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fault {
    BadJson,
    BadRequest,
    UnknownMethod,
    BadParams,
    TaskNotFound,
    TaskNotCancelable,
    NoPushNotifications,
    Unsupported,
    Version,
}

struct Row {
    code: i64,
    http: u16,
    status: &'static str,
    reason: Option<&'static str>,
    text: &'static str,
}

impl Fault {
    fn row(self) -> Row {
        let row = |code, http, status, reason, text| Row { code, http, status, reason, text };
        match self {
            Self::BadJson => row(-32700, 400, "INVALID_ARGUMENT", None, "the body is no JSON"),
            Self::BadRequest => row(-32600, 400, "INVALID_ARGUMENT", None, "the body is no request"),
            Self::UnknownMethod => row(-32601, 404, "NOT_FOUND", None, "there is no such method"),
            Self::BadParams => row(-32602, 400, "INVALID_ARGUMENT", None, "a message or an id is missing"),
            Self::TaskNotFound => row(-32001, 404, "NOT_FOUND", Some("TASK_NOT_FOUND"), "there is no such task"),
            Self::TaskNotCancelable => {
                row(-32002, 400, "FAILED_PRECONDITION", Some("TASK_NOT_CANCELABLE"), "the task has ended")
            }
            Self::NoPushNotifications => row(
                -32003,
                400,
                "FAILED_PRECONDITION",
                Some("PUSH_NOTIFICATION_NOT_SUPPORTED"),
                "the chapel does not call back",
            ),
            Self::Unsupported => {
                row(-32004, 400, "FAILED_PRECONDITION", Some("UNSUPPORTED_OPERATION"), "the chapel does not offer this")
            }
            Self::Version => row(
                -32009,
                400,
                "FAILED_PRECONDITION",
                Some("VERSION_NOT_SUPPORTED"),
                "this version is not spoken here",
            ),
        }
    }

    pub(crate) fn http_status(self) -> u16 {
        self.row().http
    }

    /// The `error` of a JSON-RPC reply.
    pub(crate) fn to_json_rpc(self) -> Value {
        let row = self.row();
        json!({"code": row.code, "message": row.text, "data": row.details()})
    }

    /// The body of an HTTP+JSON reply.
    pub(crate) fn to_http_json(self) -> Value {
        let row = self.row();
        json!({"error": {"code": row.http, "status": row.status, "message": row.text, "details": row.details()}})
    }
}

impl Row {
    fn details(&self) -> Vec<Value> {
        let info = |reason| json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "a2a-protocol.org"});
        self.reason.map(info).into_iter().collect()
    }
}

/// Whether the version that the client names, in a header or in the query, is one of these. A
/// client that names none is served by the shape it uses.
pub(crate) fn check_version(headers: &HeaderMap, uri: &Uri, spoken: &[&str]) -> Result<(), Fault> {
    let query = uri.query().unwrap_or_default().split('&');
    let in_query =
        query.filter_map(|pair| pair.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("A2A-Version"));
    let named = match headers.get("a2a-version") {
        Some(value) => value.to_str().map_err(|_| Fault::Version)?,
        None => in_query.map(|(_, version)| version).unwrap_or_default(),
    };
    let named = named.trim();
    if named.is_empty() || spoken.contains(&named) { Ok(()) } else { Err(Fault::Version) }
}

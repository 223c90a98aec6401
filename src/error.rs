//! Refusals of the layer, and the one table of how each is told in each binding.

use std::borrow::Cow;
use std::fmt;

use http::StatusCode;

/// An error of whatever type, as tower has it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a request is refused (A2A §3.3.2, §5.4; JSON-RPC 2.0 §5.1).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum A2aErrorKind {
    /// The body is no JSON.
    InvalidJson,
    /// The body is JSON, but no request that can be read without doubt.
    InvalidRequest,
    /// A member of the request has the wrong type.
    InvalidParams,
    /// The layer or an extension failed.
    Internal,
    /// The agent does not offer this, for example streaming.
    UnsupportedOperation,
    /// The agent's reply claims what must not be claimed.
    InvalidAgentResponse,
    /// The card requires an extension that the client did not ask for.
    ExtensionSupportRequired,
    /// The card does not list the protocol version of the request.
    VersionNotSupported,
    /// The body cannot be read, and its type is none that A2A uses.
    ContentTypeNotSupported,
    /// The body is longer than `max_request_body`, or than a limit outside the layer.
    BodyTooLarge,
    /// The body did not arrive within `request_body_timeout`.
    BodyTimeout,
    /// The body is compressed or in another charset than UTF-8.
    UnsupportedMediaType,
    /// The request uses or asks for a protocol that the layer cannot look into.
    NotImplemented,
}

/// How one kind is told: a row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorCodes {
    pub(crate) json_rpc: i32,
    /// The status of the JSON-RPC reply: 200 for errors of the protocol itself.
    pub(crate) json_rpc_status: StatusCode,
    pub(crate) http: StatusCode,
    /// The name of the gRPC code, which HTTP+JSON replies carry too.
    pub(crate) grpc_name: &'static str,
    /// The gRPC code.
    pub(crate) grpc: u8,
    /// `ErrorInfo.reason`, where A2A defines one.
    pub(crate) reason: Option<&'static str>,
}

const fn row(
    json_rpc: i32,
    http: StatusCode,
    grpc_name: &'static str,
    grpc: u8,
    reason: Option<&'static str>,
) -> ErrorCodes {
    ErrorCodes { json_rpc, json_rpc_status: StatusCode::OK, http, grpc_name, grpc, reason }
}

const fn http_row(http: StatusCode, grpc_name: &'static str, grpc: u8) -> ErrorCodes {
    ErrorCodes { json_rpc: -32600, json_rpc_status: http, http, grpc_name, grpc, reason: None }
}

impl A2aErrorKind {
    /// A stable word, for logs and metrics; [`Display`](fmt::Display) writes the same.
    ///
    /// ```
    /// use tower_a2a_extensions::A2aErrorKind;
    ///
    /// assert_eq!(A2aErrorKind::InvalidRequest.as_str(), "invalid-request");
    /// assert_eq!(A2aErrorKind::BodyTooLarge.to_string(), "body-too-large");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid-json",
            Self::InvalidRequest => "invalid-request",
            Self::InvalidParams => "invalid-params",
            Self::Internal => "internal",
            Self::UnsupportedOperation => "unsupported-operation",
            Self::InvalidAgentResponse => "invalid-agent-response",
            Self::ExtensionSupportRequired => "extension-support-required",
            Self::VersionNotSupported => "version-not-supported",
            Self::ContentTypeNotSupported => "content-type-not-supported",
            Self::BodyTooLarge => "body-too-large",
            Self::BodyTimeout => "body-timeout",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::NotImplemented => "not-implemented",
        }
    }

    /// Whether the layer, an extension or the agent failed, and not the client.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        match self {
            Self::Internal | Self::InvalidAgentResponse => true,
            Self::InvalidJson
            | Self::InvalidRequest
            | Self::InvalidParams
            | Self::UnsupportedOperation
            | Self::ExtensionSupportRequired
            | Self::VersionNotSupported
            | Self::ContentTypeNotSupported
            | Self::BodyTooLarge
            | Self::BodyTimeout
            | Self::UnsupportedMediaType
            | Self::NotImplemented => false,
        }
    }

    pub(crate) const fn codes(self) -> ErrorCodes {
        use StatusCode as S;
        match self {
            Self::InvalidJson => row(-32700, S::BAD_REQUEST, "INVALID_ARGUMENT", 3, None),
            Self::InvalidRequest => row(-32600, S::BAD_REQUEST, "INVALID_ARGUMENT", 3, None),
            Self::InvalidParams => row(-32602, S::BAD_REQUEST, "INVALID_ARGUMENT", 3, None),
            Self::Internal => row(-32603, S::INTERNAL_SERVER_ERROR, "INTERNAL", 13, None),
            Self::UnsupportedOperation => {
                row(-32004, S::BAD_REQUEST, "FAILED_PRECONDITION", 9, Some("UNSUPPORTED_OPERATION"))
            }
            Self::InvalidAgentResponse => {
                row(-32006, S::INTERNAL_SERVER_ERROR, "INTERNAL", 13, Some("INVALID_AGENT_RESPONSE"))
            }
            Self::ExtensionSupportRequired => {
                row(-32008, S::BAD_REQUEST, "FAILED_PRECONDITION", 9, Some("EXTENSION_SUPPORT_REQUIRED"))
            }
            Self::VersionNotSupported => {
                row(-32009, S::BAD_REQUEST, "FAILED_PRECONDITION", 9, Some("VERSION_NOT_SUPPORTED"))
            }
            Self::ContentTypeNotSupported => {
                row(-32005, S::UNSUPPORTED_MEDIA_TYPE, "INVALID_ARGUMENT", 3, Some("CONTENT_TYPE_NOT_SUPPORTED"))
            }
            Self::BodyTooLarge => http_row(S::PAYLOAD_TOO_LARGE, "INVALID_ARGUMENT", 3),
            Self::BodyTimeout => http_row(S::REQUEST_TIMEOUT, "INVALID_ARGUMENT", 3),
            Self::UnsupportedMediaType => http_row(S::UNSUPPORTED_MEDIA_TYPE, "INVALID_ARGUMENT", 3),
            Self::NotImplemented => http_row(S::NOT_IMPLEMENTED, "UNIMPLEMENTED", 12),
        }
    }
}

impl fmt::Display for A2aErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal, told to the caller in its own binding.
///
/// ```
/// use tower_a2a_extensions::{A2aError, A2aErrorKind};
///
/// let error = A2aError::new(A2aErrorKind::UnsupportedOperation, "this agent does not stream");
/// assert_eq!(error.kind(), A2aErrorKind::UnsupportedOperation);
/// assert_eq!(error.to_string(), "this agent does not stream");
/// ```
///
/// # Security
///
/// The message and the metadata go to the caller: never put an error of a back end into them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct A2aError {
    kind: A2aErrorKind,
    message: Cow<'static, str>,
    metadata: Vec<(Cow<'static, str>, String)>,
}

impl A2aError {
    /// A refusal with a message for the caller.
    #[must_use]
    pub fn new(kind: A2aErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), metadata: Vec::new() }
    }

    /// Adds an entry to `ErrorInfo.metadata` (A2A §9.5, §11.6).
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.metadata.push((key.into(), value.into()));
        self
    }

    /// What kind of refusal it is.
    #[must_use]
    pub fn kind(&self) -> A2aErrorKind {
        self.kind
    }

    /// The entries of `ErrorInfo.metadata`.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        self.metadata.iter().map(|(key, value)| (key.as_ref(), value.as_str()))
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for A2aError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for A2aError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a12_the_table_says_what_a2a_says() {
        use A2aErrorKind as K;
        let table = [
            (K::InvalidJson, -32700, 200, 400, "INVALID_ARGUMENT", 3, None),
            (K::InvalidRequest, -32600, 200, 400, "INVALID_ARGUMENT", 3, None),
            (K::InvalidParams, -32602, 200, 400, "INVALID_ARGUMENT", 3, None),
            (K::Internal, -32603, 200, 500, "INTERNAL", 13, None),
            (K::UnsupportedOperation, -32004, 200, 400, "FAILED_PRECONDITION", 9, Some("UNSUPPORTED_OPERATION")),
            (K::InvalidAgentResponse, -32006, 200, 500, "INTERNAL", 13, Some("INVALID_AGENT_RESPONSE")),
            (
                K::ExtensionSupportRequired,
                -32008,
                200,
                400,
                "FAILED_PRECONDITION",
                9,
                Some("EXTENSION_SUPPORT_REQUIRED"),
            ),
            (K::VersionNotSupported, -32009, 200, 400, "FAILED_PRECONDITION", 9, Some("VERSION_NOT_SUPPORTED")),
            (K::ContentTypeNotSupported, -32005, 200, 415, "INVALID_ARGUMENT", 3, Some("CONTENT_TYPE_NOT_SUPPORTED")),
            (K::BodyTooLarge, -32600, 413, 413, "INVALID_ARGUMENT", 3, None),
            (K::BodyTimeout, -32600, 408, 408, "INVALID_ARGUMENT", 3, None),
            (K::UnsupportedMediaType, -32600, 415, 415, "INVALID_ARGUMENT", 3, None),
            (K::NotImplemented, -32600, 501, 501, "UNIMPLEMENTED", 12, None),
        ];
        for (kind, json_rpc, json_rpc_status, http, grpc_name, grpc, reason) in table {
            let codes = kind.codes();
            assert_eq!(
                (
                    codes.json_rpc,
                    codes.json_rpc_status.as_u16(),
                    codes.http.as_u16(),
                    codes.grpc_name,
                    codes.grpc,
                    codes.reason
                ),
                (json_rpc, json_rpc_status, http, grpc_name, grpc, reason),
                "{kind:?}"
            );
            assert_eq!(kind.is_fault(), http == 500, "{kind:?}");
            assert_eq!(kind.to_string(), kebab(&format!("{kind:?}")));
        }
    }

    /// `InvalidJson` as `invalid-json`.
    fn kebab(name: &str) -> String {
        let words = name.chars().map(|c| if c.is_uppercase() { format!("-{}", c.to_lowercase()) } else { c.into() });
        words.collect::<String>().trim_start_matches('-').to_owned()
    }
}

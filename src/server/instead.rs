//! A referral in the place of an error that the agent answers after the guard has refused it something.

use http::{Response, response};

use super::admission::AdmittedCall;
use super::response_body::A2aExtensionsBody;
use crate::json::{JsonKind, JsonScan, ScanError};

impl AdmittedCall {
    /// The referral, where the head alone says that the reply is an error.
    pub(super) fn instead_of_head<R>(&self, parts: &response::Parts) -> Option<Response<A2aExtensionsBody<R>>> {
        let has_grpc_error = parts.headers.get("grpc-status").is_some_and(|status| status != "0");
        let is_error = parts.status.is_client_error() || parts.status.is_server_error() || has_grpc_error;
        is_error.then(|| self.instead_of_error())?
    }

    /// The referral, where a document is an error of JSON-RPC.
    pub(super) fn instead_of_document<R>(&self, document: &[u8]) -> Option<Response<A2aExtensionsBody<R>>> {
        self.call.instead_of_error()?;
        is_error(document).unwrap_or(false).then(|| self.instead_of_error())?
    }

    /// Only a message is answered by one.
    fn instead_of_error<R>(&self) -> Option<Response<A2aExtensionsBody<R>>> {
        let draft = self.call.instead_of_error()?;
        self.call.message()?;
        Some(self.answer_draft(&self.call.reply_target(), draft.clone()))
    }
}

/// Whether a document is an object with an `error` that is not `null`.
fn is_error(document: &[u8]) -> Result<bool, ScanError> {
    let mut scan = JsonScan::new(document);
    if scan.kind()? != JsonKind::Object {
        return Ok(false);
    }
    scan.enter()?;
    while let Some(key) = scan.next_key()? {
        if key.is("error") && scan.kind()? != JsonKind::Null {
            return Ok(true);
        }
        scan.skip()?;
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_by_its_member() {
        for (document, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}"#, true),
            (r#"{"error":"x"}"#, true),
            (r#"{"error":null,"result":{}}"#, false),
            (r#"{"result":{"error":{}}}"#, false),
            (r#"[{"error":{}}]"#, false),
            ("", false),
            ("{", false),
        ] {
            assert_eq!(is_error(document.as_bytes()).unwrap_or(false), expected, "{document}");
        }
    }
}

//! A message that came with no request.

use bytes::Bytes;
use serde_json::Value;

use super::IncomingMessage;
use super::doubt::Doubt;
use super::envelope::Envelope;
use super::message::RequestForm;
use crate::error::{A2aError, A2aErrorKind};

impl IncomingMessage {
    /// A message that came with no request, for tests: as if `{"message": …, "metadata": …}` had
    /// come in.
    ///
    /// # Errors
    ///
    /// What a request with this message would be refused with.
    pub(crate) fn from_value(message: &Value, request_metadata: Option<&Value>) -> Result<Self, A2aError> {
        let metadata = request_metadata.unwrap_or(&Value::Null);
        let body = Bytes::from(format!(r#"{{"message":{message},"metadata":{metadata}}}"#));
        let doubtful = |why: &'static str| A2aError::new(A2aErrorKind::InvalidRequest, why);
        let envelope = Envelope::read(&body, &[]).map_err(|_| doubtful("the message is no JSON"))?;
        match (envelope.doubt_about_a_message(), envelope.into_message(body, RequestForm::default())) {
            (Some(doubt), _) => Err(doubt.into()),
            (None, Some(message)) => Ok(message),
            (None, None) => Err(Doubt::wrong_type("`message` must be an object").into()),
        }
    }
}

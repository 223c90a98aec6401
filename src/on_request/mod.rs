//! stub
use crate::{A2aCall, A2aExtension, ExtensionUri, MessageGate, OutgoingObject, Stamp};
pub struct OnRequest;
impl OnRequest {
    pub fn new() -> Self {
        Self
    }
}
impl A2aExtension for OnRequest {
    fn uri(&self) -> ExtensionUri {
        ExtensionUri::from_static("https://agent-capability.org/ext/on-request/v1")
    }
    fn gate(&self) -> Option<&dyn MessageGate> {
        None
    }
    fn stamp(&self, _: &OutgoingObject<'_>, _: &A2aCall) -> Stamp {
        Stamp::keep()
    }
}

//! The Converse extension, version 1: a pointer to the agent's MCP endpoint and the routines it
//! exposes in the card, and a machine-readable envelope on replies.

mod card;
mod outcome;

pub use self::card::{
    ConverseParams, ConverseTool, McpEndpoint, Slot, SlotProblem, SlotType, ToolInput, ToolInputError, check_card,
};
pub use self::outcome::InvocationOutcome;
use crate::uri::ExtensionUri;

/// The URI of the extension.
pub const CONVERSE_URI: ExtensionUri =
    ExtensionUri::from_static("https://docs.radioso.ai/reference/a2a-converse-extension/v1");

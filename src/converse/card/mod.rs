//! The card side: the declaration's `params`, their check, and the input of a routine.

mod address;
mod input;
mod params;
mod reading;
mod rules;
mod schema;
mod slot;
mod tool;

pub use self::input::{SlotProblem, ToolInput, ToolInputError};
pub use self::params::{ConverseParams, McpEndpoint};
pub(super) use self::rules::check;
pub use self::rules::check_card;
pub use self::slot::{Slot, SlotType};
pub use self::tool::ConverseTool;

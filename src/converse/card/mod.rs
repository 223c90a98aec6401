//! The card side: the declaration's `params`, their check, and the input of a routine.

mod address;
mod declaration;
mod input;
mod reading;
mod rules;
mod schema;
mod slot;
mod tool;

pub use self::declaration::{ConverseDeclaration, McpEndpoint};
pub use self::input::{SlotProblem, ToolInput, ToolInputError};
pub(super) use self::rules::check;
pub use self::rules::check_card;
pub use self::slot::{Slot, SlotType};
pub use self::tool::ConverseTool;

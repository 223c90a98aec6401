//! The one structural reader of the crate: requests, replies and cards are read with it.
//!
//! It finds where things stand and judges structure only: brackets, commas, colons, literals and
//! the grammar of numbers, never their size, the depth, or what a skipped string holds. It copies
//! nothing and does not recurse, so depth costs no stack.

mod nesting;
mod scan;
mod text;
mod value;

pub(crate) use scan::{JsonKind, JsonScan, ScanError};
pub(crate) use text::{JsonText, unescaped};
pub(crate) use value::{read_unambiguous_value, read_value};

//! The layer driven through `oneshot`, and every way of attaching it.

mod attach;
mod header;
mod mock;
mod support;

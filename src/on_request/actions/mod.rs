//! Actions at an assistant's request (OR-5.6).

pub mod store;

//! Actions through the guard (OR-5.6 to OR-5.8).

mod before;
mod bindings;
mod build;
mod conditions;
mod confirmed;
mod dropped;
mod duplicates;
mod failing_store;
mod support;

//! Documents, case by case. What is random is in `tests/random.rs`.

mod places;
mod stamps;

//! Documents and streams, case by case, and at random against a naive second implementation.

mod captured;
mod events;
mod naive;
mod places;
mod random;
mod random_json;
mod search;
mod stamps;
mod words;

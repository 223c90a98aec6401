//! Guides, a page each.
//!
//! | you are | start with |
//! |---|---|
//! | an agent developer | [`deciding`], then [`order_of_layers`] and [`replies_and_push`] |
//! | an operator | [`deciding`] |
//! | an author of an extension | the guide on [`A2aExtension`](crate::A2aExtension) |

#[doc = include_str!("deciding.md")]
pub mod deciding {}

#[doc = include_str!("order_of_layers.md")]
pub mod order_of_layers {}

#[doc = include_str!("replies_and_push.md")]
pub mod replies_and_push {}

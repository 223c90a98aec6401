//! Guides, a page each.
//!
//! | you are | start with |
//! |---|---|
//! | an agent developer | [`deciding`], then [`order_of_layers`] and [`replies_and_push`] |
//! | an operator | [`security`], then [`deciding`], [`cards`] and [`actions`] |
//! | an author of an extension | the guide on [`A2aExtension`](crate::A2aExtension), then [`architecture`] |
//! | a developer of an agent that speaks Converse | [`converse`] |

#[doc = include_str!("actions.md")]
pub mod actions {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("cards.md")]
pub mod cards {}

#[doc = include_str!("converse.md")]
pub mod converse {}

#[doc = include_str!("deciding.md")]
pub mod deciding {}

#[doc = include_str!("order_of_layers.md")]
pub mod order_of_layers {}

#[doc = include_str!("replies_and_push.md")]
pub mod replies_and_push {}

#[doc = include_str!("security.md")]
pub mod security {}

//! Guides, a page each.
//!
//! | you are | start with |
//! |---|---|
//! | an agent developer | [`deciding`], then [`order_of_layers`] |
//! | an operator | [`deciding`], [`security`], [`checking_cards`] |
//! | an author of an extension | [`writing_an_extension`] |
//! | new to the sources | [`architecture`] |
//!
//! Actions have a page of their own, [`actions`]. So have [`replies_and_push`] and [`converse`].

#[doc = include_str!("actions.md")]
pub mod actions {}

#[doc = include_str!("architecture.md")]
pub mod architecture {}

#[doc = include_str!("checking_cards.md")]
pub mod checking_cards {}

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

pub mod writing_an_extension {
    //! The guide stands with the trait: [`A2aExtension`](crate::A2aExtension).
}

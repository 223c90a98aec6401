#![allow(clippy::needless_pass_by_value)]

mod actions;
mod assertion;
mod decide;
mod gate;
mod given;
mod guard;
mod marks;
mod referral;
mod support;

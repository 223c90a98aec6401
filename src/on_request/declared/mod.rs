//! What the card says: its skills, where a person can ask, and the rules that can stop a build.

pub(in crate::on_request) mod card_rules;
pub(in crate::on_request) mod catalog;
pub(in crate::on_request) mod declaration;
pub(in crate::on_request) mod examples;
pub(in crate::on_request) mod person_entry;
pub(in crate::on_request) mod reach;
pub(in crate::on_request) mod skill;
pub(in crate::on_request) mod wording;

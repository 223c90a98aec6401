//! Who asks, what the rules of the specification say, and what the operator's policy says.

pub(in crate::on_request) mod assertion;
pub(in crate::on_request) mod caller;
pub(in crate::on_request) mod decision;
pub(in crate::on_request) mod mark_key;
pub(in crate::on_request) mod policy;
pub(in crate::on_request) mod rules;
pub(in crate::on_request) mod skill_call;

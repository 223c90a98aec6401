//! What leaves: values behind the guard, marks, referrals, and the judgement of every outgoing object.

pub(in crate::on_request) mod artifact;
pub(in crate::on_request) mod guard;
pub(in crate::on_request) mod held;
pub(in crate::on_request) mod judge;
pub(in crate::on_request) mod mark;
pub(in crate::on_request) mod outgoing;
pub(in crate::on_request) mod own_words;
pub(in crate::on_request) mod permit;
pub(in crate::on_request) mod referral;
pub(in crate::on_request) mod refusals;
pub(in crate::on_request) mod slot;
pub(in crate::on_request) mod stamp;
pub(in crate::on_request) mod text_parts;

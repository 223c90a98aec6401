//! The On Request extension.

mod artifact;
mod assertion;
mod bound;
mod builder;
mod caller;
mod card_rules;
mod catalog;
mod deadline;
mod decision;
mod declaration;
mod examples;
mod gate;
mod guard;
mod held;
mod mark;
mod person_entry;
mod policy;
mod reach;
mod referral;
mod rules;
mod settings;
mod shield;
mod skill;
mod skill_call;
mod slot;
mod stamp;
mod wording;

#[cfg(test)]
mod tests;

pub use self::assertion::{OwnAssertion, PersonAssertion};
pub use self::bound::BoundOnRequest;
pub use self::builder::OnRequest;
pub use self::caller::{Caller, IdentifyCaller};
pub use self::decision::Decision;
pub use self::declaration::{Completion, OnRequestParams, OnRequestSkill, SkillKind};
pub use self::guard::{DisclosurePermit, OnRequestGuard};
pub use self::held::{Disclosed, Held};
pub use self::mark::ReplyStatus;
pub use self::policy::{AnyPolicy, Both, IntoVerdict, Policy, Verdict, with_state};
pub use self::reach::NobodyReachable;
pub use self::referral::Referral;
pub use self::rules::{Reason, rules};
pub use self::settings::{ActionTerms, Unresolved};
pub use self::skill::{SkillId, SkillIds, SkillResolver, Union};
pub use self::skill_call::SkillCall;
pub use self::wording::{ReferralFacts, Wording};
use crate::uri::ExtensionUri;

/// The URI of the extension.
pub const ON_REQUEST_URI: ExtensionUri = ExtensionUri::from_static("https://agent-capability.org/ext/on-request/v1");

//! Data that only a permit opens.

use std::fmt;

use serde_json::Value;

use super::artifact::artifact_value;
use super::permit::DisclosurePermit;
use super::referral::Referral;
use crate::on_request::builder::OnRequest;

/// A value that is given on request: there is no way to it but a permit for its skill.
///
/// It cannot be cloned, dereferenced, printed, serialised or compared.
///
/// ```
/// use tower_a2a_extensions::Held;
///
/// static PRICE: Held<&str> = Held::new("service-pricing", "as the chapel gives it");
/// assert_eq!(format!("{PRICE:?}"), r#"Held { skill: "service-pricing", .. }"#);
/// ```
///
/// ```compile_fail,E0599
/// use tower_a2a_extensions::Held;
///
/// static PRICE: Held<&str> = Held::new("service-pricing", "as the chapel gives it");
/// PRICE.to_string();
/// ```
pub struct Held<T> {
    skill: &'static str,
    value: T,
}

impl<T> Held<T> {
    /// Holds a value for a skill of the card.
    #[must_use]
    pub const fn new(skill: &'static str, value: T) -> Self {
        Self { skill, value }
    }

    /// The skill it belongs to.
    #[must_use]
    pub const fn skill(&self) -> &'static str {
        self.skill
    }

    /// The value, for as long as the permit is there. [`OnRequestGuard::open`] is the shorter way.
    ///
    /// [`OnRequestGuard::open`]: crate::on_request::OnRequestGuard::open
    ///
    /// # Errors
    ///
    /// A [`Referral`] where the permit is for another skill.
    pub fn open<'a>(&'a self, permit: &'a DisclosurePermit) -> Result<&'a T, Referral> {
        if permit.skill() == self.skill { Ok(&self.value) } else { Err(permit.refer(self.skill)) }
    }
}

/// Shows the skill, never the value.
impl<T> fmt::Debug for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("skill", &self.skill).finish_non_exhaustive()
    }
}

/// An opened [`Held`], and the permit that opened it.
#[must_use]
pub struct Disclosed<'a, T> {
    held: &'a Held<T>,
    permit: DisclosurePermit,
}

impl<'a, T> Disclosed<'a, T> {
    pub(in crate::on_request) fn new(held: &'a Held<T>, permit: DisclosurePermit) -> Self {
        Self { held, permit }
    }

    /// The value, to make an answer of. What is given goes out as an Artifact, by
    /// [`artifact`](Self::artifact) or marked by the [`permit`](Self::permit): a price in the text of
    /// a Message carries no mark, and later replies do not know it again.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.held.value
    }

    /// The permit, to mark an Artifact of one's own making.
    pub fn permit(&self) -> &DisclosurePermit {
        &self.permit
    }

    /// The value as an Artifact in the caller's version, marked `given-on-opt-in` (§6.2), with an
    /// id of its own. `parts` makes its Parts, written as in A2A 1.0: an array, one Part, or a text.
    /// Store it as it is: the mark in it is how later replies know who may read it.
    #[must_use]
    pub fn artifact(&self, parts: impl FnOnce(&T) -> Value) -> Value {
        let target = self.permit.reply_target();
        let mut artifact = artifact_value(parts(&self.held.value), target.binding, target.version);
        self.permit.mark(&mut artifact);
        artifact
    }
}

/// Shows the skill, never the value.
impl<T> fmt::Debug for Disclosed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Disclosed").field("skill", &self.held.skill).finish_non_exhaustive()
    }
}

impl OnRequest {
    /// Names a value that the agent holds, so that a mistyped skill stops the build. Otherwise it
    /// shows only when the value is asked for, as `UnknownSkill`.
    ///
    /// ```
    /// use serde_json::json;
    /// use tower_a2a_extensions::{AgentCard, Held, OnRequest};
    ///
    /// static PRICE: Held<&str> = Held::new("service-prising", "as the chapel gives it");
    ///
    /// let skills = json!([{"id": "service-pricing", "personEntry": "https://ask.example.com/talk"}]);
    /// let extension = json!({"uri": "https://agent-capability.org/ext/on-request/v1", "params": {"skills": skills}});
    /// let card = AgentCard::from_serialize(json!({
    ///     "skills": [{"id": "service-pricing"}],
    ///     "capabilities": {"extensions": [extension]},
    /// }))?;
    /// let error = OnRequest::new().held(&PRICE).for_card(&card).unwrap_err();
    /// assert!(error.to_string().contains("service-prising"));
    /// # Ok::<(), tower_a2a_extensions::BuildError>(())
    /// ```
    #[must_use]
    pub fn held<T>(self, held: &Held<T>) -> Self {
        self.holds(held.skill())
    }
}

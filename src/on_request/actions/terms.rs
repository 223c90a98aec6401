//! What an operator fixes for each action (OR-5.6).

use std::time::Duration;

use super::store::ActionLimit;
use crate::on_request::ON_REQUEST_URI;
use crate::on_request::declared::skill::SkillId;

const DEFAULT_TIME_ALLOWED: Duration = Duration::from_secs(30);
const DEFAULT_REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The terms of one action: what OR-5.6 asks for before it is carried out at an assistant's request.
///
/// An action that the card opens and the configuration names needs all of them, else nothing builds:
/// how staff [undo](Self::reversible) it, which member of [staff](Self::staff) is told, and how often
/// it may be done, by [one assistant and in total](Self::limits). Where a part of it
/// [cannot be undone](Self::irreversible_part), the person confirms that as well.
///
/// ```
/// use std::time::Duration;
/// use tower_a2a_extensions::on_request::ActionTerms;
/// use tower_a2a_extensions::on_request::actions::store::ActionLimit;
///
/// let minute = Duration::from_secs(60);
/// let booking = ActionTerms::new("arrangement-booking")
///     .reversible("cancel it in the diary")
///     .staff("Mair Evans")
///     .limits(ActionLimit::new(3, minute), ActionLimit::new(10, minute));
/// assert!(booking.missing().is_empty());
/// assert_eq!(ActionTerms::new("arrangement-booking").missing().len(), 3);
/// ```
#[derive(Clone, Debug)]
pub struct ActionTerms {
    skill: SkillId,
    reversal: Option<String>,
    irreversible_part: Option<String>,
    confirms_addresses: bool,
    retried: Vec<String>,
    staff: Option<String>,
    limits: Option<(ActionLimit, ActionLimit)>,
    allow_anonymous: bool,
    time_allowed: Duration,
    remembered: Duration,
    tell_words: bool,
}

impl ActionTerms {
    /// An action without terms: it is always referred.
    #[must_use]
    pub fn new(skill: impl Into<SkillId>) -> Self {
        Self {
            skill: skill.into(),
            reversal: None,
            irreversible_part: None,
            confirms_addresses: false,
            retried: Vec::new(),
            staff: None,
            limits: None,
            allow_anonymous: false,
            time_allowed: DEFAULT_TIME_ALLOWED,
            remembered: DEFAULT_REMEMBERED,
            tell_words: false,
        }
    }

    /// Says that staff can undo it, and how; they are told so (OR-5.6 b). Always needed: what staff
    /// cannot reverse is not for an assistant to ask for.
    #[must_use]
    pub fn reversible(mut self, how: impl Into<String>) -> Self {
        self.reversal = Some(how.into());
        self
    }

    /// Says that something in it cannot be undone, and what, beside what staff can
    /// [reverse](Self::reversible). The person confirms it before anything is done, in a form that they
    /// see (OR-5.6 d), by the [confirmation](super::Actions::confirmation) of all actions.
    ///
    /// A message with the bytes of a file is then referred, because no form shows them, and so is one
    /// with the address of a file, unless these terms [allow](Self::confirm_addresses) it.
    #[must_use]
    pub fn irreversible_part(mut self, what: impl Into<String>) -> Self {
        self.irreversible_part = Some(what.into());
        self
    }

    /// Lets the person confirm a message with the address of a file. Default: referred.
    ///
    /// # Security
    ///
    /// What stands at an address can change after the yes. Allow it where it cannot, or where the
    /// agent fetches nothing.
    #[must_use]
    pub fn confirm_addresses(mut self, allow: bool) -> Self {
        self.confirms_addresses = allow;
        self
    }

    /// Names a key of metadata, of the message, its Parts or its request, whose value a retry may
    /// change, such as that of a trace. It is neither part of what makes two requests the same nor
    /// shown to the person. Without it a retry with another value is referred.
    ///
    /// # Security
    ///
    /// Name nothing that the agent acts upon.
    #[must_use]
    pub fn retry_may_change(mut self, metadata_key: impl Into<String>) -> Self {
        self.retried.push(metadata_key.into());
        self
    }

    /// Names the member of staff who is told of each one before it starts (OR-5.6 b).
    #[must_use]
    pub fn staff(mut self, name: impl Into<String>) -> Self {
        self.staff = Some(name.into());
        self
    }

    /// Limits it for each assistant, and in total over all of them (OR-5.6 c).
    #[must_use]
    pub fn limits(mut self, per_assistant: ActionLimit, in_total: ActionLimit) -> Self {
        self.limits = Some((per_assistant, in_total));
        self
    }

    /// Lets assistants that are not identified ask for it. All of them share the limit of one
    /// assistant, and none gets what was answered before. Default: referred.
    #[must_use]
    pub fn allow_anonymous(mut self, allow: bool) -> Self {
        self.allow_anonymous = allow;
        self
    }

    /// Sets how long it may take once started. Then its outcome counts as unknown: staff are told,
    /// and the same message is never run again. Default: 30 s.
    #[must_use]
    pub fn time_allowed(mut self, time: Duration) -> Self {
        self.time_allowed = time;
        self
    }

    /// Sets for how long a message is remembered, so that it is not carried out twice. Default: 24 h.
    #[must_use]
    pub fn remembered(mut self, time: Duration) -> Self {
        self.remembered = time;
        self
    }

    /// Lets the notice to staff hold what the message says. Default: it holds no word of it.
    #[must_use]
    pub fn tell_words(mut self, tell: bool) -> Self {
        self.tell_words = tell;
        self
    }

    /// The skill.
    #[must_use]
    pub fn skill(&self) -> &SkillId {
        &self.skill
    }

    /// What these terms leave out, in words. Empty where they are whole.
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let is_said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        let has_part = self.irreversible_part.is_none() || is_said(&self.irreversible_part);
        let binds_the_person = !self.retried.iter().any(|key| key == ON_REQUEST_URI.as_str());
        let has_times = !self.time_allowed.is_zero() && !self.remembered.is_zero();
        let whole = [
            (is_said(&self.reversal), "how staff undo it: `reversible` (OR-5.6 b)"),
            (has_part, "what in it cannot be undone: `irreversible_part` (OR-5.6 d)"),
            (binds_the_person, "a key of `retry_may_change` that is not On Request's own"),
            (is_said(&self.staff), "the member of staff who is told: `staff` (OR-5.6 b)"),
            (self.limits.is_some(), "how often it may be done: `limits` (OR-5.6 c)"),
            (has_times, "a time allowed and a time remembered that are longer than nothing"),
        ];
        whole.into_iter().filter(|(is_given, _)| !is_given).map(|(_, what)| what).collect()
    }

    /// What staff do to undo it.
    #[must_use]
    pub fn undo(&self) -> Option<&str> {
        self.reversal.as_deref()
    }

    /// What in it cannot be undone, where there is such a thing.
    #[must_use]
    pub fn cannot_be_undone(&self) -> Option<&str> {
        self.irreversible_part.as_deref()
    }

    pub(super) fn confirms_addresses(&self) -> bool {
        self.confirms_addresses
    }

    pub(super) fn retried(&self) -> &[String] {
        &self.retried
    }

    pub(in crate::on_request) fn staff_name(&self) -> &str {
        self.staff.as_deref().unwrap_or_default()
    }

    pub(super) fn limits_or_nothing(&self) -> (ActionLimit, ActionLimit) {
        self.limits.unwrap_or((ActionLimit::NOTHING, ActionLimit::NOTHING))
    }

    pub(in crate::on_request) fn allows_anonymous(&self) -> bool {
        self.allow_anonymous
    }

    pub(super) fn allowed(&self) -> Duration {
        self.time_allowed
    }

    pub(super) fn kept(&self) -> Duration {
        self.remembered
    }

    pub(super) fn tells_words(&self) -> bool {
        self.tell_words
    }
}

impl From<&str> for ActionTerms {
    fn from(skill: &str) -> Self {
        Self::new(skill)
    }
}

impl From<String> for ActionTerms {
    fn from(skill: String) -> Self {
        Self::new(skill)
    }
}

impl From<SkillId> for ActionTerms {
    fn from(skill: SkillId) -> Self {
        Self::new(skill)
    }
}

//! What an operator fixes for each action (OR-5.6).

use std::time::Duration;

use super::store::ActionLimit;
use crate::on_request::skill::SkillId;

const DEFAULT_TIME_ALLOWED: Duration = Duration::from_secs(30);
const DEFAULT_REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether an action can be undone (OR-5.6 b and d).
#[derive(Clone, Debug, Eq, PartialEq)]
enum Reversal {
    /// Staff can undo it, and this is how.
    ByStaff(String),
    /// Something in it cannot be undone: the person confirms it.
    Irreversible(String),
}

/// The terms of one action: what OR-5.6 asks for before it is carried out at an assistant's request.
///
/// An action that the card opens and the configuration names needs all of them, else nothing builds:
/// whether staff can [undo](Self::reversible) it or the person has to
/// [confirm](Self::irreversible) it, which member of [staff](Self::staff) is told, and how often it
/// may be done, by [one assistant and in total](Self::limits).
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
    reversal: Option<Reversal>,
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
            staff: None,
            limits: None,
            allow_anonymous: false,
            time_allowed: DEFAULT_TIME_ALLOWED,
            remembered: DEFAULT_REMEMBERED,
            tell_words: false,
        }
    }

    /// Says that staff can undo it, and how; they are told so (OR-5.6 b).
    #[must_use]
    pub fn reversible(mut self, how: impl Into<String>) -> Self {
        self.reversal = Some(Reversal::ByStaff(how.into()));
        self
    }

    /// Says that something in it cannot be undone, and what. The person confirms it before anything
    /// is claimed or done (OR-5.6 d); the last of this and [`reversible`](Self::reversible) counts.
    #[must_use]
    pub fn irreversible(mut self, what: impl Into<String>) -> Self {
        self.reversal = Some(Reversal::Irreversible(what.into()));
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
        let has_reversal = match &self.reversal {
            Some(Reversal::ByStaff(text) | Reversal::Irreversible(text)) => !text.trim().is_empty(),
            None => false,
        };
        let has_times = !self.time_allowed.is_zero() && !self.remembered.is_zero();
        let has_staff = self.staff.as_ref().is_some_and(|name| !name.trim().is_empty());
        let whole = [
            (has_reversal, "whether staff can undo it: `reversible` or `irreversible` (OR-5.6 b, d)"),
            (has_staff, "the member of staff who is told: `staff` (OR-5.6 b)"),
            (self.limits.is_some(), "how often it may be done: `limits` (OR-5.6 c)"),
            (has_times, "a time allowed and a time remembered that are longer than nothing"),
        ];
        whole.into_iter().filter(|(is_given, _)| !is_given).map(|(_, what)| what).collect()
    }

    /// What staff do to undo it, where they can.
    #[must_use]
    pub fn undo(&self) -> Option<&str> {
        match self.reversal.as_ref()? {
            Reversal::ByStaff(how) => Some(how),
            Reversal::Irreversible(_) => None,
        }
    }

    /// What in it cannot be undone, where there is such a thing.
    #[must_use]
    pub fn cannot_be_undone(&self) -> Option<&str> {
        match self.reversal.as_ref()? {
            Reversal::ByStaff(_) => None,
            Reversal::Irreversible(what) => Some(what),
        }
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

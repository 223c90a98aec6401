//! The named member of staff who is told (OR-5.6 b).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::SystemTime;

use crate::error::BoxError;
use crate::on_request::deciding::caller::Caller;
use crate::on_request::declared::skill::SkillId;

/// What staff are told about an action.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum StaffEvent {
    /// It is about to start. Where this cannot be told, it does not.
    Starting,
    /// It was done, and answered.
    Done,
    /// It was not started after all.
    NotDone,
    /// It was started, and nobody knows what became of it. Somebody has to look.
    Unknown,
}

impl StaffEvent {
    /// A stable word, for messages and logs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Done => "done",
            Self::NotDone => "not-done",
            Self::Unknown => "unknown",
        }
    }
}

/// A notice to a member of staff. It says for whom it was asked, and holds nothing else that was
/// written, unless the terms say so.
#[derive(Clone)]
pub struct StaffNotice {
    pub(super) event: StaffEvent,
    pub(super) staff: String,
    pub(super) skill: SkillId,
    pub(super) caller: Caller,
    pub(super) acting_for: Option<String>,
    pub(super) at: SystemTime,
    pub(super) undo: Option<String>,
    pub(super) idempotency_key: String,
    pub(super) words: Option<String>,
}

impl StaffNotice {
    /// What has happened.
    #[must_use]
    pub fn event(&self) -> StaffEvent {
        self.event
    }

    /// Who is told.
    #[must_use]
    pub fn staff(&self) -> &str {
        &self.staff
    }

    /// The action.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.skill.as_str()
    }

    /// Which assistant asks for it. `None` for one that is not identified.
    #[must_use]
    pub fn assistant(&self) -> Option<&str> {
        self.caller.id()
    }

    /// Who asked, with the claims that [`IdentifyCaller`](crate::on_request::IdentifyCaller) has added.
    /// Without claims in notices about an outcome that is unknown because a process died.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The person that the assistant said it acts for, by its own word (OR-5.5).
    #[must_use]
    pub fn acting_for(&self) -> Option<&str> {
        self.acting_for.as_deref()
    }

    /// When it was asked for.
    #[must_use]
    pub fn at(&self) -> SystemTime {
        self.at
    }

    /// What staff do to undo it.
    #[must_use]
    pub fn undo(&self) -> Option<&str> {
        self.undo.as_deref()
    }

    /// The key under which the booking system knows it.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// What the message holds, a line for each member as in
    /// [`ConfirmationQuestion::words`](super::ConfirmationQuestion::words), where the
    /// [terms](super::ActionTerms::tell_words) let it be told and it is no longer than 16 KiB. Not
    /// in notices about an outcome that is unknown because a process died.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        self.words.as_deref()
    }

    pub(super) fn of(&self, event: StaffEvent) -> Self {
        Self { event, ..self.clone() }
    }
}

/// Shows what happened to which action, and nobody.
impl fmt::Debug for StaffNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaffNotice").field("event", &self.event).field("skill", &self.skill).finish_non_exhaustive()
    }
}

/// Tells staff: by message, by a line on a screen, whatever reaches them.
///
/// [`StaffEvent::Starting`] is awaited before the action starts. One that fails, panics or takes
/// longer than the layer's `decision_timeout` refers the person. The outcome is told afterwards, and
/// tried again a few times. A closure returns a future:
///
/// ```
/// use tower_a2a_extensions::BoxError;
/// use tower_a2a_extensions::on_request::actions::{StaffNotice, StaffNotifier};
///
/// let board = |notice: StaffNotice| async move {
///     println!("{}: {} is {}", notice.staff(), notice.skill(), notice.event().as_str());
///     Ok::<_, BoxError>(())
/// };
/// # fn is_notifier(_: impl StaffNotifier) {}
/// # is_notifier(board);
/// ```
pub trait StaffNotifier: Send + Sync + 'static {
    /// Tells what the notice says.
    ///
    /// # Errors
    ///
    /// Where it is not certain that it was told.
    fn tell(&self, notice: StaffNotice) -> impl Future<Output = Result<(), BoxError>> + Send;
}

impl<F, R, E> StaffNotifier for F
where
    F: Fn(StaffNotice) -> R + Send + Sync + 'static,
    R: Future<Output = Result<(), E>> + Send,
    E: Into<BoxError>,
{
    fn tell(&self, notice: StaffNotice) -> impl Future<Output = Result<(), BoxError>> + Send {
        let telling = self(notice);
        async move { telling.await.map_err(Into::into) }
    }
}

type Telling<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + Send + 'a>>;

trait ErasedNotifier: Send + Sync {
    fn tell_erased(&self, notice: StaffNotice) -> Telling<'_>;
}

impl<N: StaffNotifier> ErasedNotifier for N {
    fn tell_erased(&self, notice: StaffNotice) -> Telling<'_> {
        Box::pin(async move { self.tell(notice).await })
    }
}

/// A notifier of whatever type.
#[derive(Clone)]
pub(super) struct AnyNotifier(Arc<dyn ErasedNotifier>);

impl AnyNotifier {
    pub(super) fn new(notifier: impl StaffNotifier) -> Self {
        Self(Arc::new(notifier))
    }

    pub(super) fn tell(&self, notice: StaffNotice) -> Telling<'_> {
        self.0.tell_erased(notice)
    }
}

//! What a call notes about its reply: what must not leave, and what was told of its shape.

use std::sync::atomic::Ordering;

use super::A2aCall;
use crate::binding::{FinalState, ReplyDraft};

/// What is answered in the place of an error of the agent.
pub(crate) struct InsteadOfError {
    pub(crate) draft: ReplyDraft,
    /// How a task ends that the agent has shown.
    pub(crate) state: FinalState,
}

impl A2aCall {
    /// From now on every outgoing object of this call is shown to the extensions.
    pub(crate) fn watch(&self) {
        self.0.watched.store(true, Ordering::Relaxed);
    }

    /// Notes that the caller was refused something that the agent knows: see
    /// [`has_withheld`](Self::has_withheld). Where a [`Stamp`](crate::Stamp) withholds, that is noted by itself.
    pub fn note_refusal(&self) {
        self.0.refused.store(true, Ordering::Relaxed);
    }

    /// Whether something was withheld from the caller of this call, or refused to it: then what is
    /// said about the reply as a whole must not tell of that either.
    ///
    /// ```
    /// use tower_a2a_extensions::A2aCall;
    ///
    /// let call = A2aCall::detached();
    /// assert!(!call.has_withheld());
    /// call.note_refusal();
    /// assert!(call.has_withheld());
    /// ```
    #[must_use]
    pub fn has_withheld(&self) -> bool {
        self.is_watched() || self.0.refused.load(Ordering::Relaxed)
    }

    /// What is answered where the agent answers an error after it was refused something. The first counts.
    pub(crate) fn answer_instead_of_an_error(&self, draft: ReplyDraft, state: FinalState) {
        drop(self.0.instead_of_error.set(InsteadOfError { draft, state }));
    }

    /// From now on an error of the agent is left alone: the reply has said what was refused, or
    /// something may have been done.
    pub(crate) fn keep_errors(&self) {
        self.0.keeps_errors.store(true, Ordering::Relaxed);
    }

    /// What stands for an error of the agent. Only a message is answered by one.
    pub(crate) fn instead_of_error(&self) -> Option<&InsteadOfError> {
        let instead = self.0.instead_of_error.get()?;
        (self.message().is_some() && !self.0.keeps_errors.load(Ordering::Relaxed)).then_some(instead)
    }

    /// Another document or event of the reply is looked at.
    pub(crate) fn begin_document(&self) {
        self.0.documents.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of the document or event that is looked at.
    pub(crate) fn document(&self) -> u64 {
        self.0.documents.load(Ordering::Relaxed)
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.0.watched.load(Ordering::Relaxed)
    }

    /// Whether a document of this call was looked at for its shape.
    pub(crate) fn has_seen_shape(&self) -> bool {
        self.0.shape_seen.load(Ordering::Relaxed)
    }

    /// Notes that one was, and whether it has the first fault of the call.
    pub(crate) fn see_shape(&self, is_faulty: bool) -> bool {
        self.0.shape_seen.store(true, Ordering::Relaxed);
        is_faulty && !self.0.shape_told.swap(true, Ordering::Relaxed)
    }

    /// From now on every outgoing object of this call is shown to the extensions, though nothing that
    /// leaves must be kept back: what cannot be read leaves as it is.
    pub(crate) fn show(&self) {
        self.0.shown.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.is_watched() || self.0.shown.load(Ordering::Relaxed)
    }
}

//! That the person has confirmed what cannot be undone (OR-5.6 d).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::store::ActionKey;
use crate::error::BoxError;
use crate::on_request::deciding::caller::Caller;
use crate::on_request::declared::skill::SkillId;

/// What a person has to have confirmed.
#[derive(Clone)]
pub struct ConfirmationQuestion {
    pub(super) skill: SkillId,
    pub(super) caller: Caller,
    pub(super) acting_for: Option<String>,
    pub(super) key: ActionKey,
    pub(super) digest: [u8; 32],
    pub(super) cannot_be_undone: String,
    pub(super) members: Vec<(String, String)>,
    pub(super) words: String,
}

impl ConfirmationQuestion {
    /// The action.
    #[must_use]
    pub fn skill(&self) -> &str {
        self.skill.as_str()
    }

    /// The assistant that asks. `None` for one that is not identified.
    #[must_use]
    pub fn assistant(&self) -> Option<&str> {
        self.caller.id()
    }

    /// Who asks, with the claims that [`IdentifyCaller`](crate::on_request::IdentifyCaller) has added:
    /// how the person is found, who has to confirm.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The person that the assistant says it acts for: `actingFor` of its message or request.
    ///
    /// # Security
    ///
    /// It is the assistant's own word (OR-5.5). Where the auth layer vouches for a person, take the
    /// [claims](Self::caller).
    #[must_use]
    pub fn acting_for(&self) -> Option<&str> {
        self.acting_for.as_deref()
    }

    /// The action as the store knows it: this assistant's this message.
    #[must_use]
    pub fn key(&self) -> &ActionKey {
        &self.key
    }

    /// SHA-256 of what is asked for: of all [members](Self::members), and of nothing else.
    #[must_use]
    pub fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// What cannot be undone, as the terms say it: for the form that the person sees.
    #[must_use]
    pub fn cannot_be_undone(&self) -> &str {
        &self.cannot_be_undone
    }

    /// All that the agent can read in the message and that the [digest](Self::digest) binds, each with
    /// its place: `("parts[0].text", "Please book")`, `("metadata", "{…}")`. A text is as it was sent,
    /// all else JSON. The form shows all of it: what is not shown was not confirmed.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members.iter().map(|(place, text)| (place.as_str(), text.as_str()))
    }

    /// The [members](Self::members) in lines, `parts[0].text: Please book`, for a form that shows plain
    /// text. What could be taken for another line, or cannot be seen, is written with escapes.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Whether the other asks for the same, of the same assistant.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.key == other.key && self.digest == other.digest
    }
}

/// Shows the skill, nobody and no word.
impl fmt::Debug for ConfirmationQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfirmationQuestion").field("skill", &self.skill).finish_non_exhaustive()
    }
}

/// Says whether the person themselves has confirmed an action, in a form that they see. What the
/// assistant passes on is no confirmation.
///
/// It is asked before anything is claimed. `false`, an error, a panic, or no answer within the
/// layer's `decision_timeout` refer the person, who confirms with the operator; the assistant then
/// sends its message again. [`ConfirmationDesk`](super::ConfirmationDesk) does that within one process.
pub trait PersonConfirmation: Send + Sync + 'static {
    /// Whether the person has confirmed exactly this. A yes is used up by the question.
    ///
    /// # Errors
    ///
    /// Where it cannot be found out.
    fn confirmed(&self, question: &ConfirmationQuestion) -> impl Future<Output = Result<bool, BoxError>> + Send;
}

/// The default: nobody ever confirms, and what cannot be undone is always referred.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to add to a constant no")]
pub struct NeverConfirmed;

impl PersonConfirmation for NeverConfirmed {
    async fn confirmed(&self, _question: &ConfirmationQuestion) -> Result<bool, BoxError> {
        Ok(false)
    }
}

type Confirming<'a> = Pin<Box<dyn Future<Output = Result<bool, BoxError>> + Send + 'a>>;

trait ErasedConfirmation: Send + Sync {
    fn ask<'a>(&'a self, question: &'a ConfirmationQuestion) -> Confirming<'a>;
}

impl<C: PersonConfirmation> ErasedConfirmation for C {
    fn ask<'a>(&'a self, question: &'a ConfirmationQuestion) -> Confirming<'a> {
        Box::pin(async move { self.confirmed(question).await })
    }
}

/// A confirmation of whatever type.
#[derive(Clone)]
pub(super) struct AnyConfirmation(Arc<dyn ErasedConfirmation>);

impl AnyConfirmation {
    pub(super) fn new(confirmation: impl PersonConfirmation) -> Self {
        Self(Arc::new(confirmation))
    }

    pub(super) fn ask<'a>(&'a self, question: &'a ConfirmationQuestion) -> Confirming<'a> {
        self.0.ask(question)
    }
}

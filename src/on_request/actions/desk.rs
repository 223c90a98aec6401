//! A confirmation that the operator's own page gives, within one process.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::confirmation::{ConfirmationQuestion, PersonConfirmation};
use super::store::ActionKey;
use crate::error::BoxError;
use crate::shield::shielded;

const DEFAULT_VALIDITY: Duration = Duration::from_secs(30 * 60);
/// How many questions wait at once. More are not asked, which refers them.
const MOST_QUESTIONS: usize = 10_000;
/// How many of them one assistant may have: one that floods keeps no other from asking.
const MOST_OF_ONE: usize = 100;

type TimeSource = Arc<dyn Fn() -> Duration + Send + Sync>;
type AskPerson = Arc<dyn Fn(&ConfirmationQuestion, &str) + Send + Sync>;

/// Confirmation by the person on the operator's own page.
///
/// 1. An assistant asks for something that cannot be undone. It is referred, and `ask_person` gets
///    the question with a token: it puts the question before *the person*, by a channel that the
///    operator knows to be theirs (their account, a message to the number on file).
/// 2. The person sees what is asked for, and their form POSTs the token to the operator's page,
///    which calls [`confirm`](Self::confirm).
/// 3. The assistant sends the same message again, and now it is carried out.
///
/// # Security
///
/// The token is 244 random bits, works once, for this assistant, this message and these words only,
/// and ends after half an hour. It is never told to the assistant: do not put it where an assistant
/// reads, and take it by POST alone, so that no preview of a link confirms. That a person and no
/// assistant presses the button is for the operator's page to see to.
///
/// ```
/// use tower_a2a_extensions::on_request::actions::ConfirmationDesk;
///
/// let desk = ConfirmationDesk::new(|question, token| {
///     // Into the person's account: "Your assistant asks for …", and a form that POSTs `token`.
///     let _form = (question.cannot_be_undone().to_owned(), token.to_owned());
/// });
/// assert!(!desk.confirm("guessed"));
/// ```
#[derive(Clone)]
pub struct ConfirmationDesk(Arc<DeskState>);

struct DeskState {
    ask_person: AskPerson,
    validity: Duration,
    clock: TimeSource,
    questions: Mutex<HashMap<ActionKey, OpenQuestion>>,
}

struct OpenQuestion {
    question: ConfirmationQuestion,
    /// `None` once it was used: the person has confirmed.
    token: Option<String>,
    ends: Duration,
}

impl ConfirmationDesk {
    /// A desk that asks persons by `ask_person`, which gets the question and its token. It is called
    /// once for each question, must return soon, and may panic.
    #[must_use]
    pub fn new(ask_person: impl Fn(&ConfirmationQuestion, &str) + Send + Sync + 'static) -> Self {
        let started = Instant::now();
        let clock: TimeSource = Arc::new(move || started.elapsed());
        Self::with(Arc::new(ask_person), DEFAULT_VALIDITY, clock)
    }

    /// Sets for how long a question, and a confirmation that was not used, stand.
    #[must_use]
    pub fn with_validity(self, validity: Duration) -> Self {
        Self::with(Arc::clone(&self.0.ask_person), validity, Arc::clone(&self.0.clock))
    }

    /// Sets the clock: the time since some fixed moment. For tests that move it.
    #[must_use]
    pub fn with_clock(self, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self::with(Arc::clone(&self.0.ask_person), self.0.validity, Arc::new(clock))
    }

    fn with(ask_person: AskPerson, validity: Duration, clock: TimeSource) -> Self {
        Self(Arc::new(DeskState { ask_person, validity, clock, questions: Mutex::default() }))
    }

    /// The person has confirmed: for the operator's page. `false` where the token is unknown, has
    /// been used, or has ended.
    #[must_use]
    pub fn confirm(&self, token: &str) -> bool {
        let now = (self.0.clock)();
        let mut questions = self.questions();
        let found = questions.values_mut().find(|open| open.ends > now && open.token.as_deref() == Some(token));
        let Some(open) = found else { return false };
        open.token = None;
        open.ends = now.saturating_add(self.0.validity);
        true
    }

    /// Whether it was confirmed; a question that is not open yet is opened, and its token returned.
    fn look_up(&self, question: &ConfirmationQuestion) -> (bool, Option<String>) {
        let now = (self.0.clock)();
        let mut questions = self.questions();
        let open = questions.get(&question.key).filter(|open| open.ends > now);
        match open {
            Some(open) if open.question.is_same(question) && open.token.is_none() => {
                questions.remove(&question.key);
                (true, None)
            }
            // Another wording under the same id is refused by the claim anyway; the first stands.
            Some(_) => (false, None),
            None => (false, open_question(&mut questions, question, now, self.0.validity)),
        }
    }

    fn questions(&self) -> MutexGuard<'_, HashMap<ActionKey, OpenQuestion>> {
        self.0.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open_question(
    questions: &mut HashMap<ActionKey, OpenQuestion>,
    question: &ConfirmationQuestion,
    now: Duration,
    validity: Duration,
) -> Option<String> {
    questions.retain(|_, open| open.ends > now);
    let of_one = questions.values().filter(|open| open.question.assistant() == question.assistant());
    if questions.len() >= MOST_QUESTIONS || of_one.count() >= MOST_OF_ONE {
        return None;
    }
    let token = format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple());
    let open =
        OpenQuestion { question: question.clone(), token: Some(token.clone()), ends: now.saturating_add(validity) };
    questions.insert(question.key, open);
    Some(token)
}

impl PersonConfirmation for ConfirmationDesk {
    async fn confirmed(&self, question: &ConfirmationQuestion) -> Result<bool, BoxError> {
        let (confirmed, token) = self.look_up(question);
        if let Some(token) = token {
            // Outside the lock: it is the operator's code.
            drop(shielded(|| (self.0.ask_person)(question, &token)));
        }
        Ok(confirmed)
    }
}

impl fmt::Debug for ConfirmationDesk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfirmationDesk").field("open", &self.questions().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::on_request::deciding::caller::Caller;

    struct Asked {
        desk: ConfirmationDesk,
        tokens: Arc<Mutex<Vec<String>>>,
        seconds: Arc<AtomicU64>,
    }

    fn asked() -> Asked {
        let (tokens, seconds) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicU64>::default());
        let (sink, clock) = (Arc::clone(&tokens), Arc::clone(&seconds));
        let desk = ConfirmationDesk::new(move |_, token| sink.lock().unwrap().push(token.to_owned()))
            .with_clock(move || Duration::from_secs(clock.load(Ordering::Relaxed)));
        Asked { desk, tokens, seconds }
    }

    fn question(key: u8, digest: u8) -> ConfirmationQuestion {
        ConfirmationQuestion {
            skill: "cremation-order".into(),
            caller: Caller::assistant("assistant-7"),
            acting_for: Some("a reference".to_owned()),
            key: ActionKey::new([key; 32]),
            digest: [digest; 32],
            cannot_be_undone: "the order".to_owned(),
            members: Vec::new(),
            words: "Please order it.".to_owned(),
        }
    }

    fn is_confirmed(desk: &ConfirmationDesk, question: &ConfirmationQuestion) -> bool {
        tokio_test::block_on(desk.confirmed(question)).unwrap()
    }

    #[test]
    fn or_5_6_d_only_the_token_confirms_and_only_once() {
        let Asked { desk, tokens, .. } = asked();
        assert!(!is_confirmed(&desk, &question(1, 1)));
        assert!(!is_confirmed(&desk, &question(1, 1)), "asking twice confirms nothing");
        let told = tokens.lock().unwrap().clone();
        assert_eq!(told.len(), 1, "the person is asked once");
        assert!(!desk.confirm("") && !desk.confirm(&told[0][1..]));
        assert!(desk.confirm(&told[0]));
        assert!(!desk.confirm(&told[0]), "single use");
        assert!(!is_confirmed(&desk, &question(1, 2)), "bound to the words");
        assert!(!is_confirmed(&desk, &question(2, 1)), "bound to assistant and message");
        assert!(is_confirmed(&desk, &question(1, 1)));
        assert!(!is_confirmed(&desk, &question(1, 1)), "a yes is used up");
        assert!(tokens.lock().unwrap().iter().all(|token| token.len() == 64));
    }

    #[test]
    fn or_5_6_d_tokens_and_confirmations_end() {
        let Asked { desk, tokens, seconds } = asked();
        assert!(!is_confirmed(&desk, &question(1, 1)));
        seconds.store(30 * 60, Ordering::Relaxed);
        let first = tokens.lock().unwrap()[0].clone();
        assert!(!desk.confirm(&first), "the token has ended");
        assert!(!is_confirmed(&desk, &question(1, 1)));
        let second = tokens.lock().unwrap()[1].clone();
        assert!(desk.confirm(&second));
        seconds.store(60 * 60, Ordering::Relaxed);
        assert!(!is_confirmed(&desk, &question(1, 1)), "the confirmation has ended");
    }

    #[test]
    fn a_flood_of_questions_is_bounded_and_keeps_no_other_from_asking() {
        let Asked { desk, tokens, .. } = asked();
        let flood = |assistant: &str, number: usize| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&number.to_be_bytes());
            let caller = Caller::assistant(assistant);
            assert!(!is_confirmed(&desk, &ConfirmationQuestion { key: ActionKey::new(key), caller, ..question(0, 0) }));
        };
        (0..MOST_OF_ONE * 2).for_each(|number| flood("floods", number));
        assert_eq!(tokens.lock().unwrap().len(), MOST_OF_ONE);
        flood("another", usize::MAX);
        assert_eq!(tokens.lock().unwrap().len(), MOST_OF_ONE + 1);
    }
}

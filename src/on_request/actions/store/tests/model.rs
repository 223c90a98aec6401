//! The store of one process beside a model that is too simple to be wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;

use super::{AMPLE, DAY, MINUTE, Moved, SECOND, hash};
use crate::on_request::actions::store::{
    AbandonOutcome, ActionClaim, ActionKey, ActionState, ClaimOutcome, ClaimToken, LimitKey,
};

const TOKENS: usize = 3;

#[derive(Clone, Copy, Debug)]
enum Step {
    Claim(usize, usize),
    Start(usize, usize),
    Complete(usize, usize),
    Abandon(usize, usize),
    State(usize),
    TakeOverdue(usize),
    Pass(Duration),
}

fn step() -> impl Strategy<Value = Step> {
    let who = || (0..3_usize, 0..TOKENS);
    let time = prop::sample::select(vec![SECOND, SECOND * 14, SECOND * 15, MINUTE, MINUTE * 10, DAY]);
    prop_oneof![
        4 => who().prop_map(|(key, token)| Step::Claim(key, token)),
        4 => who().prop_map(|(key, token)| Step::Start(key, token)),
        3 => who().prop_map(|(key, token)| Step::Complete(key, token)),
        2 => who().prop_map(|(key, token)| Step::Abandon(key, token)),
        2 => (0..3_usize).prop_map(Step::State),
        2 => (0..3_usize).prop_map(Step::TakeOverdue),
        3 => time.prop_map(Step::Pass),
    ]
}

/// An entry of the model. Whatever time ends is ended when time passes.
#[derive(Clone, Debug)]
struct Modelled {
    token: usize,
    state: State,
    left: Duration,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    Buried,
    Claimed,
    Started,
    /// Unknown, and nobody has been told.
    Overdue,
    Unknown,
    Done,
}

#[derive(Default)]
struct Model {
    entries: BTreeMap<usize, Modelled>,
    /// What was forgotten before anybody was told. A store may tell it still.
    untold: BTreeSet<usize>,
}

impl Model {
    fn entry(&self, key: usize) -> Option<&Modelled> {
        self.entries.get(&key)
    }

    fn is(&self, key: usize, token: usize, states: &[State]) -> bool {
        self.entry(key).is_some_and(|entry| entry.token == token && states.contains(&entry.state))
    }

    fn turn(&mut self, key: usize, token: usize, state: State, left: Duration) {
        self.untold.remove(&key);
        self.entries.insert(key, Modelled { token, state, left });
    }

    fn state(&self, key: usize) -> Option<ActionState> {
        match self.entry(key)?.state {
            State::Buried => None,
            State::Claimed => Some(ActionState::Claimed),
            State::Started => Some(ActionState::Started),
            State::Overdue | State::Unknown => Some(ActionState::Unknown),
            State::Done => Some(ActionState::Done(b"booked".to_vec())),
        }
    }

    fn claim(&mut self, claim: &ActionClaim, key: usize, token: usize) -> ClaimOutcome {
        if let Some(state) = self.state(key) {
            return ClaimOutcome::Taken { digest: *claim.digest(), state };
        }
        if self.is(key, token, &[State::Buried]) {
            return ClaimOutcome::Lost;
        }
        self.turn(key, token, State::Claimed, SECOND * 15);
        ClaimOutcome::Claimed
    }

    fn start(&mut self, key: usize, token: usize) -> bool {
        let may = self.is(key, token, &[State::Claimed]);
        if may {
            self.turn(key, token, State::Started, MINUTE);
        }
        may
    }

    fn complete(&mut self, key: usize, token: usize) -> bool {
        if self.is(key, token, &[State::Started, State::Overdue, State::Unknown]) {
            self.turn(key, token, State::Done, DAY);
        }
        self.is(key, token, &[State::Done])
    }

    fn abandon(&mut self, key: usize, token: usize) -> AbandonOutcome {
        if self.entry(key).is_none() {
            self.turn(key, token, State::Buried, MINUTE);
            return AbandonOutcome::Freed;
        }
        if self.is(key, token, &[State::Claimed]) {
            self.entries.remove(&key);
            return AbandonOutcome::Freed;
        }
        if self.is(key, token, &[State::Started, State::Overdue]) {
            self.turn(key, token, State::Unknown, DAY);
            return AbandonOutcome::Unknown;
        }
        AbandonOutcome::Settled
    }

    /// Whether this could be told now, which it cannot be twice.
    fn told(&mut self, key: usize) -> bool {
        if self.is_overdue(key)
            && let Some(entry) = self.entries.get_mut(&key)
        {
            entry.state = State::Unknown;
            return true;
        }
        self.untold.remove(&key)
    }

    fn is_overdue(&self, key: usize) -> bool {
        self.entry(key).is_some_and(|entry| entry.state == State::Overdue)
    }

    fn pass(&mut self, time: Duration) {
        for (key, entry) in &mut self.entries {
            if entry.state == State::Started && entry.left <= time {
                *entry = Modelled { token: entry.token, state: State::Overdue, left: entry.left + DAY };
            }
            entry.left = entry.left.saturating_sub(time);
            if entry.left.is_zero() && entry.state == State::Overdue {
                self.untold.insert(*key);
            }
        }
        self.entries.retain(|_, entry| !entry.left.is_zero());
    }
}

fn claims() -> Vec<Vec<ActionClaim>> {
    let limits = ((LimitKey::new(hash(3, 0)), AMPLE), (LimitKey::new(hash(4, 0)), AMPLE));
    let of_key = |key: usize| {
        let claim = ActionClaim::new(ActionKey::new(hash(1, key)), ClaimToken::random());
        let claim = claim.with_digest(hash(2, key)).with_limits(limits.0, limits.1).with_note(key.to_string().into());
        (0..TOKENS).map(|_| claim.clone().with_token(ClaimToken::random())).collect()
    };
    (0..3).map(of_key).collect()
}

fn compare(moved: &Moved, model: &mut Model, claims: &[Vec<ActionClaim>], step: Step) -> Result<(), TestCaseError> {
    match step {
        Step::Claim(key, token) => {
            let claim = &claims[key][token];
            prop_assert_eq!(moved.claim(claim), model.claim(claim, key, token));
        }
        Step::Start(key, token) => {
            prop_assert_eq!(moved.start(&claims[key][token], MINUTE), model.start(key, token));
        }
        Step::Complete(key, token) => {
            prop_assert_eq!(moved.complete(&claims[key][token]), model.complete(key, token));
        }
        Step::Abandon(key, token) => {
            prop_assert_eq!(moved.abandon(&claims[key][token]), model.abandon(key, token));
        }
        Step::State(key) => prop_assert_eq!(moved.state(&claims[key][0]), model.state(key)),
        Step::TakeOverdue(most) => {
            let overdue = (0..3).filter(|key| model.is_overdue(*key)).count();
            let notes = moved.take_overdue(most);
            prop_assert!(notes.len() <= most && notes.len() >= most.min(overdue));
            for note in notes {
                prop_assert!(model.told(String::from_utf8(note).unwrap().parse().unwrap()));
            }
        }
        Step::Pass(time) => {
            moved.pass(time);
            model.pass(time);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_steps_in_any_order_answer_as_the_model_does(steps in prop::collection::vec(step(), 1..80)) {
        let (moved, mut model, claims) = (Moved::new(), Model::default(), claims());
        for step in steps {
            compare(&moved, &mut model, &claims, step)?;
        }
    }
}

//! What the scripts answer.

use ::redis::Value;

use super::fault::Fault;
use crate::on_request::actions::store::{AbandonOutcome, ActionState, ClaimOutcome, TaskKey};

/// Which life of the store an answer is from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Generation {
    pub(super) id: Vec<u8>,
    /// Since when, in microseconds of the server's clock.
    pub(super) began: Vec<u8>,
}

pub(super) fn claim_outcome(value: Value) -> Result<(Generation, ClaimOutcome), Fault> {
    let [id, began, outcome, digest, state, reply] = texts(value)?;
    let outcome = match outcome.as_slice() {
        b"claimed" => ClaimOutcome::Claimed,
        b"limited" => ClaimOutcome::Limited,
        b"lost" => ClaimOutcome::Lost,
        b"emptied" => ClaimOutcome::Emptied,
        b"taken" => ClaimOutcome::Taken {
            digest: digest.try_into().map_err(|_| Fault::Answer)?,
            state: action_state(&state, reply)?.ok_or(Fault::Answer)?,
        },
        _ => return Err(Fault::Answer),
    };
    Ok((Generation { id, began }, outcome))
}

pub(super) fn state(value: Value) -> Result<Option<ActionState>, Fault> {
    let [state, reply] = texts(value)?;
    action_state(&state, reply)
}

pub(super) fn abandon_outcome(value: Value) -> Result<AbandonOutcome, Fault> {
    match text(value)?.as_slice() {
        b"freed" => Ok(AbandonOutcome::Freed),
        b"unknown" => Ok(AbandonOutcome::Unknown),
        b"settled" => Ok(AbandonOutcome::Settled),
        _ => Err(Fault::Answer),
    }
}

pub(super) fn yes(value: &Value) -> Result<bool, Fault> {
    match value {
        Value::Int(1) => Ok(true),
        Value::Int(0) => Ok(false),
        _ => Err(Fault::Answer),
    }
}

pub(super) fn notes(value: Value) -> Result<Vec<Vec<u8>>, Fault> {
    match value {
        Value::Array(values) => values.into_iter().map(text).collect(),
        _ => Err(Fault::Answer),
    }
}

/// Tasks and their skills, one behind the other.
pub(super) fn tasks(value: Value) -> Result<Vec<(TaskKey, String)>, Fault> {
    let texts = notes(value)?;
    let pairs = texts.chunks(2).map(|pair| match pair {
        [task, skill] => Ok((task_key(task).ok_or(Fault::Answer)?, String::from_utf8_lossy(skill).into_owned())),
        _ => Err(Fault::Answer),
    });
    pairs.collect()
}

/// A key from the hex of its name.
fn task_key(name: &[u8]) -> Option<TaskKey> {
    let digits = std::str::from_utf8(name).ok().filter(|name| name.len() == 64)?;
    let mut hash = [0; 32];
    for (byte, place) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(digits.get(place..place + 2)?, 16).ok()?;
    }
    Some(TaskKey::new(hash))
}

fn action_state(state: &[u8], reply: Vec<u8>) -> Result<Option<ActionState>, Fault> {
    match state {
        b"" => Ok(None),
        b"claimed" => Ok(Some(ActionState::Claimed)),
        b"started" => Ok(Some(ActionState::Started)),
        b"unknown" => Ok(Some(ActionState::Unknown)),
        b"done" => Ok(Some(ActionState::Done(reply))),
        _ => Err(Fault::Answer),
    }
}

fn texts<const COUNT: usize>(value: Value) -> Result<[Vec<u8>; COUNT], Fault> {
    notes(value)?.try_into().map_err(|_| Fault::Answer)
}

fn text(value: Value) -> Result<Vec<u8>, Fault> {
    match value {
        Value::BulkString(bytes) => Ok(bytes),
        _ => Err(Fault::Answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(texts: &[&[u8]]) -> Value {
        Value::Array(texts.iter().map(|text| Value::BulkString(text.to_vec())).collect())
    }

    #[test]
    fn an_answer_that_no_script_gives_is_a_fault_and_never_a_claim() {
        let digest = [7; 32];
        let claimed = array(&[b"id", b"1", b"claimed", b"", b"", b""]);
        assert!(matches!(claim_outcome(claimed), Ok((_, ClaimOutcome::Claimed))));
        let taken = array(&[b"id", b"1", b"taken", &digest, b"done", b"booked"]);
        let state = ActionState::Done(b"booked".to_vec());
        assert_eq!(claim_outcome(taken).unwrap().1, ClaimOutcome::Taken { digest, state });
        let wrong = [
            Value::Nil,
            Value::Okay,
            Value::Int(1),
            array(&[]),
            array(&[b"claimed"]),
            array(&[b"id", b"1", b"CLAIMED", b"", b"", b""]),
            array(&[b"id", b"1", b"claimed", b"", b"", b"", b""]),
            array(&[b"id", b"1", b"taken", b"short", b"done", b""]),
            array(&[b"id", b"1", b"taken", &digest, b"", b""]),
        ];
        for value in wrong {
            assert!(claim_outcome(value.clone()).is_err(), "{value:?}");
            assert!(yes(&value).is_err() || value == Value::Int(1), "{value:?}");
            assert!(state_of(&value).is_err() && abandon_outcome(value).is_err());
        }
        assert!(yes(&Value::Int(2)).is_err());
    }

    #[test]
    fn tasks_are_read_in_pairs_and_nothing_else_is() {
        let task = TaskKey::new([0xab; 32]);
        let name = task.to_string();
        let read = tasks(array(&[name.as_bytes(), b"booking"])).unwrap();
        assert_eq!(read, [(task, "booking".to_owned())]);
        assert!(tasks(array(&[])).unwrap().is_empty());
        let wrong = [
            array(&[name.as_bytes()]),
            array(&[b"ab", b"booking"]),
            array(&["é".repeat(32).as_bytes(), b"x"]),
            Value::Nil,
        ];
        assert!(wrong.into_iter().all(|value| tasks(value).is_err()));
    }

    fn state_of(value: &Value) -> Result<Option<ActionState>, Fault> {
        state(value.clone())
    }
}

//! What the operator fixes: who may ask for a booking, on which terms, who attests and who is told.

use std::env;
use std::time::{Duration, SystemTime};

use tower_a2a_extensions::on_request::actions::store::{ActionLimit, ActionStore, MemoryStore};
use tower_a2a_extensions::on_request::actions::{ActionTerms, Actions, Attestation, StaffEvent, StaffNotice};
use tower_a2a_extensions::on_request::{Caller, OnRequest};
use tower_a2a_extensions::{BoxError, CallFacts};

use crate::auth::Claims;
use crate::diary::print_line;

pub(crate) const BOOKING: &str = "arrangement-booking";

/// The operator's domain. The attestation has to be about it.
const DOMAIN: &str = "larkfield.example";
/// All replicas of this agent have the same.
const INSTANCE: &str = "larkfield-diary";
const MINUTE: Duration = Duration::from_secs(60);

/// How this operator wants On Request: who an assistant is, and that it may ask for a booking.
pub(crate) fn on_request(actions: Actions, terms: ActionTerms) -> OnRequest {
    OnRequest::new()
        .caller(|facts: &CallFacts<'_>| Some(Caller::assistant(facts.extensions().get::<Claims>()?.assistant.as_str())))
        .actions(actions)
        .action(terms)
}

/// The terms of a booking: staff can undo it, Mair Evans is told, and there is a limit to it.
pub(crate) fn terms() -> Result<ActionTerms, BoxError> {
    let (per_assistant, in_total) = match env::var("BOOKING_LIMITS").as_deref() {
        Err(env::VarError::NotPresent) => (3, 10),
        Ok("off") => (1_000_000, 1_000_000),
        _ => return Err("BOOKING_LIMITS is `off`, or not there".into()),
    };
    Ok(ActionTerms::new(BOOKING)
        .reversible("take it out of the diary and ring the family")
        .staff("Mair Evans")
        .limits(ActionLimit::new(per_assistant, MINUTE), ActionLimit::new(in_total, MINUTE))
        .time_allowed(Duration::from_secs(5)))
}

/// What all actions of the chapel share. The claims are kept in this process, or where `REDIS_URL` says.
pub(crate) fn actions() -> Result<Actions, BoxError> {
    match env::var("REDIS_URL") {
        Ok(url) => actions_with(shared_store(&url)?),
        Err(_) => actions_with(MemoryStore::new()),
    }
}

fn actions_with(store: impl ActionStore) -> Result<Actions, BoxError> {
    let (level, ends_in) = match env::var("BOOKING_ATTESTATION").as_deref() {
        Err(env::VarError::NotPresent) | Ok("level2") => (2, Some(MINUTE)),
        Ok("level1") => (1, Some(MINUTE)),
        Ok("expired") => (2, None),
        _ => return Err("BOOKING_ATTESTATION is `level2`, `level1` or `expired`".into()),
    };
    // A real one is fetched from whoever attests, verified, and kept for a while.
    let attested = move || async move {
        let until = ends_in.map_or(SystemTime::UNIX_EPOCH, |time| SystemTime::now() + time);
        Ok::<_, BoxError>(Some(Attestation::new(DOMAIN, level, until)))
    };
    Ok(Actions::new(INSTANCE, DOMAIN, store).attestation(attested).staff(tell))
}

/// Tells the member of staff. A real one rings or writes; what fails here lets no booking start.
async fn tell(notice: StaffNotice) -> Result<(), BoxError> {
    Ok(match notice.event() {
        StaffEvent::Starting => print_line(&format!("told {}", notice.staff())),
        outcome => print_line(&format!("{} {}", outcome.as_str(), notice.idempotency_key())),
    }?)
}

/// The store of all replicas. A store that is empty counts as a new one here, so that the example
/// starts; in earnest that is said at the very first start alone.
#[cfg(feature = "redis")]
fn shared_store(url: &str) -> Result<impl ActionStore, BoxError> {
    use tower_a2a_extensions::on_request::actions::store::RedisStore;

    let store = RedisStore::new(url, INSTANCE).map_err(|error| format!("REDIS_URL: {error}"))?;
    Ok(store.starts_empty(true))
}

#[cfg(not(feature = "redis"))]
fn shared_store(_url: &str) -> Result<MemoryStore, BoxError> {
    Err("REDIS_URL is set, and this was built without Redis: add `--features redis`".into())
}

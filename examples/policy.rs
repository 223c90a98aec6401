//! A policy: prices only to assistants the business has a contract with, and only in office hours.
//!
//! The rules of the card stand before it: a policy is asked only where they allow giving, and it
//! can only say no. Run it: `cargo run --example policy`. Its test runs with `cargo test`.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tower_a2a_extensions::on_request::{Caller, Decision, OnRequest, Policy, SkillCall, Verdict};
use tower_a2a_extensions::{AgentCard, BoxError, testing};

/// Who has a contract, and what time it is. A real one would hold a database handle.
struct PartnersInOfficeHours {
    partners: BTreeSet<String>,
    hour: Arc<dyn Fn() -> u8 + Send + Sync>,
}

impl Policy for PartnersInOfficeHours {
    async fn decide(&self, call: &SkillCall) -> Result<Verdict, BoxError> {
        let partner = call.caller().id().is_some_and(|id| self.partners.contains(id));
        let open = (8..17).contains(&(self.hour)());
        Ok(if partner && open { Verdict::Give } else { Verdict::Refer })
    }
}

fn policy(hour: u8) -> PartnersInOfficeHours {
    PartnersInOfficeHours { partners: BTreeSet::from(["acme".to_owned()]), hour: Arc::new(move || hour) }
}

/// A card that opens its prices to assistants; otherwise the policy would never be asked.
fn card() -> Value {
    json!({
        "name": "Clinic", "provider": {"organization": "Hill Clinic", "url": "https://clinic.example"},
        "capabilities": {"extensions": [{
            "uri": "https://agent-capability.org/ext/on-request/v1", "required": false,
            "params": {"skills": [
                {"id": "fees", "personEntry": "https://clinic.example/ask", "assistantAccess": true}
            ]}
        }]},
        "skills": [{"id": "fees", "name": "Fees", "description": "Fees, on request.", "tags": ["fees"]}]
    })
}

/// Rules and policy together, without a server: what would this call get?
fn decide(hour: u8, caller: Caller) -> Result<Decision, BoxError> {
    let on_request = OnRequest::new().information("fees").policy(policy(hour));
    let bound = on_request.for_card(&AgentCard::from_serialize(card())?)?;
    Ok(testing::ready(bound.decide(&SkillCall::new("fees", caller))))
}

fn main() -> Result<(), BoxError> {
    for (hour, assistant) in [(10, "acme"), (10, "stranger"), (22, "acme")] {
        let decision = decide(hour, Caller::assistant(assistant).acting_for_a_person(true))?;
        println!("{assistant} at {hour}:00: {:?}", decision.reason());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tower_a2a_extensions::on_request::Reason;

    use super::*;

    fn acme() -> Caller {
        Caller::assistant("acme").acting_for_a_person(true)
    }

    #[test]
    fn a_partner_gets_it_in_office_hours() {
        assert!(decide(8, acme()).unwrap().is_given());
        assert_eq!(decide(17, acme()).unwrap().reason(), Reason::PolicyRefused);
    }

    #[test]
    fn a_stranger_is_referred() {
        let stranger = Caller::assistant("stranger").acting_for_a_person(true);
        assert_eq!(decide(10, stranger).unwrap().reason(), Reason::PolicyRefused);
    }

    #[test]
    fn or_5_4_the_rules_refuse_what_the_policy_would_give() {
        let for_nobody = acme().acting_for_a_person(false);
        assert_eq!(decide(10, for_nobody).unwrap().reason(), Reason::ActsForNobody);
    }

    #[test]
    fn the_policy_alone_needs_no_card() {
        let verdict = testing::ready(policy(9).decide(&SkillCall::new("fees", acme())));
        assert!(matches!(verdict, Ok(Verdict::Give)));
    }
}

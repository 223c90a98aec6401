//! Policies as an operator writes and tests them: without server, and where possible without runtime.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

use std::sync::Arc;

use serde_json::json;
use tower_a2a_extensions::on_request::{
    AnyPolicy, Caller, OnRequest, OnRequestDeclaration, OnRequestSkill, Policy, Reason, SkillCall, Verdict, with_state,
};
use tower_a2a_extensions::{AgentCard, BoxError};

fn card() -> AgentCard {
    let pricing = OnRequestSkill::new("pricing", "https://ask.example.com/talk").with_assistant_access(true);
    AgentCard::from_serialize(json!({
        "skills": [{"id": "pricing"}],
        "capabilities": {"extensions": [OnRequestDeclaration::new().with_skill(pricing)]}
    }))
    .unwrap()
}

async fn reason(policy: impl Policy, name: &str) -> Reason {
    let on_request = OnRequest::new().information("pricing").policy(policy).for_card(&card()).unwrap();
    on_request.decide(&SkillCall::new("pricing", Caller::assistant(name).acting_for_a_person(true))).await.reason()
}

#[derive(Clone)]
struct Partners(Arc<[&'static str]>);

impl Partners {
    async fn may_be_told(&self, caller: &Caller) -> Result<Verdict, std::io::Error> {
        tokio::task::yield_now().await;
        let id = caller.id().ok_or_else(|| std::io::Error::other("nobody"))?;
        Ok(if self.0.contains(&id) { Verdict::Give } else { Verdict::Refer })
    }
}

impl Policy for Partners {
    async fn decide(&self, call: &SkillCall) -> Result<Verdict, BoxError> {
        Ok(self.may_be_told(call.caller()).await?)
    }
}

async fn named(call: SkillCall) -> Verdict {
    if call.caller().id() == Some("partner") { Verdict::Give } else { Verdict::Refer }
}

fn sync(call: SkillCall) -> Verdict {
    if call.caller().id() == Some("partner") { Verdict::Give } else { Verdict::Refer }
}

#[tokio::test]
async fn every_form_of_a_policy_decides() {
    let partners = Partners(["partner"].into());
    let block = |call: SkillCall| async move { named(call).await };
    let fails =
        async |call: SkillCall| if call.caller().id() == Some("partner") { Ok(Verdict::Give) } else { Err("no") };
    let with_database = with_state(partners.clone(), async |partners: Partners, call: SkillCall| {
        partners.may_be_told(call.caller()).await
    });
    let captured = partners.clone();
    let captures = move |call: SkillCall| {
        let partners = captured.clone();
        async move { partners.may_be_told(call.caller()).await }
    };
    let forms = [
        AnyPolicy::new(sync),
        AnyPolicy::new(|call: SkillCall| sync(call)),
        AnyPolicy::new(block),
        AnyPolicy::new(async |call: SkillCall| named(call).await),
        AnyPolicy::new(named),
        AnyPolicy::new(partners.clone()),
        AnyPolicy::new(Arc::new(partners)),
        AnyPolicy::new(with_database),
        AnyPolicy::new(captures),
        AnyPolicy::new(named.and(sync)),
    ];
    for (index, policy) in forms.into_iter().enumerate() {
        assert_eq!(reason(policy.clone(), "partner").await, Reason::Given, "form {index}");
        assert_eq!(reason(policy, "stranger").await, Reason::PolicyRefused, "form {index}");
    }
    assert_eq!(reason(fails, "partner").await, Reason::Given);
    assert_eq!(reason(fails, "stranger").await, Reason::PolicyFailed);
}

#[test]
fn a_constant_verdict_needs_no_runtime() {
    let decided =
        tokio_test::task::spawn(async { (reason(Verdict::Give, "a").await, reason(Verdict::Refer, "a").await) });
    let mut decided = decided;
    assert_eq!(decided.poll(), std::task::Poll::Ready((Reason::Given, Reason::PolicyRefused)));
}

#[test]
fn a_decision_is_sent_between_threads() {
    fn check<T: Send>(_: T) {}
    check(reason(Verdict::Give, "a"));
}

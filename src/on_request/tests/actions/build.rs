//! What must be configured before an opened action builds (OR-5.6).

use super::super::support::{URI, card};
use super::support::{MINUTE, Operator, terms};
use crate::findings::Severity;
use crate::on_request::actions::store::{ActionLimit, MemoryStore};
use crate::on_request::actions::{ActionTerms, Actions};
use crate::on_request::{Caller, OnRequest};

fn errors(on_request: OnRequest) -> Vec<String> {
    let Err(error) = on_request.for_card(&card()) else { return Vec::new() };
    let of_rule =
        error.findings.iter().filter(|finding| finding.severity == Severity::Error && finding.rule == "OR-5.6");
    of_rule.map(ToString::to_string).collect()
}

fn configured(actions: Actions) -> OnRequest {
    let later = ActionTerms::new("later").reversible("x").irreversible_part("x").staff("y");
    let limit = ActionLimit::new(1, MINUTE);
    OnRequest::new().actions(actions).action(terms("booking")).action(later.limits(limit, limit))
}

#[test]
fn or_5_6_an_opened_action_without_terms_does_not_build() {
    let operator = Operator::default();
    let actions = || operator.actions(operator.store());
    assert_eq!(errors(configured(actions()).caller(Caller::anonymous())), Vec::<String>::new());
    assert_eq!(errors(OnRequest::new()), Vec::<String>::new(), "with the card alone every action is referred");
    assert_eq!(errors(OnRequest::new().action("closed-booking")), Vec::<String>::new(), "it is not opened");
    assert_eq!(errors(OnRequest::new().actions(actions())).len(), 2, "both opened actions need terms");
    let by_id = errors(OnRequest::new().action("booking"));
    assert_eq!(by_id.len(), 4, "{by_id:?}");
    assert!(by_id.iter().all(|finding| finding.contains("booking") && finding.contains("/params/skills/3")));
}

#[test]
fn or_5_6_everything_that_actions_share_must_be_there() {
    let bare = Actions::new(" ", "", MemoryStore::new());
    let missing = errors(configured(bare));
    for word in ["instance", "domain", "attestation", "staff"] {
        assert!(missing.iter().any(|finding| finding.contains(word)), "{word}: {missing:?}");
    }
}

#[test]
fn terms_of_a_skill_that_the_card_does_not_list_do_not_build() {
    let error = OnRequest::new().action(terms("hours")).for_card(&card()).unwrap_err();
    assert!(error.to_string().contains("`hours` has terms"), "{error}");
}

#[test]
fn or_5_6_terms_that_hold_for_no_time_or_undo_nothing_are_not_whole() {
    let zero = std::time::Duration::ZERO;
    assert_eq!(terms("booking").remembered(zero).missing().len(), 1);
    assert_eq!(terms("booking").time_allowed(zero).missing().len(), 1);
    assert_eq!(terms("booking").reversible(" ").missing().len(), 1);
    assert_eq!(terms("booking").irreversible_part(" ").missing().len(), 1);
    assert_eq!(terms("booking").retry_may_change("traceparent").missing().len(), 0);
    assert_eq!(terms("booking").retry_may_change(URI).missing().len(), 1, "for whom it is asked is always bound");
}

#[test]
fn or_5_6_b_what_staff_cannot_undo_does_not_build_whatever_the_person_confirms() {
    let limit = ActionLimit::new(1, MINUTE);
    let alone = || ActionTerms::new("later").irreversible_part("the deposit").staff("y").limits(limit, limit);
    let operator = Operator::default();
    let build = |later| {
        errors(OnRequest::new().actions(operator.actions(operator.store())).action(terms("booking")).action(later))
    };
    let found = build(alone());
    assert!(found.len() == 1 && found[0].contains("`reversible`"), "{found:?}");
    assert_eq!(build(alone().reversible("ring them")), Vec::<String>::new());
    for both in [
        alone().reversible("ring them"),
        ActionTerms::new("later").reversible("ring them").irreversible_part("the deposit"),
    ] {
        assert_eq!((both.undo(), both.cannot_be_undone()), (Some("ring them"), Some("the deposit")), "in any order");
    }
}

#[test]
fn what_can_never_be_done_is_a_warning() {
    let operator = Operator::default();
    let bound = configured(operator.actions(operator.store())).for_card(&card()).unwrap();
    let warned = bound.findings().iter().filter(|finding| finding.rule == "OR-5.6");
    let warned = warned.map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(warned.contains("nobody can confirm") && warned.contains("nobody is identified"), "{warned}");
}

#[test]
fn or_5_6_a_the_attested_domain_is_the_operators() {
    let built = |domain: &str, origin: Option<&str>| {
        let actions = Operator::default().actions_of(domain);
        let on_request = configured(actions);
        errors(match origin {
            Some(origin) => on_request.operator_origin(origin),
            None => on_request,
        })
    };
    for own in ["example.com", "EXAMPLE.com", "example.com."] {
        assert_eq!(built(own, None), Vec::<String>::new(), "{own}");
    }
    // The card's interface is at agent.example.com, and a platform's attestation is not its tenant's.
    for foreign in ["agent.platform.example", "agent.example.com", "com", "notexample.com", "le.com"] {
        let found = built(foreign, None);
        assert!(found.iter().any(|it| it.contains(foreign) && it.contains("`example.com`")), "{foreign}: {found:?}");
    }
    assert_eq!(built("chapel.example", Some("https://ask.chapel.example")), Vec::<String>::new());
    assert!(!built("chapel.example", None).is_empty());
}

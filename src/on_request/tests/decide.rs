use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::support::*;
use crate::error::BoxError;
use crate::on_request::*;

fn assistant() -> Caller {
    Caller::assistant("a").acting_for_a_person(true)
}

async fn reason(on_request: OnRequest, skill: &str, caller: Caller) -> Reason {
    on_request.for_card(&card()).unwrap().decide(&SkillCall::new(skill, caller)).await.reason()
}

/// What is ready at once needs no runtime.
fn without_runtime<F: Future>(work: F) -> F::Output {
    match pin!(work).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("not ready at once"),
    }
}

#[test]
fn or_5_2_a_public_skill_is_given_to_anybody() {
    assert_eq!(
        without_runtime(reason(OnRequest::new().policy(Verdict::Refer), "hours", Caller::anonymous())),
        Reason::Public
    );
}

#[test]
fn or_5_3_a_closed_skill_is_given_to_nobody() {
    for skill in ["closed", "closed-booking"] {
        assert_eq!(without_runtime(reason(opened().information("closed"), skill, assistant())), Reason::NotOpened);
    }
}

#[test]
fn or_5_4_an_opened_skill_is_given_to_who_acts_for_a_person() {
    assert_eq!(without_runtime(reason(opened(), "open", assistant())), Reason::Given);
    let nobodys = [Caller::assistant("crawler"), assistant().acting_for_a_person(false), Caller::anonymous()];
    for caller in nobodys {
        assert_eq!(without_runtime(reason(opened(), "open", caller)), Reason::ActsForNobody);
    }
}

#[test]
fn or_3_6_what_is_opened_without_a_kind_is_referred() {
    assert_eq!(without_runtime(reason(OnRequest::new(), "unstated", assistant())), Reason::KindUnstated);
    assert_eq!(
        without_runtime(reason(OnRequest::new().information("unstated"), "unstated", assistant())),
        Reason::Given
    );
}

#[test]
fn or_5_7_an_action_is_referred_whatever_the_policy_says() {
    for skill in ["booking", "later"] {
        let configured = opened().information(skill).policy(Verdict::Give);
        assert_eq!(without_runtime(reason(configured, skill, assistant())), Reason::ActionConditions);
    }
}

#[test]
fn or_5_9_sign_in_and_unknown_skills_are_not_given_here() {
    assert_eq!(without_runtime(reason(opened(), "portal", assistant())), Reason::SignIn);
    assert_eq!(without_runtime(reason(opened(), "OPEN", assistant())), Reason::UnknownSkill);
    let decision = without_runtime(async {
        opened().for_card(&card()).unwrap().decide(&SkillCall::new("portal", assistant())).await
    });
    assert_eq!((decision.verdict(), decision.is_given(), decision.skill()), (Verdict::Refer, false, "portal"));
}

#[test]
fn the_policy_is_asked_only_where_the_rules_allow() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = |asked: &Arc<AtomicUsize>| {
        let asked = Arc::clone(asked);
        opened().policy(move |_: SkillCall| {
            asked.fetch_add(1, Ordering::Relaxed);
            Verdict::Give
        })
    };
    for (skill, caller) in [("closed", assistant()), ("open", Caller::anonymous()), ("booking", assistant())] {
        without_runtime(reason(counting(&asked), skill, caller));
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    without_runtime(reason(counting(&asked), "open", assistant()));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn f3_the_ways_a_policy_does_not_give_have_a_reason_each() {
    let failing = |_: SkillCall| async { Err::<Verdict, BoxError>("no table".into()) };
    let panics_at_once = |_: SkillCall| -> Verdict { panic!("at once") };
    let panics_later = async |_: SkillCall| -> Verdict {
        std::future::ready(()).await;
        panic!("later")
    };
    let cases = [
        (opened().policy(Verdict::Refer), Reason::PolicyRefused),
        (opened().policy(failing), Reason::PolicyFailed),
        (opened().policy(panics_at_once), Reason::PolicyPanicked),
        (opened().policy(panics_later), Reason::PolicyPanicked),
        (opened().policy(Verdict::Give.and(Verdict::Refer)), Reason::PolicyRefused),
        (opened().policy(Verdict::Give.and(Verdict::Give)), Reason::Given),
    ];
    for (on_request, wanted) in cases {
        assert_eq!(without_runtime(reason(on_request, "open", assistant())), wanted);
    }
}

#[test]
fn a_second_policy_is_not_asked_where_the_first_refers() {
    let never = |_: SkillCall| -> Verdict { panic!("asked") };
    let both = opened().policy(Verdict::Refer.and(never));
    assert_eq!(without_runtime(reason(both, "open", assistant())), Reason::PolicyRefused);
}

#[tokio::test(start_paused = true)]
async fn b34_a_policy_that_hangs_is_referred_in_time() {
    let hangs = async |_: SkillCall| {
        pending::<()>().await;
        Verdict::Give
    };
    let asks = assistants_message("What does the open one cost?");
    for (timeout, wanted) in [(None, 5), (Some(2), 2)] {
        let builder = call(opened().policy(hangs)).message(&asks);
        let hanging = match timeout {
            Some(seconds) => builder.timeout(Duration::from_secs(seconds)).build(),
            None => builder.build(),
        };
        let started = tokio::time::Instant::now();
        assert!(hanging.referral().await.is_some());
        assert_eq!(started.elapsed().as_secs(), wanted);
        assert_eq!(hanging.observed.take(), ["open: timed-out"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_answers_in_time_is_taken() {
    let slow = async |_: SkillCall| {
        tokio::time::sleep(Duration::from_secs(4)).await;
        Verdict::Give
    };
    let slow = call(opened().policy(slow)).message(&assistants_message("What does the open one cost?")).build();
    assert!(slow.referral().await.is_none());
}

#[test]
fn b34_without_a_runtime_a_policy_that_waits_is_referred() {
    let waits = async |_: SkillCall| {
        pending::<()>().await;
        Verdict::Give
    };
    let waiting = call(opened().policy(waits)).message(&assistants_message("What does the open one cost?")).build();
    assert!(without_runtime(waiting.referral()).is_some());
    assert_eq!(waiting.observed.take(), ["open: no-timer"]);

    let ready = call(opened()).message(&assistants_message("What does the open one cost?")).build();
    assert!(without_runtime(ready.referral()).is_none());
}

#[test]
fn b34_without_a_time_driver_a_policy_that_waits_is_referred() {
    let waits = async |_: SkillCall| {
        pending::<()>().await;
        Verdict::Give
    };
    let waiting = call(opened().policy(waits)).message(&assistants_message("What does the open one cost?")).build();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(runtime.block_on(waiting.referral()).is_some());
    assert_eq!(waiting.observed.take(), ["open: no-timer"]);
}

#[test]
fn or_3_1_a_card_that_declares_nothing_cannot_be_bound() {
    let card = crate::AgentCard::from_json(r#"{"skills": []}"#).unwrap();
    let error = OnRequest::new().for_card(&card).unwrap_err();
    assert_eq!(error.findings.iter().map(|finding| finding.rule.as_ref()).collect::<Vec<_>>(), ["OR-3.1"]);
}

#[test]
fn nothing_shows_who_asks_or_what() {
    let call = SkillCall::new("open", Caller::assistant("secret-id").with("secret-claim"));
    let shown = format!("{call:?} {:?}", OnRequest::new().caller(Caller::assistant("secret-id")));
    assert!(!shown.contains("secret"), "{shown}");
}

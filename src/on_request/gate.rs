//! The gate: a message for an on-request skill is decided before the agent sees it.

use super::bound::{BoundOnRequest, FoundSkills};
use super::deciding::rules::Reason;
use super::declared::declaration::OnRequestSkill;
use super::disclosing::mark::{ReplyStatus, mark_value};
use super::disclosing::refusals::RefusalSlot;
use super::disclosing::slot::OnRequestSlot;
use crate::binding::IncomingMessage;
use crate::call::A2aCall;
use crate::deadline::Deadline;
use crate::extension::{Answer, Gate, GateFuture};

/// Decides a message. Where nothing is asked of code that may wait, nothing is allocated for it.
pub(super) fn gate<'a>(bound: &'a BoundOnRequest, message: &'a IncomingMessage, call: &'a A2aCall) -> GateFuture<'a> {
    let found = bound.find_shipped(message);
    note_public(&found, call);
    if !bound.has_resolvers() && bound.concerned(&found).skills.is_empty() {
        return Gate::Pass.into();
    }
    GateFuture::new(decide_message(bound, found, message, call))
}

/// An agent that asks the guard on the way to a public answer refers nobody.
fn note_public(found: &FoundSkills, call: &A2aCall) {
    if found.asks_public {
        call.slot::<RefusalSlot>().note_public();
    }
}

async fn decide_message(bound: &BoundOnRequest, found: FoundSkills, message: &IncomingMessage, call: &A2aCall) -> Gate {
    let mut deadline = Deadline::new(call.decision_timeout());
    let found = bound.find_configured(found, message, &mut deadline).await;
    note_public(&found, call);
    let concerned = bound.concerned(&found);
    let (mut referred, mut doubtful) = (Vec::new(), Vec::new());
    for skill in &concerned.skills {
        let decision = if concerned.failed {
            bound.settle(call, skill.id(), Reason::ResolverFailed)
        } else {
            bound.decide_once(call, skill, &mut deadline).await
        };
        if decision.is_given() {
            continue;
        }
        match bound.may_have_been_done(call, message, skill).await {
            true => doubtful.push(*skill),
            false => referred.push(*skill),
        }
    }
    // The first of several is the one the mark names: closed before opened, actions before
    // information, then the order of the declaration.
    referred.sort_by_key(|skill| (skill.assistant_access(), !skill.is_action()));
    match referred.first() {
        _ if !doubtful.is_empty() => answer_in_doubt(bound, call, &doubtful, &referred),
        Some(first) => answer(bound, call, first, &referred),
        None => {
            let slot = call.slot::<OnRequestSlot>();
            // An action is the guard's to start; its artifacts carry no mark (On Request §9, 2).
            let told = concerned.skills.iter().filter(|skill| !skill.is_action());
            told.for_each(|skill| slot.permit(skill.id()));
            if !concerned.skills.is_empty() {
                call.forbid_caching();
            }
            Gate::Pass
        }
    }
}

fn answer(bound: &BoundOnRequest, call: &A2aCall, first: &OnRequestSkill, referred: &[&OnRequestSkill]) -> Gate {
    let mark = mark_value(ReplyStatus::of_referral(first), first);
    Gate::Answer(Answer::text(bound.referral_text(call, referred)).metadata(bound.key(), mark))
}

/// Where an action may have been done, nothing of it says that it was not: no mark, and other words.
fn answer_in_doubt(
    bound: &BoundOnRequest,
    call: &A2aCall,
    doubtful: &[&OnRequestSkill],
    referred: &[&OnRequestSkill],
) -> Gate {
    bound.notice(call, "an action that may have been done before was not said to be undone");
    call.note_refusal();
    let mut texts = doubtful.iter().map(|skill| bound.in_doubt_text(skill)).collect::<Vec<_>>();
    texts.extend((!referred.is_empty()).then(|| bound.referral_text(call, referred)));
    // What is referred beside it is information: an action's mark would be read of the one in doubt.
    let marked = referred.iter().find(|skill| !skill.is_action());
    let answer = Answer::text(texts.join("\n"));
    Gate::Answer(match marked {
        Some(skill) => answer.metadata(bound.key(), mark_value(ReplyStatus::of_referral(skill), skill)),
        None => answer,
    })
}

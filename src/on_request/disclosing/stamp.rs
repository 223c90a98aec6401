//! What outgoing objects carry, and what must not leave (OR-5.1, OR-5.3, OR-5.8, §6).

use serde_json::Value;

use super::judge::{Judge, MarkJudgement};
use super::mark::{ReplyStatus, mark_value};
use super::outgoing::{has_chunks, set};
use super::own_words::Referring;
use super::slot::{LateMark, OnRequestSlot, WithheldFor};
use crate::binding::FinalState;
use crate::call::A2aCall;
use crate::extension::{ObjectKind, OutgoingObject, Stamp};
use crate::on_request::bound::BoundOnRequest;
use crate::on_request::declared::skill::SkillId;

pub(in crate::on_request) fn stamp(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    let stamp = stamp_object(bound, object, call);
    if stamp.withhold.is_some() {
        // Somebody else may get the same reply whole.
        call.forbid_caching();
    }
    stamp
}

fn stamp_object(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Stamp {
    let referring = Referring { bound, object, call };
    if object.is_withheld() {
        return referring.stand_in();
    }
    if object.is_absent() {
        let stamp = referring.status_of_withheld().or_else(|| referring.own_words());
        return stamp.unwrap_or_else(Stamp::remove);
    }
    let marks = bound.keys().iter().flat_map(|key| object.metadata_values(key));
    if bound.keys().iter().any(|key| object.is_unreadable(key)) {
        bound.notice(call, "an object was withheld: its mark cannot be read");
        if has_chunks(object) {
            call.slot::<OnRequestSlot>().withheld(object.id(), None);
        }
        return referring.withhold(None);
    }
    let mut kept = None;
    let mut marked = false;
    for mark in marks {
        marked = true;
        // Judged before it is asked whether the client activated anything (OR-5.1).
        match (Judge { bound, object, call }).judge(mark) {
            MarkJudgement::Keep(value) => kept = kept.or(Some(value)),
            MarkJudgement::Remove => {}
            MarkJudgement::Withhold(skill) => return referring.withhold(skill),
            MarkJudgement::Replace(text) => return Stamp::withhold(text),
            MarkJudgement::Forbid(why) => return Stamp::forbid(why),
        }
    }
    if object.kind() == ObjectKind::Enclosing {
        // No mark belongs there, and nothing that is unmarked there is ours to judge.
        return Stamp::remove();
    }
    if let Some(referral) = referring.status_of_withheld() {
        return referral;
    }
    if let Some(corrected) = bound.unfinished(object, call, kept.as_ref()) {
        return corrected;
    }
    // Only a mark of its own that gives it lets a chunk go where another was withheld.
    let is_given =
        kept.as_ref().is_some_and(|mark| mark.get("status") == Some(&ReplyStatus::GivenOnOptIn.as_str().into()));
    if !is_given && let Some(skill) = withheld_before(object, call) {
        return referring.withhold(skill.and_then(|skill| bound.catalog().on_request(skill.as_str())));
    }
    if !marked && let Some(referral) = referring.own_words() {
        return referral;
    }
    let value = if marked { kept } else { permit_mark(bound, object, call) };
    match value.filter(|_| object.is_active()) {
        Some(value) => set(bound, object, value),
        None => Stamp::remove(),
    }
}

/// For what an artifact is withheld of which an earlier chunk was.
fn withheld_before(object: &OutgoingObject<'_>, call: &A2aCall) -> Option<WithheldFor> {
    let is_artifact = object.kind() == ObjectKind::Artifact;
    is_artifact.then(|| call.slot::<OnRequestSlot>().withheld_for(object.id()))?
}

/// The mark of what the agent left unmarked though a permit was used: only of a single Artifact, for only
/// what was given is marked as given.
fn permit_mark(bound: &BoundOnRequest, object: &OutgoingObject<'_>, call: &A2aCall) -> Option<Value> {
    let slot = call.slot::<OnRequestSlot>();
    if object.kind() == ObjectKind::Message && slot.is_first_unmarked() {
        bound.notice(call, "a permit was used, and the reply is a Message: what it gives carries no mark (§6.2)");
    }
    let has_failed = object.task_state().is_some_and(|state| FinalState::Failed.is(state));
    if object.kind() != ObjectKind::Artifact || has_failed {
        return None;
    }
    let sibling = bound.keys().iter().any(|key| object.has_marked_sibling(key));
    let skill: SkillId = match slot.mark_for(object.id(), sibling, object.artifact_count()) {
        LateMark::Of(skill) => skill,
        LateMark::OneOfSeveral => {
            if slot.is_first_unmarked() {
                bound.notice(call, "a permit was used, and several Artifacts are unmarked: none is marked as given");
            }
            return None;
        }
        LateMark::None => return None,
    };
    let skill = bound.catalog().on_request(skill.as_str())?;
    call.forbid_caching();
    if slot.is_first_late_mark() {
        bound.notice(call, "an artifact was marked only on its way out: store what `artifact(..)` returns");
    }
    Some(mark_value(ReplyStatus::GivenOnOptIn, skill))
}

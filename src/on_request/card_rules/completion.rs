//! `completion` (OR-3.6): its values, and texts that say otherwise.

use serde_json::Value;

use super::ListedEntry;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::declaration::{Completion, SkillKind};

/// What a text says where staff complete something after the exchange. English only.
const STAFF_COMPLETES: [&str; 26] = [
    "await confirmation",
    "awaits confirmation",
    "call back to confirm",
    "call you back",
    "calls back",
    "completed by a member",
    "completed by our",
    "completed by staff",
    "confirmed by a member",
    "confirmed by our",
    "confirmed by staff",
    "confirmed later",
    "director confirms",
    "member of staff checks",
    "member of staff completes",
    "member of staff confirms",
    "member of staff reviews",
    "reviewed by",
    "staff approve",
    "staff check",
    "staff complete",
    "staff confirm",
    "staff review",
    "subject to approval",
    "we will confirm",
    "within one working day",
];

impl ListedEntry<'_> {
    pub(super) fn completes_as_known(&self, findings: &mut Findings) {
        let Some(completion) = self.value.get("completion") else { return };
        match Completion::read(completion) {
            None => {
                let what = "`completion` is `in-conversation` or `deferred`";
                let help = "write `\"deferred\"` where a member of staff completes it, else `\"in-conversation\"`, or \
                            leave it out for information";
                findings.push(Finding::new(Severity::Error, "OR-3.6", self.at("completion"), what).with_help(help));
            }
            Some(Completion::InConversation) => self.waits_on_nobody(findings),
            Some(Completion::Deferred) => {}
        }
        if self.configured() == Some(SkillKind::Information) {
            let what = "configured as information, but with `completion` it is an action, and treated as one";
            findings.warning("OR-3.6", self.at("completion"), what);
        }
    }

    fn waits_on_nobody(&self, findings: &mut Findings) {
        for skill in self.skills() {
            let texts = ["name", "description"].map(|member| skill.as_value().get(member).and_then(Value::as_str));
            let phrase = texts.into_iter().flatten().find_map(|text| {
                let text = text.to_lowercase();
                STAFF_COMPLETES.into_iter().find(|phrase| text.contains(phrase))
            });
            let Some(phrase) = phrase else { continue };
            let what = format!("`in-conversation`, but the text of the skill says {}", quoted(phrase));
            let finding = Finding::new(Severity::Warning, "OR-3.6", self.at("completion"), what);
            findings.push(finding.with_help("write `\"deferred\"` where any step waits on a person"));
        }
    }
}

//! `completion` (OR-3.6): its values, and texts that say otherwise.

use serde_json::Value;

use super::ListedEntry;
use crate::findings::{Finding, Findings, Severity, quoted};
use crate::on_request::declared::declaration::{Completion, SkillKind};

/// What a text says where somebody completes something after the exchange. English only.
const STAFF_COMPLETES: [&str; 9] = [
    "await confirmation",
    "awaits confirmation",
    "call you back",
    "confirmed later",
    "reviewed by",
    "subject to approval",
    "subject to confirmation",
    "we will confirm",
    "within one working day",
];
/// Who completes something, and what they do then: the two within a few words of one sentence.
const STAFF: [&str; 17] = [
    "adviser",
    "advisor",
    "colleague",
    "dentist",
    "desk",
    "director",
    "doctor",
    "employee",
    "manager",
    "member",
    "nurse",
    "owner",
    "reception",
    "receptionist",
    "somebody",
    "staff",
    "team",
];
const COMPLETES: [&str; 6] = ["approve", "call", "check", "complete", "confirm", "review"];
/// `our receptionist will then confirm`, `confirmed by a member`.
const NEAR: usize = 4;
/// A longer text is not searched further.
const MAX_TEXT: usize = 20_000;

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
                let beginning = text.chars().take(MAX_TEXT).collect::<String>();
                staff_complete(&beginning.to_lowercase())
            });
            let Some(phrase) = phrase else { continue };
            let what = format!("`in-conversation`, but the text of the skill says {}", quoted(&phrase));
            let finding = Finding::new(Severity::Warning, "OR-3.6", self.at("completion"), what);
            findings.push(finding.with_help("write `\"deferred\"` where any step waits on a person"));
        }
    }
}

/// The phrase of a text in lower case by which people complete something after the exchange.
fn staff_complete(text: &str) -> Option<String> {
    let phrase = STAFF_COMPLETES.into_iter().find(|phrase| text.contains(phrase));
    phrase.map(str::to_owned).or_else(|| text.split(['.', ';', '!', '?', ':']).find_map(staff_phrase))
}

fn staff_phrase(sentence: &str) -> Option<String> {
    let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let words = words.collect::<Vec<_>>();
    let is_staff = |word: &&str| STAFF.iter().any(|one| word.strip_suffix('s').unwrap_or(word) == *one || word == one);
    let is_done = |word: &&str| {
        COMPLETES.iter().any(|verb| word.strip_prefix(verb).is_some_and(|end| ["", "s", "d", "ed"].contains(&end)))
    };
    words.windows(NEAR.min(words.len()).max(1)).find_map(|near| {
        let (staff, done) = (near.iter().position(is_staff)?, near.iter().position(is_done)?);
        // `call staff`, `check with the team` is what the person does; `confirmed by staff` is not.
        let is_theirs = staff < done || near.get(done..staff)?.contains(&"by");
        is_theirs.then(|| near.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn or_3_6_what_staff_complete_is_told_from_what_they_are_there_for() {
        for (text, found) in [
            ("our receptionist will confirm it.", true),
            ("our receptionist confirms it", true),
            ("the team confirms it within a day", true),
            ("the front desk will confirm by phone", true),
            ("a dentist approves it", true),
            ("confirmed by our receptionist", true),
            ("completed by staff", true),
            ("we call you back", true),
            ("staff confirm", true),
            ("finds a free hour with a funeral director and books it. the person confirms it.", false),
            ("call staff if you are late", false),
            ("books a table; meet the team", false),
            ("", false),
        ] {
            assert_eq!(staff_complete(text).is_some(), found, "{text}");
        }
    }
}

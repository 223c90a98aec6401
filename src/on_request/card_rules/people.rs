//! Whether the card says how a person is reached (OR-5.10).

use serde_json::Value;

use crate::card::CardSkill;
use crate::findings::{Finding, Findings, Severity};

/// Words of an id, name or tag of a skill that reaches a person. English only, like the rest.
const REACHES: [&str; 17] = [
    "call back",
    "callback",
    "contact",
    "desk",
    "escalat",
    "handoff",
    "handover",
    "human",
    "live agent",
    "operator",
    "reception",
    "representative",
    "somebody",
    "someone",
    "speak to",
    "staff",
    "talk to",
];
const HOW: [&str; 15] = [
    "call",
    "chat",
    "connect",
    "e-mail",
    "email",
    "forward",
    "hand over",
    "hands over",
    "in person",
    "message",
    "phone",
    "put through",
    "puts",
    "transfer",
    "video",
];
const WHEN: [&str; 22] = [
    "24/7",
    "a.m.",
    "always",
    "any time",
    "anytime",
    "around the clock",
    "daily",
    "every day",
    "friday",
    "hours",
    "midnight",
    "monday",
    "noon",
    "o'clock",
    "p.m.",
    "saturday",
    "sunday",
    "thursday",
    "tuesday",
    "wednesday",
    "weekday",
    "working day",
];
const LANGUAGES: [&str; 40] = [
    "arabic",
    "bengali",
    "bulgarian",
    "cantonese",
    "catalan",
    "chinese",
    "croatian",
    "czech",
    "danish",
    "dutch",
    "english",
    "estonian",
    "finnish",
    "french",
    "gaelic",
    "german",
    "greek",
    "hebrew",
    "hindi",
    "hungarian",
    "indonesian",
    "irish",
    "italian",
    "japanese",
    "korean",
    "language",
    "latvian",
    "lithuanian",
    "mandarin",
    "norwegian",
    "persian",
    "polish",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
    "turkish",
    "ukrainian",
    "welsh",
];
/// A longer text is not searched further.
const MAX_TEXT: usize = 20_000;

/// A skill that reaches a person, and what its description leaves open.
pub(super) fn reaches_people(skills: &[CardSkill<'_>], findings: &mut Findings) {
    let open = |skill: &CardSkill<'_>| Some((skill.pointer(), left_open(skill)?));
    let best = skills.iter().filter(|skill| reaches(skill)).filter_map(open).min_by_key(|(_, open)| open.len());
    let help = "say in its description how a person is reached (transfer, callback), when, and in which languages";
    match best {
        None => {
            let what = "no skill says how a person is reached";
            let help = "add one if a person can be reached, and let its description say how, when and in which \
                        languages; else silence this with `--silence OR-5.10`";
            findings.push(Finding::new(Severity::Warning, "OR-5.10", "/skills", what).with_help(help));
        }
        Some((_, open)) if open.is_empty() => {}
        Some((pointer, open)) => {
            let what = format!("this skill reaches a person, and does not say {}", open.join(", nor "));
            let pointer = format!("{pointer}/description");
            findings.push(Finding::new(Severity::Warning, "OR-5.10", pointer, what).with_help(help));
        }
    }
}

fn reaches(skill: &CardSkill<'_>) -> bool {
    let tags = skill.as_value().get("tags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = [skill.id(), skill.name()].into_iter().flatten().chain(tags.iter().filter_map(Value::as_str));
    names.map(|name| lower(&name.replace(['-', '_'], " "))).any(|name| REACHES.iter().any(|word| name.contains(word)))
}

fn left_open(skill: &CardSkill<'_>) -> Option<Vec<&'static str>> {
    let text = lower(skill.as_value().get("description").and_then(Value::as_str).unwrap_or_default());
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let says_when = says(&WHEN) || has_time(&text);
    let all = [(says(&HOW), "how"), (says_when, "when"), (says(&LANGUAGES), "in which languages")];
    Some(all.into_iter().filter(|(said, _)| !said).map(|(_, what)| what).collect())
}

/// `09:00`.
fn has_time(text: &str) -> bool {
    text.as_bytes().windows(4).any(|window| {
        matches!(window, [hour, b':', tens, ones] if [hour, tens, ones].iter().all(|byte| byte.is_ascii_digit()))
    })
}

fn lower(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect::<String>().to_lowercase()
}

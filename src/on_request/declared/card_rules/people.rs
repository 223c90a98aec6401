//! Whether the card says how a person is reached (OR-5.10).

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::card::CardSkill;
use crate::findings::{Finding, Findings, Severity};

const REACHES: u8 = 1;
const HOW: u8 = 2;
const WHEN: u8 = 4;
const LANGUAGE: u8 = 8;

/// What the words and phrases of a text say. They are whole, in lower case and English only; what is
/// no letter or digit counts as a space. The first are of an id, a name or a tag.
const SAID: [(u8, &str); 4] = [
    (
        REACHES,
        "call back, callback, contact, customer service, desk, escalate, escalation, hand off, hand over, handoff, \
         handover, helpdesk, human, humans, live agent, live chat, operator, real person, reception, receptionist, \
         representative, somebody, someone, speak to, speak with, staff, support, talk to, talk with, team, transfer to, \
         transfer you",
    ),
    (
        HOW,
        "call, call back, callback, callbacks, called, calls, chat, chats, connect, connected, connects, e mail, email, emails, \
         forward, forwarded, forwards, hand over, handed over, hands over, in person, live chat, message, messages, passed on, \
         passes on, phone, put through, puts, ring back, telephone, transfer, transferred, transfers, video",
    ),
    (
        WHEN,
        "24 7, a m, always, any time, anytime, around the clock, at once, business day, business days, daily, \
         day and night, every day, fri, friday, fridays, hour, hours, immediately, midnight, mon, monday, mondays, \
         next day, noon, o clock, p m, right away, same day, saturday, saturdays, straight away, sunday, sundays, \
         thursday, thursdays, tuesday, tuesdays, wednesday, wednesdays, weekday, weekdays, weekend, weekends, \
         working day, working days",
    ),
    (
        LANGUAGE,
        "afrikaans, albanian, amharic, arabic, armenian, azerbaijani, basque, belarusian, bengali, bosnian, bulgarian, \
         burmese, cantonese, catalan, chinese, croatian, czech, danish, dari, dutch, english, estonian, farsi, \
         filipino, finnish, french, gaelic, galician, georgian, german, greek, gujarati, hausa, hebrew, hindi, \
         hungarian, icelandic, igbo, indonesian, irish, italian, japanese, kannada, kazakh, khmer, korean, kurdish, \
         language, languages, lao, latvian, lithuanian, macedonian, malay, malayalam, mandarin, marathi, mongolian, \
         nepali, norwegian, pashto, persian, polish, portuguese, punjabi, romanian, russian, serbian, sinhala, slovak, \
         slovenian, somali, spanish, swahili, swedish, tagalog, tamil, telugu, thai, turkish, ukrainian, urdu, \
         vietnamese, welsh, yoruba, zulu",
    ),
];
/// Longer phrases that say nothing, though a part of them would.
const SAYS_NOTHING: &str = "furniture polish, nail polish, polish remover, shoe polish";
const MAX_PHRASE: usize = 3;
/// A longer text is not searched further.
const MAX_TEXT: usize = 20_000;
const SILENCE: &str = "`silence(\"OR-5.10\")`, `--silence OR-5.10`";

static PHRASES: LazyLock<HashMap<&'static str, u8>> = LazyLock::new(|| {
    let mut phrases = HashMap::new();
    for (what, listed) in SAID.into_iter().chain([(0, SAYS_NOTHING)]) {
        for phrase in listed.split(", ") {
            *phrases.entry(phrase).or_default() |= what;
        }
    }
    phrases
});

/// A skill that reaches a person, and what its description leaves open.
pub(super) fn reaches_people(skills: &[CardSkill<'_>], findings: &mut Findings) {
    let open = |skill: &CardSkill<'_>| (skill.pointer(), left_open(skill));
    let best = skills.iter().filter(|skill| reaches(skill)).map(open).min_by_key(|(_, open)| open.len());
    match best {
        None => {
            let what = "no skill says how a person is reached";
            let help = format!(
                "add one if a person can be reached, and let its description say how, when and in which languages; \
                 else silence this: {SILENCE}"
            );
            findings.push(Finding::new(Severity::Warning, "OR-5.10", "/skills", what).with_help(help));
        }
        Some((_, open)) if open.is_empty() => {}
        Some((pointer, open)) => {
            let what = format!("this skill reaches a person, and does not say {}", open.join(", nor "));
            let pointer = format!("{pointer}/description");
            let help = format!(
                "say in its description how a person is reached (transfer, callback), when, and in which languages; \
                 if it does, in words that are not looked for, silence this: {SILENCE}"
            );
            findings.push(Finding::new(Severity::Warning, "OR-5.10", pointer, what).with_help(help));
        }
    }
}

fn reaches(skill: &CardSkill<'_>) -> bool {
    let tags = skill.as_value().get("tags").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let names = [skill.id(), skill.name()].into_iter().flatten().chain(tags.iter().filter_map(Value::as_str));
    // `transfer-status`, and whether a person has arrived, is about something else.
    names.map(words).any(|name| said(&name) & REACHES != 0 || name.trim() == "transfer")
}

fn left_open(skill: &CardSkill<'_>) -> Vec<&'static str> {
    let description = skill.as_value().get("description").and_then(Value::as_str).unwrap_or_default();
    let text = words(description);
    let said = said(&text) | if has_hours(&text) { WHEN } else { 0 };
    let all = [(HOW, "how"), (WHEN, "when"), (LANGUAGE, "in which languages")];
    all.into_iter().filter(|(what, _)| said & what == 0).map(|(_, what)| what).collect()
}

/// The words of a text in lower case, one space between two. A camel's hump starts a word.
fn words(text: &str) -> String {
    let mut words = String::new();
    let mut last = ' ';
    for character in text.chars().take(MAX_TEXT) {
        let is_hump = last.is_lowercase() && character.is_uppercase();
        if (is_hump || !character.is_alphanumeric()) && !words.ends_with(' ') {
            words.push(' ');
        }
        if character.is_alphanumeric() {
            words.extend(character.to_lowercase());
        }
        last = character;
    }
    words.trim().to_owned()
}

/// What the phrases of a text of [`words`] say, the longest first.
fn said(text: &str) -> u8 {
    let mut said = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let ends = rest.match_indices(' ').map(|(at, _)| at).chain([rest.len()]).take(MAX_PHRASE);
        let known = |end: usize| Some((end, *PHRASES.get(rest.get(..end)?)?));
        let longest = ends.filter_map(known).last();
        let end = longest.map_or_else(|| rest.find(' ').unwrap_or(rest.len()), |(end, _)| end);
        said |= longest.map_or(0, |(_, what)| what);
        rest = rest.get(end..).unwrap_or_default().trim_start();
    }
    said
}

/// `9 00`, `9am`, `9 h`, `9 17`: an hour with minutes, a unit or another hour.
fn has_hours(text: &str) -> bool {
    let is_unit = |word: &str| matches!(word, "am" | "pm" | "h" | "uhr");
    let is_hour = |word: &str| word.len() <= 2 && word.parse::<u8>().is_ok_and(|hour| hour <= 24);
    let is_minutes = |word: &str| word.len() == 2 && word.parse::<u8>().is_ok_and(|minutes| minutes < 60);
    let mut after_hour = false;
    text.split(' ').any(|word| {
        let digits = word.trim_end_matches(char::is_alphabetic);
        let unit = word.get(digits.len()..).unwrap_or_default();
        let found = (after_hour && (is_unit(word) || is_minutes(word))) || (is_hour(digits) && is_unit(unit));
        after_hour = is_hour(word);
        found
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::card::AgentCard;

    fn card(id: &str, name: &str, description: &str) -> AgentCard {
        let skill = json!({"id": id, "name": name, "description": description, "tags": ["x"]});
        AgentCard::from_serialize(json!({"name": "x", "skills": [skill]})).unwrap()
    }

    #[test]
    fn or_5_10_a_skill_that_reaches_a_person_is_known_by_whole_words() {
        for (id, name, wanted) in [
            ("transfer", "x", true),
            ("transfer-status", "Has the person arrived", false),
            ("x", "Transfer to a person", true),
            ("talk-to-us", "x", true),
            ("speakTo_someone", "x", true),
            ("x", "Customer support", true),
            ("x", "Our Team", true),
            ("x", "Front desk", true),
            ("x", "Desktop images", false),
            ("supporters", "Humanities", false),
            ("personal", "Staffordshire", false),
        ] {
            let card = card(id, name, "");
            assert_eq!(card.skills().all(|skill| reaches(&skill)), wanted, "{id} {name}");
        }
    }

    #[test]
    fn or_5_10_how_when_and_in_which_languages_are_known_by_whole_words() {
        let (how, when, language) = ("how", "when", "in which languages");
        for (description, open) in [
            ("Transfers you to a person, Mon-Fri 9am-5pm, in Vietnamese or Tagalog.", vec![]),
            ("Callback, 24/7, English.", vec![]),
            ("Telephone, Mon–Fri 9–17 h, German", vec![]),
            ("We call back the same day, in Urdu.", vec![]),
            ("E-mail, 09:00 to 17:00, in all languages", vec![]),
            ("Chat from 9 Uhr, in Polish", vec![]),
            ("Chat from 9 a.m., in Polish", vec![]),
            ("Typically outputs nail polish", vec![how, when, language]),
            ("Recalls 9 Englishmen", vec![how, when, language]),
            ("Chat in room 9 at table 300", vec![when, language]),
            ("A monologue by phone", vec![when, language]),
            ("9am", vec![how, language]),
            ("", vec![how, when, language]),
        ] {
            let card = card("staff", "Staff", description);
            assert_eq!(left_open(&card.skills().next().unwrap()), open, "{description}");
        }
    }

    #[test]
    fn or_5_10_every_help_says_how_to_silence_it() {
        for (id, rules) in [("fees", 1), ("staff", 1)] {
            let (mut findings, card) = (Findings::default(), card(id, "Fees", ""));
            reaches_people(&card.skills().collect::<Vec<_>>(), &mut findings);
            let helps = findings.iter().filter_map(|finding| finding.help.as_deref()).collect::<Vec<_>>();
            assert_eq!(helps.len(), rules);
            assert!(helps.iter().all(|help| help.contains(SILENCE)), "{helps:?}");
        }
    }

    #[test]
    fn no_listed_phrase_is_longer_than_what_is_looked_up() {
        for phrase in PHRASES.keys() {
            assert!(phrase.split(' ').count() <= MAX_PHRASE && words(phrase) == **phrase, "{phrase}");
        }
    }
}

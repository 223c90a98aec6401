//! The shipped resolver that knows the card's `examples`.

use std::collections::BTreeMap;

use super::skill::{SkillId, SkillIds};
use crate::binding::IncomingMessage;
use crate::card::AgentCard;

/// The examples of all skills, folded.
#[derive(Clone, Debug, Default)]
pub(in crate::on_request) struct ExampleIndex {
    skills: BTreeMap<String, Vec<SkillId>>,
    /// The length of the longest folded example: a longer text cannot be one.
    longest: usize,
}

impl ExampleIndex {
    pub(in crate::on_request) fn new(card: &AgentCard) -> Self {
        let mut index = Self::default();
        for skill in card.skills() {
            let Some(id) = skill.id().map(SkillId::from) else { continue };
            for example in skill.examples() {
                let folded = fold(example, usize::MAX).unwrap_or_default();
                if folded.is_empty() {
                    continue;
                }
                index.longest = index.longest.max(folded.len());
                let skills = index.skills.entry(folded).or_default();
                if !skills.contains(&id) {
                    skills.push(id.clone());
                }
            }
        }
        index
    }

    /// The skills whose examples the message's text is, as a whole or in one of its Parts.
    pub(in crate::on_request) fn find(&self, message: &IncomingMessage) -> SkillIds {
        let whole = self.skills_of(&message.text());
        message.texts().flat_map(|text| self.skills_of(&text)).chain(whole).collect()
    }

    /// Whether the message is an example and nothing else, so that nothing is left unresolved.
    pub(in crate::on_request) fn is_exactly_one(&self, message: &IncomingMessage) -> bool {
        message.data().next().is_none() && !message.has_files() && !self.skills_of(&message.text()).is_empty()
    }

    fn skills_of(&self, text: &str) -> Vec<SkillId> {
        let folded = fold(text, self.longest).unwrap_or_default();
        self.skills.get(&folded).cloned().unwrap_or_default()
    }
}

/// Letters and digits in lower case; spaces, punctuation and what shows nothing are dropped.
/// `None` where more than `longest` bytes remain.
fn fold(text: &str, longest: usize) -> Option<String> {
    let mut folded = String::new();
    for character in text.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase) {
        folded.push(character);
        if folded.len() > longest {
            return None;
        }
    }
    Some(folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> ExampleIndex {
        let card = r#"{"skills": [
            {"id": "hours", "examples": ["When is it open?", "?!", 7]},
            {"id": "pricing", "examples": ["What does a cremation cost?", "When is it OPEN"]}
        ]}"#;
        ExampleIndex::new(&AgentCard::from_json(card).unwrap())
    }

    #[test]
    fn case_spacing_and_punctuation_are_folded() {
        for text in
            ["What does a cremation cost?", "  what DOES\ta cremation\n cost", "what does a cre\u{200b}mation cost!!"]
        {
            assert_eq!(index().skills_of(text), ["pricing"], "{text}");
        }
    }

    #[test]
    fn only_the_whole_text_counts() {
        for text in
            ["", "?!", "cremation cost", "What does a cremation cost? And when is it open?", "What does a cremation"]
        {
            assert!(index().skills_of(text).is_empty(), "{text}");
        }
        assert!(index().skills_of(&"x".repeat(1 << 20)).is_empty());
    }

    #[test]
    fn an_example_of_two_skills_is_both() {
        assert_eq!(index().skills_of("when is it open"), ["hours", "pricing"]);
    }
}

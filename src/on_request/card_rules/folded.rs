//! A text as values in it are looked for: one kind of space, hyphen and digit, nothing unseen.

use std::ops::Range;

/// A text whose look-alikes are made alike, and the way back.
pub(super) struct FoldedText {
    text: String,
    /// For each byte of `text`, and for its end, the place in the original. Without it they are equal.
    places: Option<Vec<usize>>,
}

impl FoldedText {
    pub(super) fn new(original: &str) -> Self {
        if original.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return Self { text: original.to_owned(), places: None };
        }
        let mut text = String::with_capacity(original.len());
        let mut places = Vec::with_capacity(original.len() + 1);
        for (at, character) in original.char_indices() {
            let Some(folded) = fold(character) else { continue };
            text.push(folded);
            places.resize(text.len(), at);
        }
        places.push(original.len());
        Self { text, places: Some(places) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The range of the original that a range of the folded text stands for.
    pub(super) fn original(&self, range: Range<usize>) -> Range<usize> {
        let Some(places) = &self.places else { return range };
        let place = |at: usize| places.get(at).or(places.last()).copied().unwrap_or_default();
        place(range.start)..place(range.end)
    }
}

/// `None` for what cannot be seen.
fn fold(character: char) -> Option<char> {
    Some(match character {
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{feff}' => {
            return None;
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2019}' | '\u{2018}' | '\u{2bc}' => '\'',
        '\u{66a}' => '%',
        // Full-width ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character),
        // Arabic-Indic digits, both kinds.
        '\u{660}'..='\u{669}' => digit(character, 0x660),
        '\u{6f0}'..='\u{6f9}' => digit(character, 0x6F0),
        other if other.is_whitespace() => ' ',
        other => other,
    })
}

fn digit(character: char, zero: u32) -> char {
    char::from_digit(u32::from(character).saturating_sub(zero), 10).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_made_alike_and_found_again() {
        let original = "é 1\u{202f}2\u{200b}00\u{a0}€ ４５％";
        let folded = FoldedText::new(original);
        assert_eq!(folded.as_str(), "é 1 200 € 45%");
        for wanted in ["1 200", "€", "45%"] {
            let at = folded.as_str().find(wanted).unwrap();
            let range = folded.original(at..at + wanted.len());
            assert_eq!(FoldedText::new(&original[range]).as_str(), wanted);
        }
        assert_eq!(folded.original(0..folded.as_str().len()), 0..original.len());
    }
}

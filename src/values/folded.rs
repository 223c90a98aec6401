//! A text as values in it are looked for: one kind of space, hyphen and digit, nothing unseen.

use std::borrow::Cow;
use std::ops::Range;

/// A text whose look-alikes are made alike, and the way back.
pub(crate) struct FoldedText<'t> {
    original: &'t str,
    text: Cow<'t, str>,
    /// Where the distance to the original changes: a place in `text`, and its character's in the
    /// original. Empty where both are equal.
    shifts: Vec<(u32, u32)>,
}

impl<'t> FoldedText<'t> {
    /// Folds look-alikes; case and white space stay as they are, but for its kind.
    pub(crate) fn new(original: &'t str) -> Self {
        if original.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
            return Self { original, text: Cow::Borrowed(original), shifts: Vec::new() };
        }
        Self::fold(original, |text, folded| text.push(folded))
    }

    /// The same in lower case of any script, with one space for a run of white space. Accents that
    /// are characters of their own stay so.
    pub(crate) fn lower(original: &'t str) -> Self {
        Self::fold(original, |text, folded| match folded {
            ' ' if text.ends_with(' ') => {}
            // Where a word ends does not count.
            '\u{3c2}' => text.push('\u{3c3}'),
            folded => text.extend(folded.to_lowercase()),
        })
    }

    fn fold(original: &'t str, push: impl Fn(&mut String, char)) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut shifts: Vec<(u32, u32)> = Vec::new();
        let mut shift = (0, 0);
        for (at, character) in original.char_indices() {
            let Some(folded) = fold(character) else { continue };
            let from = text.len();
            push(&mut text, folded);
            // All that one character became stands for that character.
            let starts = text.get(from..).unwrap_or_default().char_indices().map(|(place, _)| from + place);
            for start in starts {
                if start.wrapping_sub(shift.0) != at.wrapping_sub(shift.1) {
                    shift = (start, at);
                    shifts.push((place(start), place(at)));
                }
            }
        }
        Self { original, text: Cow::Owned(text), shifts }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text that was folded.
    pub(crate) fn source(&self) -> &'t str {
        self.original
    }

    /// The range of the original that a range of the folded text stands for: from the start of its
    /// first character to the end of its last.
    pub(crate) fn original(&self, range: Range<usize>) -> Range<usize> {
        let start = self.place(range.start);
        let last = (range.start..range.end).rev().find(|at| self.text.is_char_boundary(*at));
        let end = last.map_or(start, |last| {
            let last = self.place(last);
            let character = self.original.get(last..).and_then(|rest| rest.chars().next());
            last + character.map_or(0, char::len_utf8)
        });
        start..end.max(start)
    }

    /// The place of the character of the original that the one at `at` stands for.
    fn place(&self, at: usize) -> usize {
        if at >= self.text.len() {
            return self.original.len();
        }
        let before = self.shifts.partition_point(|(from, _)| usize::try_from(*from).is_ok_and(|from| from <= at));
        let shift = before.checked_sub(1).and_then(|before| self.shifts.get(before));
        let back = |place: u32| usize::try_from(place).unwrap_or_default();
        shift.map_or(at, |(from, to)| back(*to) + (at - back(*from)))
    }
}

/// A text of four gibibytes does not fit in a card.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// `None` for what cannot be seen.
fn fold(character: char) -> Option<char> {
    if character.is_ascii() {
        return Some(if character.is_ascii_whitespace() { ' ' } else { character });
    }
    if is_unseen(character) {
        return None;
    }
    Some(match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' => '-',
        '\u{2019}' | '\u{2018}' | '\u{2bc}' => '\'',
        '\u{66a}' | '\u{fe6a}' => '%',
        '\u{66b}' | '\u{fe52}' => '.',
        '\u{66c}' | '\u{fe50}' => ',',
        '\u{fe59}' => '(',
        '\u{fe5a}' => ')',
        '\u{fe62}' => '+',
        '\u{fe69}' => '$',
        '\u{ffe0}' => '\u{a2}',
        '\u{ffe1}' => '\u{a3}',
        '\u{ffe5}' => '\u{a5}',
        '\u{ffe6}' => '\u{20a9}',
        // Full-width ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character),
        other if other.is_whitespace() => ' ',
        other => digit(other).unwrap_or(other),
    })
}

/// What is not drawn: format characters, fillers, selectors of a variant, tags.
fn is_unseen(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// The zeros of the scripts whose ten digits stand one after another.
const ZEROS: [u32; 24] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
    0x1040, 0x17E0, 0x1810, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
];

/// A decimal digit of another script.
fn digit(character: char) -> Option<char> {
    let code = u32::from(character);
    let last = ZEROS.partition_point(|zero| *zero <= code).checked_sub(1)?;
    char::from_digit(code - ZEROS.get(last).filter(|zero| code - **zero <= 9)?, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_made_alike_and_found_again() {
        let original = "é 1\u{202f}2\u{200b}00\u{a0}€ ４５％ ४५ ﹩";
        let folded = FoldedText::new(original);
        assert_eq!(folded.as_str(), "é 1 200 € 45% 45 $");
        for (wanted, written) in [("1 200", "1\u{202f}2\u{200b}00"), ("€", "€"), ("45%", "４５％"), ("$", "﹩")]
        {
            let at = folded.as_str().find(wanted).unwrap();
            assert_eq!(&original[folded.original(at..at + wanted.len())], written);
        }
        assert_eq!(folded.original(0..folded.as_str().len()), 0..original.len());
    }

    #[test]
    fn what_cannot_be_seen_is_not_there() {
        for unseen in [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{1160}',
            '\u{180e}',
            '\u{200b}',
            '\u{200f}',
            '\u{202e}',
            '\u{2060}',
            '\u{2063}',
            '\u{2066}',
            '\u{206f}',
            '\u{3164}',
            '\u{fe00}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{fffb}',
            '\u{e0000}',
            '\u{e0041}',
            '\u{e007f}',
        ] {
            let original = format!("${unseen}4{unseen}5{unseen}.");
            let folded = FoldedText::new(&original);
            assert_eq!(folded.as_str(), "$45.", "{unseen:?}");
            assert_eq!(folded.original(0..3), 0..original.len() - 1 - unseen.len_utf8(), "{unseen:?}");
        }
    }

    #[test]
    fn the_lower_form_leads_back_to_the_original() {
        for (original, wanted, written) in [
            ("Zwei ÄPFEL!", "äpfel", "ÄPFEL"),
            ("4\u{2063}5 in all", "45", "4\u{2063}5"),
            ("x İY", "i\u{307}y", "İY"),
            ("x İY", "y", "Y"),
            ("x İY", "i", "İ"),
            ("ȺȺ 7", "ⱥⱥ 7", "ȺȺ 7"),
            ("\n\n Suite \t\n B", "suite b", "Suite \t\n B"),
            ("ΠΡΟΣ", "προσ", "ΠΡΟΣ"),
            ("προς", "προσ", "προς"),
            ("１２ ％", "12 %", "１２ ％"),
        ] {
            let folded = FoldedText::lower(original);
            let at = folded.as_str().find(wanted).unwrap_or_else(|| panic!("{original}: {}", folded.as_str()));
            assert_eq!(&original[folded.original(at..at + wanted.len())], written, "{original}");
        }
        assert_eq!(FoldedText::lower(" \t\n ").as_str(), " ");
    }

    proptest::proptest! {
        #[test]
        fn every_range_leads_to_a_range_of_the_original(text in "[a4€İȺ\u{200b}４ \n]{0,12}|.{0,12}") {
            for folded in [FoldedText::new(&text), FoldedText::lower(&text)] {
                for (at, character) in folded.as_str().char_indices() {
                    let range = folded.original(at..at + character.len_utf8());
                    proptest::prop_assert!(text.get(range.clone()).is_some_and(|place| !place.is_empty()), "{range:?}");
                }
            }
        }
    }
}

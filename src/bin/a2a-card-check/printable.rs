//! What goes to a terminal: nothing that it would act on.

use std::fmt::Write;

/// Controls, and characters that reorder others or cannot be seen.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// A text with each such character as its escape.
pub(crate) fn text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_unprintable(character) { shown.extend(character.escape_unicode()) } else { shown.push(character) }
    }
    shown
}

/// One character of a source line: a tab as spaces, what cannot be shown as a box.
pub(crate) fn push_source(shown: &mut String, character: char) {
    match character {
        '\t' => shown.push_str("    "),
        other if is_unprintable(other) => shown.push('\u{fffd}'),
        other => shown.push(other),
    }
}

/// JSON text in which such characters are escaped as JSON has it; they only stand in strings.
pub(crate) fn json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if is_unprintable(character) && character != '\n' {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string does not fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

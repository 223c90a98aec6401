//! Strings as they stand in the bytes, compared and decoded only when asked.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

/// A JSON string: the bytes between its quotes, not yet judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonText<'a> {
    raw: &'a [u8],
    start: usize,
    escaped: bool,
}

/// The string is no valid Unicode text: bad UTF-8, a bad escape, a lone surrogate or a raw control.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct TextError;

impl<'a> JsonText<'a> {
    #[inline]
    pub(super) fn new(raw: &'a [u8], start: usize, escaped: bool) -> Self {
        Self { raw, start, escaped }
    }

    /// The place with the quotes.
    #[inline]
    pub(crate) fn outer(&self) -> Range<usize> {
        self.start.saturating_sub(1)..self.start + self.raw.len() + 1
    }

    /// The bytes between the quotes, and whether they hold an escape.
    #[inline]
    pub(crate) fn raw(&self) -> (&'a [u8], bool) {
        (self.raw, self.escaped)
    }

    /// Whether the string means exactly `wanted`, however it is escaped.
    #[inline]
    pub(crate) fn is(&self, wanted: &str) -> bool {
        if !self.escaped {
            return self.raw == wanted.as_bytes();
        }
        self.raw.len() <= wanted.len().saturating_mul(6) && self.decode().is_ok_and(|text| text == wanted)
    }

    /// The text it means. Borrowed unless it holds an escape.
    pub(crate) fn decode(&self) -> Result<Cow<'a, str>, TextError> {
        let raw = unescaped(self.raw).ok_or(TextError)?;
        if !self.escaped {
            return Ok(Cow::Borrowed(raw));
        }
        let mut text = String::with_capacity(raw.len());
        unescape(raw, |before, character| {
            text.push_str(before);
            text.extend(character);
        })?;
        Ok(Cow::Owned(text))
    }

    /// Whether it means a text at all. Takes no memory.
    pub(crate) fn is_valid(&self) -> bool {
        unescaped(self.raw).is_some_and(|raw| !self.escaped || unescape(raw, |_, _| {}).is_ok())
    }
}

/// The text between two quotes, as it is written there; that is what it means if it holds no escape.
pub(crate) fn unescaped(raw: &[u8]) -> Option<&str> {
    // Without a stop inside a block, so that a block is compared at once.
    let has_control = |block: &[u8]| block.iter().fold(false, |found, byte| found | (*byte < 0x20));
    if raw.chunks(64).any(has_control) {
        return None;
    }
    simdutf8::basic::from_utf8(raw).ok()
}

/// Gives every run of plain text and the character that the escape behind it means.
fn unescape<'r>(raw: &'r str, mut found: impl FnMut(&'r str, Option<char>)) -> Result<(), TextError> {
    let mut rest = raw;
    while let Some((before, behind)) = memchr(b'\\', rest.as_bytes()).and_then(|at| rest.split_at_checked(at)) {
        let (character, after) = escape(behind.get(1..).unwrap_or_default())?;
        found(before, Some(character));
        rest = after;
    }
    found(rest, None);
    Ok(())
}

/// Reads what follows a backslash, and gives the character and the rest.
fn escape(behind: &str) -> Result<(char, &str), TextError> {
    let mut characters = behind.chars();
    let character = match characters.next().ok_or(TextError)? {
        quoted @ ('"' | '\\' | '/') => quoted,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return unicode_escape(characters.as_str()),
        _ => return Err(TextError),
    };
    Ok((character, characters.as_str()))
}

fn unicode_escape(digits: &str) -> Result<(char, &str), TextError> {
    let (first, rest) = code_unit(digits)?;
    if !(0xD800..0xE000).contains(&first) {
        return char::from_u32(first).map(|character| (character, rest)).ok_or(TextError);
    }
    let (second, rest) = code_unit(rest.strip_prefix("\\u").ok_or(TextError)?)?;
    if first >= 0xDC00 || !(0xDC00..0xE000).contains(&second) {
        return Err(TextError);
    }
    let scalar = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
    char::from_u32(scalar).map(|character| (character, rest)).ok_or(TextError)
}

fn code_unit(digits: &str) -> Result<(u32, &str), TextError> {
    let (unit, rest) = digits.split_at_checked(4).ok_or(TextError)?;
    if !unit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(TextError);
    }
    u32::from_str_radix(unit, 16).map(|unit| (unit, rest)).map_err(|_| TextError)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &[u8]) -> JsonText<'_> {
        JsonText::new(raw, 1, raw.contains(&b'\\'))
    }

    #[test]
    fn every_escape_is_read() {
        let decoded = text(br#"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00"#).decode().unwrap();
        assert_eq!(decoded, "\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{1f600}");
    }

    #[test]
    fn what_is_no_text_is_an_error() {
        let bad: [&[u8]; 11] = [
            br"\q",
            br"\",
            br"\u12",
            br"\u+123",
            br"\ud800",
            br"\udc00",
            br"\ud800\u0041",
            br"\ud800x",
            b"\xff",
            b"a\x01",
            br"\ud83d\ud83d",
        ];
        for raw in bad {
            assert_eq!(text(raw).decode(), Err(TextError), "{raw:?}");
        }
    }

    #[test]
    fn comparison_sees_through_escapes() {
        assert!(text(br"meta\u0064ata").is("metadata"));
        assert!(text(br"https:\/\/x").is("https://x"));
        assert!(!text(b"Metadata").is("metadata"));
        assert!(!text(br"metadata\u0000").is("metadata"));
    }
}

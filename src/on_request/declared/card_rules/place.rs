//! From a finding's JSON pointer to its bytes in the source.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use crate::findings::Findings;
use crate::json::{JsonKind, JsonScan, ScanError};

/// A place that findings name, and the places in it.
#[derive(Default)]
struct Wanted {
    children: HashMap<String, Self>,
    span: Option<Range<usize>>,
}

/// Gives every finding its span, in one pass over the source. A member that is missing is where it
/// ought to stand: in the innermost value on its path that is there. `offset` is what stands before
/// `source` in the bytes that spans count.
///
/// A span that a finding already has is a range of the *decoded* string at its pointer, and becomes
/// the bytes that mean it.
pub(super) fn place(source: &[u8], offset: usize, findings: &mut Findings) {
    let mut root = Wanted::default();
    for finding in findings.iter() {
        tokens(&finding.pointer).fold(&mut root, |node, token| node.children.entry(token).or_default());
    }
    // The source was read before; where that went wrong nothing further is placed.
    let _ = walk(&mut JsonScan::new(source), &mut root);
    let mut inside: BTreeMap<usize, Vec<&mut Range<usize>>> = BTreeMap::new();
    for finding in findings.iter_mut() {
        let Some(span) = root.resolve(&finding.pointer) else {
            finding.span = None;
            continue;
        };
        if source.get(span.start) != Some(&b'"') || finding.span.is_none() {
            finding.span = Some(span.start + offset..span.end + offset);
        } else if let Some(within) = &mut finding.span {
            inside.entry(span.start).or_default().push(within);
        }
    }
    for (start, mut ranges) in inside {
        ranges.sort_by_key(|range| range.start);
        let mut cursor = TextCursor { source, at: start + 1, decoded: 0 };
        for range in ranges {
            cursor.advance_to(range.start);
            let mut end = cursor;
            end.advance_to(range.end);
            *range = cursor.at + offset..end.at.max(cursor.at) + offset;
        }
    }
}

/// Reads the value that comes next. A key that stands twice counts where it stands last, as for
/// serde; what was found under the first is told by lying outside.
fn walk(scan: &mut JsonScan<'_>, node: &mut Wanted) -> Result<(), ScanError> {
    if node.children.is_empty() {
        node.span = Some(scan.skip()?);
        return Ok(());
    }
    let kind = scan.kind()?;
    if !matches!(kind, JsonKind::Object | JsonKind::Array) {
        node.span = Some(scan.skip()?);
        return Ok(());
    }
    let start = scan.enter()?;
    let mut index = 0_usize;
    loop {
        let name = if kind == JsonKind::Array {
            if !scan.next_element()? {
                break;
            }
            index += 1;
            Some((index - 1).to_string())
        } else {
            let Some(key) = scan.next_key()? else { break };
            key.decode().ok().map(std::borrow::Cow::into_owned)
        };
        match name.and_then(|name| node.children.get_mut(&name)) {
            Some(child) => walk(scan, child)?,
            None => {
                scan.skip()?;
            }
        }
    }
    node.span = Some(start..scan.offset());
    Ok(())
}

impl Wanted {
    fn resolve(&self, pointer: &str) -> Option<Range<usize>> {
        let mut node = self;
        let mut found = self.span.clone()?;
        for token in tokens(pointer) {
            let Some(child) = node.children.get(&token) else { break };
            let Some(span) = child.span.clone().filter(|span| found.start <= span.start && span.end <= found.end)
            else {
                break;
            };
            (node, found) = (child, span);
        }
        Some(found)
    }
}

fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

/// A key as a token of a pointer.
pub(super) fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A place in a JSON string, in its bytes and in the text that these mean.
#[derive(Clone, Copy)]
struct TextCursor<'a> {
    source: &'a [u8],
    at: usize,
    decoded: usize,
}

impl TextCursor<'_> {
    fn advance_to(&mut self, wanted: usize) {
        while self.decoded < wanted {
            let (raw, text) = match self.source.get(self.at..) {
                Some([b'\\', b'u', ..]) => self.unicode_escape(),
                Some([b'\\', _, ..]) => (2, 1),
                Some([b'"'] | [b'"', ..] | []) | None => return,
                Some(_) => (1, 1),
            };
            self.at += raw;
            self.decoded += text;
        }
    }

    /// How long the escape is, and the character that it means.
    fn unicode_escape(&self) -> (usize, usize) {
        let unit = |at: usize| {
            let digits = self.source.get(self.at + at + 2..self.at + at + 6)?;
            u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        match unit(0) {
            Some(0..0x80) => (6, 1),
            Some(0x80..0x800) => (6, 2),
            Some(0xD800..0xE000) => (12, 4),
            _ => (6, 3),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Finding, Severity};

    fn placed<'s>(source: &'s str, pointer: &str, within: Option<Range<usize>>) -> &'s str {
        let mut findings = Findings::default();
        let mut finding = Finding::new(Severity::Note, "card", pointer, "");
        finding.span = within;
        findings.push(finding);
        place(source.as_bytes(), 0, &mut findings);
        let span = findings.iter().next().and_then(|finding| finding.span.clone()).unwrap();
        &source[span]
    }

    #[test]
    fn every_pointer_finds_its_value_and_what_is_missing_the_value_around_it() {
        let source = "\r\n{\t\"a/b\": [1, {\"\\u0063\": \"x\"}], \"e\": {}, \"~\": null}\n";
        assert_eq!(placed(source, "", None), source.trim());
        assert_eq!(placed(source, "/a~1b/0", None), "1");
        assert_eq!(placed(source, "/a~1b/1/c", None), "\"x\"");
        assert_eq!(placed(source, "/a~1b/1/d/e", None), "{\"\\u0063\": \"x\"}");
        assert_eq!(placed(source, "/a~1b/2", None), "[1, {\"\\u0063\": \"x\"}]");
        assert_eq!(placed(source, "/~0", None), "null");
    }

    #[test]
    fn of_a_key_that_stands_twice_the_last_counts_with_all_that_is_in_it() {
        let source = r#"{"a": {"b": 1}, "a": {"c": 2}}"#;
        assert_eq!(placed(source, "/a/c", None), "2");
        assert_eq!(placed(source, "/a/b", None), r#"{"c": 2}"#, "the first `a` does not count");
    }

    #[test]
    fn a_place_in_a_string_is_found_through_escapes() {
        let source = r#"{"a": "\u00e9\ud83d\ude00\n\"€x $45\u0021"}"#;
        let decoded = "é😀\n\"€x $45!";
        for wanted in ["é", "😀", "\"", "€", "$45", "!", "x $45!"] {
            let at = decoded.find(wanted).unwrap();
            let bytes = placed(source, "/a", Some(at..at + wanted.len()));
            assert_eq!(serde_json::from_str::<String>(&format!("\"{bytes}\"")).unwrap(), wanted);
        }
        assert_eq!(placed(source, "/a", Some(400..500)), "", "behind the end is the end");
    }
}

//! One text in the place of an object's text Parts.

use std::ops::Range;

use super::names::quoted;
use super::object_edits::EditWriter;
use super::places::ObjectPlace;
use crate::json::{JsonKind, JsonScan, ScanError};

impl EditWriter<'_> {
    /// Puts one text Part in the place of the first, and removes the others; where there is none, it
    /// comes first. All other Parts stay.
    pub(super) fn write_text(&mut self, place: &ObjectPlace<'_>, text: &str, has_kinds: bool) {
        let kind = if has_kinds { "\"kind\":\"text\"," } else { "" };
        let part = format!("{{{kind}\"text\":{}}}", quoted(text));
        for parts in &place.parts {
            // They were read before, so this does not fail.
            let Ok(Some(found)) = elements(self.document.get(parts.clone()).unwrap_or_default()) else { continue };
            let at = |range: &Range<usize>| parts.start + range.start..parts.start + range.end;
            let start = self.edits.start(part.len());
            self.edits.text.extend_from_slice(part.as_bytes());
            let mut texts = found.iter().enumerate().filter(|(_, element)| element.is_text);
            match texts.next() {
                Some((_, first)) => self.edits.replace(at(&first.span), start),
                None => {
                    self.edits.text.extend_from_slice(if found.is_empty() { b"" } else { b"," });
                    self.edits.insert(parts.start + 1, start);
                }
            }
            for (index, other) in texts {
                let before = index.checked_sub(1).and_then(|before| found.get(before));
                let comma = before.map_or(other.span.start, |before| before.span.end);
                self.edits.remove(at(&(comma..other.span.end)));
            }
        }
    }
}

impl EditWriter<'_> {
    /// Adds one text Part behind all others. An object without Parts is left as it is.
    pub(super) fn add_text(&mut self, place: &ObjectPlace<'_>, text: &str, has_kinds: bool) {
        let kind = if has_kinds { "\"kind\":\"text\"," } else { "" };
        let Some(parts) = place.parts.last() else { return };
        let Ok(Some(found)) = elements(self.document.get(parts.clone()).unwrap_or_default()) else { return };
        let comma = if found.is_empty() { "" } else { "," };
        let part = format!("{comma}{{{kind}\"text\":{}}}", quoted(text));
        let start = self.edits.start(part.len());
        self.edits.text.extend_from_slice(part.as_bytes());
        self.edits.insert(parts.end.saturating_sub(1), start);
    }
}

struct PartElement {
    span: Range<usize>,
    is_text: bool,
}

/// The elements of an array; `None` of what is none.
fn elements(parts: &[u8]) -> Result<Option<Vec<PartElement>>, ScanError> {
    let mut scan = JsonScan::new(parts);
    if scan.kind()? != JsonKind::Array {
        return Ok(None);
    }
    let mut found = Vec::new();
    scan.enter()?;
    while scan.next_element()? {
        if scan.kind()? != JsonKind::Object {
            found.push(PartElement { span: scan.skip()?, is_text: false });
            continue;
        }
        let (start, mut is_text) = (scan.enter()?, false);
        while let Some(key) = scan.next_key()? {
            is_text |= key.is("text");
            scan.skip()?;
        }
        found.push(PartElement { span: start..scan.offset(), is_text });
    }
    Ok(Some(found))
}

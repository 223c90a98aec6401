//! New words for an object: in the place of its text Parts, behind all its Parts, or both.

use std::ops::Range;

use super::decision::NewWords;
use super::enclosing::StandInShape;
use super::object_edits::EditWriter;
use super::places::ObjectPlace;
use crate::json::{JsonKind, JsonScan, ScanError};

impl EditWriter<'_> {
    /// Writes new words into all of the object's lists of Parts, and makes a list where there is none.
    /// The new text stands where the first was; all Parts that are no text stay. True where a member is
    /// added.
    pub(super) fn write_words(&mut self, place: &ObjectPlace<'_>, words: &NewWords, shape: &StandInShape) -> bool {
        let [instead, behind] =
            [&words.instead, &words.behind].map(|text| text.as_deref().map(|text| shape.part(text)));
        let both = [&instead, &behind].into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(",");
        for parts in &place.parts {
            match elements(self.document.get(parts.clone()).unwrap_or_default()) {
                Ok(Some(found)) => self.write_parts(parts, &found, instead.as_deref(), behind.as_deref()),
                // What is no list may hold words as well, which are not ours where nothing takes their place.
                Ok(None) if instead.is_some() || self.document.get(parts.clone()) == Some(b"null") => {
                    self.put_text(parts.clone(), &["[", &both, "]"]);
                }
                _ => {}
            }
        }
        if place.parts.is_empty() {
            let comma = if place.is_empty { "" } else { "," };
            let end = place.span.end.saturating_sub(1);
            self.put_text(end..end, &[comma, "\"", shape.parts_name(place.kind), "\":[", &both, "]"]);
        }
        place.parts.is_empty()
    }

    fn write_parts(
        &mut self,
        parts: &Range<usize>,
        found: &[PartElement],
        instead: Option<&str>,
        behind: Option<&str>,
    ) {
        let at = |range: Range<usize>| parts.start + range.start..parts.start + range.end;
        let mut texts = found.iter().enumerate().filter(|(_, element)| element.is_text && instead.is_some());
        match (texts.next(), instead) {
            (Some((_, first)), Some(text)) => self.put_text(at(first.span.clone()), &[text]),
            (None, Some(text)) => {
                let comma = if found.is_empty() { "" } else { "," };
                self.put_text(parts.start + 1..parts.start + 1, &[text, comma]);
            }
            (_, None) => {}
        }
        for (index, other) in texts {
            let before = index.checked_sub(1).and_then(|before| found.get(before));
            let comma = before.map_or(other.span.start, |before| before.span.end);
            self.edits.remove(at(comma..other.span.end));
        }
        if let Some(text) = behind {
            let comma = if found.is_empty() && instead.is_none() { "" } else { "," };
            let end = parts.end.saturating_sub(1);
            self.put_text(end..end, &[comma, text]);
        }
    }

    fn put_text(&mut self, range: Range<usize>, pieces: &[&str]) {
        let start = self.edits.start(pieces.iter().map(|piece| piece.len()).sum());
        pieces.iter().for_each(|piece| self.edits.text.extend_from_slice(piece.as_bytes()));
        self.edits.replace(range, start);
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

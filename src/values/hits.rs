//! What was found in one text, without what only asks.

use std::ops::{ControlFlow, Range};

use super::DetectedValue;
use super::folded::FoldedText;
use super::sentence::sentence_end;

/// A detector stops after so many places in one text.
pub(super) const MAX_HITS: usize = 10_000;

/// Gathers the places of one kind in one text.
pub(super) struct Hits<'t> {
    folded: &'t FoldedText<'t>,
    what: &'static str,
    found: Vec<DetectedValue>,
    /// Where the sentence of the last place ends, and whether it is a question.
    sentence: (usize, bool),
}

impl<'t> Hits<'t> {
    pub(super) fn new(folded: &'t FoldedText<'t>, what: &'static str) -> Self {
        Self { folded, what, found: Vec::new(), sentence: (0, false) }
    }

    /// Adds a range of the folded text, unless its sentence is a question. Within one pass the
    /// ranges go from front to back. Breaks where there are enough.
    pub(super) fn push(&mut self, range: Range<usize>) -> ControlFlow<()> {
        if self.found.len() >= MAX_HITS {
            return ControlFlow::Break(());
        }
        let range = self.folded.original(range);
        if range.end > self.sentence.0 {
            self.sentence = sentence_end(self.folded.source(), range.end);
        }
        if !self.sentence.1 {
            self.found.push(DetectedValue::new(range, self.what));
        }
        ControlFlow::Continue(())
    }

    /// Another pass over the text begins.
    pub(super) fn start_again(&mut self) {
        self.sentence = (0, false);
    }

    pub(super) fn into_found(mut self) -> Vec<DetectedValue> {
        self.found.sort_by_key(|one| one.range.start);
        self.found
    }
}

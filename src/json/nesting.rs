//! Which brackets are open, at one bit each.

/// The kind of an open bracket.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Bracket {
    Object,
    Array,
}

/// A stack of brackets. Up to 64 levels cost no allocation, a million cost 125 KB.
#[derive(Debug, Default)]
pub(super) struct Nesting {
    depth: usize,
    /// The levels since the last multiple of 64, lowest bit first; a set bit is an object.
    word: u64,
    full_words: Vec<u64>,
}

impl Nesting {
    #[inline]
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    #[inline]
    pub(super) fn push(&mut self, bracket: Bracket) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full_words.push(self.word);
            self.word = 0;
        }
        let bit = 1 << (self.depth % 64);
        match bracket {
            Bracket::Object => self.word |= bit,
            Bracket::Array => self.word &= !bit,
        }
        self.depth += 1;
    }

    #[inline]
    pub(super) fn top(&self) -> Option<Bracket> {
        let last = self.depth.checked_sub(1)?;
        Some(if self.word >> (last % 64) & 1 == 1 { Bracket::Object } else { Bracket::Array })
    }

    #[inline]
    pub(super) fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.word = self.full_words.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_every_kind_over_word_borders() {
        let kind = |level: usize| if level.is_multiple_of(3) { Bracket::Object } else { Bracket::Array };
        let mut nesting = Nesting::default();
        for level in 0..300 {
            nesting.push(kind(level));
        }
        for level in (0..300).rev() {
            assert_eq!(nesting.top(), Some(kind(level)), "level {level}");
            nesting.pop();
        }
        assert_eq!(nesting.top(), None);
        nesting.pop();
        assert_eq!(nesting.depth(), 0);
    }
}

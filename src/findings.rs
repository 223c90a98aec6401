//! What is wrong with a configuration: all of it, with the rule and the place.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// How grave a [`Finding`] is.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Severity {
    /// Something to know; nothing is wrong.
    Note,
    /// A SHOULD of the specification is not met, or the result may surprise.
    Warning,
    /// A MUST is not met. The layer does not build.
    Error,
}

impl Severity {
    /// `note`, `warning` or `error`.
    ///
    /// ```
    /// assert_eq!(tower_a2a_extensions::Severity::Warning.as_str(), "warning");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that was found in a card or a configuration.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The rule it comes from: `OR-3.3`, `A2A §4.6.1`, or a word such as `card`.
    pub rule: Cow<'static, str>,
    /// How grave it is.
    pub severity: Severity,
    /// Where it is, as a JSON pointer into the card; empty for the whole.
    pub pointer: String,
    /// The same place in bytes of the card's source, where that is known.
    pub span: Option<Range<usize>>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Finding {
    /// A finding without span and help.
    #[must_use]
    pub fn new(
        severity: Severity,
        rule: impl Into<Cow<'static, str>>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { rule: rule.into(), severity, pointer: pointer.into(), span: None, message: message.into(), help: None }
    }

    /// Says what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says where the place is in the card's source.
    #[must_use]
    pub fn with_span(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.severity.as_str(), self.rule)?;
        if !self.pointer.is_empty() {
            write!(f, " at {}", Printable(&self.pointer))?;
        }
        write!(f, ": {}", Printable(&self.message))?;
        if let Some(help) = &self.help {
            write!(f, " (help: {})", Printable(help))?;
        }
        Ok(())
    }
}

/// A text without what a terminal or a log would act on: each such character as its escape.
struct Printable<'a>(&'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| {
            if is_unprintable(character) {
                write!(f, "{}", character.escape_unicode())
            } else {
                write!(f, "{character}")
            }
        })
    }
}

/// Controls, and characters that change the order of others or cannot be seen.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The longest piece of a card that a message repeats, in characters.
const MAX_QUOTED: usize = 80;

/// A piece of a card as a message repeats it: between backticks, printable, not too long.
pub(crate) fn quoted(text: &str) -> String {
    let cut = text.char_indices().nth(MAX_QUOTED).map(|(at, _)| at);
    let shown = cut.and_then(|at| text.get(..at)).unwrap_or(text);
    format!("`{}{}`", Printable(shown), if cut.is_some() { "…" } else { "" })
}

/// All findings of one build or check, in the order they were made.
///
/// ```
/// use tower_a2a_extensions::{Findings, Severity};
///
/// let mut findings = Findings::default();
/// findings.warning("OR-3.6", "/capabilities/extensions/0/params/skills/1", "opened without completion");
/// findings.error("OR-3.3", "/capabilities/extensions/0/params/skills/0/id", "no skill has this id");
/// assert!(findings.has_errors());
/// assert_eq!(findings.iter().filter(|finding| finding.severity == Severity::Warning).count(), 1);
/// ```
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        self.0.push(finding);
    }

    /// Adds a MUST that is not met.
    pub fn error(
        &mut self,
        rule: impl Into<Cow<'static, str>>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.push(Finding::new(Severity::Error, rule, pointer, message));
    }

    /// Adds a SHOULD that is not met.
    pub fn warning(
        &mut self,
        rule: impl Into<Cow<'static, str>>,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.push(Finding::new(Severity::Warning, rule, pointer, message));
    }

    /// Adds something to know.
    pub fn note(&mut self, rule: impl Into<Cow<'static, str>>, pointer: impl Into<String>, message: impl Into<String>) {
        self.push(Finding::new(Severity::Note, rule, pointer, message));
    }

    /// Whether one of them stops a build.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings, in the order they were made.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Finding> {
        self.0.iter_mut()
    }

    /// Sorts by place; what has none comes first.
    pub(crate) fn sort_by_place(&mut self) {
        self.0.sort_by_key(|finding| finding.span.as_ref().map_or((0, 0), |span| (span.start, span.end)));
    }

    pub(crate) fn retain(&mut self, keeps: impl FnMut(&Finding) -> bool) {
        self.0.retain(keeps);
    }

    /// The findings themselves where none of them is an error.
    ///
    /// # Errors
    ///
    /// [`BuildError`] with every finding where one of them is.
    pub fn into_result(self) -> Result<Self, BuildError> {
        if self.has_errors() { Err(BuildError { findings: self }) } else { Ok(self) }
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        self.0.extend(findings);
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// One finding a line.
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fmt::Display::fmt(finding, f)?;
        }
        Ok(())
    }
}

/// A card or a configuration cannot be used. It lists every problem, not only the first.
#[derive(Clone, Eq, PartialEq)]
#[non_exhaustive]
pub struct BuildError {
    /// Everything that was found, warnings and notes included.
    pub findings: Findings,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        write!(f, "the A2A extensions layer cannot be built, {errors} error(s):\n{}", self.findings)
    }
}

/// The same, so that `main() -> Result<(), BuildError>` prints what can be read.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_error_is_debugged_as_it_is_displayed() {
        let mut findings = Findings::default();
        findings.error("OR-3.4", "/skills", "it is empty");
        let error = BuildError { findings };
        assert_eq!(format!("{error:?}"), error.to_string());
    }

    #[test]
    fn nothing_that_a_terminal_acts_on_is_printed() {
        let escape = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\u{200b}";
        let finding = Finding::new(Severity::Error, "card", format!("/{escape}"), escape).with_help(escape);
        for text in [finding.to_string(), quoted(escape)] {
            assert!(!text.chars().any(is_unprintable), "{text:?}");
        }
        assert!(finding.to_string().contains(r"\u{1b}]0;x\u{7}\u{9b}2J\u{202e}"), "{finding}");
        assert_eq!(quoted(&"x".repeat(81)).chars().count(), 83);
    }
}

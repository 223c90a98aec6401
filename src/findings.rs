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
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        write!(f, "{severity} [{}]", self.rule)?;
        if !self.pointer.is_empty() {
            write!(f, " at {}", self.pointer)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, " (help: {help})")?;
        }
        Ok(())
    }
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
#[derive(Clone, Debug, Eq, PartialEq)]
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

impl std::error::Error for BuildError {}

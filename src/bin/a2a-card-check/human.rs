//! Findings for people, as compilers write them.

use std::io::{self, IsTerminal, Write};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use tower_a2a_extensions::{Finding, Severity};

use crate::CheckedCard;
use crate::args::Color;
use crate::place::{Position, excerpt, positions, span};
use crate::printable;

pub(crate) struct HumanReport {
    renderer: Renderer,
}

impl HumanReport {
    pub(crate) fn new(color: Color) -> Self {
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stdout().is_terminal() && wants_color(),
        };
        Self { renderer: if colored { Renderer::styled() } else { Renderer::plain() } }
    }

    pub(crate) fn write(&self, card: &CheckedCard, to: &mut impl Write) -> io::Result<()> {
        let starts = card.findings.iter().map(|finding| span(finding, &card.source).start);
        let positions = positions(&card.source, starts);
        for finding in &card.findings {
            let start = span(finding, &card.source).start;
            let position = positions.get(&start).copied().unwrap_or_default();
            writeln!(to, "{}\n", self.render(card, finding, position))?;
        }
        writeln!(to, "{}: {}", printable::text(&card.name), summary(card))
    }

    fn render(&self, card: &CheckedCard, finding: &Finding, position: Position) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            _ => Level::NOTE,
        };
        let excerpt = excerpt(&card.source, &span(finding, &card.source));
        let name = printable::text(&card.name);
        let shown_column = excerpt.column();
        let snippet = Snippet::source(excerpt.text)
            .path(name.as_str())
            .line_start(position.line)
            .annotation(AnnotationKind::Primary.span(excerpt.place));
        let title = level.primary_title(printable::text(&finding.message)).id(finding.rule.clone());
        let mut group = title.element(snippet);
        if !finding.pointer.is_empty() {
            group = group.element(Level::NOTE.with_name("at").message(printable::text(&finding.pointer)));
        }
        if let Some(help) = &finding.help {
            group = group.element(Level::HELP.message(printable::text(help)));
        }
        let rendered = self.renderer.render(&[group]);
        // The renderer counts columns in the excerpt, which is not the whole line.
        let (title, rest) = rendered.split_once('\n').unwrap_or((&rendered, ""));
        let shown = format!("{name}:{}:{shown_column}", position.line);
        let real = format!("{name}:{}:{}", position.line, position.column);
        format!("{title}\n{}", rest.replacen(&shown, &real, 1))
    }
}

fn wants_color() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb")
}

fn summary(card: &CheckedCard) -> String {
    let count = |severity: Severity, one: &str| {
        let count = card.findings.iter().filter(|finding| finding.severity == severity).count();
        format!("{count} {one}{}", if count == 1 { "" } else { "s" })
    };
    let all = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")];
    all.map(|(severity, one)| count(severity, one)).join(", ")
}

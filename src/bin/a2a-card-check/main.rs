//! `a2a-card-check`: checks Agent Cards by the rules of On Request §3, and what they declare of Converse.

#![forbid(unsafe_code)]

mod args;
mod human;
mod input;
mod json;
mod output;
mod place;
mod printable;
mod sarif;

use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tower_a2a_extensions::converse;
use tower_a2a_extensions::on_request::{CARD_RULES, CIRCUMSTANCE_WORDS, CardChecker, explain_rule};
use tower_a2a_extensions::{Findings, Severity};

use crate::args::{Args, Format};
use crate::human::HumanReport;
use crate::input::read_input;
use crate::output::Output;

/// One file and what was found in it.
struct CheckedCard {
    name: String,
    source: Vec<u8>,
    findings: Findings,
}

/// How it ends: the gravest of all files.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
enum Outcome {
    Clean,
    Findings,
    Unreadable,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Clean => Self::SUCCESS,
            Outcome::Findings => Self::from(1),
            Outcome::Unreadable => Self::from(2),
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let outcome = match &args.explain {
        Some(rule) => explain(rule),
        None => check(&args),
    };
    let outcome = outcome.unwrap_or_else(|error| {
        tell(&format!("the output cannot be written: {error}"));
        Outcome::Unreadable
    });
    outcome.into()
}

/// Tells people; nobody may be there to read it.
fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "error: {}", printable::text(what));
}

fn explain(rule: &str) -> io::Result<Outcome> {
    let asked = rule.trim();
    let is_asked = |id: &str| asked.eq_ignore_ascii_case("all") || explain_rule(asked) == explain_rule(id);
    let mut output = Output::new();
    let mut known = CARD_RULES.iter().filter(|(id, _)| is_asked(id)).peekable();
    if known.peek().is_none() {
        let ids = CARD_RULES.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
        tell(&format!("no rule has this id; the rules are: {ids}"));
        return Ok(Outcome::Unreadable);
    }
    for (id, text) in known {
        writeln!(output, "{id}: {text}")?;
        if *id == "OR-3.8" {
            writeln!(output, "The words looked for in a path: {}.", CIRCUMSTANCE_WORDS.join(", "))?;
        }
    }
    output.flush()?;
    Ok(Outcome::Clean)
}

fn check(args: &Args) -> io::Result<Outcome> {
    let checker = checker(args);
    if let Some(fault) = checker.check_configuration().into_iter().next() {
        let help = fault.help.map(|help| format!("; {help}")).unwrap_or_default();
        tell(&format!("{}{help}", fault.message));
        return Ok(Outcome::Unreadable);
    }
    let mut report = Report::new(args);
    let mut outcome = Outcome::Clean;
    for (index, file) in args.cards.iter().enumerate() {
        let is_again = file == "-" && args.cards.iter().take(index).any(|before| before == "-");
        let read = if is_again {
            Err("`-` is named twice, and standard input can be read once".into())
        } else {
            read_input(file)
        };
        match read {
            Err(why) => {
                tell(&why);
                report.unreadable.push(why);
                outcome = Outcome::Unreadable;
            }
            Ok(source) => {
                let findings = checker.check(&source);
                outcome = outcome.max(outcome_of(&findings, args));
                report.write(file, source, findings)?;
            }
        }
    }
    report.end()?;
    Ok(outcome)
}

/// What was checked, on its way out.
struct Report {
    format: Format,
    human: HumanReport,
    output: Output,
    /// SARIF is one document of all files.
    checked: Vec<CheckedCard>,
    unreadable: Vec<String>,
}

impl Report {
    fn new(args: &Args) -> Self {
        let (human, output) = (HumanReport::new(args.color), Output::new());
        Self { format: args.format, human, output, checked: Vec::new(), unreadable: Vec::new() }
    }

    fn write(&mut self, file: &OsStr, source: Vec<u8>, findings: Findings) -> io::Result<()> {
        let card = CheckedCard { name: input::name(file), source, findings };
        match self.format {
            Format::Human => self.human.write(&card, &mut self.output)?,
            Format::Json => writeln!(self.output, "{}", json::report(&card)?)?,
            Format::Sarif => self.checked.push(card),
        }
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        if self.format == Format::Sarif {
            writeln!(self.output, "{}", sarif::report(&self.checked, &self.unreadable)?)?;
        }
        self.output.flush()
    }
}

fn checker(args: &Args) -> CardChecker {
    let mut checker = CardChecker::new().also(converse::check_card);
    for origin in &args.origin {
        checker = checker.operator_origin(origin.as_str());
    }
    for value in &args.value {
        checker = checker.value(value.as_str());
    }
    for rule in &args.silence {
        checker = checker.silence(rule.clone());
    }
    if let Some(words) = &args.path_words {
        checker = checker.path_words(words.iter().cloned());
    }
    checker
}

fn outcome_of(findings: &Findings, args: &Args) -> Outcome {
    let stops = if args.deny.is_empty() { Severity::Error } else { Severity::Warning };
    if findings.iter().any(|finding| finding.severity >= stops) { Outcome::Findings } else { Outcome::Clean }
}

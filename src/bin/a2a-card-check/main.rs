//! `a2a-card-check`: checks Agent Cards by the rules of On Request §3, and what they declare of Converse.

#![forbid(unsafe_code)]

mod args;
mod human;
mod input;
mod json;
mod place;
mod printable;
mod sarif;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tower_a2a_extensions::converse;
use tower_a2a_extensions::on_request::{CARD_RULES, CardChecker, explain_rule};
use tower_a2a_extensions::{Findings, Severity};

use crate::args::{Args, Format};
use crate::human::HumanReport;
use crate::input::read_input;

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
    // Whoever reads the output may have gone, as `head` does.
    outcome.unwrap_or(Outcome::Unreadable).into()
}

fn explain(rule: &str) -> io::Result<Outcome> {
    let Some(text) = explain_rule(rule) else {
        let known = CARD_RULES.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ");
        writeln!(io::stderr(), "error: no rule has this id; the rules are: {known}")?;
        return Ok(Outcome::Unreadable);
    };
    writeln!(
        io::stdout(),
        "{}: {text}",
        rule.to_uppercase().replace("SCHEMA", "schema").replace("CONVERSE", "converse")
    )?;
    Ok(Outcome::Clean)
}

fn check(args: &Args) -> io::Result<Outcome> {
    let checker = checker(args);
    let (mut outcome, mut checked) = (Outcome::Clean, Vec::new());
    let human = HumanReport::new(args.color);
    for file in &args.cards {
        match read_input(file) {
            Err(why) => {
                writeln!(io::stderr(), "error: {}", printable::text(&why))?;
                outcome = Outcome::Unreadable;
            }
            Ok(source) => {
                let findings = checker.check(&source);
                outcome = outcome.max(outcome_of(&findings, args));
                let card = CheckedCard { name: input::name(file), source, findings };
                match args.format {
                    Format::Human => human.write(&card, &mut io::stdout().lock())?,
                    Format::Json => writeln!(io::stdout(), "{}", json::report(&card)?)?,
                    Format::Sarif => checked.push(card),
                }
            }
        }
    }
    if args.format == Format::Sarif {
        writeln!(io::stdout(), "{}", sarif::report(&checked)?)?;
    }
    Ok(outcome)
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

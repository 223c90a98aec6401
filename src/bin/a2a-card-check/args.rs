//! The command line.

use std::ffi::OsString;

use clap::{Parser, ValueEnum};

/// Checks Agent Cards by the rules of the A2A extension On Request, offline.
///
/// A card that does not declare the extension passes, with a note. Of A2A itself only what the rules
/// rest on is checked.
///
/// Exit status: 0 clean, 1 an error (or a warning, with --deny warnings; notes never), 2 a file or
/// an option that cannot be read, or output that cannot be written.
#[derive(Debug, Parser)]
#[command(name = "a2a-card-check", version)]
pub(crate) struct Args {
    /// Files to check; `-` is standard input
    #[arg(required_unless_present = "explain", value_name = "CARD")]
    pub(crate) cards: Vec<OsString>,

    /// How findings are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// What counts as an error beside errors
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,

    /// An origin that the operator controls, scheme and host, such as https://booking.example.net; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,

    /// A value that must stand in no text of the card, such as a price; found as whole words, written exactly so; may be repeated
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub(crate) value: Vec<String>,

    /// Words that a path must not hold, separated by commas, instead of the built-in list (`--explain OR-3.8` shows it)
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub(crate) path_words: Option<Vec<String>>,

    /// Leaves out warnings and notes of rules, such as OR-5.10; separated by commas, may be repeated
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) silence: Vec<String>,

    /// Colours in the output for people; with `auto`, NO_COLOR switches them off
    #[arg(long, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,

    /// Explains a rule, such as OR-3.8, and checks nothing; `--explain all` explains every rule
    #[arg(long, value_name = "RULE")]
    pub(crate) explain: Option<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Format {
    /// For people: the line, the place in it, the rule and a help
    Human,
    /// One JSON object for each file, one a line
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Deny {
    /// Warnings
    Warnings,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

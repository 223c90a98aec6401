//! A row of the table: what is measured, and what it has to be.

use std::fmt::Write as _;

/// How many runs in a row have to miss a wall clock goal by a quarter before it counts.
const RUNS: usize = 3;
const NOISE: f64 = 1.25;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    AtMost(f64),
    AtLeast(f64),
    /// Shown only.
    None,
}

impl Goal {
    /// How far a value is over the goal: more than 1 is a miss.
    pub(crate) fn share(self, value: f64) -> f64 {
        match self {
            Self::AtMost(goal) if goal > 0.0 => value / goal,
            Self::AtMost(_) => value + 1.0,
            Self::AtLeast(goal) => goal / value,
            Self::None => 0.0,
        }
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unit {
    Ratio,
    Times,
    Nanos,
    Millis,
    Instructions,
    Allocations,
    Bytes,
}

impl Unit {
    /// Wall clock is noisy; the rest is not.
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Instructions | Self::Allocations | Self::Bytes)
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::Ratio => format!("{value:.3}"),
            Self::Times => format!("{value:.1}×"),
            Self::Nanos => format!("{value:.1} ns"),
            Self::Millis => format!("{value:.0} ms"),
            Self::Instructions if value < 100.0 => format!("{value:.2} instr."),
            Self::Instructions => format!("{value:.0} instr."),
            Self::Allocations => format!("{value:.0} alloc."),
            Self::Bytes => format!("{:.1} KB", value / 1024.0),
        }
    }
}

pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) goal: Goal,
    /// The error says why it cannot be measured on this machine.
    pub(crate) measure: Box<dyn FnMut() -> Result<f64, String>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) what: String,
    pub(crate) unit: Unit,
    pub(crate) goal: Goal,
    pub(crate) value: Result<f64, String>,
    pub(crate) failed: bool,
}

impl Row {
    pub(crate) fn run(mut self) -> Measured {
        let mut value = (self.measure)();
        let misses = |value: &Result<f64, String>| {
            let share = value.as_ref().map_or(0.0, |value| self.goal.share(*value));
            share > if self.unit.is_exact() { 1.0 } else { NOISE }
        };
        let mut failed = misses(&value);
        for _ in 1..RUNS {
            if !failed || self.unit.is_exact() {
                break;
            }
            value = (self.measure)();
            failed = misses(&value);
        }
        Measured { what: self.what, unit: self.unit, goal: self.goal, value, failed }
    }
}

impl Measured {
    /// One line of the table.
    pub(crate) fn line(&self) -> String {
        let mut line = format!("| {} | {} | ", self.what, self.shown());
        let _ = match self.goal {
            Goal::AtMost(goal) => write!(line, "≤ {}", self.unit.show(goal)),
            Goal::AtLeast(goal) => write!(line, "≥ {}", self.unit.show(goal)),
            Goal::None => write!(line, "–"),
        };
        let share = self.value.as_ref().map_or(0.0, |value| self.goal.share(*value));
        let verdict = match (&self.value, self.failed) {
            (Err(_), _) => "**NOT MEASURED**",
            (_, true) => "**missed**",
            (_, false) if share > 1.0 => "over, tolerated",
            (_, false) if self.goal == Goal::None => "",
            (_, false) => "met",
        };
        let _ = write!(line, " | {verdict} |");
        line
    }

    pub(crate) fn shown(&self) -> String {
        self.value.as_ref().map_or_else(|_| "?".into(), |value| self.unit.show(*value))
    }
}

pub(crate) const HEAD: &str = "| what | measured | goal | |\n|---|---|---|---|";

//! The rows as bars: how much of its goal each uses up.

use std::fmt::Write as _;

use crate::table::{Goal, Measured};

const ROW: usize = 22;
const LEFT: usize = 380;
const WIDTH: usize = 420;

/// A bar for each row with a goal; the line is the goal, so shorter is better.
pub(crate) fn svg(rows: &[Measured]) -> String {
    let rows = rows.iter().filter(|row| row.goal != Goal::None).collect::<Vec<_>>();
    let height = ROW * (rows.len() + 2);
    let goal = LEFT + WIDTH * 2 / 3;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{goal}\" y=\"15\" \
         text-anchor=\"middle\">the goal (shorter is better)</text>\n",
        LEFT + WIDTH + 110
    );
    for (index, row) in rows.iter().enumerate() {
        let share = row.value.as_ref().map_or(0.0, |value| row.goal.share(*value));
        let share = if row.goal == Goal::AtMost(0.0) { share - 1.0 } else { share };
        // More than half as much again as the goal is drawn as that.
        let length = share.clamp(0.0, 1.5) * f64::from(u32::try_from(WIDTH).unwrap_or(0)) * 2.0 / 3.0;
        let (top, color) = (ROW * (index + 1), if share > 1.0 { "#c0504d" } else { "#4f81bd" });
        let (base, end) = (top + 15, LEFT + WIDTH + 8);
        let what = row.what.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            out,
            "<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{what}</text><rect x=\"{LEFT}\" y=\"{}\" \
             width=\"{length:.0}\" height=\"{}\" fill=\"{color}\"/><text x=\"{end}\" y=\"{base}\">{}</text>",
            LEFT - 8,
            top + 3,
            ROW - 6,
            row.shown()
        );
    }
    let bottom = height - ROW / 2;
    let _ = writeln!(out, "<line x1=\"{goal}\" y1=\"20\" x2=\"{goal}\" y2=\"{bottom}\" stroke=\"black\"/>\n</svg>");
    out
}

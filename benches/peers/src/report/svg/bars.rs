//! One workload: a bar per candidate, to the right of 1 if it is slower than raw, to the left if it
//! is faster. What lath has to hold is a line across its bar.

use super::canvas::{Anchor, Canvas, colour};
use super::scale::{Scale, range, short};
use crate::measure::{Outcome, Verdict};
use crate::workload::Unit;

const WIDTH: f64 = 720.0;
const TOP: f64 = 58.0;
const ROW: f64 = 24.0;
const BOTTOM: f64 = 40.0;
/// Where the bars begin and end; to the left are the names, to the right the figures.
const LEFT: f64 = 130.0;
const RIGHT: f64 = 560.0;

/// Draws the chart of one workload.
pub(super) fn chart(outcome: &Outcome<'_>) -> String {
    let end = TOP + ROW * outcome.lines.len() as f64;
    let mut canvas = Canvas::new(WIDTH, end + BOTTOM);
    canvas.text((16.0, 24.0), Anchor::Start, "title", &outcome.workload.name);
    canvas.text((16.0, 42.0), Anchor::Start, "dim", &outcome.workload.about);

    let verdicts = outcome.verdicts();
    let ratios: Vec<f64> =
        outcome.lines.iter().map(|line| line.ratio_to(outcome.reference()).median).collect();
    let promises = verdicts.iter().map(|verdict| promise(verdict, outcome));
    let scale =
        Scale::new(range(ratios.iter().copied().chain(promises).chain([0.9, 2.0])), (LEFT, RIGHT));
    for value in scale.round_values() {
        let x = scale.place(value);
        canvas.line((x, TOP), (x, end), "faint", 1.0);
        canvas.text((x, end + 16.0), Anchor::Middle, "dim", &short(value));
    }
    let unit = match outcome.workload.unit {
        Unit::Seconds => "times as long as",
        Unit::BytesPer(_) => "times as many bytes as",
        Unit::BuildSeconds => "times as much processor time as",
    };
    let axis = format!("{unit} {} (logarithmic)", outcome.reference().name);
    canvas.text((LEFT, end + 32.0), Anchor::Start, "dim", &axis);

    for ((line, ratio), row) in outcome.lines.iter().zip(ratios).zip(0..) {
        let y = TOP + ROW * f64::from(row);
        let (start, stop) = (scale.place(ratio.min(1.0)), scale.place(ratio.max(1.0)));
        canvas.text((LEFT - 8.0, y + 16.0), Anchor::End, "", line.name);
        canvas.fill((start, y + 4.0), (stop - start, ROW - 8.0), bar_colour(line.name));
        canvas.text((RIGHT + 8.0, y + 16.0), Anchor::Start, "", &format!("{ratio:.2}"));
        for verdict in verdicts.iter().filter(|verdict| verdict.bar.candidate == line.name) {
            let (class, mark) = if verdict.holds() { ("ok", "held") } else { ("missed", "missed") };
            let promise = promise(verdict, outcome);
            canvas.line((scale.place(promise), y), (scale.place(promise), y + ROW), "ink", 3.0);
            let words = format!("≤ {} {mark}", short((promise * 100.0).round() / 100.0));
            canvas.text((RIGHT + 56.0, y + 16.0), Anchor::Start, class, &words);
        }
    }
    canvas.line((scale.place(1.0), TOP), (scale.place(1.0), end), "ink", 1.0);
    canvas.finish()
}

/// Where the line is: a bar against somebody else is drawn where that somebody puts it.
fn promise(verdict: &Verdict, outcome: &Outcome<'_>) -> f64 {
    let against = outcome
        .lines
        .iter()
        .find(|line| line.name == verdict.against)
        .unwrap_or(outcome.reference());
    verdict.bar.at_most * against.ratio_to(outcome.reference()).median
}

/// lath stands out; the others are alike.
fn bar_colour(candidate: &str) -> &'static str {
    if candidate.starts_with("lath") { colour(candidate) } else { "raw" }
}

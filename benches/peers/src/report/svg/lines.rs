//! Workloads that belong together: plots side by side, a line per candidate, nanoseconds per thing.

use super::canvas::{Anchor, Canvas, colour};
use super::scale::{Scale, range, short};
use crate::measure::Outcome;
use crate::workload::Point;

const PLOT: f64 = 220.0;
const GAP: f64 = 28.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 84.0;
const HEIGHT: f64 = 220.0;
const BOTTOM: f64 = 48.0;
/// The width of a number below the axis.
const LABEL: f64 = 28.0;

/// One measured point of one candidate.
struct Dot<'a> {
    point: &'a Point,
    candidate: &'static str,
    /// Nanoseconds per thing.
    y: f64,
}

/// Draws the chart called `name` out of those outcomes that have a place in it.
pub(super) fn chart(name: &str, outcomes: &[Outcome<'_>]) -> String {
    let dots: Vec<Dot<'_>> = outcomes.iter().flat_map(|outcome| dots(name, outcome)).collect();
    let plots = unique(dots.iter().map(|dot| dot.point.plot.as_str()));
    let candidates = unique(dots.iter().map(|dot| dot.candidate));
    let wide = LEFT + plots.len() as f64 * (PLOT + GAP);
    let mut canvas = Canvas::new(wide.max(480.0), TOP + HEIGHT + BOTTOM);
    canvas.text(
        (16.0, 24.0),
        Anchor::Start,
        "title",
        dots.first().map_or(name, |dot| dot.point.title),
    );
    legend(&mut canvas, &candidates);
    canvas.text((16.0, TOP - 24.0), Anchor::Start, "dim", "ns per thing");

    // The same heights in all plots, so that they can be compared.
    let y = Scale::new(range(dots.iter().map(|dot| dot.y)), (TOP + HEIGHT, TOP));
    for (plot, number) in plots.iter().zip(0..) {
        let left = LEFT + f64::from(number) * (PLOT + GAP);
        let here: Vec<_> = dots.iter().filter(|dot| dot.point.plot == *plot).collect();
        let x = Scale::new(range(here.iter().map(|dot| dot.point.x)), (left, left + PLOT));
        canvas.text((left + PLOT / 2.0, TOP - 8.0), Anchor::Middle, "", plot);
        for value in y.round_values() {
            canvas.line((left, y.place(value)), (left + PLOT, y.place(value)), "faint", 1.0);
            if number == 0 {
                canvas.text((left - 6.0, y.place(value) + 4.0), Anchor::End, "dim", &short(value));
            }
        }
        let mut last = f64::NEG_INFINITY;
        let mut values = unique(here.iter().map(|dot| dot.point.x));
        values.sort_by(f64::total_cmp);
        for value in values {
            // Where two would overlap, the first stays.
            if x.place(value) - last >= LABEL {
                last = x.place(value);
                canvas.text((last, TOP + HEIGHT + 18.0), Anchor::Middle, "dim", &short(value));
            }
        }
        canvas.text(
            (left + PLOT / 2.0, TOP + HEIGHT + 36.0),
            Anchor::Middle,
            "dim",
            here[0].point.axis,
        );
        for candidate in &candidates {
            let mine = here.iter().filter(|dot| dot.candidate == *candidate);
            let mut places: Vec<_> =
                mine.map(|dot| (x.place(dot.point.x), y.place(dot.y))).collect();
            places.sort_by(|one, other| one.0.total_cmp(&other.0));
            // Not everybody takes part everywhere.
            if !places.is_empty() {
                canvas.path(&places, colour(candidate));
            }
        }
    }
    canvas.finish()
}

/// The points of one workload, if it belongs into this chart.
fn dots<'a>(chart: &str, outcome: &'a Outcome<'_>) -> Vec<Dot<'a>> {
    let Some(point) = outcome.workload.point.as_ref().filter(|point| point.chart == chart) else {
        return Vec::new();
    };
    let dot = |candidate, seconds: f64| Dot {
        point,
        candidate,
        y: seconds * 1e9 / f64::from(point.things),
    };
    outcome.lines.iter().map(|line| dot(line.name, line.figure().median)).collect()
}

fn legend(canvas: &mut Canvas, candidates: &[&str]) {
    let mut x = 16.0;
    for candidate in candidates {
        canvas.line((x, 40.0), (x + 18.0, 40.0), colour(candidate), 3.0);
        canvas.text((x + 24.0, 44.0), Anchor::Start, "", candidate);
        x += 40.0 + 7.0 * candidate.len() as f64;
    }
}

/// Each value once, in the order of their first appearance.
fn unique<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.fold(Vec::new(), |mut seen, value| {
        if !seen.contains(&value) {
            seen.push(value);
        }
        seen
    })
}

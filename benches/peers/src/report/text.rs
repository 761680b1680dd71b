//! The results as tables to be read.

use std::fmt::Write;

use crate::measure::{Line, Outcome};
use crate::spread::Spread;
use crate::workload::{BEST, BEST_ECS, Bar, Unit, Workload};

/// The workloads with their candidates and bars.
pub(crate) fn list(workloads: &[Workload]) -> String {
    let mut text = String::new();
    for workload in workloads {
        let names: Vec<_> = workload.candidates.iter().map(|candidate| candidate.name).collect();
        let named = if workload.only_when_named { " (only when named)" } else { "" };
        line(&mut text, format_args!("{}: {}{named}", workload.name, workload.about));
        line(&mut text, format_args!("    {}", names.join(", ")));
        for bar in workload.bars {
            line(&mut text, format_args!("    {} {}", bar.candidate, promise(bar)));
        }
    }
    text
}

/// One table: a line per candidate.
pub(crate) fn outcome(outcome: &Outcome<'_>) -> String {
    let mut text = String::new();
    line(&mut text, format_args!("{}: {}", outcome.workload.name, outcome.workload.about));
    for candidate in &outcome.lines {
        row(&mut text, outcome, candidate);
    }
    line(&mut text, format_args!(""));
    text
}

/// A line per bar: how far lath is from it, over all rows.
pub(crate) fn bars(outcomes: &[Outcome<'_>]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        for verdict in outcome.verdicts() {
            let Bar { candidate, at_most, .. } = verdict.bar;
            let (name, against) = (&outcome.workload.name, verdict.against);
            let measured = verdict.measured;
            let mark = if verdict.holds() { "ok" } else { "MISSED" };
            let row = format!("{name:<28} {candidate:<20}");
            line(&mut text, format_args!("{row} {measured:>6.2} of {against} ≤ {at_most} {mark}"));
        }
    }
    text
}

fn row(text: &mut String, outcome: &Outcome<'_>, candidate: &Line) {
    let ratio = candidate.ratio_to(outcome.reference());
    let figure = match outcome.workload.unit {
        Unit::Seconds => spread(candidate.figure()),
        Unit::BytesPer(_) => format!("{:.1} bytes per thing", candidate.figure().median),
        Unit::BuildSeconds => format!("{:.1} s", candidate.figure().median),
    };
    let mut cells = format!("  {:<18} {figure:>26}", candidate.name);
    write!(cells, "  {:>6.2} ({:.2}–{:.2})", ratio.median, ratio.low, ratio.high)
        .expect("a string takes anything");
    if let Some(note) = &candidate.note {
        write!(cells, "  {note}").expect("a string takes anything");
    }
    for verdict in
        outcome.verdicts().iter().filter(|verdict| verdict.bar.candidate == candidate.name)
    {
        let (mark, measured) = (if verdict.holds() { "ok" } else { "MISSED" }, verdict.measured);
        match verdict.bar.against {
            "raw" => write!(cells, "  {} {mark}", promise(&verdict.bar)),
            BEST | BEST_ECS => {
                let (promise, best) = (promise(&verdict.bar), verdict.against);
                write!(cells, "  {promise} {mark}, at {measured:.2} of {best}")
            }
            _ => write!(cells, "  {} {mark}, at {measured:.2}", promise(&verdict.bar)),
        }
        .expect("a string takes anything");
    }
    line(text, format_args!("{cells}"));
}

fn promise(bar: &Bar) -> String {
    match bar.against {
        "raw" => format!("≤ {}", bar.at_most),
        against => format!("≤ {} × {against}", bar.at_most),
    }
}

/// The median and the quartiles.
fn spread(seconds: Spread) -> String {
    let (unit, scale) = unit(seconds.median);
    format!(
        "{:.2} {unit} ({:.2}–{:.2})",
        seconds.median * scale,
        seconds.low * scale,
        seconds.high * scale
    )
}

/// A time in a unit that suits it.
pub(super) fn time(seconds: f64) -> String {
    let (unit, scale) = unit(seconds);
    format!("{:.2} {unit}", seconds * scale)
}

fn unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        s if s < 1e-6 => ("ns", 1e9),
        s if s < 1e-3 => ("µs", 1e6),
        _ => ("ms", 1e3),
    }
}

fn line(text: &mut String, what: std::fmt::Arguments<'_>) {
    writeln!(text, "{what}").expect("a string takes anything");
}

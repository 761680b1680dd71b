//! The results as tables for `docs/measurements.md`: one with the bars, and one per family of
//! workloads with everybody in it.

use std::fmt::Write;

use crate::measure::{Line, Outcome, Verdict};
use crate::workload::Unit;

/// All tables.
pub(crate) fn document(outcomes: &[Outcome<'_>]) -> String {
    let mut text = String::new();
    let promising: Vec<_> =
        outcomes.iter().filter(|outcome| !outcome.workload.bars.is_empty()).collect();
    if !promising.is_empty() {
        text.push_str("## Where lath stands\n\n");
        row(&mut text, ["workload", "best peer", "lath", "bar", ""].map(String::from));
        row(&mut text, ["---", "--:", "--:", "--:", "---"].map(String::from));
        for outcome in promising {
            outcome.verdicts().iter().for_each(|verdict| standing(&mut text, outcome, verdict));
        }
    }
    for family in families(outcomes) {
        everybody(&mut text, family);
    }
    text
}

/// How one bar was held.
fn standing(text: &mut String, outcome: &Outcome<'_>, verdict: &Verdict) {
    let ratio = |line: &Line| line.ratio_to(outcome.reference()).median;
    let best = outcome.best_peer();
    let against = match verdict.bar.against {
        "raw" => String::new(),
        against => format!(" × {against}"),
    };
    row(
        text,
        [
            outcome.workload.about.clone(),
            best.map_or("–".to_string(), |best| format!("{} {}", best.name, short(ratio(best)))),
            format!("{} {}", short(verdict.measured), verdict.bar.candidate),
            format!("{}{against}", short(verdict.bar.at_most)),
            if verdict.holds() { "held" } else { "missed" }.to_string(),
        ],
    );
}

/// Workloads that are shown in one table: those of one chart, or those whose names begin alike.
fn families<'a, 'b>(outcomes: &'a [Outcome<'b>]) -> Vec<Vec<&'a Outcome<'b>>> {
    let mut families: Vec<Vec<&Outcome<'_>>> = Vec::new();
    for outcome in outcomes {
        match families.iter_mut().find(|family| family_of(family[0]) == family_of(outcome)) {
            Some(family) => family.push(outcome),
            None => families.push(vec![outcome]),
        }
    }
    families
}

fn family_of<'a>(outcome: &'a Outcome<'_>) -> &'a str {
    match &outcome.workload.point {
        Some(point) => point.chart,
        None => outcome.workload.name.split('-').next().unwrap_or_default(),
    }
}

/// A line per workload, a column per candidate: ratios to the first, whose own figure stands in its
/// column.
fn everybody(text: &mut String, family: Vec<&Outcome<'_>>) {
    let mut names: Vec<&str> = Vec::new();
    for line in family.iter().flat_map(|outcome| &outcome.lines) {
        if !names.contains(&line.name) {
            names.push(line.name);
        }
    }
    // lath last, whoever came later.
    names.sort_by_key(|name| name.starts_with("lath"));
    write!(text, "\n### {}\n\n", family_of(family[0])).expect("a string takes anything");
    row(text, std::iter::once("workload").chain(names.iter().copied()).map(String::from));
    row(text, std::iter::once("---").chain(names.iter().map(|_| "--:")).map(String::from));
    for outcome in family {
        let cell = |name: &&str| match outcome.lines.iter().find(|line| line.name == *name) {
            None => "–".to_string(),
            Some(line) => figure(line, outcome),
        };
        row(text, std::iter::once(outcome.workload.about.clone()).chain(names.iter().map(cell)));
    }
}

fn figure(line: &Line, outcome: &Outcome<'_>) -> String {
    let reference = outcome.reference();
    let figure = match outcome.workload.unit {
        _ if line.name != reference.name => short(line.ratio_to(reference).median),
        Unit::Seconds => super::text::time(line.figure().median),
        Unit::BytesPer(_) => format!("{:.1} bytes", line.figure().median),
        Unit::BuildSeconds => format!("{:.1} s", line.figure().median),
    };
    match &line.note {
        Some(note) => format!("{figure}, {note}"),
        None => figure,
    }
}

/// As many digits as mean something.
fn short(ratio: f64) -> String {
    match ratio {
        ratio if ratio < 10.0 => format!("{ratio:.2}"),
        ratio if ratio < 100.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.0}"),
    }
}

fn row(text: &mut String, cells: impl IntoIterator<Item = String>) {
    text.push('|');
    for cell in cells {
        write!(text, " {} |", cell.replace('|', "\\|")).expect("a string takes anything");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Bar, Workload};

    const BARS: &[Bar] = &[Bar::to_raw("lath-rows", 1.1)];

    #[test]
    fn a_table_names_the_best_peer_and_says_what_was_missed() {
        let (spawn, tag) =
            (Workload::new("spawn-1k", "spawn", BARS), Workload::new("tag", "tag", &[]));
        let line = |name, figure: f64| Line::of(name, vec![figure; 3]);
        let outcomes = [
            Outcome {
                workload: &spawn,
                rounds: 3,
                lines: vec![
                    line("raw", 1.0),
                    line("lath-rows", 1.25),
                    line("hecs", 3.0),
                    line("slotmap", 2.0),
                ],
            },
            Outcome {
                workload: &tag,
                rounds: 3,
                lines: vec![line("raw", 2e-6), line("hecs", 3e-4)],
            },
        ];
        let text = document(&outcomes);
        assert!(
            text.contains("| spawn | slotmap 2.00 | 1.25 lath-rows | 1.10 | missed |"),
            "{text}"
        );
        assert!(text.contains("| workload | raw | hecs | slotmap | lath-rows |"), "{text}");
        assert!(
            text.contains(
                "### tag\n\n| workload | raw | hecs |\n| --- | --: | --: |\n| tag | 2.00 µs | 150 |"
            ),
            "{text}"
        );
    }
}

//! The results as one JSON document, for scripts and for keeping.

use serde_json::{Value, json};

use crate::measure::{Line, Outcome, Verdict};
use crate::spread::Spread;
use crate::workload::Unit;

/// Everything that was measured, by workload.
pub(crate) fn document(outcomes: &[Outcome<'_>]) -> Value {
    json!({ "workloads": outcomes.iter().map(workload).collect::<Vec<_>>() })
}

fn workload(outcome: &Outcome<'_>) -> Value {
    json!({
        "name": outcome.workload.name,
        "about": outcome.workload.about,
        "rounds": outcome.rounds,
        "unit": match outcome.workload.unit {
            Unit::Seconds => "seconds",
            Unit::BytesPer(_) => "bytes per thing",
            Unit::BuildSeconds => "seconds of processor time",
        },
        "candidates": outcome.lines.iter().map(|line| candidate(line, outcome.reference())).collect::<Vec<_>>(),
        "bars": outcome.verdicts().iter().map(verdict).collect::<Vec<_>>(),
    })
}

fn candidate(line: &Line, reference: &Line) -> Value {
    json!({
        "name": line.name,
        "figure": spread(line.figure()),
        "ratio": spread(line.ratio_to(reference)),
        "note": line.note,
    })
}

fn verdict(verdict: &Verdict) -> Value {
    json!({
        "candidate": verdict.bar.candidate,
        "against": verdict.against,
        "at_most": verdict.bar.at_most,
        "measured": verdict.measured,
        "holds": verdict.holds(),
    })
}

fn spread(spread: Spread) -> Value {
    json!({ "low": spread.low, "median": spread.median, "high": spread.high })
}

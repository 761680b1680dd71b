//! The schedule: its systems, who waits for whom and why, and what ran when.

use std::collections::HashMap;
use std::time::Duration;

use lath_schedule::{Schedule, World};
use serde_json::{Value, json};

use crate::inner::Core;
use crate::response::{Fault, Params};

/// The most runs of systems that are told at once.
const MOST: usize = 4096;

/// `GET schedule`
pub(crate) fn schedule(
    core: &mut Core,
    _: &mut World,
    schedule: &mut Schedule,
    params: Params<'_>,
) -> Result<Value, Fault> {
    params.only(&["spans"])?;
    let limit = params.whole("spans", 512, MOST)?;
    let outline = schedule.outline().map_err(|error| Fault::new(409, format!("{error}")))?;
    let report = schedule.report();
    let micros = |time: Duration| time.as_nanos() as f64 / 1000.0;
    let lines: HashMap<&str, _> = report.lines.iter().map(|line| (&*line.name, line)).collect();
    let systems = outline.systems.iter().map(|system| {
        let line = lines.get(system.name.as_str());
        json!({
            "name": system.name,
            "added_at": system.added_at,
            "stage": system.stage,
            "alone": system.alone,
            "commands": system.commands,
            "conditional": system.conditional,
            "runs": line.map(|line| line.runs),
            "last_us": line.map(|line| micros(line.last)),
            "mean_us": line.map(|line| micros(line.mean)),
            "max_us": line.map(|line| micros(line.max)),
            "rows": line.map(|line| line.rows),
        })
    });
    let edges = outline
        .edges
        .iter()
        .map(|edge| json!({ "before": edge.before, "after": edge.after, "reason": edge.reason }));
    let places: HashMap<&str, usize> =
        (0..).zip(&outline.systems).map(|(at, one)| (one.name.as_str(), at)).collect();
    let mut spans = schedule.spans();
    spans.sort_by_key(|span| span.began);
    let skipped = spans.len().saturating_sub(limit);
    let spans = spans.iter().skip(skipped).map(|span| {
        json!({
            "system": places.get(&*span.system),
            "began_us": micros(span.began),
            "took_us": micros(span.took),
            "thread": span.thread,
        })
    });
    let mut answer = json!({ "tick": core.history.ticks, "measure_all": core.measure_all });
    answer["systems"] = systems.collect(); // within `json!` they would be copied
    answer["edges"] = edges.collect();
    answer["spans"] = spans.collect();
    Ok(answer)
}

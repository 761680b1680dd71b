//! The results as pictures: a bar chart per workload, and a line chart for each group of workloads
//! that belong together.
//!
//! Written by hand, a few kilobytes each, without scripts or fonts of their own. Colours follow the
//! reader's preference for light or dark.

mod bars;
mod canvas;
mod lines;
mod scale;

use std::fs;
use std::path::Path;

use crate::measure::Outcome;

/// Writes one file per chart into `folder`, which is made if need be. Fails if a file cannot be
/// written.
pub(crate) fn write(folder: &Path, outcomes: &[Outcome<'_>]) -> Result<(), String> {
    let complain =
        |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| complain(folder, error))?;
    for (name, picture) in charts(outcomes) {
        let path = folder.join(format!("{name}.svg"));
        fs::write(&path, picture).map_err(|error| complain(&path, error))?;
    }
    Ok(())
}

/// The names of the charts and the charts.
fn charts(outcomes: &[Outcome<'_>]) -> Vec<(String, String)> {
    let mut charts: Vec<(String, String)> = outcomes
        .iter()
        .filter(|outcome| outcome.workload.point.is_none())
        .map(|outcome| (outcome.workload.name.clone(), bars::chart(outcome)))
        .collect();
    let mut done = Vec::new();
    for chart in outcomes
        .iter()
        .filter_map(|outcome| outcome.workload.point.as_ref())
        .map(|point| point.chart)
    {
        if !done.contains(&chart) {
            done.push(chart);
            charts.push((chart.to_string(), lines::chart(chart, outcomes)));
        }
    }
    charts
}

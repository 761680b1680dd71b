//! All layouts and numbers of threads, one after the other, with nothing drawn: the same particles,
//! and what they cost.

use std::time::{Duration, Instant};

use super::{Body, Layout, checksum, swarm};

/// One layout on one number of threads.
#[derive(Clone, Debug)]
pub struct Run {
    /// How the particles were kept.
    pub layout: Layout,
    /// On how many threads.
    pub threads: usize,
    /// The fastest tick.
    pub fastest: Duration,
    /// The mean of all ticks.
    pub mean: Duration,
    /// What the particles were like at the end.
    pub checksum: u64,
}

/// Runs so many ticks in both layouts, on each of these numbers of threads.
///
/// # Errors
///
/// If the particles are not the same at the end, to the last bit: a defect of lath.
pub fn compare(bodies: &[Body], ticks: u32, threads: &[usize]) -> Result<Vec<Run>, String> {
    let mut runs: Vec<Run> = Vec::new();
    for &threads in threads {
        for layout in [Layout::Rows, Layout::Columns] {
            let mut swarm = swarm(layout, bodies, 0, threads);
            let times: Vec<_> = (0..ticks)
                .map(|_| {
                    let start = Instant::now();
                    swarm.tick();
                    start.elapsed()
                })
                .collect();
            let (total, fastest) =
                (times.iter().sum::<Duration>(), times.iter().min().copied().unwrap_or_default());
            let checksum = checksum(&swarm.bodies());
            runs.push(Run { layout, threads, fastest, mean: total / ticks.max(1), checksum });
        }
    }
    let differs = runs.iter().find(|run| run.checksum != runs[0].checksum);
    match differs {
        None => Ok(runs),
        Some(run) => Err(format!(
            "{} on {} threads ended with other particles than {} on {}",
            run.layout.name(),
            run.threads,
            runs[0].layout.name(),
            runs[0].threads
        )),
    }
}

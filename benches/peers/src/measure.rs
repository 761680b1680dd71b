//! Runs the candidates of a workload against each other, round by round.

use std::time::{Duration, Instant};

use crate::progress::Progress;
use crate::spread::Spread;
use crate::workload::{BEST, BEST_ECS, Bar, Candidate, Trial, Unit, Workload};
use crate::{build_cost, heap};

/// How long a workload is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Time for all rounds of one workload, what is not timed included.
    budget: Duration,
    fewest_rounds: usize,
    most_rounds: usize,
    /// For workloads whose runs take minutes.
    builds: usize,
}

impl Effort {
    pub(crate) const QUICK: Self =
        Self { budget: Duration::from_millis(500), fewest_rounds: 7, most_rounds: 50, builds: 1 };
    pub(crate) const FULL: Self =
        Self { budget: Duration::from_secs(5), fewest_rounds: 25, most_rounds: 500, builds: 3 };

    /// As many rounds as fit into the budget.
    fn rounds(self, one: Duration) -> usize {
        let fitting = self.budget.as_secs_f64() / one.as_secs_f64().max(1e-9);
        (fitting as usize).clamp(self.fewest_rounds, self.most_rounds)
    }
}

/// What was measured for one workload.
pub(crate) struct Outcome<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) rounds: usize,
    pub(crate) lines: Vec<Line>,
}

/// What was measured for one candidate.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// The figure of every round, in the unit of the workload.
    figures: Vec<f64>,
    /// What the candidate has to say beside.
    pub(crate) note: Option<String>,
}

impl Line {
    #[cfg(test)]
    pub(crate) fn of(name: &'static str, figures: Vec<f64>) -> Self {
        Self { name, figures, note: None }
    }

    /// In the unit of the workload.
    pub(crate) fn figure(&self) -> Spread {
        Spread::of(self.figures.iter().copied())
    }

    /// How many times as much as `other`, round by round.
    pub(crate) fn ratio_to(&self, other: &Line) -> Spread {
        Spread::of(self.figures.iter().zip(&other.figures).map(|(mine, theirs)| mine / theirs))
    }
}

/// Whether a bar was held.
pub(crate) struct Verdict {
    pub(crate) bar: Bar,
    /// Who it was compared with, by name.
    pub(crate) against: &'static str,
    pub(crate) measured: f64,
}

impl Verdict {
    pub(crate) fn holds(&self) -> bool {
        self.measured <= self.bar.at_most
    }
}

impl Outcome<'_> {
    /// What all others are compared with: the hand-written code, where there is some.
    pub(crate) fn reference(&self) -> &Line {
        &self.lines[0]
    }

    /// The peer that is the quickest, if one takes part.
    pub(crate) fn best_peer(&self) -> Option<&Line> {
        self.best(Candidate::is_peer)
    }

    /// The quickest of those whose names are `among` the wanted.
    fn best(&self, among: fn(&str) -> bool) -> Option<&Line> {
        let ratio = |line: &Line| line.ratio_to(self.reference()).median;
        let wanted = self.lines.iter().filter(|line| among(line.name));
        wanted.min_by(|a, b| ratio(a).total_cmp(&ratio(b)))
    }

    /// One verdict per bar of the workload.
    pub(crate) fn verdicts(&self) -> Vec<Verdict> {
        let line = |name| match name {
            BEST => self.best_peer(),
            BEST_ECS => self.best(Candidate::is_ecs),
            name => self.lines.iter().find(|line| line.name == name),
        };
        let judge = |&bar: &Bar| {
            let against = line(bar.against)?;
            let measured = line(bar.candidate)?.ratio_to(against).median;
            Some(Verdict { bar, against: against.name, measured })
        };
        self.workload.bars.iter().filter_map(judge).collect()
    }
}

/// Measures all candidates of `workload`. Fails if their answers differ.
pub(crate) fn measure<'a>(
    workload: &'a Workload,
    effort: Effort,
    progress: &Progress,
) -> Result<Outcome<'a>, String> {
    let mut trials: Vec<Box<dyn Trial>> = Vec::new();
    for candidate in &workload.candidates {
        progress.say(format_args!("setting up {}", candidate.name));
        trials.push((candidate.build)());
    }

    let (rounds, repeats) = match workload.unit {
        Unit::Seconds => {
            // Two rounds to warm up, the first for the allocator; the second, in which nothing is
            // new any more, tells how long runs are, and a third how long a round is.
            progress.say(format_args!("warming up"));
            round(workload, &mut trials, 0, 1)?;
            let repeats = repeats(&round(workload, &mut trials, 1, 1)?);
            let start = Instant::now();
            round(workload, &mut trials, 2, repeats)?;
            (effort.rounds(start.elapsed()), repeats)
        }
        Unit::BytesPer(_) => {
            // The first time for what is made only once; after that it is the same every time.
            round(workload, &mut trials, 0, 1)?;
            (1, 1)
        }
        Unit::BuildSeconds => (effort.builds, 1),
    };

    let mut lines: Vec<Line> = workload
        .candidates
        .iter()
        .map(|c| Line { name: c.name, figures: Vec::new(), note: None })
        .collect();
    for i in 0..rounds {
        if i % rounds.div_ceil(100) == 0 {
            progress.say(format_args!("round {} of {rounds}", i + 1));
        }
        for (line, figure) in lines.iter_mut().zip(round(workload, &mut trials, i, repeats)?) {
            line.figures.push(figure);
        }
    }
    for (line, trial) in lines.iter_mut().zip(&trials) {
        line.note = trial.note();
    }
    Ok(Outcome { workload, rounds, lines })
}

/// How often each candidate runs within a round: all of them as often as the quickest one needs. A
/// short run is repeated until it has its own data in the caches, not what its predecessor left
/// there, and until the clock is no matter; a long one is run once.
fn repeats(seconds: &[f64]) -> usize {
    let quickest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
    ((1e-3 / quickest.max(1e-9)) as usize).clamp(1, 15)
}

/// Lets every candidate have its turn and returns the medians of their figures, in the order of the
/// candidates.
fn round(
    workload: &Workload,
    trials: &mut [Box<dyn Trial>],
    number: usize,
    repeats: usize,
) -> Result<Vec<f64>, String> {
    let mut figures = vec![0.0; trials.len()];
    let mut answers = vec![Vec::new(); trials.len()];
    for i in order(trials.len(), number) {
        let runs = (0..repeats)
            .map(|_| run(&mut *trials[i], workload.unit))
            .collect::<Result<Vec<_>, _>>()?;
        figures[i] = Spread::of(runs.iter().map(|run| run.0)).median;
        answers[i] = runs.into_iter().map(|run| run.1).collect();
    }
    match answers.iter().position(|answer| *answer != answers[0]) {
        None => Ok(figures),
        Some(wrong) => Err(format!(
            "{}: wrong answer in round {number}: {} says {:?}, {} says {:?}",
            workload.name,
            workload.candidates[0].name,
            answers[0],
            workload.candidates[wrong].name,
            answers[wrong]
        )),
    }
}

/// One run: its figure and its answer. Fails if the run did.
fn run(trial: &mut dyn Trial, unit: Unit) -> Result<(f64, u64), String> {
    trial.prepare();
    let figure = match unit {
        Unit::Seconds => {
            let start = Instant::now();
            trial.run();
            start.elapsed().as_secs_f64()
        }
        Unit::BytesPer(things) => heap::growth(|| trial.run()) as f64 / f64::from(things),
        Unit::BuildSeconds => {
            let unknown = "this system does not tell how long processes were busy: there is no /proc/self/stat";
            let start = build_cost::children_seconds().ok_or(unknown)?;
            trial.run();
            build_cost::children_seconds().ok_or(unknown)? - start
        }
    };
    match trial.failure() {
        Some(failure) => Err(failure),
        None => Ok((figure, trial.answer())),
    }
}

/// Who runs when: turned by one every two rounds, and backwards every other round, so that nobody
/// always comes first nor always after the same neighbour.
fn order(candidates: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..candidates).map(move |place| {
        let place = if round % 2 == 0 { place } else { candidates - 1 - place };
        (place + round / 2) % candidates
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_runs_once_a_round_and_is_first_in_turn() {
        let mut firsts = Vec::new();
        for round in 0..8 {
            let mut seen: Vec<_> = order(4, round).collect();
            firsts.push(seen[0]);
            seen.sort();
            assert_eq!(seen, [0, 1, 2, 3]);
        }
        firsts.sort();
        assert_eq!(firsts, [0, 0, 1, 1, 2, 2, 3, 3]);
    }
}

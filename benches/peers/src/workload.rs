//! A workload: a name, the candidates that take part, and the bars that lath has to hold.

/// One candidate at one workload. Only [`run`](Trial::run) is timed.
pub(crate) trait Trial {
    /// Gets ready for one run.
    fn prepare(&mut self) {}

    /// The work that is measured.
    fn run(&mut self);

    /// What came out of the last run, the same number for every candidate that did the same work; then tidies up.
    fn answer(&mut self) -> u64;
}

/// A promise: the time of `candidate` is at most `at_most` times that of `against`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bar {
    pub(crate) candidate: &'static str,
    pub(crate) against: &'static str,
    pub(crate) at_most: f64,
}

impl Bar {
    /// A bar against the hand-written code.
    pub(crate) const fn to_raw(candidate: &'static str, at_most: f64) -> Self {
        Self { candidate, against: "raw", at_most }
    }
}

/// Somebody who takes part; the fixture is built when the workload is measured, not before.
pub(crate) struct Candidate {
    pub(crate) name: &'static str,
    pub(crate) build: Box<dyn Fn() -> Box<dyn Trial>>,
}

/// One row of the comparison.
pub(crate) struct Workload {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) bars: &'static [Bar],
    pub(crate) candidates: Vec<Candidate>,
}

impl Workload {
    /// Starts a workload that nobody takes part in yet. The first candidate to be added must be `raw`.
    pub(crate) fn new(name: impl Into<String>, about: impl Into<String>, bars: &'static [Bar]) -> Self {
        Self { name: name.into(), about: about.into(), bars, candidates: Vec::new() }
    }

    /// Adds a candidate.
    pub(crate) fn with<T: Trial + 'static>(mut self, name: &'static str, build: impl Fn() -> T + 'static) -> Self {
        self.candidates.push(Candidate { name, build: Box::new(move || Box::new(build())) });
        self
    }
}

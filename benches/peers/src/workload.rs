//! A workload: a name, the candidates that take part, and the bars that lath has to hold.

/// One candidate at one workload. Only [`run`](Trial::run) is timed.
pub(crate) trait Trial {
    /// Gets ready for one run.
    fn prepare(&mut self) {}

    /// The work that is measured.
    fn run(&mut self);

    /// What came out of the last run, the same number for every candidate that did the same work;
    /// then tidies up.
    fn answer(&mut self) -> u64;

    /// What went wrong in the last run, if something did.
    fn failure(&mut self) -> Option<String> {
        None
    }

    /// What else there is to say about this candidate.
    fn note(&self) -> Option<String> {
        None
    }
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

/// What the figures of a workload are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Unit {
    /// How long a run takes.
    Seconds,
    /// By how many bytes the heap has grown after a run, divided by this many things.
    BytesPer(u32),
    /// How long the processors were busy with what a run has started. A run takes so long that
    /// nothing is repeated to warm up.
    BuildSeconds,
}

/// Where a workload stands in a line chart.
pub(crate) struct Point {
    /// The name of the chart: of its file.
    pub(crate) chart: &'static str,
    /// What stands above it.
    pub(crate) title: &'static str,
    /// Which of the plots in it, side by side.
    pub(crate) plot: String,
    /// What grows to the right, with its unit.
    pub(crate) axis: &'static str,
    pub(crate) x: f64,
    /// How many things a run is about: the chart shows nanoseconds per thing.
    pub(crate) things: u32,
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
    pub(crate) unit: Unit,
    pub(crate) bars: &'static [Bar],
    pub(crate) candidates: Vec<Candidate>,
    /// Whether it is left out unless it is asked for by name.
    pub(crate) only_when_named: bool,
    /// Its place in a line chart; without one it gets a bar chart of its own.
    pub(crate) point: Option<Point>,
}

impl Workload {
    /// Starts a workload that nobody takes part in yet. The first candidate to be added is what the
    /// others are compared with: `raw`, where there is one.
    pub(crate) fn new(
        name: impl Into<String>,
        about: impl Into<String>,
        bars: &'static [Bar],
    ) -> Self {
        let (name, about) = (name.into(), about.into());
        Self {
            name,
            about,
            unit: Unit::Seconds,
            bars,
            candidates: Vec::new(),
            only_when_named: false,
            point: None,
        }
    }

    /// Counts something else than seconds.
    pub(crate) fn counting(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Leaves it out unless it is asked for.
    pub(crate) fn only_when_named(self) -> Self {
        Self { only_when_named: true, ..self }
    }

    /// Gives it a place in a line chart.
    pub(crate) fn at(self, point: Point) -> Self {
        Self { point: Some(point), ..self }
    }

    /// Adds a candidate.
    pub(crate) fn with<T: Trial + 'static>(
        mut self,
        name: &'static str,
        build: impl Fn() -> T + 'static,
    ) -> Self {
        self.candidates.push(Candidate { name, build: Box::new(move || Box::new(build())) });
        self
    }
}

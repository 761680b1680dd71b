//! A workload: a name, the candidates that take part, and the bars that lath has to hold.

/// One candidate at one workload. Only [`run`](Trial::run) is timed.
pub trait Trial {
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

/// What a bar is against if it is against whichever peer is the quickest.
pub const BEST: &str = "the best peer";
/// The same among the entity component systems: without slotmap and thunderdome, which keep whole
/// structs.
pub const BEST_ECS: &str = "the best ECS";

/// A promise: the time of `candidate` is at most `at_most` times that of `against`.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    /// Who promises.
    pub candidate: &'static str,
    /// Whom it is compared with: another candidate of the row, or [`BEST`].
    pub against: &'static str,
    /// The ratio that it may have.
    pub at_most: f64,
}

impl Bar {
    /// A bar against whichever entity component system is the quickest.
    pub const fn to_ecs(candidate: &'static str, at_most: f64) -> Self {
        Self { candidate, against: BEST_ECS, at_most }
    }

    /// A bar against whichever peer is the quickest.
    pub const fn to_best(candidate: &'static str, at_most: f64) -> Self {
        Self { candidate, against: BEST, at_most }
    }

    /// A bar against the hand-written code.
    pub const fn to_raw(candidate: &'static str, at_most: f64) -> Self {
        Self { candidate, against: "raw", at_most }
    }
}

/// What the figures of a workload are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// How long a run takes.
    Seconds,
    /// By how many bytes the heap has grown after a run, divided by this many things.
    BytesPer(u32),
    /// How long the processors were busy with what a run has started. A run takes so long that
    /// nothing is repeated to warm up.
    BuildSeconds,
}

/// Where a workload stands in a line chart.
#[derive(Debug)]
pub struct Point {
    /// The name of the chart: of its file.
    pub chart: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// Which of the plots in it, side by side.
    pub plot: String,
    /// What grows to the right, with its unit.
    pub axis: &'static str,
    /// How far to the right.
    pub x: f64,
    /// How many things a run is about: the chart shows nanoseconds per thing.
    pub things: u32,
}

/// Somebody who takes part; the fixture is built when the workload is measured, not before.
pub struct Candidate {
    /// What it is called in every row that it takes part in.
    pub name: &'static str,
    /// Builds the fixture.
    pub build: Box<dyn Fn() -> Box<dyn Trial>>,
}

/// One row of the comparison.
pub struct Workload {
    /// What it is asked for by.
    pub name: String,
    /// What is done, in a line.
    pub about: String,
    /// What is measured.
    pub unit: Unit,
    /// What lath promises.
    pub bars: &'static [Bar],
    /// Who takes part.
    pub candidates: Vec<Candidate>,
    /// Whether it is left out unless it is asked for by name.
    pub only_when_named: bool,
    /// Its place in a line chart; without one it gets a bar chart of its own.
    pub point: Option<Point>,
}

impl Candidate {
    /// Whether it is a library of somebody else: neither lath nor written by hand.
    pub(crate) fn is_peer(name: &str) -> bool {
        !name.starts_with("lath") && !name.starts_with("raw")
    }

    /// Whether it is an entity component system of somebody else.
    pub(crate) fn is_ecs(name: &str) -> bool {
        let others = ["slotmap", "thunderdome", "indextree", "soa-rs"];
        Self::is_peer(name) && !others.iter().any(|other| name.starts_with(other))
    }
}

impl Workload {
    /// Starts a workload that nobody takes part in yet. The first candidate to be added is what the
    /// others are compared with: `raw`, where there is one.
    pub fn new(name: impl Into<String>, about: impl Into<String>, bars: &'static [Bar]) -> Self {
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
    pub fn counting(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Leaves it out unless it is asked for.
    pub fn only_when_named(self) -> Self {
        Self { only_when_named: true, ..self }
    }

    /// Gives it a place in a line chart.
    pub fn at(self, point: Point) -> Self {
        Self { point: Some(point), ..self }
    }

    /// Adds a candidate.
    pub fn with<T: Trial + 'static>(
        mut self,
        name: &'static str,
        build: impl Fn() -> T + 'static,
    ) -> Self {
        self.candidates.push(Candidate { name, build: Box::new(move || Box::new(build())) });
        self
    }
}

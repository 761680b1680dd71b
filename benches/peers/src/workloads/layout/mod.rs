//! Rows or columns? The same things both ways: loops over some fields, lookups of some fields,
//! spawning and despawning, for things of 16 bytes to 1 KiB, of a thousand to a million.

mod forms;

use std::marker::PhantomData;

use fastrand::Rng;
use lath_core::{Handle, Pool};

use self::forms::{Both, Form, Of16, Of64, Of256, Of1024};
use crate::workload::{Point, Trial, Workload};

const COUNTS: [(&str, u32); 4] =
    [("1k", 1_000), ("10k", 10_000), ("100k", 100_000), ("1m", 1_000_000)];

/// More lookups than this in a run tell nothing new.
const LOOKUPS: usize = 100_000;

/// One chart per question, one plot per number of things, one point per size.
pub(super) fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    question::<ChangeOne>(&mut all);
    question::<ChangeThree>(&mut all);
    question::<ChangeAll>(&mut all);
    question::<LookOne>(&mut all);
    question::<LookFour>(&mut all);
    question::<LookAll>(&mut all);
    question::<Spawn>(&mut all);
    question::<Despawn>(&mut all);
    all
}

fn question<Q: Question>(all: &mut Vec<Workload>) {
    for (count, n) in COUNTS {
        all.push(compare::<Q, Of16>(count, n));
        all.push(compare::<Q, Of64>(count, n));
        all.push(compare::<Q, Of256>(count, n));
        all.push(compare::<Q, Of1024>(count, n));
    }
}

fn compare<Q: Question, B: Both>(count: &str, n: u32) -> Workload {
    let (chart, title, size) = (Q::CHART, Q::ABOUT, B::SIZE);
    let (plot, x, things) = (format!("{count} things"), size as f64, Q::runs(n));
    Workload::new(
        format!("{chart}-{size}-{count}"),
        format!("{title}, {size} bytes, {n} things"),
        &[],
    )
    .with("lath-rows", move || Asked::<Q, B::Rows>::new(n))
    .with("lath-columns", move || Asked::<Q, B::Columns>::new(n))
    .at(Point { chart, title, plot, axis: "bytes per thing", x, things })
}

/// Things in one layout, and their handles in random order.
struct Fixture<F: Form> {
    pool: Pool<F>,
    handles: Vec<Handle<F>>,
    count: u32,
}

impl<F: Form> Fixture<F> {
    fn new(count: u32) -> Self {
        let mut fixture = Self { pool: Pool::new(), handles: Vec::new(), count };
        fixture.fill();
        Rng::with_seed(6).shuffle(&mut fixture.handles);
        fixture
    }

    /// Spawns all things, one at a time.
    fn fill(&mut self) {
        self.handles.extend((0..self.count).map(|n| self.pool.spawn(F::number(n))));
    }

    fn look(&self, look: impl Fn(&Pool<F>, &[Handle<F>]) -> u32) -> u32 {
        look(&self.pool, &self.handles[..self.handles.len().min(LOOKUPS)])
    }
}

/// What is asked of both layouts.
trait Question: 'static {
    const CHART: &'static str;
    const ABOUT: &'static str;

    /// How many things a run is about, of so many.
    fn runs(things: u32) -> u32 {
        things
    }

    /// Gets ready for one run.
    fn prepare<F: Form>(_: &mut Fixture<F>) {}

    /// Returns what came out, if anything did.
    fn run<F: Form>(fixture: &mut Fixture<F>) -> u32;
}

macro_rules! loops {
    ($($name:ident: $chart:literal, $about:literal, $call:ident;)+) => {$(
        struct $name;

        impl Question for $name {
            const CHART: &'static str = $chart;
            const ABOUT: &'static str = $about;

            fn run<F: Form>(fixture: &mut Fixture<F>) -> u32 {
                F::$call(&mut fixture.pool);
                0
            }
        }
    )+};
}

loops! {
    ChangeOne: "layout-iterate-1", "change 1 field of all things", change_one;
    ChangeThree: "layout-iterate-3", "change 1 field of all things by 2 others", change_three;
    ChangeAll: "layout-iterate-all", "change all fields of all things", change_all;
}

macro_rules! lookups {
    ($($name:ident: $chart:literal, $about:literal, $call:ident;)+) => {$(
        struct $name;

        impl Question for $name {
            const CHART: &'static str = $chart;
            const ABOUT: &'static str = $about;

            fn runs(things: u32) -> u32 {
                things.min(LOOKUPS as u32)
            }

            fn run<F: Form>(fixture: &mut Fixture<F>) -> u32 {
                fixture.look(F::$call)
            }
        }
    )+};
}

lookups! {
    LookOne: "layout-lookup-1", "random handle → 1 field", look_one;
    LookFour: "layout-lookup-4", "random handle → 4 fields", look_four;
    LookAll: "layout-lookup-all", "random handle → all fields", look_all;
}

struct Spawn;

impl Question for Spawn {
    const CHART: &'static str = "layout-spawn";
    const ABOUT: &'static str = "spawn one at a time into a new pool";

    fn prepare<F: Form>(fixture: &mut Fixture<F>) {
        fixture.handles.clear();
        fixture.pool = Pool::new();
    }

    fn run<F: Form>(fixture: &mut Fixture<F>) -> u32 {
        fixture.fill();
        0
    }
}

struct Despawn;

impl Question for Despawn {
    const CHART: &'static str = "layout-despawn";
    const ABOUT: &'static str = "despawn all, in random order";

    /// The things of the run before are gone, their handles are not.
    fn prepare<F: Form>(fixture: &mut Fixture<F>) {
        for handle in &mut fixture.handles {
            if !fixture.pool.contains(*handle) {
                *handle = fixture.pool.spawn(F::number(1));
            }
        }
        Rng::with_seed(7).shuffle(&mut fixture.handles);
    }

    fn run<F: Form>(fixture: &mut Fixture<F>) -> u32 {
        fixture.handles.iter().map(|&handle| u32::from(fixture.pool.despawn(handle))).sum()
    }
}

/// A question to one layout.
struct Asked<Q, F: Form> {
    fixture: Fixture<F>,
    result: u32,
    _question: PhantomData<Q>,
}

impl<Q: Question, F: Form> Asked<Q, F> {
    fn new(count: u32) -> Self {
        Self { fixture: Fixture::new(count), result: 0, _question: PhantomData }
    }
}

impl<Q: Question, F: Form> Trial for Asked<Q, F> {
    fn prepare(&mut self) {
        Q::prepare(&mut self.fixture);
    }

    fn run(&mut self) {
        self.result = Q::run(&mut self.fixture);
    }

    fn answer(&mut self) -> u64 {
        u64::from(self.result) << 32 | u64::from(self.fixture.look(F::look_all))
    }
}

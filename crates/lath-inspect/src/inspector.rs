//! The inspector: what users call.

use std::any::TypeId;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError};
use std::time::{Duration, Instant};

use lath_core::Relation;
use lath_schedule::{Schedule, World};
use serde_json::Value;

use crate::fields::Inspect;
use crate::how::short;
use crate::inner::{Begun, Core, Job, TICK, respond};
use crate::line::{Asked, Line, Waiting};
use crate::response::{Fault, Request, Response};
use crate::table::TableOf;

/// The live world, for those who look at it from outside.
///
/// # Examples
///
/// ```no_run
/// use lath_core::Thing;
/// use lath_inspect::{Inspect, Inspector};
/// use lath_schedule::{Schedule, World};
///
/// #[derive(Thing, Inspect, Default)]
/// struct Actor { name: String, hp: f32 }
///
/// let (mut world, mut schedule) = (World::new(), Schedule::new());
/// let mut inspector = Inspector::bind("127.0.0.1:7878")?;
/// inspector.pool::<Actor>();
/// loop {
///     for _ in 0..inspector.steps() { schedule.run(&mut world); } // none while paused
///     inspector.update(&mut world, &mut schedule);
/// }
/// # #[expect(unreachable_code)]
/// # Ok::<(), lath_inspect::BindError>(())
/// ```
pub struct Inspector {
    core: Core,
    line: Line,
    waiting: Receiver<Waiting>,
    /// Requests that were taken from the line and not begun.
    asked: VecDeque<Asked>,
    jobs: VecDeque<(Asked, Box<dyn Job>)>,
    listeners: Vec<SyncSender<Arc<str>>>,
    beat_at: Option<Instant>,
    budget: Budget,
    /// When the ticks that are being measured began.
    began: Option<Instant>,
    /// Whether nothing is run in this tick: the world is paused, or slow.
    idle: bool,
    charts: Vec<(String, f64)>,
    counters: Vec<(String, Arc<AtomicU64>, u64)>,
    #[cfg(feature = "http")]
    pub(crate) server: Option<crate::http::Server>,
}

/// How much may be done in one [`update`](Inspector::update). A slice takes a few hundredths of a
/// millisecond, unless the `Debug` or `Serialize` of a field takes long. One slice is always done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Slices are begun for as long as they are likely to end within this.
    Time(Duration),
    /// So many slices.
    Slices(u32),
}

/// What an [`update`](Inspector::update) has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Updated {
    /// How many slices of work.
    pub slices: u32,
    /// How many requests were answered.
    pub answered: u32,
    /// How many are still to be answered.
    pub waiting: usize,
}

/// The shortest time between two beats.
const BEAT: Duration = Duration::from_millis(100);

/// How many hear of every beat.
const MOST_LISTENERS: usize = 16;

impl Default for Inspector {
    fn default() -> Self {
        Self::new()
    }
}

impl Inspector {
    /// An inspector that nobody can reach but through [`handle`](Self::handle) and
    /// [`line`](Self::line).
    ///
    /// # Examples
    ///
    /// See [`handle`](Self::handle).
    #[must_use]
    pub fn new() -> Self {
        let (line, waiting) = Line::new();
        Self {
            core: Core::default(),
            line,
            waiting,
            asked: VecDeque::new(),
            jobs: VecDeque::new(),
            listeners: Vec::new(),
            beat_at: None,
            budget: Budget::Time(Duration::from_millis(1)),
            began: None,
            idle: false,
            charts: Vec::new(),
            counters: Vec::new(),
            #[cfg(feature = "http")]
            server: None,
        }
    }

    // What is shown.

    /// Shows the fields of the things of a type. Pools that were not named here show how many
    /// things they have.
    ///
    /// # Examples
    ///
    /// See [`Inspector`].
    pub fn pool<T: Inspect>(&mut self) -> &mut Self {
        self.add::<T>(|table| table)
    }

    /// As [`pool`](Self::pool), with a second tree beside the one of
    /// [`Pool::tree`](lath_core::Pool::tree).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Relation, Thing};
    /// # use lath_inspect::{Inspect, Inspector};
    /// # #[derive(Thing, Inspect, Default)] struct Actor { hp: f32 }
    /// struct Carried;
    /// impl Relation for Carried {}
    /// Inspector::new().pool_and_tree::<Actor, Carried>();
    /// ```
    pub fn pool_and_tree<T: Inspect, R: Relation>(&mut self) -> &mut Self {
        self.add::<T>(TableOf::with_tree::<R>)
    }

    fn add<T: Inspect>(&mut self, more: impl FnOnce(TableOf<T>) -> TableOf<T>) -> &mut Self {
        if self.core.tables.iter().any(|table| table.meta().thing_id == TypeId::of::<T>()) {
            return self;
        }
        let path = std::any::type_name::<T>();
        let short = short(path);
        let is_taken = self.core.tables.iter().any(|table| table.meta().name == short);
        let name = if is_taken { path.to_owned() } else { short };
        self.core.tables.push(Arc::new(more(TableOf::new(name))));
        self
    }

    /// Adds a value to a chart, for this tick: frames, bytes that are allocated, whatever can be
    /// counted.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut inspector = lath_inspect::Inspector::new();
    /// inspector.chart("bullets fired", 3.0);
    /// ```
    pub fn chart(&mut self, name: &str, value: f64) {
        match self.charts.iter_mut().find(|chart| chart.0 == name) {
            Some(chart) => chart.1 = value,
            None => self.charts.push((name.to_owned(), value)),
        }
    }

    /// Adds a chart of how many things of a type are spawned in a tick. From now on the world calls
    /// a [hook](World::on_spawn) for every one of them.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::Thing;
    /// # use lath_inspect::{Inspect, Inspector};
    /// # #[derive(Thing, Inspect, Default)] struct Actor { hp: f32 }
    /// let mut world = lath_schedule::World::new();
    /// Inspector::new().count_spawns::<Actor>(&mut world);
    /// ```
    pub fn count_spawns<T: Inspect>(&mut self, world: &mut World) {
        let count = Arc::new(AtomicU64::new(0));
        let counted = count.clone();
        world.on_spawn::<T>(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        self.counters.push((format!("{} spawned", short(std::any::type_name::<T>())), count, 0));
    }

    // How it behaves.

    /// Refuses everything that would change the world or its pace.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_inspect::{Inspector, Request};
    /// # use lath_schedule::{Schedule, World};
    /// let mut inspector = Inspector::new();
    /// inspector.read_only(true);
    /// let pause = Request::post("/api/v1/control", serde_json::json!({ "paused": true }));
    /// assert_eq!(inspector.handle(&mut World::new(), &mut Schedule::new(), pause).status, 403);
    /// ```
    pub fn read_only(&mut self, read_only: bool) -> &mut Self {
        self.core.read_only = read_only;
        self
    }

    /// How much may be done in one [`update`](Self::update): a millisecond, unless told otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_inspect::{Budget, Inspector};
    /// Inspector::new().budget(Budget::Slices(4));
    /// ```
    pub fn budget(&mut self, budget: Budget) -> &mut Self {
        self.budget = budget;
        self
    }

    /// How often the world is to be run in this tick: once; not at all while paused; more or less
    /// often at other speeds. Time is measured from here to the next [`update`](Self::update). Who
    /// does not ask cannot be paused.
    ///
    /// # Examples
    ///
    /// See [`Inspector`].
    pub fn steps(&mut self) -> u32 {
        let steps = self.core.pace.steps();
        self.idle = steps == 0;
        self.began = (steps > 0).then(Instant::now);
        steps
    }

    /// Whether somebody has paused the world.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(!lath_inspect::Inspector::new().is_paused());
    /// ```
    pub fn is_paused(&self) -> bool {
        self.core.pace.paused
    }

    // Requests.

    /// A way to ask from other threads.
    ///
    /// # Examples
    ///
    /// See [`Line`].
    pub fn line(&self) -> Line {
        self.line.clone()
    }

    /// Answers a request at once, however long it takes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_core::Thing;
    /// use lath_inspect::{Inspect, Inspector, Request};
    /// use lath_schedule::{Schedule, World};
    ///
    /// #[derive(Thing, Inspect, Default)]
    /// struct Ship { name: String, hull: f32 }
    ///
    /// let (mut world, mut schedule) = (World::new(), Schedule::new());
    /// for hull in 0..100 {
    ///     world.spawn(Ship { name: format!("ship {hull}"), hull: hull as f32 });
    /// }
    /// let mut inspector = Inspector::new();
    /// inspector.pool::<Ship>();
    /// let request = Request::get("/api/v1/things?pool=Ship&filter=hull<10&sort=hull&descending=true");
    /// let ships = inspector.handle(&mut world, &mut schedule, request).body;
    /// assert_eq!(ships["total"], 10);
    /// assert_eq!(ships["rows"][0]["label"], "ship 9");
    /// ```
    pub fn handle(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
        request: Request,
    ) -> Response {
        let begun = guarded(|| self.core.begin(world, schedule, &request));
        match begun {
            Err(response) | Ok(Begun::Done(response)) => response,
            Ok(Begun::Long(mut job)) => loop {
                match guarded(|| job.step(&mut self.core, world)) {
                    Ok(None) => {}
                    Ok(Some(result)) => return respond(result),
                    Err(response) => return response,
                }
            },
        }
    }

    /// Notes what there is to note of a tick, and answers requests that have come in, within the
    /// [budget](Self::budget). Call it once a tick, between runs.
    ///
    /// # Examples
    ///
    /// See [`Inspector`].
    pub fn update(&mut self, world: &mut World, schedule: &mut Schedule) -> Updated {
        self.note_tick(world);
        while let Ok(waiting) = self.waiting.try_recv() {
            match waiting {
                Waiting::Request(asked) => self.asked.push_back(asked),
                Waiting::Listener(listener) if self.listeners.len() < MOST_LISTENERS => {
                    self.listeners.push(listener)
                }
                Waiting::Listener(_) => {}
            }
        }
        let mut updated = Updated::default();
        if !self.asked.is_empty() || !self.jobs.is_empty() {
            let began = Instant::now();
            let (mut before, mut longest) = (Duration::ZERO, Duration::ZERO);
            while self.slice(world, schedule, &mut updated) {
                updated.slices += 1;
                let is_spent = match self.budget {
                    // The next slice may take as long as the longest so far.
                    Budget::Time(time) => {
                        let now = began.elapsed();
                        longest = longest.max(now - before);
                        before = now;
                        now + longest >= time
                    }
                    Budget::Slices(slices) => updated.slices >= slices,
                };
                if is_spent {
                    break;
                }
            }
        }
        updated.waiting = self.asked.len() + self.jobs.len();
        self.beat(world);
        updated
    }

    /// One slice: new requests first, since most are answered at once; then those that take long,
    /// in turn.
    fn slice(&mut self, world: &mut World, schedule: &mut Schedule, updated: &mut Updated) -> bool {
        if let Some(asked) = self.asked.pop_front() {
            if asked.is_wanted() {
                match guarded(|| self.core.begin(world, schedule, &asked.request)) {
                    Err(response) | Ok(Begun::Done(response)) => {
                        asked.answer(response);
                        updated.answered += 1;
                    }
                    Ok(Begun::Long(job)) => self.jobs.push_back((asked, job)),
                }
            }
            return true;
        }
        let Some((asked, mut job)) = self.jobs.pop_front() else { return false };
        if asked.is_wanted() {
            match guarded(|| job.step(&mut self.core, world)) {
                Ok(None) => self.jobs.push_back((asked, job)),
                Ok(Some(result)) => {
                    asked.answer(respond(result));
                    updated.answered += 1;
                }
                Err(response) => {
                    asked.answer(response);
                    updated.answered += 1;
                }
            }
        }
        true
    }

    /// While nothing is run nothing is noted: who pauses to look at the charts still finds there
    /// what there was.
    fn note_tick(&mut self, world: &World) {
        if self.idle {
            return;
        }
        let history = &mut self.core.history;
        history.ticks += 1;
        let mut place = 0;
        let mut note = |name: &str, value: f64| {
            history.note(place, name, value);
            place += 1;
        };
        if let Some(began) = self.began.take() {
            note(TICK, began.elapsed().as_secs_f64() * 1000.0);
        }
        for table in &self.core.tables {
            note(&table.meta().name, table.stats(world).map_or(0.0, |stats| f64::from(stats.live)));
        }
        for (name, count, before) in &mut self.counters {
            let now = count.load(Ordering::Relaxed);
            note(name, (now - *before) as f64);
            *before = now;
        }
        for (name, value) in &self.charts {
            note(name, *value);
        }
    }

    /// Tells those who listen how things are, a few times a second.
    fn beat(&mut self, world: &World) {
        if self.listeners.is_empty() || self.beat_at.is_some_and(|at| at.elapsed() < BEAT) {
            return;
        }
        self.beat_at = Some(Instant::now());
        let beat: Arc<str> = self.core.beat(world).to_string().into();
        // Who is behind misses this one; who is gone is forgotten.
        self.listeners.retain(|listener| {
            !matches!(listener.try_send(beat.clone()), Err(TrySendError::Disconnected(_)))
        });
    }
}

/// The code of fields' types is not ours: if it panics, the request has failed and the program goes
/// on.
fn guarded<A>(f: impl FnOnce() -> A) -> Result<A, Response> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
        let body: Value =
            Response::from(Fault::new(500, format!("the code of a type panicked: {text}"))).body;
        Response { status: 500, body }
    })
}

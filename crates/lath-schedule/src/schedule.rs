//! The schedule: systems in order, and runs.

mod running;

use std::borrow::Cow;
use std::panic::Location;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::{Label, System, Systems};
use crate::error::PlanError;
use crate::node::{Node, NodeKind};
use crate::plan::Plan;
use crate::report::Trace;
use crate::run::Threads;
use crate::set::Set;
use crate::state;
use crate::time::Fixed;
use crate::world::World;

/// Systems in order.
///
/// **The order of addition is the meaning.** A run does what calling the systems one after another
/// would do; those that have nothing in common run at the same time, which only makes it faster.
/// The result is the same, byte by byte and handle by handle, on one thread or many.
///
/// # Examples
///
/// ```
/// use lath_core::{Handle, Mut, Ref, Thing};
/// use lath_schedule::{Commands, Query, Res, Schedule, Time, World};
///
/// #[derive(Thing, Default)]
/// struct Actor { pos: f32, vel: f32, hp: f32 }
///
/// fn integrate(mut movers: Query<(Mut<actor::pos>, Ref<actor::vel>)>, time: Res<Time>) {
///     for (mut pos, vel) in &mut movers { *pos += *vel * time.dt; }
/// }
///
/// fn bury(actors: Query<(Handle<Actor>, Ref<actor::hp>)>, mut commands: Commands) {
///     for (who, hp) in &actors { if *hp <= 0.0 { commands.despawn(who); } }
/// }
///
/// let mut world = World::new();
/// world.insert(Time { dt: 0.5 });
/// let ada = world.spawn(Actor { vel: 2.0, hp: 1.0, ..Default::default() });
/// let lin = world.spawn(Actor::default());
///
/// let mut schedule = Schedule::new();
/// schedule.add(integrate).add(bury);
/// schedule.run(&mut world);
/// assert_eq!(world.read(ada).pos, 1.0);
/// assert!(world.get(lin).is_none());
/// ```
pub struct Schedule {
    pub(crate) nodes: Vec<Node>,
    sets: Vec<Set>,
    pub(crate) plan: Option<Plan>,
    threads: Threads,
    /// What could not be done when it was asked for.
    refused: Option<PlanError>,
    /// The least time that running systems at the same time must save, in nanoseconds.
    parallel_from: u64,
    shuffle: Option<u64>,
    measure_all: bool,
    /// The world that the systems are ready for, and what was in it.
    ready_for: Option<(u64, u64)>,
    /// What systems want to be made ready before every run.
    prepare: Vec<fn(&mut World)>,
    runs: u64,
    chains: u32,
    fixed: usize,
    pub(crate) epoch: Instant,
    pub(crate) trace: Trace,
}

impl Default for Schedule {
    fn default() -> Self {
        Self::new()
    }
}

impl Schedule {
    /// Makes a schedule without systems, that runs on the threads of the rayon pool that it is run
    /// in, or else on those that all schedules share.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut schedule = lath_schedule::Schedule::new();
    /// schedule.run(&mut lath_schedule::World::new()); // nothing to do
    /// assert!(schedule.order()?.is_empty());
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            sets: Vec::new(),
            plan: None,
            threads: Threads::default(),
            refused: None,
            parallel_from: 30_000,
            shuffle: None,
            measure_all: false,
            ready_for: None,
            prepare: Vec::new(),
            runs: 0,
            chains: 0,
            fixed: 0,
            epoch: Instant::now(),
            trace: Trace::default(),
        }
    }

    // What is in it.

    /// Adds a system, or a tuple of systems, after those that are there.
    ///
    /// # Panics
    ///
    /// If two parameters of a system cannot be had together: see [`try_add`](Self::try_add).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// fn fall() {}
    /// fn collide() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(fall).add((collide, || println!("drawn")));
    /// assert_eq!(schedule.order()?[..2], ["fall", "collide"]);
    /// # Ok::<(), lath_schedule::PlanError>(())
    /// ```
    #[track_caller]
    pub fn add<M>(&mut self, systems: impl Systems<M>) -> &mut Self {
        match self.try_add(systems) {
            Ok(this) => this,
            Err(error) => panic!("{error}"),
        }
    }

    /// As [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// [`PlanError::Conflict`] if two parameters of a system use the same and one of them mutably.
    /// Nothing is added then.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{Res, ResMut, Schedule};
    /// struct Wind(f32);
    /// let mut schedule = Schedule::new();
    /// let error = schedule.try_add(|_: Res<Wind>, _: ResMut<Wind>| ()).err().unwrap();
    /// let what = "both use resource `Wind`, and one of them mutably";
    /// assert!(error.to_string().contains(what), "{error}");
    /// ```
    #[track_caller]
    pub fn try_add<M>(&mut self, systems: impl Systems<M>) -> Result<&mut Self, PlanError> {
        let at = Location::caller();
        self.add_at(systems, at, |_, _| {})
    }

    /// Adds a tuple of systems each of which waits for the one before it, whether they have
    /// anything in common or not.
    ///
    /// # Panics
    ///
    /// As [`add`](Self::add).
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn read_input() {}
    /// fn send_packets() {}
    /// let mut schedule = Schedule::new();
    /// schedule.chain((read_input, send_packets));
    /// # schedule.run(&mut World::new());
    /// # assert!(schedule.explain_pair("read_input", "send_packets").unwrap().contains("after"));
    /// ```
    #[track_caller]
    pub fn chain<M>(&mut self, systems: impl Systems<M>) -> &mut Self {
        let at = Location::caller();
        self.chains += 1;
        let chain = self.chains;
        let link =
            move |place: usize| Cow::<'static, str>::from(format!("link {place} of chain {chain}"));
        let added = self.add_at(systems, at, |place, node| {
            node.sets.push(link(place));
            if place > 0 {
                node.after.push(Label::Name(link(place - 1)));
            }
        });
        match added {
            Ok(this) => this,
            Err(error) => panic!("{error}"),
        }
    }

    fn add_at<M>(
        &mut self,
        systems: impl Systems<M>,
        at: &'static Location<'static>,
        mut say: impl FnMut(usize, &mut Node),
    ) -> Result<&mut Self, PlanError> {
        let mut added = Vec::new();
        systems.each(&mut |System(mut node)| {
            node.added(at);
            say(added.len(), &mut node);
            added.push(node);
        });
        for node in &added {
            if let Some(conflict) = &node.access.conflict {
                let (system, conflict) = (node.system_name(), conflict.clone());
                return Err(PlanError::Conflict { system, conflict });
            }
        }
        self.nodes.append(&mut added);
        self.changed();
        Ok(self)
    }

    fn changed(&mut self) {
        self.plan = None;
        self.ready_for = None;
    }

    /// Applies all commands of the systems before this point, before the systems after it run.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_core::{Handle, Thing};
    /// # use lath_schedule::{Commands, Query, Schedule, World};
    /// # #[derive(Thing, Default)] struct Spark {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(|mut commands: Commands| { commands.spawn(Spark {}); });
    /// schedule.barrier();
    /// schedule.add(|sparks: Query<Handle<Spark>>| assert_eq!(sparks.count(), 1));
    /// # let mut world = World::new();
    /// # world.pool_mut::<Spark>();
    /// # schedule.run(&mut world);
    /// ```
    #[track_caller]
    pub fn barrier(&mut self) -> &mut Self {
        self.nodes.push(Node::new("barrier", Location::caller(), NodeKind::Barrier));
        self.changed();
        self
    }

    /// A set of systems, made if there is none of that name, to say something about all of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{IntoSystem, Res, Schedule, World};
    /// # use lath_schedule::ResMut;
    /// # struct Ran(Vec<&'static str>);
    /// struct Paused(bool);
    /// # fn fall(mut ran: ResMut<Ran>) { ran.0.push("fall") }
    /// # fn collide(mut ran: ResMut<Ran>) { ran.0.push("collide") }
    /// # fn draw(mut ran: ResMut<Ran>) { ran.0.push("draw") }
    /// let mut schedule = Schedule::new();
    /// schedule.add((draw, fall.in_set("physics"), collide.in_set("physics")));
    /// schedule.set("physics").before(draw).run_if(|paused: Res<Paused>| !paused.0);
    /// # let mut world = World::new();
    /// # world.insert(Ran(Vec::new()));
    /// # world.insert(Paused(false));
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.resource::<Ran>().0, ["fall", "collide", "draw"]);
    /// # world.insert(Paused(true));
    /// # schedule.run(&mut world);
    /// # assert_eq!(world.resource::<Ran>().0.len(), 4);
    /// ```
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Set {
        self.changed();
        let name = name.into();
        let place = self.sets.iter().position(|set| set.name == name).unwrap_or_else(|| {
            self.sets.push(Set::new(name));
            self.sets.len() - 1
        });
        &mut self.sets[place]
    }

    /// Numbers the clocks of the [fixed steps](Self::fixed) that are added from now on from `first`
    /// up, instead of from 0.
    ///
    /// The clocks are in the world, in [`FixedClocks`](crate::FixedClocks), so that they are saved
    /// and rolled back; a schedule that is built anew goes on where the one before it was. So two
    /// schedules with fixed steps that run on one world share their clocks, unless one of them is
    /// told to begin elsewhere.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{FixedClocks, Schedule, Time, World};
    /// let [mut physics, mut weather] = [(); 2].map(|()| Schedule::new());
    /// physics.fixed(10.0, |_| ());
    /// weather.clocks_from(1).fixed(10.0, |_| ());
    /// let mut world = World::new();
    /// world.insert(Time { dt: 0.0625 });
    /// physics.run(&mut world);
    /// weather.run(&mut world);
    /// assert_eq!(world.resource::<FixedClocks>().left, [0.0625, 0.0625]);
    /// ```
    pub fn clocks_from(&mut self, first: usize) -> &mut Self {
        self.fixed = first;
        self
    }

    /// Adds systems that run at a fixed rate: so many steps in each run as fit into the time that
    /// has passed, [`Time::dt`](crate::Time::dt), and what was left over before. Within a step
    /// `Time::dt` is its length. A run takes at most eight steps
    /// ([`fixed_limit`](Self::fixed_limit) changes that); time beyond them is given up, and
    /// [`FixedTime`](crate::FixedTime) says how much. It also says how far the time is on the way
    /// to the next step.
    ///
    /// The systems are put together by `build`, like those of a schedule of their own. They run
    /// alone, between barriers.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{FixedTime, ResMut, Schedule, Time, World};
    /// struct Steps(u32);
    /// let mut schedule = Schedule::new();
    /// schedule.fixed(100.0, |steps| {
    ///     steps.add(|mut steps: ResMut<Steps>| steps.0 += 1);
    /// });
    /// let mut world = World::new();
    /// world.insert(Steps(0));
    /// world.insert(Time { dt: 0.025 });
    /// schedule.run(&mut world);
    /// schedule.run(&mut world);
    /// assert_eq!(world.resource::<Steps>().0, 5);
    /// assert_eq!(world.resource::<Time>().dt, 0.025);
    /// assert!(world.resource::<FixedTime>().alpha < 0.001);
    /// ```
    #[track_caller]
    pub fn fixed(&mut self, hz: f64, build: impl FnOnce(&mut Schedule)) -> &mut Self {
        self.fixed_limit(hz, 8, build)
    }

    /// As [`fixed`](Self::fixed), with another limit of steps in a run.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{FixedTime, Schedule, Time, World};
    /// let mut schedule = Schedule::new();
    /// schedule.fixed_limit(10.0, 3, |_| ());
    /// let mut world = World::new();
    /// world.insert(Time { dt: 1.0 });
    /// schedule.run(&mut world);
    /// let fixed = world.resource::<FixedTime>();
    /// assert_eq!(fixed.steps, 3);
    /// assert!((fixed.given_up - 0.7).abs() < 1e-6);
    /// ```
    #[track_caller]
    pub fn fixed_limit(
        &mut self,
        hz: f64,
        limit: u32,
        build: impl FnOnce(&mut Schedule),
    ) -> &mut Self {
        let at = Location::caller();
        let mut schedule = Schedule::new();
        build(&mut schedule);
        let fixed = Fixed { schedule, hz, limit, number: self.fixed };
        self.fixed += 1;
        let kind = NodeKind::Fixed(Box::new(fixed));
        self.nodes.push(Node::new(format!("{hz} steps a second"), at, kind));
        self.changed();
        self
    }

    /// Makes the change of state, if one was [asked for](crate::State::set), at this point of the
    /// order.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, State, World};
    /// let mut world = World::new();
    /// world.insert(State::new("menu"));
    /// world.resource_mut::<State<&str>>().set("play");
    /// let mut schedule = Schedule::new();
    /// schedule.transitions::<&str>();
    /// schedule.run(&mut world);
    /// assert_eq!(*world.resource::<State<&str>>().get(), "play");
    /// ```
    #[track_caller]
    pub fn transitions<S: Send + Sync + 'static>(&mut self) -> &mut Self {
        self.add(state::transition::<S>)
    }

    // How it runs.

    /// Runs it on so many threads of its own, instead of those that all schedules share: 1 is the
    /// caller's.
    ///
    /// # Errors
    ///
    /// A number that cannot be had, such as 0, is an error of the next [`build`](Self::build) or
    /// run.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// let mut schedule = Schedule::new();
    /// assert!(schedule.threads(0).try_run(&mut World::new()).is_err());
    /// assert!(schedule.threads(2).try_run(&mut World::new()).is_ok());
    /// ```
    pub fn threads(&mut self, count: usize) -> &mut Self {
        match Threads::new(count) {
            Ok(threads) => (self.threads, self.refused) = (threads, None),
            Err(reason) => self.refused = Some(PlanError::Threads(reason)),
        }
        self
    }

    /// Runs systems at the same time only where that could save at least so much time: 30
    /// microseconds at first. Zero means wherever it is possible, which is good for tests.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// use std::time::Duration;
    /// let mut schedule = Schedule::new();
    /// schedule.parallel_from(Duration::ZERO);
    /// ```
    pub fn parallel_from(&mut self, time: Duration) -> &mut Self {
        self.parallel_from = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self
    }

    /// Runs systems in another order, of those that conflicts allow, for every seed: for tests. The
    /// result must be the same.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::Schedule;
    /// let mut schedule = Schedule::new();
    /// schedule.shuffle(Some(7));
    /// ```
    pub fn shuffle(&mut self, seed: Option<u64>) -> &mut Self {
        self.shuffle = seed;
        self
    }

    /// Measures every system in every run, also those that take next to no time: for traces.
    ///
    /// # Examples
    ///
    /// ```
    /// # use lath_schedule::{Schedule, World};
    /// fn idle() {}
    /// let (mut schedule, mut world) = (Schedule::new(), World::new());
    /// schedule.add(idle).measure_all(true);
    /// (0..10).for_each(|_| schedule.run(&mut world));
    /// assert_eq!(schedule.spans().len(), 10);
    /// ```
    pub fn measure_all(&mut self, all: bool) -> &mut Self {
        self.measure_all = all;
        self
    }

    /// Puts the systems in order. A run does it, too, if it has not been done.
    ///
    /// # Errors
    ///
    /// [`PlanError`]: a circle, an unknown name, a rate or a number of threads that cannot be.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_schedule::{IntoSystem, Schedule};
    /// fn egg() {}
    /// fn hen() {}
    /// let mut schedule = Schedule::new();
    /// schedule.add(egg.after(hen)).add(hen.after(egg));
    /// let error = schedule.build().unwrap_err().to_string();
    /// assert!(error.starts_with("these systems wait for each other in a circle:"), "{error}");
    /// ```
    pub fn build(&mut self) -> Result<(), PlanError> {
        if let Some(error) = &self.refused {
            return Err(error.clone());
        }
        if self.plan.is_some() {
            return Ok(());
        }
        for node in &mut self.nodes {
            let name = node.system_name();
            if let NodeKind::Fixed(fixed) = &mut node.kind {
                fixed.check(name)?;
                fixed.schedule.build()?;
            }
        }
        self.make_gates();
        self.plan = Some(Plan::new(&mut self.nodes, &self.sets)?);
        self.prepare =
            self.nodes.iter().flat_map(|node| node.access.prepare.iter().copied()).collect();
        Ok(())
    }

    /// Puts a gate before the first member of every set that has conditions, and makes all members
    /// wait for it. The gate is a member itself: what is said about the set goes for it, too.
    fn make_gates(&mut self) {
        for (number, set) in (0..).zip(&mut self.sets) {
            let Set { name, conditions, gate, .. } = set;
            let Some(first) = self.nodes.iter().position(|node| node.sets.contains(name)) else {
                continue;
            };
            let shown: &'static str = match name {
                Cow::Borrowed(name) => name,
                Cow::Owned(_) => "of that name",
            };
            if gate.is_none() && !conditions.is_empty() {
                let holds = gate.insert(Arc::default());
                let at = self.nodes[first].at;
                let kind = NodeKind::Gate(holds.clone());
                let mut asks = Node::new(format!("condition of set {name}"), at, kind);
                asks.sets.push(name.clone());
                asks.access.gate(number, shown, true);
                self.nodes.insert(first, asks);
            }
            let Some(holds) = gate else { continue };
            for node in self.nodes.iter_mut().filter(|node| node.sets.contains(name)) {
                if node.is_gate() {
                    conditions.drain(..).for_each(|condition| node.add_condition(condition));
                } else if !node.access.has_gate(number) {
                    node.access.gate(number, shown, false);
                    node.conditions.insert(0, Box::new(holds.clone()));
                }
            }
        }
    }
}

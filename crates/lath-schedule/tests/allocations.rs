#![expect(unsafe_code, reason = "a global allocator is unsafe to implement")]
//! In the steady state a tick allocates nothing: commands, events, hooks and runs on several
//! threads included.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, Query, Res, ResMut, Schedule, State,
    Time, TreeMut, World,
};

static CALLS: AtomicU64 = AtomicU64::new(0);
static COUNTS: AtomicBool = AtomicBool::new(false);
/// The tests of this file take turns: calls of all threads that run systems are counted.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// Whether a system has run on this thread. The threads of the test harness are not our
    /// business.
    static OURS: Cell<bool> = const { Cell::new(false) };
}

/// Counts the calls to get memory, while that is asked for, on the threads that run systems.
struct Counting;

impl Counting {
    fn count() {
        if COUNTS.load(Ordering::Relaxed) && OURS.try_with(Cell::get) == Ok(true) {
            CALLS.fetch_add(1, Ordering::Relaxed);
        }
    }
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many calls to get memory there are in so many ticks, after as many as there are kinds of
/// ticks, several times over: then everything has the size that it needs.
fn allocations(schedule: &mut Schedule, world: &mut World, ticks: u32) -> u64 {
    allocations_after(96, schedule, world, ticks)
}

fn allocations_after(warm_up: u32, schedule: &mut Schedule, world: &mut World, ticks: u32) -> u64 {
    let tick = |schedule: &mut Schedule, world: &mut World, number: u32| {
        world.resource_mut::<Tick>().0 = number;
        schedule.run(world);
    };
    OURS.set(true);
    for number in 0..warm_up {
        tick(schedule, world, number);
    }
    CALLS.store(0, Ordering::Relaxed);
    COUNTS.store(true, Ordering::Relaxed);
    for number in 0..ticks {
        tick(schedule, world, number);
    }
    COUNTS.store(false, Ordering::Relaxed);
    CALLS.load(Ordering::Relaxed)
}

bitflags! {
    #[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
    struct Tags: u32 {
        const LOUD = 1;
        const QUICK = 2;
    }
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Actor {
    #[thing(tags)]
    tags: Tags,
    born: u32,
    hp: f32,
    near: Handle<Actor>,
}

#[derive(Thing, Default)]
struct Part {
    wear: u32,
}

struct Tick(u32);
struct Noise(u64);
struct Bang(u32);
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Day,
    Night,
}

fn town() -> World {
    let mut world = World::new();
    world.insert(Tick(0));
    world.insert(Noise(0));
    world.insert(Time { dt: 1.0 / 60.0 });
    world.insert(State::new(Mode::Day));
    for born in 0..6000 {
        let near =
            world.spawn(Actor { born, tags: Tags::from_bits_truncate(born), ..Actor::default() });
        world.spawn(Actor { born, near, ..Actor::default() });
    }
    world.add_pool(Pool::<Part>::fixed(1000).unwrap());
    world
}

fn each_kind_of_command(
    mut commands: Commands,
    actors: Query<(Handle<Actor>, Ref<actor::born>)>,
    tick: Res<Tick>,
) {
    let phase = tick.0 % 8;
    for (who, born) in actors.iter().take(200) {
        match *born % 4 {
            0 => commands.insert_tags(who, Tags::LOUD),
            1 => commands.remove_tags(who, Tags::LOUD),
            _ => commands.set_tags(who, Tags::QUICK),
        }
        commands.set::<actor::hp>(who, phase as f32);
    }
    let parent = commands.spawn(Part::default());
    for _ in 0..20 {
        let child = commands.spawn(Part::default());
        commands.attach(child, parent);
    }
    commands.send(Bang(phase));
    commands.insert(Noise(u64::from(phase)));
    commands.run(move |world| world.despawn(parent).then_some(()).unwrap());
}

fn in_a_loop(
    mut actors: Query<(Handle<Actor>, Ref<actor::born>)>,
    tick: Res<Tick>,
    mut commands: Commands,
) {
    let phase = tick.0 % 8;
    commands.par_each(&mut actors, |(who, born), commands| {
        if *born % 64 == phase {
            commands.despawn(who);
            let new = commands.spawn(Actor {
                born: *born,
                tags: Tags::from_bits_truncate(*born),
                ..Actor::default()
            });
            commands.attach(new, who);
            commands.send(Bang(*born));
            commands.run(move |world| world.resource_mut::<Noise>().0 += 1);
        }
    });
}

fn tell(mut bangs: EventWriter<Bang>, tick: Res<Tick>) {
    bangs.extend((0..50 + tick.0 % 8).map(Bang));
}

fn hear(mut bangs: EventReader<Bang>, mut loudest: Local<u32>) {
    *loudest = bangs.read().map(|bang| bang.0).max().unwrap_or(0);
}

fn heal(mut actors: Query<Mut<actor::hp>>) {
    actors.par_each(|mut hp| {
        OURS.set(true);
        *hp += 1.0;
    });
}

fn meet(mut tree: TreeMut<Actor>, actors: Query<(Handle<Actor>, Ref<actor::near>)>) {
    for (who, near) in actors.iter().take(500) {
        tree.attach(who, *near).ok();
    }
}

fn part_again(mut tree: TreeMut<Actor>, actors: Query<Handle<Actor>>) {
    for who in actors.iter().take(500) {
        tree.detach(who).ok();
    }
}

fn wear(mut parts: Query<Mut<part::wear>>) {
    parts.each(|mut wear| *wear += 1);
}

fn all_of_it() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.transitions::<Mode>();
    schedule.add((tell, heal, wear, meet, hear, each_kind_of_command, in_a_loop));
    schedule.barrier();
    schedule.add((part_again, hear.run_if(|tick: Res<Tick>| tick.0 % 2 == 0)));
    schedule.add((|mut mode: ResMut<State<Mode>>| mode.set(Mode::Night)).while_in(Mode::Day));
    schedule.add((|mut mode: ResMut<State<Mode>>| mode.set(Mode::Day)).on_enter(Mode::Night));
    schedule.fixed(50.0, |steps| {
        steps.add((hear, wear));
    });
    schedule.add(|world: &mut World| world.resource_mut::<Noise>().0 += 1);
    schedule
}

#[test]
fn a_tick_on_one_thread_allocates_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut world, mut schedule) = (town(), all_of_it());
    schedule.threads(1);
    assert_eq!(allocations(&mut schedule, &mut world, 32), 0);
}

#[test]
fn a_tick_with_hooks_allocates_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut world, mut schedule) = (town(), all_of_it());
    world.on_spawn::<Actor>(|world, _| world.resource_mut::<Noise>().0 += 1);
    world.on_despawn::<Actor>(|world, _, was| {
        world.resource_mut::<Noise>().0 += u64::from(was.born)
    });
    world.on_despawn::<Part>(|world, _, _| world.send(Bang(0)));
    world.on_tags::<Actor>(|world, _, before, after| {
        world.resource_mut::<Noise>().0 += u64::from(before.bits() ^ after.bits());
    });
    schedule.threads(1);
    assert_eq!(allocations(&mut schedule, &mut world, 32), 0);
}

/// Systems that spawn on several threads have groups of slots of their own, so that it takes longer
/// until no more are needed.
const LONG_WARM_UP: u32 = 1000;

#[test]
fn a_tick_on_several_threads_allocates_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let threads = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let calls = threads.install(|| {
        let (mut world, mut schedule) = (town(), all_of_it());
        schedule.parallel_from(Duration::ZERO);
        allocations_after(LONG_WARM_UP, &mut schedule, &mut world, 500)
    });
    assert_eq!(calls, 0);
}

/// How many calls there are in a thousand ticks that are started from a thread that is in no pool.
fn allocations_from_outside(threads: Option<usize>) -> u64 {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (mut world, mut schedule) = (town(), all_of_it());
    schedule.parallel_from(Duration::ZERO);
    if let Some(threads) = threads {
        schedule.threads(threads);
    }
    allocations_after(LONG_WARM_UP, &mut schedule, &mut world, 1000)
}

#[test]
fn a_tick_on_threads_of_the_schedule_allocates_nothing() {
    assert_eq!([2, 3].map(|threads| allocations_from_outside(Some(threads))), [0, 0]);
}

#[test]
fn a_tick_on_the_threads_that_all_share_allocates_nothing() {
    assert_eq!(allocations_from_outside(None), 0);
}

#[test]
fn a_tick_that_enters_the_threads_for_every_loop_allocates_nothing() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for threads in [None, Some(2)] {
        let mut world = town();
        world.insert_pinned(std::rc::Rc::new(())); // so that the run as a whole stays on this thread
        let mut schedule = Schedule::new();
        schedule.add((heal, tell, heal, wear, heal));
        if let Some(threads) = threads {
            schedule.threads(threads);
        }
        assert_eq!(allocations(&mut schedule, &mut world, 1000), 0);
        #[cfg(feature = "parallel")]
        {
            let pool = world.pool_mut::<Actor>();
            COUNTS.store(true, Ordering::Relaxed);
            (0..1000).for_each(|_| pool.view_mut::<Mut<actor::hp>>().par_each(|hp| _ = hp));
            COUNTS.store(false, Ordering::Relaxed);
            assert_eq!(CALLS.load(Ordering::Relaxed), 0);
        }
    }
}

#[test]
fn systems_that_must_be_apart_allocate_nothing_either() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    fn one(mut noise: ResMut<Noise>) {
        OURS.set(true);
        noise.0 += 1;
    }
    fn two(mut noise: ResMut<Noise>) {
        OURS.set(true);
        noise.0 += 2;
    }
    let mut world = town();
    let mut schedule = Schedule::new();
    schedule.add((one, two.unordered_with(one), heal));
    schedule.threads(3).parallel_from(Duration::ZERO);
    assert_eq!(allocations(&mut schedule, &mut world, 1000), 0);
}

#[test]
fn the_test_can_fail() {
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut world = town();
    let mut schedule = Schedule::new();
    schedule.add(|mut noise: ResMut<Noise>| noise.0 = std::hint::black_box(vec![1u8]).len() as u64);
    assert_eq!(allocations(&mut schedule, &mut world, 32), 32);
}

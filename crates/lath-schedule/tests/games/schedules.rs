//! Random schedules do, on any number of threads and in any order that conflicts allow, what an
//! obviously right model does that calls their systems one by one.
//!
//! The model knows nothing of conflicts, graphs, threads, slots or handles: it has the line of
//! systems, a list of commands to be applied, and cells that are known by a number. Handles are
//! compared between one way to run a schedule and another.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lath_core::bitflags::bitflags;
use lath_core::{Handle, Mut, Pool, Ref, Thing, View};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, PlanError, PoolMut, Query, Res, ResMut,
    Schedule, System, World,
};

use crate::common::dice::Dice;

const THINGS: usize = 40;
const KINDS: u8 = 23;

bitflags! {
    #[derive(Clone, Copy, Default)]
    struct Tags: u8 { const MARKED = 1; }
}

#[derive(Thing, Default)]
struct Cell {
    /// What the model knows it by.
    id: u64,
    x: u64,
    y: u64,
    z: u64,
    #[thing(tags)]
    tags: Tags,
}

#[derive(View)]
#[view(Cell, with = Tags::MARKED)]
struct Marked<'a> {
    y: &'a mut u64,
}

/// One of four resources.
struct R<const N: usize>(u64);

struct Bang(u64);

fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number ^ number >> 27
}

/// What is said about one system.
#[derive(Clone, Debug, Default)]
struct Spec {
    kind: u8,
    salt: u64,
    before: Vec<usize>,
    after: Vec<usize>,
    set: Option<usize>,
    /// Runs only if this resource is odd.
    odd: Option<usize>,
    /// How many barriers come before it.
    stretch: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    specs: Vec<Spec>,
    barriers: usize,
    /// Of two sets: the one comes before the other.
    sets_in_order: bool,
    /// Of two sets: the condition.
    odd: [Option<usize>; 2],
}

pub(crate) fn case(random: &mut Dice) -> Case {
    let count = random.usize(2..18);
    let mut case = Case::default();
    let some_resource =
        |random: &mut Dice, one_in: u8| (random.u8(..one_in) == 0).then(|| random.usize(..4));
    for number in 0..count {
        if !random.next_step() {
            break;
        }
        case.barriers += usize::from(number > 0 && random.u8(..6) == 0);
        let mut spec = Spec {
            kind: random.u8(..KINDS),
            salt: random.u64(..),
            stretch: case.barriers,
            ..Spec::default()
        };
        spec.odd = some_resource(random, 5);
        spec.set = (random.u8(..3) == 0).then(|| random.usize(..2));
        case.specs.push(spec);
    }
    let count = case.specs.len();
    for _ in 0..if count > 0 { random.usize(..4) } else { 0 } {
        let [one, other] = [(); 2].map(|()| random.usize(..count));
        if one != other {
            match random.bool() {
                true => case.specs[one].before.push(other),
                false => case.specs[one].after.push(other),
            }
        }
    }
    let both = (0..2).all(|set| case.specs.iter().any(|spec| spec.set == Some(set)));
    case.sets_in_order = both && random.u8(..4) == 0;
    case.odd = [(); 2].map(|()| some_resource(random, 3));
    case
}

// The real thing.

/// A condition on one of the resources.
macro_rules! when_odd {
    ($to:expr, $which:expr) => {
        match $which {
            0 => $to.run_if(|r: Res<R<0>>| r.0 % 2 == 1),
            1 => $to.run_if(|r: Res<R<1>>| r.0 % 2 == 1),
            2 => $to.run_if(|r: Res<R<2>>| r.0 % 2 == 1),
            _ => $to.run_if(|r: Res<R<3>>| r.0 % 2 == 1),
        }
    };
}

fn system(number: usize, kind: u8, salt: u64) -> System {
    match kind {
        0 => (move |a: Res<R<0>>, mut b: ResMut<R<1>>| b.0 = mix(b.0 ^ a.0 ^ salt)).into_system(),
        1 => (move |a: Res<R<1>>, mut b: ResMut<R<2>>| b.0 = mix(b.0 ^ a.0 ^ salt)).into_system(),
        2 => (move |a: Res<R<2>>, mut b: ResMut<R<3>>, mut c: ResMut<R<0>>| {
            (b.0, c.0) = (mix(a.0 ^ salt), mix(b.0 ^ c.0));
        })
        .into_system(),
        3 => (move |mut a: ResMut<R<3>>| a.0 = mix(a.0 ^ salt)).into_system(),
        4 => (move |mut cells: Query<(Mut<cell::x>, Ref<cell::y>)>| {
            cells.par_each(|(mut x, y)| *x = mix(*x ^ *y ^ salt));
        })
        .into_system(),
        5 => (move |mut cells: Query<(Mut<cell::y>, Ref<cell::z>)>, a: Res<R<0>>| {
            cells.each(|(mut y, z)| *y = mix(*y ^ *z ^ a.0 ^ salt));
        })
        .into_system(),
        6 => (move |mut cells: Query<Mut<cell::z>>| {
            for mut z in &mut cells {
                *z = mix(*z ^ salt);
            }
        })
        .into_system(),
        7 => (move |cells: Query<Ref<cell::x>>, mut a: ResMut<R<1>>| {
            a.0 = cells.iter().fold(a.0 ^ salt, |sum, x| sum.wrapping_add(mix(*x)));
        })
        .into_system(),
        8 => (move |cells: Query<(Ref<cell::y>, Ref<cell::z>)>, mut a: ResMut<R<2>>| {
            a.0 = cells.iter().fold(a.0 ^ salt, |sum, (y, z)| sum.wrapping_add(mix(*y ^ *z)));
        })
        .into_system(),
        9 => (move |a: Res<R<1>>, mut commands: Commands| {
            let seen = a.0;
            commands.run(move |world| {
                let r = world.resource_mut::<R<0>>();
                r.0 = mix(r.0 ^ seen ^ salt);
            });
        })
        .into_system(),
        10 => (move |mut commands: Commands| commands.insert(R::<3>(salt))).into_system(),
        11 => (move |world: &mut World| {
            let sum = world.resource::<R<0>>().0 ^ world.resource::<R<3>>().0;
            world.resource_mut::<R<2>>().0 = mix(sum ^ salt);
        })
        .into_system(),
        12 => (move |mut cells: PoolMut<Cell>, a: Res<R<3>>| {
            cells.iter_mut().for_each(|(_, cell)| cell.x ^= a.0 ^ salt)
        })
        .into_system(),
        13 => (move |a: Res<R<0>>, mut bangs: EventWriter<Bang>| bangs.send(Bang(mix(a.0 ^ salt))))
            .into_system(),
        14 => (move |mut bangs: EventReader<Bang>, mut a: ResMut<R<3>>| {
            a.0 = bangs.read().fold(a.0, |sum, bang| mix(sum ^ bang.0));
        })
        .into_system(),
        15 => (move |mut runs: Local<u64>, mut a: ResMut<R<0>>| {
            *runs += 1;
            a.0 = mix(a.0 ^ *runs ^ salt);
        })
        .into_system(),
        16 => (move |mut runs: Local<u64>, mut commands: Commands| {
            *runs += 1;
            let mut last = Handle::NIL;
            for id in new_ids(number, salt, *runs) {
                let cell = commands.spawn(Cell { id, x: id, ..Cell::default() });
                commands.attach(cell, last);
                last = cell;
            }
        })
        .into_system(),
        17 => (move |mut cells: Query<(Handle<Cell>, Ref<cell::x>)>, mut commands: Commands| {
            commands.par_each(&mut cells, |(me, x), commands| {
                if mix(*x ^ salt) % 9 == 0 {
                    commands.despawn(me);
                }
            });
        })
        .into_system(),
        18 => (move |cells: Query<(Handle<Cell>, Ref<cell::id>)>, mut commands: Commands| {
            let by = |salt: u64| {
                cells.iter().min_by_key(|(_, id)| mix(**id ^ salt)).map(|(cell, _)| cell)
            };
            if let (Some(child), Some(parent)) = (by(salt), by(!salt)) {
                commands.attach(child, parent);
            }
        })
        .into_system(),
        19 => (move |mut cells: Query<(Handle<Cell>, Ref<cell::id>)>, mut commands: Commands| {
            commands.par_each(&mut cells, |(me, id), commands| match mix(*id ^ salt) % 3 {
                0 => commands.insert_tags(me, Tags::MARKED),
                1 => commands.remove_tags(me, Tags::MARKED),
                _ => {}
            });
        })
        .into_system(),
        20 => {
            (move |mut cells: Query<Marked>| cells.par_each(|cell| *cell.y = mix(*cell.y ^ salt)))
                .into_system()
        }
        21 => (move |world: &mut World, mut runs: Local<u64>| {
            *runs += 1;
            let first = world
                .pool::<Cell>()
                .iter()
                .min_by_key(|(_, cell)| mix(cell.id ^ salt))
                .map(|(cell, _)| cell);
            world.despawn(first.unwrap_or_default());
            for id in new_ids(number, salt, *runs) {
                world.spawn(Cell { id, x: id, tags: Tags::MARKED, ..Cell::default() });
            }
        })
        .into_system(),
        _ => (move |cells: Query<(Handle<Cell>, Ref<cell::id>)>, mut commands: Commands| {
            for (cell, id) in &cells {
                match mix(*id ^ salt) % 7 {
                    0 => commands.set::<cell::z>(cell, *id ^ salt),
                    1 => commands.detach(cell),
                    _ => {}
                }
            }
        })
        .into_system(),
    }
}

/// What cells are called that come by a system in one of its runs: no two ever the same, also where
/// two systems have one salt.
fn new_ids(number: usize, salt: u64, run: u64) -> impl Iterator<Item = u64> {
    (0..salt % 4).map(move |n| 1 << 63 | (number as u64) << 32 | run << 8 | n)
}

fn schedule(case: &Case) -> Schedule {
    let mut schedule = Schedule::new();
    let mut stretch = 0;
    for (number, spec) in case.specs.iter().enumerate() {
        if spec.stretch > stretch {
            schedule.barrier();
            stretch = spec.stretch;
        }
        let mut system = system(number, spec.kind, spec.salt).named(number.to_string());
        system = spec.before.iter().fold(system, |system, other| system.before(other.to_string()));
        system = spec.after.iter().fold(system, |system, other| system.after(other.to_string()));
        if let Some(set) = spec.set {
            system = system.in_set(["red", "blue"][set]);
        }
        if let Some(which) = spec.odd {
            system = when_odd!(system, which);
        }
        schedule.add(system);
    }
    if case.sets_in_order {
        schedule.set("blue").before("red");
    }
    for (set, odd) in ["red", "blue"].into_iter().zip(case.odd) {
        if let Some(which) = odd {
            when_odd!(schedule.set(set), which);
        }
    }
    schedule
}

fn world() -> World {
    let mut world = World::new();
    world.insert(R::<0>(1));
    world.insert(R::<1>(2));
    world.insert(R::<2>(3));
    world.insert(R::<3>(4));
    for number in 0..THINGS as u64 {
        world.spawn(Cell {
            id: number,
            x: number,
            y: number * 2,
            z: number * 3,
            tags: Tags::empty(),
        });
    }
    world
}

// The model.

/// A cell, as the model has it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    xyz: [u64; 3],
    marked: bool,
    parent: Option<u64>,
}

/// All that there is to compare: resources, and cells by their numbers.
type Seen = ([u64; 4], BTreeMap<u64, Known>);

#[derive(Clone, Debug, PartialEq)]
struct Model {
    r: [u64; 4],
    cells: BTreeMap<u64, Known>,
    /// All that was ever sent.
    bangs: Vec<u64>,
    /// Per system: how many events it has read, and how often it ran.
    read: BTreeMap<usize, usize>,
    runs: BTreeMap<usize, u64>,
}

enum Later {
    Mix(u64),
    Put(u64),
    Spawn(u64),
    Despawn(u64),
    Attach(u64, u64),
    Detach(u64),
    Mark(u64, bool),
    SetZ(u64, u64),
}

impl Model {
    fn new() -> Self {
        let known = |number| Known { xyz: [number, number * 2, number * 3], ..Known::default() };
        let cells = (0..THINGS as u64).map(|number| (number, known(number))).collect();
        Self {
            r: [1, 2, 3, 4],
            cells,
            bangs: Vec::new(),
            read: BTreeMap::new(),
            runs: BTreeMap::new(),
        }
    }

    fn of(world: &World) -> Seen {
        let r = [
            world.resource::<R<0>>().0,
            world.resource::<R<1>>().0,
            world.resource::<R<2>>().0,
            world.resource::<R<3>>().0,
        ];
        let pool: &Pool<Cell> = world.pool();
        let known = |handle: Handle<Cell>, cell: &Cell| Known {
            xyz: [cell.x, cell.y, cell.z],
            marked: pool.has(handle, Tags::MARKED),
            parent: pool.tree().parent(handle).map(|parent| pool[parent].id),
        };
        (r, pool.iter().map(|(handle, cell)| (cell.id, known(handle, cell))).collect())
    }

    /// With all that is below it.
    fn remove(&mut self, id: u64) {
        if self.cells.remove(&id).is_some() {
            let below: Vec<u64> = self
                .cells
                .iter()
                .filter(|(_, known)| known.parent == Some(id))
                .map(|(below, _)| *below)
                .collect();
            below.into_iter().for_each(|below| self.remove(below));
        }
    }

    fn is_at_or_below(&self, id: u64, top: u64) -> bool {
        std::iter::successors(Some(id), |at| self.cells[at].parent).any(|at| at == top)
    }

    fn apply(&mut self, later: &mut Vec<Later>) {
        for command in later.drain(..) {
            match command {
                Later::Mix(what) => self.r[0] = mix(self.r[0] ^ what),
                Later::Put(what) => self.r[3] = what,
                Later::Spawn(id) => {
                    _ = self.cells.insert(id, Known { xyz: [id, 0, 0], ..Known::default() })
                }
                Later::Despawn(id) => self.remove(id),
                Later::Attach(child, parent) => {
                    let both = self.cells.contains_key(&child) && self.cells.contains_key(&parent);
                    if both && !self.is_at_or_below(parent, child) {
                        self.cells.get_mut(&child).unwrap().parent = Some(parent);
                    }
                }
                Later::Detach(id) => _ = self.cells.get_mut(&id).map(|known| known.parent = None),
                Later::Mark(id, marked) => {
                    _ = self.cells.get_mut(&id).map(|known| known.marked = marked)
                }
                Later::SetZ(id, z) => _ = self.cells.get_mut(&id).map(|known| known.xyz[2] = z),
            }
        }
    }

    /// The cell whose number is the least by some order.
    fn first_by(&self, salt: u64) -> Option<u64> {
        self.cells.keys().copied().min_by_key(|id| mix(id ^ salt))
    }

    fn call(&mut self, number: usize, kind: u8, salt: u64, later: &mut Vec<Later>) {
        let r = self.r;
        let cells = || self.cells.values().map(|known| known.xyz);
        match kind {
            0 => self.r[1] = mix(r[1] ^ r[0] ^ salt),
            1 => self.r[2] = mix(r[2] ^ r[1] ^ salt),
            2 => (self.r[3], self.r[0]) = (mix(r[2] ^ salt), mix(r[3] ^ r[0])),
            3 => self.r[3] = mix(r[3] ^ salt),
            4 => self.for_all(|[x, y, _]| *x = mix(*x ^ *y ^ salt)),
            5 => self.for_all(|[_, y, z]| *y = mix(*y ^ *z ^ r[0] ^ salt)),
            6 => self.for_all(|[_, _, z]| *z = mix(*z ^ salt)),
            7 => self.r[1] = cells().fold(r[1] ^ salt, |sum, [x, _, _]| sum.wrapping_add(mix(x))),
            8 => {
                self.r[2] = cells().fold(r[2] ^ salt, |sum, [_, y, z]| sum.wrapping_add(mix(y ^ z)))
            }
            9 => later.push(Later::Mix(r[1] ^ salt)),
            10 => later.push(Later::Put(salt)),
            11 => {
                self.apply(later);
                self.r[2] = mix(self.r[0] ^ self.r[3] ^ salt);
            }
            12 => {
                self.apply(later);
                let r = self.r[3];
                self.for_all(|[x, _, _]| *x ^= r ^ salt);
            }
            13 => self.bangs.push(mix(r[0] ^ salt)),
            14 => {
                let read = self.read.entry(number).or_default();
                self.r[3] = self.bangs[*read..].iter().fold(r[3], |sum, bang| mix(sum ^ bang));
                *read = self.bangs.len();
            }
            15 => self.r[0] = mix(r[0] ^ self.runs(number) ^ salt),
            16 => {
                let ids: Vec<u64> = new_ids(number, salt, self.runs(number)).collect();
                later.extend(ids.iter().map(|id| Later::Spawn(*id)));
                later.extend(ids.windows(2).map(|pair| Later::Attach(pair[1], pair[0])));
            }
            17 => later
                .extend(self.ids(|known, _| mix(known.xyz[0] ^ salt) % 9 == 0).map(Later::Despawn)),
            18 => later.extend(
                self.first_by(salt).zip(self.first_by(!salt)).map(|(a, b)| Later::Attach(a, b)),
            ),
            19 => {
                later.extend(
                    self.ids(|_, id| mix(id ^ salt) % 3 == 0).map(|id| Later::Mark(id, true)),
                );
                later.extend(
                    self.ids(|_, id| mix(id ^ salt) % 3 == 1).map(|id| Later::Mark(id, false)),
                );
            }
            20 => {
                for known in self.cells.values_mut().filter(|known| known.marked) {
                    known.xyz[1] = mix(known.xyz[1] ^ salt);
                }
            }
            21 => {
                self.apply(later);
                if let Some(first) = self.first_by(salt) {
                    self.remove(first);
                }
                for id in new_ids(number, salt, self.runs(number)) {
                    self.cells.insert(id, Known { xyz: [id, 0, 0], marked: true, parent: None });
                }
            }
            _ => {
                later.extend(
                    self.ids(|_, id| mix(id ^ salt) % 7 == 0).map(|id| Later::SetZ(id, id ^ salt)),
                );
                later.extend(self.ids(|_, id| mix(id ^ salt) % 7 == 1).map(Later::Detach));
            }
        }
    }

    fn for_all(&mut self, f: impl FnMut(&mut [u64; 3])) {
        self.cells.values_mut().map(|known| &mut known.xyz).for_each(f);
    }

    fn ids(&self, which: impl Fn(&Known, u64) -> bool) -> impl Iterator<Item = u64> {
        let ids: Vec<u64> =
            self.cells.iter().filter(|(id, known)| which(known, **id)).map(|(id, _)| *id).collect();
        ids.into_iter()
    }

    /// How often a system has run, this run included.
    fn runs(&mut self, number: usize) -> u64 {
        let runs = self.runs.entry(number).or_default();
        *runs += 1;
        *runs
    }

    /// One run. Entries of the line are numbers, or conditions of sets.
    fn run(&mut self, case: &Case, line: &[String]) {
        let mut open = [true; 2];
        let mut later = Vec::new();
        let mut stretch = 0;
        for name in line {
            if let Some(set) = name.strip_prefix("condition of set ") {
                let set = usize::from(set == "blue");
                // A gate is in the stretch of the first member that was added.
                let first = case.specs.iter().find(|spec| spec.set == Some(set)).unwrap();
                if first.stretch > stretch {
                    self.apply(&mut later);
                    stretch = first.stretch;
                }
                open[set] = case.odd[set].is_none_or(|which| self.r[which] % 2 == 1);
                continue;
            }
            let number: usize = name.parse().unwrap();
            let Spec { kind, salt, set, odd, stretch: own, .. } = case.specs[number];
            if own > stretch {
                self.apply(&mut later);
                stretch = own;
            }
            if matches!(kind, 11 | 12 | 21) {
                self.apply(&mut later); // it runs alone, whether or not its condition holds
            }
            if set.is_none_or(|set| open[set]) && odd.is_none_or(|which| self.r[which] % 2 == 1) {
                self.call(number, kind, salt, &mut later);
            }
        }
        self.apply(&mut later);
    }
}

/// The line by the rule as it is written: always the first in the order of addition that nobody
/// else must come before.
fn line(case: &Case) -> Option<Vec<usize>> {
    let specs = &case.specs;
    let must_precede = |one: usize, other: usize| {
        specs[one].stretch < specs[other].stretch
            || specs[one].before.contains(&other)
            || specs[other].after.contains(&one)
            || case.sets_in_order && specs[one].set == Some(1) && specs[other].set == Some(0)
    };
    let mut left: BTreeSet<usize> = (0..specs.len()).collect();
    let mut line = Vec::new();
    while !left.is_empty() {
        let next = *left
            .iter()
            .find(|&&one| !left.iter().any(|&other| other != one && must_precede(other, one)))?;
        left.remove(&next);
        line.push(next);
    }
    Some(line)
}

/// What became of a case.
pub(crate) enum Outcome {
    Ran,
    Circle,
}

/// Runs a schedule in several ways, each so many threads and the seed of a shuffle, three times
/// over, and compares all that there is to see.
pub(crate) fn compare(case: &Case, ways: &[(usize, Option<u64>)], name: &str) -> Outcome {
    let mut order = schedule(case);
    let Some(expected) = line(case) else {
        assert!(
            matches!(order.build(), Err(PlanError::Cycle { .. })),
            "{name}: a circle was not found"
        );
        return Outcome::Circle;
    };
    let order = order.order().unwrap_or_else(|error| panic!("{name}: {error}"));
    let systems: Vec<usize> = order.iter().filter_map(|name| name.parse().ok()).collect();
    assert_eq!(systems, expected, "{name}");
    let mut handles: Vec<Vec<(Handle<Cell>, u64)>> = Vec::new();
    for (way, &(threads, shuffle)) in ways.iter().enumerate() {
        let mut schedule = schedule(case);
        schedule.parallel_from(Duration::ZERO).threads(threads);
        schedule.shuffle(shuffle);
        let (mut world, mut model) = (world(), Model::new());
        for run in 0..3 {
            schedule.run(&mut world);
            model.run(case, &order);
            let expected: Seen = (model.r, model.cells.clone());
            assert_eq!(Model::of(&world), expected, "{name}, way {way}, run {run}: {case:#?}");
            let pool: &Pool<Cell> = world.pool();
            assert_eq!(pool.check_invariants(), Ok(()), "{name}, way {way}, run {run}");
            let named: Vec<_> = pool.iter().map(|(handle, cell)| (handle, cell.id)).collect();
            if way == 0 {
                handles.push(named);
            } else {
                assert_eq!(named, handles[run], "{name}: handles, way {way}, run {run}: {case:#?}");
            }
        }
    }
    Outcome::Ran
}

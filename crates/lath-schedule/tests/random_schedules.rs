//! Random schedules do, on any number of threads and in any order that conflicts allow, what an obviously right model does that
//! calls their systems one by one.
//!
//! The model knows nothing of conflicts, graphs or threads: it has the line of systems, and a list of commands to be applied.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use fastrand::Rng;
use lath_core::{Mut, Ref, Thing};
use lath_schedule::{
    Commands, EventReader, EventWriter, IntoSystem, Local, PlanError, PoolMut, Query, Res, ResMut, Schedule, System,
    World,
};

const THINGS: usize = 40;
const KINDS: u8 = 16;

#[derive(Thing, Default)]
struct Cell {
    x: u64,
    y: u64,
    z: u64,
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
struct Case {
    specs: Vec<Spec>,
    barriers: usize,
    /// Of two sets: the one comes before the other.
    sets_in_order: bool,
    /// Of two sets: the condition.
    odd: [Option<usize>; 2],
}

fn case(random: &mut Rng) -> Case {
    let count = random.usize(2..18);
    let mut case = Case::default();
    let some_resource = |random: &mut Rng, one_in: u8| (random.u8(..one_in) == 0).then(|| random.usize(..4));
    for number in 0..count {
        case.barriers += usize::from(number > 0 && random.u8(..6) == 0);
        let mut spec =
            Spec { kind: random.u8(..KINDS), salt: random.u64(..), stretch: case.barriers, ..Spec::default() };
        spec.odd = some_resource(random, 5);
        spec.set = (random.u8(..3) == 0).then(|| random.usize(..2));
        case.specs.push(spec);
    }
    for _ in 0..random.usize(..4) {
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

fn system(kind: u8, salt: u64) -> System {
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
            a.0 = cells.iter().fold(a.0 ^ salt, |sum, x| mix(sum ^ *x));
        })
        .into_system(),
        8 => (move |cells: Query<(Ref<cell::y>, Ref<cell::z>)>, mut a: ResMut<R<2>>| {
            a.0 = cells.iter().fold(a.0 ^ salt, |sum, (y, z)| mix(sum ^ *y ^ *z));
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
        12 => {
            (move |mut cells: PoolMut<Cell>, a: Res<R<3>>| cells.iter_mut().for_each(|(_, cell)| cell.x ^= a.0 ^ salt))
                .into_system()
        }
        13 => (move |a: Res<R<0>>, mut bangs: EventWriter<Bang>| bangs.send(Bang(mix(a.0 ^ salt)))).into_system(),
        14 => (move |mut bangs: EventReader<Bang>, mut a: ResMut<R<3>>| {
            a.0 = bangs.read().fold(a.0, |sum, bang| mix(sum ^ bang.0));
        })
        .into_system(),
        _ => (move |mut runs: Local<u64>, mut a: ResMut<R<0>>| {
            *runs += 1;
            a.0 = mix(a.0 ^ *runs ^ salt);
        })
        .into_system(),
    }
}

fn schedule(case: &Case) -> Schedule {
    let mut schedule = Schedule::new();
    let mut stretch = 0;
    for (number, spec) in case.specs.iter().enumerate() {
        if spec.stretch > stretch {
            schedule.barrier();
            stretch = spec.stretch;
        }
        let mut system = system(spec.kind, spec.salt).named(number.to_string());
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
        world.spawn(Cell { x: number, y: number * 2, z: number * 3 });
    }
    world
}

// The model.

#[derive(Clone, Debug, PartialEq)]
struct Model {
    r: [u64; 4],
    cells: Vec<[u64; 3]>,
    /// All that was ever sent.
    bangs: Vec<u64>,
    /// Per system: how many events it has read, and how often it ran.
    read: BTreeMap<usize, usize>,
    runs: BTreeMap<usize, u64>,
}

enum Later {
    Mix(u64),
    Put(u64),
}

impl Model {
    fn new() -> Self {
        let cells = (0..THINGS as u64).map(|number| [number, number * 2, number * 3]).collect();
        Self { r: [1, 2, 3, 4], cells, bangs: Vec::new(), read: BTreeMap::new(), runs: BTreeMap::new() }
    }

    fn of(world: &World) -> ([u64; 4], Vec<[u64; 3]>) {
        let r = [
            world.resource::<R<0>>().0,
            world.resource::<R<1>>().0,
            world.resource::<R<2>>().0,
            world.resource::<R<3>>().0,
        ];
        (r, world.pool::<Cell>().iter().map(|(_, cell)| [cell.x, cell.y, cell.z]).collect())
    }

    fn apply(&mut self, later: &mut Vec<Later>) {
        for command in later.drain(..) {
            match command {
                Later::Mix(what) => self.r[0] = mix(self.r[0] ^ what),
                Later::Put(what) => self.r[3] = what,
            }
        }
    }

    fn call(&mut self, number: usize, kind: u8, salt: u64, later: &mut Vec<Later>) {
        let r = self.r;
        match kind {
            0 => self.r[1] = mix(r[1] ^ r[0] ^ salt),
            1 => self.r[2] = mix(r[2] ^ r[1] ^ salt),
            2 => (self.r[3], self.r[0]) = (mix(r[2] ^ salt), mix(r[3] ^ r[0])),
            3 => self.r[3] = mix(r[3] ^ salt),
            4 => self.cells.iter_mut().for_each(|[x, y, _]| *x = mix(*x ^ *y ^ salt)),
            5 => self.cells.iter_mut().for_each(|[_, y, z]| *y = mix(*y ^ *z ^ r[0] ^ salt)),
            6 => self.cells.iter_mut().for_each(|[_, _, z]| *z = mix(*z ^ salt)),
            7 => self.r[1] = self.cells.iter().fold(r[1] ^ salt, |sum, [x, _, _]| mix(sum ^ x)),
            8 => self.r[2] = self.cells.iter().fold(r[2] ^ salt, |sum, [_, y, z]| mix(sum ^ y ^ z)),
            9 => later.push(Later::Mix(r[1] ^ salt)),
            10 => later.push(Later::Put(salt)),
            11 => {
                self.apply(later);
                self.r[2] = mix(self.r[0] ^ self.r[3] ^ salt);
            }
            12 => {
                self.apply(later);
                self.cells.iter_mut().for_each(|[x, _, _]| *x ^= self.r[3] ^ salt);
            }
            13 => self.bangs.push(mix(r[0] ^ salt)),
            14 => {
                let read = self.read.entry(number).or_default();
                self.r[3] = self.bangs[*read..].iter().fold(r[3], |sum, bang| mix(sum ^ bang));
                *read = self.bangs.len();
            }
            _ => {
                let runs = self.runs.entry(number).or_default();
                *runs += 1;
                self.r[0] = mix(r[0] ^ *runs ^ salt);
            }
        }
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
            if matches!(kind, 11 | 12) {
                self.apply(&mut later); // it runs alone, whether or not its condition holds
            }
            if set.is_none_or(|set| open[set]) && odd.is_none_or(|which| self.r[which] % 2 == 1) {
                self.call(number, kind, salt, &mut later);
            }
        }
        self.apply(&mut later);
    }
}

/// The line by the rule as it is written: always the first in the order of addition that nobody else must come before.
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
        let next = *left.iter().find(|&&one| !left.iter().any(|&other| other != one && must_precede(other, one)))?;
        left.remove(&next);
        line.push(next);
    }
    Some(line)
}

#[test]
fn random_schedules_do_what_their_systems_do_one_by_one() {
    let (mut built, mut circles) = (0, 0);
    for seed in 0..250 {
        let case = case(&mut Rng::with_seed(seed));
        let mut order = schedule(&case);
        let Some(expected) = line(&case) else {
            assert!(matches!(order.build(), Err(PlanError::Cycle { .. })), "seed {seed}: a circle was not found");
            circles += 1;
            continue;
        };
        built += 1;
        let order = order.order().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let systems: Vec<usize> = order.iter().filter_map(|name| name.parse().ok()).collect();
        assert_eq!(systems, expected, "seed {seed}");
        for how in 0..8u64 {
            let mut schedule = schedule(&case);
            schedule.parallel_from(Duration::ZERO).threads([1, 2, 3, 1, 1, 2, 4, 3][how as usize]);
            schedule.shuffle((how > 2).then_some(seed * 10 + how));
            let (mut world, mut model) = (world(), Model::new());
            for run in 0..3 {
                schedule.run(&mut world);
                model.run(&case, &order);
                let expected = (model.r, model.cells.clone());
                assert_eq!(Model::of(&world), expected, "seed {seed}, way {how}, run {run}: {case:#?}");
            }
        }
    }
    assert!(built > 150 && circles > 20, "{built} schedules and {circles} circles");
}

//! Updates of a mixed population: eight sorts of beings, of which each has some of seven components,
//! and two, three or seven systems that want some of those. One thread.

#[cfg(feature = "ecs")]
mod ecs;
#[cfg(feature = "flecs")]
mod flecs;
mod lath;
mod raw;

use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const SIZES: [(&str, u32); 3] = [("1k", 1_000), ("64k", 64_000), ("1m", 1_000_000)];

const FEW: &[Bar] = &[Bar::to_best("lath-columns", 0.9)];
const MANY: &[Bar] = &[Bar::to_best("lath-columns", 1.0)];

/// By how many systems, then by how many beings.
pub(super) fn workloads() -> Vec<Workload> {
    [2, 3, 7]
        .into_iter()
        .flat_map(|systems| SIZES.map(|(size, n)| everybody(systems, size, n)))
        .collect()
}

fn everybody(systems: usize, size: &str, n: u32) -> Workload {
    let about = format!("{systems} systems over {n} beings of eight sorts, one thread");
    let bars = if n > 1_000 { MANY } else { FEW };
    let name = format!("outside-update-{systems}-{size}");
    let workload =
        Workload::new(name, about, bars).with("raw", move || Updates::<raw::Raw>::new(systems, n));
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", move || Updates::<ecs::Hecs>::new(systems, n))
        .with("bevy_ecs", move || Updates::<ecs::Bevy>::new(systems, n))
        .with("evenio", move || Updates::<ecs::Evenio>::new(systems, n))
        .with("sparsey", move || Updates::<ecs::Sparsey>::new(systems, n))
        .with("shipyard", move || Updates::<ecs::Shipyard>::new(systems, n));
    #[cfg(feature = "flecs")]
    let workload = workload.with("flecs", move || Updates::<flecs::Flecs>::new(systems, n));
    workload
        .with("lath-rows", move || Updates::<lath::Rows>::new(systems, n))
        .with("lath-columns", move || Updates::<lath::Columns>::new(systems, n))
}

pub(super) type Pair = [f32; 2];

/// Numbers without a meaning.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Data {
    count: i32,
    share: f64,
    flag: bool,
    seed: u32,
}

/// Who fights: of which sort, and with what luck.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Player {
    sort: u32,
    seed: u32,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Health {
    points: i32,
    most: i32,
    status: u32,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) struct Damage {
    attack: i32,
    defence: i32,
}

const SPAWNED: u32 = 0;
const DEAD: u32 = 1;
const ALIVE: u32 = 2;

/// What a being has beside a position. Two bits decide what three of the seven components come
/// with: who fights has `Player`, `Health` and `Damage`.
#[derive(Clone, Copy, Default)]
struct Being {
    position: Pair,
    velocity: Option<Pair>,
    data: Option<Data>,
    fighter: Option<(Player, Health, Damage)>,
    sprite: Option<u32>,
}

/// Which of velocity, data, fighter and sprite the sorts have. They arrive in turn.
const SORTS: [[bool; 4]; 8] = [
    [true, true, true, true],
    [true, true, false, false],
    [true, false, false, false],
    [false, true, false, false],
    [true, false, true, true],
    [true, true, false, true],
    [false, false, true, true],
    [true, true, true, false],
];

impl Being {
    fn number(n: u32) -> Self {
        let [moves, data, fights, shows] = SORTS[n as usize % 8];
        let x = (n % 997) as f32;
        let health = Health { points: 0, most: 5 + (n % 11) as i32, status: SPAWNED };
        let damage = Damage { attack: 2 + (n % 8) as i32, defence: 1 + (n % 5) as i32 };
        let player = Player { sort: n % 3, seed: n | 1 };
        Self {
            position: [x, 0.5 * x],
            velocity: moves.then_some([1.0 + (n % 3) as f32, 2.0]),
            data: data.then_some(Data { count: (n % 100) as i32, seed: n | 1, ..Data::default() }),
            fighter: fights.then_some((player, health, damage)),
            sprite: shows.then_some(u32::from(b'_')),
        }
    }
}

/// The next of a row of numbers that look random.
#[inline(always)]
fn next(seed: &mut u32) -> u32 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    *seed
}

#[inline(always)]
fn go(position: &mut Pair, velocity: &Pair) {
    position[0] += velocity[0] * 0.0625;
    position[1] += velocity[1] * 0.0625;
}

#[inline(always)]
fn reckon(data: &mut Data) {
    data.count = (data.count + 1) % 1_000_000;
    data.share += 0.0001 * f64::from(data.count);
    data.flag = !data.flag;
    next(&mut data.seed);
}

/// Now and then another way.
#[inline(always)]
fn turn(position: &Pair, velocity: &mut Pair, data: &mut Data) {
    if data.count % 10 == 0 {
        let [one, other] = [next(&mut data.seed) % 5, next(&mut data.seed) % 10];
        let ahead = position[0] > position[1];
        let [x, y] = if ahead { [one, other] } else { [other, one] };
        *velocity = [x as f32 - 2.0, y as f32 - 4.0];
    }
}

#[inline(always)]
fn heal(health: &mut Health) {
    if health.points <= 0 && health.status != DEAD {
        *health = match health.status {
            SPAWNED => Health { points: health.most, status: ALIVE, ..*health },
            _ => Health { points: 0, status: DEAD, ..*health },
        };
    } else if health.status == DEAD {
        *health = Health { points: health.most, status: SPAWNED, ..*health };
    } else {
        health.status = ALIVE;
        health.points = (health.points + 1).min(health.most);
    }
}

#[inline(always)]
fn fight(health: &mut Health, damage: &Damage) {
    let loss = damage.attack - damage.defence;
    if health.points > 0 && loss > 0 {
        health.points = (health.points - loss).max(0);
    }
}

#[inline(always)]
fn choose(sprite: &mut u32, player: &Player, health: &Health) {
    *sprite = match (health.status, player.sort) {
        (ALIVE, sort) => b"@hk"[sort as usize],
        (DEAD, _) => b'|',
        (_, _) => b'_',
    }
    .into();
}

/// Where sprites are drawn; in any order, as they are added up.
struct Frame(Vec<u32>);

const WIDTH: i32 = 320;
const HEIGHT: i32 = 240;

impl Frame {
    fn new() -> Self {
        Self(vec![0; (WIDTH * HEIGHT) as usize])
    }

    #[inline(always)]
    fn draw(&mut self, position: &Pair, sprite: u32) {
        let x = (position[0] as i32).rem_euclid(WIDTH);
        let y = (position[1] as i32).rem_euclid(HEIGHT);
        let pixel = &mut self.0[(y * WIDTH + x) as usize];
        *pixel = pixel.wrapping_add(sprite);
    }

    fn sum(&self) -> u64 {
        self.0.iter().fold(0, |answer, &pixel| mix(answer, u64::from(pixel)))
    }
}

/// What of a component can be seen to have changed.
trait Seen {
    fn seen(&self) -> u64;
}

impl Seen for Pair {
    fn seen(&self) -> u64 {
        mix(u64::from(self[0].to_bits()), u64::from(self[1].to_bits()))
    }
}

impl Seen for Data {
    fn seen(&self) -> u64 {
        mix(u64::from(self.seed), mix(self.count as u64, self.share.to_bits()))
    }
}

impl Seen for Health {
    fn seen(&self) -> u64 {
        mix(self.points as u64, u64::from(self.status))
    }
}

/// A world of beings with some of the systems.
trait World: 'static {
    /// With the first two, the first three, or all seven.
    fn new(systems: usize) -> Self;

    /// Puts a being in; not timed.
    fn add(&mut self, being: Being);

    /// Runs the systems once, in order.
    fn update(&mut self);

    /// What is [`Seen`] of all positions, data and healths, and of the frame, added up.
    fn sum(&mut self) -> u64;
}

/// A world that goes on with every run.
struct Updates<W>(W);

impl<W: World> Updates<W> {
    fn new(systems: usize, count: u32) -> Self {
        let mut world = W::new(systems);
        (0..count).for_each(|n| world.add(Being::number(n)));
        Self(world)
    }
}

impl<W: World> Trial for Updates<W> {
    fn run(&mut self) {
        self.0.update();
    }

    fn answer(&mut self) -> u64 {
        self.0.sum()
    }
}

//! Does one thing many times, to be counted by `scripts/instructions.sh`: `instructions CASE ROUNDS`.
//!
//! The script runs each case twice, with different numbers of rounds. The difference of the instruction counts, divided by
//! the difference of the rounds and by the things of a round, is what one step costs, whatever the set-up.

use std::hint::black_box;
use std::process::ExitCode;

use lath_core::{Handle, Mut, Pool, Ref, Thing};

/// Things in a round.
const THINGS: u32 = 4096;

#[derive(Clone, Copy, Default)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

impl std::ops::AddAssign for Vec3 {
    fn add_assign(&mut self, other: Self) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }
}

impl std::ops::Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[derive(Thing, Default)]
#[thing(columns)]
struct Body {
    pos: Vec3,
    vel: Vec3,
}

#[derive(Thing, Default)]
struct Row {
    pos: Vec3,
    vel: Vec3,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().collect();
    let (Some(case), Some(Ok(rounds))) = (arguments.get(1), arguments.get(2).map(|rounds| rounds.parse())) else {
        eprintln!("usage: instructions CASE ROUNDS");
        return ExitCode::FAILURE;
    };
    match case.as_str() {
        "each-columns" => each_columns(rounds),
        "zip-slices" => zip_slices(rounds),
        "get" => get(rounds),
        "spawn-despawn" => spawn_despawn(rounds),
        "iter" => iter(rounds),
        _ => {
            eprintln!("unknown case `{case}`");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn bodies() -> Pool<Body> {
    (0..THINGS).map(|n| Body { vel: Vec3 { x: n as f32, ..Vec3::default() }, ..Body::default() }).collect()
}

fn rows() -> (Pool<Row>, Vec<Handle<Row>>) {
    let mut pool = Pool::new();
    let handles = pool.spawn_many((0..THINGS).map(|_| Row::default())).collect();
    (pool, handles)
}

/// `pos += vel · dt` by an ordinary closure.
fn each_columns(rounds: u32) {
    let (mut pool, dt) = (bodies(), black_box(0.1));
    for _ in 0..rounds {
        pool.each(|(mut pos, vel): (Mut<body::pos>, Ref<body::vel>)| *pos += *vel * dt);
    }
    black_box(&pool);
}

/// The same by the zipped slices that everybody else uses.
fn zip_slices(rounds: u32) {
    let (mut pos, vel, dt) = (vec![Vec3::default(); THINGS as usize], vec![Vec3::default(); THINGS as usize], 0.1);
    let (vel, dt) = black_box((vel, dt));
    for _ in 0..rounds {
        for (pos, vel) in pos.iter_mut().zip(&vel) {
            *pos += *vel * dt;
        }
        black_box(&mut pos);
    }
}

fn get(rounds: u32) {
    let (pool, handles) = rows();
    for _ in 0..rounds {
        let sum: f32 = handles.iter().map(|&handle| pool.get(handle).map_or(0.0, |row| row.pos.x)).sum();
        black_box(sum);
    }
}

fn spawn_despawn(rounds: u32) {
    let (mut pool, mut handles) = rows();
    for _ in 0..rounds {
        for &handle in &handles {
            pool.despawn(handle);
        }
        handles.clear();
        for _ in 0..THINGS {
            handles.push(pool.spawn(Row::default()));
        }
    }
    black_box(&pool);
}

fn iter(rounds: u32) {
    let (pool, _) = rows();
    for _ in 0..rounds {
        let mut sum = 0.0;
        for (_, row) in &pool {
            sum += row.vel.y;
        }
        black_box(sum);
    }
}

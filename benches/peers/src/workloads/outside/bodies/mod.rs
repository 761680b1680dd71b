//! Bodies: a matrix, a position, a rotation and a velocity. Ten thousand put in at once; a step of
//! all; and matrices inverted over and over, on all cores.

#[cfg(feature = "ecs")]
mod ecs;
#[cfg(feature = "flecs")]
mod flecs;

use lath_core::{Mut, Pool, Ref};
use rayon::prelude::*;
use slotmap::{DefaultKey, SlotMap};

use crate::things::{Vec3, both_ways};
use crate::workload::{Bar, Trial, Workload};
use crate::workloads::mix;

const THINGS: u32 = 10_000;
/// Matrices to be inverted, and how often each.
const MATRICES: u32 = 1_000;
const TIMES: u32 = 100;

const INSERT: &[Bar] = &[Bar::to_best("lath-rows", 1.0), Bar::to_best("lath-columns", 1.0)];
const ITERATE: &[Bar] = &[Bar::to_best("lath-columns", 1.0)];
const COMPUTE: &[Bar] = &[Bar::to_best("lath-columns", 1.0), Bar::to_best("lath-rows", 1.0)];

/// Inserting, a step, and heavy work.
pub(super) fn workloads() -> Vec<Workload> {
    let about = format!("insert {THINGS} bodies of 100 bytes in four components, new world");
    let insert = everybody::<Insert>(Workload::new("outside-insert", about, INSERT));
    let about = format!("position += velocity, {THINGS} bodies of 100 bytes in four components");
    let iterate = everybody::<Iterate>(Workload::new("outside-iterate", about, ITERATE));
    let about = format!("invert {MATRICES} matrices {TIMES} times, on all cores");
    let compute = everybody::<Compute>(Workload::new("outside-compute", about, COMPUTE));
    vec![insert, iterate, compute]
}

fn everybody<D: Deed>(workload: Workload) -> Workload {
    let workload = workload.with("raw", Bodies::<D, Raw>::new);
    // Nothing in slotmap runs on several threads.
    let workload = match D::THREADS {
        true => workload,
        false => workload.with("slotmap", Bodies::<D, SlotMap<DefaultKey, Body>>::new),
    };
    #[cfg(feature = "ecs")]
    let workload = workload
        .with("hecs", Bodies::<D, ecs::Hecs>::new)
        .with("bevy_ecs", Bodies::<D, ecs::Bevy>::new)
        .with("legion", Bodies::<D, ecs::Legion>::new)
        .with("evenio", Bodies::<D, ecs::Evenio>::new)
        .with("sparsey", Bodies::<D, ecs::Sparsey>::new)
        .with("shipyard", Bodies::<D, ecs::Shipyard>::new);
    #[cfg(feature = "flecs")]
    let workload = match D::THREADS {
        true => workload,
        false => workload.with("flecs", Bodies::<D, flecs::Flecs>::new),
    };
    workload
        .with("lath-rows", Bodies::<D, Pool<Body>>::new)
        .with("lath-columns", Bodies::<D, Pool<ColumnBody>>::new)
}

/// Four by four, row by row.
pub(super) type Matrix = [f32; 16];

both_ways! {
    /// 100 bytes.
    Body, ColumnBody {
        transform: Matrix,
        position: Vec3,
        rotation: Vec3,
        velocity: Vec3,
    }
}

impl Body {
    /// Makes body number `n`; its matrix is as far from losing digits as it can be.
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = (n % 1024) as f32;
        let mut transform = [0.0625; 16];
        for place in 0..4 {
            transform[5 * place] = 1.0 + place as f32 + x / 1024.0;
        }
        let position = Vec3 { x, y: -x, z: 0.5 * x };
        let rotation = Vec3 { x: 0.0, y: x, z: 1.0 };
        Self { transform, position, rotation, velocity: Vec3 { x: 1.0, y: 2.0, z: (n % 3) as f32 } }
    }

    fn bits(&self) -> u64 {
        bits(&self.transform, self.position)
    }
}

/// What of a body can be seen to have changed.
fn bits(transform: &Matrix, position: Vec3) -> u64 {
    let Vec3 { x, y, z } = position;
    let all = transform.iter().chain([&x, &y, &z]);
    all.fold(0, |answer, lane| mix(answer, u64::from(lane.to_bits())))
}

/// Inverts a matrix as often as it takes to be work; turns the position by it.
fn toil(transform: &mut Matrix, position: &mut Vec3) {
    for _ in 0..TIMES {
        *transform = inverse(transform);
    }
    let Vec3 { x, y, z } = *position;
    let lane = |row: usize| {
        let row = &transform[4 * row..4 * row + 4];
        // The whole part would grow from run to run.
        (row[0] * x + row[1] * y + row[2] * z + row[3]).fract()
    };
    *position = Vec3 { x: lane(0), y: lane(1), z: lane(2) };
}

/// The inverse by minors. A call, as that of a library of matrices is.
#[inline(never)]
fn inverse(m: &Matrix) -> Matrix {
    // The minors of the upper two rows and of the lower two, by the columns that they are of.
    let minor = |row: usize, i: usize, j: usize| {
        m[4 * row + i] * m[4 * row + 4 + j] - m[4 * row + j] * m[4 * row + 4 + i]
    };
    let [a01, a02, a03] = [minor(0, 0, 1), minor(0, 0, 2), minor(0, 0, 3)];
    let [a12, a13, a23] = [minor(0, 1, 2), minor(0, 1, 3), minor(0, 2, 3)];
    let [b01, b02, b03] = [minor(2, 0, 1), minor(2, 0, 2), minor(2, 0, 3)];
    let [b12, b13, b23] = [minor(2, 1, 2), minor(2, 1, 3), minor(2, 2, 3)];
    let determinant = a01 * b23 - a02 * b13 + a03 * b12 + a12 * b03 - a13 * b02 + a23 * b01;
    let by = 1.0 / determinant;
    let three = |x: f32, a: f32, y: f32, b: f32, z: f32, c: f32| (x * a - y * b + z * c) * by;
    [
        three(m[5], b23, m[6], b13, m[7], b12),
        -three(m[1], b23, m[2], b13, m[3], b12),
        three(m[13], a23, m[14], a13, m[15], a12),
        -three(m[9], a23, m[10], a13, m[11], a12),
        -three(m[4], b23, m[6], b03, m[7], b02),
        three(m[0], b23, m[2], b03, m[3], b02),
        -three(m[12], a23, m[14], a03, m[15], a02),
        three(m[8], a23, m[10], a03, m[11], a02),
        three(m[4], b13, m[5], b03, m[7], b01),
        -three(m[0], b13, m[1], b03, m[3], b01),
        three(m[12], a13, m[13], a03, m[15], a01),
        -three(m[8], a13, m[9], a03, m[11], a01),
        -three(m[4], b12, m[5], b02, m[6], b01),
        three(m[0], b12, m[1], b02, m[2], b01),
        -three(m[12], a12, m[13], a02, m[14], a01),
        three(m[8], a12, m[9], a02, m[10], a01),
    ]
}

/// A world of bodies.
trait Space: 'static {
    fn new() -> Self;

    /// Puts in bodies of the numbers below `count`, at once.
    fn insert(&mut self, count: u32);

    /// Moves every body by its velocity.
    fn step(&mut self);

    /// [`toil`] on every body, on all cores.
    fn compute(&mut self);

    /// Their [`bits`] added up.
    fn sum(&mut self) -> u64;
}

/// What is done to a world.
trait Deed: 'static {
    const THREADS: bool = false;
    /// Bodies that are there before.
    const THINGS: u32;

    fn run<S: Space>(space: &mut S);
}

struct Insert;

impl Deed for Insert {
    const THINGS: u32 = 0;

    #[inline(always)]
    fn run<S: Space>(space: &mut S) {
        *space = S::new();
        space.insert(THINGS);
    }
}

struct Iterate;

impl Deed for Iterate {
    const THINGS: u32 = THINGS;

    #[inline(always)]
    fn run<S: Space>(space: &mut S) {
        space.step();
    }
}

struct Compute;

impl Deed for Compute {
    const THREADS: bool = true;
    const THINGS: u32 = MATRICES;

    #[inline(always)]
    fn run<S: Space>(space: &mut S) {
        space.compute();
    }
}

/// A world, and what is done to it again and again.
struct Bodies<D, S> {
    space: S,
    _deed: std::marker::PhantomData<D>,
}

impl<D: Deed, S: Space> Bodies<D, S> {
    fn new() -> Self {
        let mut space = S::new();
        if D::THINGS > 0 {
            space.insert(D::THINGS);
        }
        Self { space, _deed: std::marker::PhantomData }
    }
}

impl<D: Deed, S: Space> Trial for Bodies<D, S> {
    /// Who is to be filled is emptied before.
    fn prepare(&mut self) {
        if D::THINGS == 0 {
            self.space = S::new();
        }
    }

    fn run(&mut self) {
        D::run(&mut self.space);
    }

    fn answer(&mut self) -> u64 {
        self.space.sum()
    }
}

/// Four arrays.
#[derive(Default)]
struct Raw {
    transforms: Vec<Matrix>,
    positions: Vec<Vec3>,
    rotations: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl Space for Raw {
    fn new() -> Self {
        Self::default()
    }

    fn insert(&mut self, count: u32) {
        let Self { transforms, positions, rotations, velocities } = self;
        transforms.reserve(count as usize);
        positions.reserve(count as usize);
        rotations.reserve(count as usize);
        velocities.reserve(count as usize);
        for n in 0..count {
            let Body { transform, position, rotation, velocity } = Body::number(n);
            transforms.push(transform);
            positions.push(position);
            rotations.push(rotation);
            velocities.push(velocity);
        }
    }

    fn step(&mut self) {
        for (position, &velocity) in self.positions.iter_mut().zip(&self.velocities) {
            *position += velocity;
        }
    }

    fn compute(&mut self) {
        let all = self.transforms.par_iter_mut().zip(&mut self.positions);
        all.for_each(|(transform, position)| toil(transform, position));
    }

    fn sum(&mut self) -> u64 {
        let all = self.transforms.iter().zip(&self.positions);
        all.fold(0, |sum, (transform, &position)| sum.wrapping_add(bits(transform, position)))
    }
}

impl Space for SlotMap<DefaultKey, Body> {
    fn new() -> Self {
        Self::new()
    }

    fn insert(&mut self, count: u32) {
        self.reserve(count as usize);
        for n in 0..count {
            self.insert(Body::number(n));
        }
    }

    fn step(&mut self) {
        self.values_mut().for_each(|body| body.position += body.velocity);
    }

    fn compute(&mut self) {
        self.values_mut().for_each(|body| toil(&mut body.transform, &mut body.position));
    }

    fn sum(&mut self) -> u64 {
        self.values().fold(0, |sum, body| sum.wrapping_add(body.bits()))
    }
}

macro_rules! lath {
    ($thing:ident, $field:ident) => {
        impl Space for Pool<$thing> {
            fn new() -> Self {
                Self::new()
            }

            fn insert(&mut self, count: u32) {
                self.spawn_range(count, |n| Body::number(n).into()).expect("there is room");
            }

            fn step(&mut self) {
                self.view_mut::<(Mut<$field::position>, Ref<$field::velocity>)>().each(
                    |(mut position, velocity)| {
                        *position += *velocity;
                    },
                );
            }

            fn compute(&mut self) {
                self.view_mut::<(Mut<$field::transform>, Mut<$field::position>)>().par_each(
                    |(mut transform, mut position)| {
                        toil(&mut transform, &mut position);
                    },
                );
            }

            fn sum(&mut self) -> u64 {
                let all = self.view::<(Ref<$field::transform>, Ref<$field::position>)>().iter();
                all.fold(0, |sum, (transform, position)| {
                    sum.wrapping_add(bits(&transform, *position))
                })
            }
        }
    };
}

lath!(Body, body);
lath!(ColumnBody, column_body);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        for n in [0, 7, 1023] {
            let (m, i) = (Body::number(n).transform, inverse(&Body::number(n).transform));
            for place in 0..16 {
                let (row, column) = (place / 4, place % 4);
                let is: f32 = (0..4).map(|k| m[4 * row + k] * i[4 * k + column]).sum();
                let should = f32::from(u8::from(row == column));
                assert!((is - should).abs() < 1e-5, "{n}: {row}, {column} is {is}");
            }
        }
    }
}

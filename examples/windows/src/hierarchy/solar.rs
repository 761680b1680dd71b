//! A solar system: pivots that turn, with planets on them, with pivots that turn, with moons on
//! them; and a probe that hops from planet to planet by being attached to another.

use std::collections::VecDeque;
use std::f32::consts::TAU;

use lath::prelude::*;

use super::parts::{Part, Pose, Shape, part};
use crate::canvas::Point;

/// The distance of the planet that takes [`YEAR`] seconds; all others follow from it.
const ONE: f32 = 92.0;
const YEAR: f32 = 14.0;
/// How far from a planet the probe circles, beyond its surface.
const NEAR: f32 = 16.0;
/// How long it stays, in seconds.
const STAY: f32 = 5.0;
/// How many places the trail remembers.
const TRAIL: usize = 150;

/// What hops, and where it has been.
#[derive(Default)]
pub struct Probe {
    /// The probe. It goes when the planet that it circles goes; the handle knows.
    pub part: Handle<Part>,
    /// Planets to visit, with their sizes. Some may be gone.
    pub planets: Vec<(Handle<Part>, f32)>,
    /// Where it has been in the world, the oldest place first.
    pub trail: VecDeque<Point>,
    next: usize,
    stayed: f32,
}

/// Makes the sun and all that goes round it.
pub(super) fn build(parts: &mut Pool<Part>, at: Point) -> Probe {
    let sun = parts.spawn(Part::new("sun", at[0], at[1]).looks(Shape::Star(24.0), 0xffd27a));
    let mut probe = Probe::default();
    for (name, distance, radius, color, moons) in [
        ("mercury", 46.0, 3.5, 0xb9a48f, &[][..]),
        ("venus", 68.0, 5.5, 0xe6c27a, &[]),
        ("earth", ONE, 6.0, 0x5aa9e6, &[(14.0, 1.8)]),
        ("mars", 117.0, 4.5, 0xe0704a, &[(9.0, 1.2), (13.0, 1.2)]),
        ("jupiter", 193.0, 15.0, 0xd8a878, &[(22.0, 1.8), (27.0, 1.8), (33.0, 2.4), (40.0, 2.2)]),
        ("saturn", 246.0, 11.0, 0xe8d39a, &[(30.0, 2.2)]),
        ("uranus", 287.0, 8.0, 0x8fd9d9, &[(13.0, 1.5), (18.0, 1.5)]),
    ] {
        let pivot = orbit(parts, sun, distance, yearly(distance));
        let planet = child(
            parts,
            pivot,
            Part::new(name, distance, 0.0).looks(Shape::Ball(radius), color).spins(0.6),
        );
        for (n, &(distance, radius)) in moons.iter().enumerate() {
            let pivot = orbit(parts, planet, distance, 2.4 - 0.35 * n as f32);
            child(
                parts,
                pivot,
                Part::new("moon", distance, 0.0).looks(Shape::Ball(radius), 0xc9ccd6),
            );
        }
        if name == "saturn" {
            dust(parts, planet, 150, [16.0, 23.0], 1.8, [0xcbb98c, 0x9c8b66]);
        }
        probe.planets.push((planet, radius));
    }
    dust(parts, sun, 260, [138.0, 164.0], yearly(150.0), [0x8a8175, 0x5f5a55]);
    probe
}

/// Attaches a part.
fn child(parts: &mut Pool<Part>, parent: Handle<Part>, part: Part) -> Handle<Part> {
    parts.spawn_child(parent, part).expect("the parent was made just now, and the pool grows")
}

/// A pivot, turned to some side by the number of parts that there are, so that planets do not stand
/// in a row.
fn orbit(parts: &mut Pool<Part>, around: Handle<Part>, radius: f32, speed: f32) -> Handle<Part> {
    let mut pivot = Part::new("orbit", 0.0, 0.0).looks(Shape::Orbit(radius), 0x3a4468).spins(speed);
    pivot.local.turn = (parts.len() as f32 * 2.4).rem_euclid(TAU);
    child(parts, around, pivot)
}

/// Specks between two distances, on a few pivots that turn at different speeds.
fn dust(
    parts: &mut Pool<Part>,
    around: Handle<Part>,
    count: u32,
    [near, far]: [f32; 2],
    speed: f32,
    colors: [u32; 2],
) {
    let pivots: Vec<_> = (0..7)
        .map(|n| {
            child(
                parts,
                around,
                Part::new("belt", 0.0, 0.0).spins(speed * (1.15 - 0.05 * n as f32)),
            )
        })
        .collect();
    for n in 0..count {
        // Steps by numbers that are no fractions: even, and in no pattern that the eye finds.
        let (share, angle) = ((n as f32 * 0.754_878).fract(), n as f32 * 2.399_963);
        let distance = near + (far - near) * share;
        let speck = Part::new("speck", distance * angle.cos(), distance * angle.sin());
        let speck = speck
            .looks(Shape::Ball(0.6 + 0.7 * (n as f32 * 0.569_84).fract()), colors[n as usize % 2]);
        child(parts, pivots[(share * 6.99) as usize], speck);
    }
}

/// Kepler's third law: how fast something goes round at a distance.
fn yearly(distance: f32) -> f32 {
    TAU / YEAR * (ONE / distance).powf(1.5)
}

/// Circles a planet for a while, then goes to the next one that is still there: by being attached
/// to it where it is. If it went down with its planet, another is launched.
pub(super) fn hop(
    mut probe: ResMut<Probe>,
    mut tree: TreeMut<Part>,
    mut parts: Query<(Mut<part::local>, Ref<part::world>)>,
    mut commands: Commands,
    time: Res<Time>,
) {
    let probe = &mut *probe;
    probe.planets.retain(|(planet, _)| parts.contains(*planet));
    let Some(&(planet, radius)) = probe.planets.get(probe.next).or(probe.planets.first()) else {
        return;
    };
    let Some((_, world)) = parts.get_mut(probe.part) else {
        probe.part = commands
            .spawn(Part::new("probe", radius + NEAR, 0.0).looks(Shape::Arrow(5.0), 0xf4f7ff));
        commands.attach(probe.part, planet);
        probe.trail.clear();
        return;
    };
    let world = *world;
    probe.trail.push_back(world.at);
    if probe.trail.len() > TRAIL {
        probe.trail.pop_front();
    }

    probe.stayed += time.dt;
    if probe.stayed > STAY {
        probe.stayed = 0.0;
        probe.next = (probe.next + 1) % probe.planets.len();
        let (planet, _) = probe.planets[probe.next];
        let parent = parts.get_mut(planet).map(|(_, world)| *world).unwrap_or_default();
        // Both are there, and a probe has no planets below it.
        if tree.attach(probe.part, planet).is_ok() {
            if let Some((mut local, _)) = parts.get_mut(probe.part) {
                *local = world.seen_from(parent);
            }
        }
    }
    if let Some((mut local, _)) = parts.get_mut(probe.part) {
        *local = circle(*local, radius + NEAR, time.dt);
    }
}

/// A little further round, and a little nearer to the right distance.
fn circle(local: Pose, radius: f32, dt: f32) -> Pose {
    let [x, y] = local.at;
    let (distance, angle) = (x.hypot(y), y.atan2(x) + 1.7 * dt);
    let distance = distance + (radius - distance) * (1.8 * dt).min(1.0);
    Pose { at: [distance * angle.cos(), distance * angle.sin()], turn: angle + TAU / 4.0 }
}

//! The swarm demo: a million particles that move in the same way whether they are kept in rows or
//! in columns, and how long that takes.
//!
//! | file | holds |
//! |---|---|
//! | `rows.rs`, `columns.rs` | the particle in each layout: one word differs |
//! | `systems.rs` | what happens in a tick; compiled against both |
//! | `compare.rs` | all layouts and numbers of threads one after another, without a picture |
//! | `demo.rs` | the same to look at |
//! | `glow.rs`, `panel.rs` | how particles and times are drawn |

pub mod columns;
mod compare;
mod demo;
mod glow;
mod panel;
pub mod rows;

use std::time::Duration;

pub use compare::{Run, compare};
pub use demo::{Options, SwarmDemo};
pub use glow::Glow;

/// How particles are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An array of structs.
    Rows,
    /// A struct of arrays.
    Columns,
}

impl Layout {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        if self == Self::Rows { Self::Columns } else { Self::Rows }
    }

    /// As it is written in a struct.
    pub fn name(self) -> &'static str {
        if self == Self::Rows { "rows" } else { "columns" }
    }
}

/// What of a particle matters: the rest is there to be in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Body {
    /// To the right of the middle.
    pub x: f32,
    /// Below the middle.
    pub y: f32,
    /// How fast to the right.
    pub vx: f32,
    /// How fast down.
    pub vy: f32,
    /// How fast it has been lately, 0 to 1 or a little more.
    pub heat: f32,
}

/// What particles are pulled towards: a resource.
#[derive(Clone, Copy, Debug)]
pub struct Wells(pub [Well; 3]);

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Well {
    /// To the right of the middle.
    pub x: f32,
    /// Below the middle.
    pub y: f32,
    /// How strongly it pulls.
    pub strength: f32,
}

impl Wells {
    /// One in the middle, and two that go round it.
    pub fn at(tick: u32) -> Self {
        let angle = tick as f32 / 60.0 * 0.55;
        let around = |angle: f32, distance: f32, strength| Well {
            x: distance * angle.cos(),
            y: 0.75 * distance * angle.sin(),
            strength,
        };
        Self([
            around(0.0, 0.0, 8000.0),
            around(angle, 205.0, 2600.0),
            around(angle * 0.8 + 3.0, 270.0, 1900.0),
        ])
    }
}

/// Particles, whatever their layout.
pub trait Swarm {
    /// A sixtieth of a second passes.
    fn tick(&mut self);
    /// On so many threads from now on.
    fn set_threads(&mut self, threads: usize);
    /// How long each system took the last time.
    fn times(&self) -> Vec<(String, Duration)>;
    /// Adds all particles to a picture.
    fn look(&self, glow: &mut Glow);
    /// What matters of all particles, in their order.
    fn bodies(&self) -> Vec<Body>;
}

/// Puts particles into a layout.
pub fn swarm(layout: Layout, bodies: &[Body], tick: u32, threads: usize) -> Box<dyn Swarm> {
    match layout {
        Layout::Rows => Box::new(rows::systems::Field::new(bodies, tick, threads)),
        Layout::Columns => Box::new(columns::systems::Field::new(bodies, tick, threads)),
    }
}

/// A disc of so many particles that go round its middle: the same every time.
pub fn disc(count: u32) -> Vec<Body> {
    let body = |n: u32| {
        let [near, side, hurry] = [0, 1, 2].map(|which| unit(u64::from(n) * 3 + which));
        let distance = 8.0 + 330.0 * near.powf(0.7);
        let (sin, cos) = (side * std::f32::consts::TAU).sin_cos();
        // About as fast as it takes to stay at that distance.
        let speed = (95.0 + 20.0 * hurry) * distance / (distance + 20.0);
        Body {
            x: distance * cos,
            y: 0.75 * distance * sin,
            vx: -speed * sin,
            vy: 0.75 * speed * cos,
            heat: 0.3,
        }
    };
    (0..count).map(body).collect()
}

/// A number from 0 to 1 that looks like chance and follows from `n`.
fn unit(n: u64) -> f32 {
    let mut bits = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ bits >> 31) >> 40) as f32 / (1 << 24) as f32
}

/// A number that differs where any bit of any particle does.
pub fn checksum(bodies: &[Body]) -> u64 {
    let numbers = bodies.iter().flat_map(|body| [body.x, body.y, body.vx, body.vy, body.heat]);
    numbers.fold(0xcbf2_9ce4_8422_2325, |sum, number| {
        (sum ^ u64::from(number.to_bits())).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Declares the particle in a layout.
macro_rules! particle {
    ($layout:ident) => {
        /// A fat thing: what moves it is a fifth of it.
        #[derive(lath::Thing, Clone, Debug, Default)]
        #[thing($layout)]
        pub struct Particle {
            /// To the right of the middle.
            pub x: f32,
            /// Below the middle.
            pub y: f32,
            /// How fast to the right.
            pub vx: f32,
            /// How fast down.
            pub vy: f32,
            /// How fast it has been lately.
            pub heat: f32,
            /// What other systems of a game would want to know; nobody does here.
            pub mood: [f32; 8],
            /// The same.
            pub purse: [u32; 12],
            /// The same.
            pub target: lath::Handle<Particle>,
        }
    };
}
use particle;

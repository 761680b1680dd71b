//! The things that the workloads are about: plain data of 16, 24, 100 and 256 bytes, numbered.

use std::ops::{AddAssign, Mul};

use lath_core::Thing;
use lath_core::bitflags::bitflags;

/// Declares the same struct twice: kept in rows, and kept in columns under another name.
macro_rules! both_ways {
    (
        $(#[$about:meta])*
        $rows:ident, $columns:ident {
            $($(#[$home:meta])* $field:ident: $type:ty,)+
        }
    ) => {
        $(#[$about])*
        #[derive(lath_core::Thing, Clone, Copy, Default, PartialEq)]
        pub(crate) struct $rows {
            $($(#[$home])* pub(crate) $field: $type,)+
        }

        /// The same in columns.
        #[derive(lath_core::Thing, Clone, Copy, Default, PartialEq)]
        #[thing(columns)]
        pub(crate) struct $columns {
            $($(#[$home])* pub(crate) $field: $type,)+
        }

        impl From<$rows> for $columns {
            #[inline(always)]
            fn from(thing: $rows) -> Self {
                Self { $($field: thing.$field,)+ }
            }
        }
    };
}
pub(crate) use both_ways;

/// A thing whose content follows from a number, so that every candidate can be asked whether it
/// kept it.
pub(crate) trait Sample: Copy + Default + 'static {
    /// Makes thing number `n`.
    fn number(n: u32) -> Self;

    /// The one `f32` that lookups read: a small whole number that tells most things apart.
    fn field(&self) -> f32;

    /// One step of a simulation: reads one field, changes another.
    fn step(&mut self);
}

/// The field of thing `n`: whole numbers, so that sums are exact and no order of addition changes
/// them.
fn whole(n: u32) -> f32 {
    (n % 4096) as f32
}

both_ways! {
    /// 16 bytes: a number, which lookups read, and a position.
    Small, ColumnSmall {
        health: f32,
        x: f32,
        y: f32,
        z: f32,
    }
}

impl Sample for Small {
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = whole(n);
        Self { health: x, x: 1.0, y: x, z: x }
    }

    #[inline(always)]
    fn field(&self) -> f32 {
        self.health
    }

    #[inline(always)]
    fn step(&mut self) {
        self.health += self.x;
    }
}

both_ways! {
    /// 100 bytes in five parts: the fat struct of a small game. For an entity component system,
    /// each part is a component. Lookups read the first.
    Fat, ColumnFat {
        health: f32,
        position: [f32; 3],
        velocity: [f32; 3],
        rotation: [f32; 4],
        links: [u32; 14],
    }
}

/// The same in columns, with the number that lookups read beside the generation.
#[derive(Thing, Clone, Copy, Default, PartialEq)]
#[thing(columns)]
pub(crate) struct HotFat {
    #[thing(hot)]
    pub(crate) health: f32,
    pub(crate) position: [f32; 3],
    pub(crate) velocity: [f32; 3],
    pub(crate) rotation: [f32; 4],
    pub(crate) links: [u32; 14],
}

impl From<Fat> for HotFat {
    #[inline(always)]
    fn from(thing: Fat) -> Self {
        let Fat { health, position, velocity, rotation, links } = thing;
        Self { health, position, velocity, rotation, links }
    }
}

impl Sample for Fat {
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = whole(n);
        // One value throughout: a few wide stores. Making the thing must not cost more than keeping
        // it.
        Self { health: x, position: [x; 3], velocity: [x; 3], rotation: [x; 4], links: [n; 14] }
    }

    #[inline(always)]
    fn field(&self) -> f32 {
        self.health
    }

    #[inline(always)]
    fn step(&mut self) {
        self.health += self.velocity[0];
    }
}

/// 256 bytes, four cache lines.
#[derive(Thing, Clone, Copy, Default, PartialEq)]
pub(crate) struct Large {
    x: f32,
    speed: f32,
    rest: [[f32; 31]; 2],
}

impl Sample for Large {
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = whole(n);
        Self { x, speed: 1.0, rest: [[x; 31]; 2] }
    }

    #[inline(always)]
    fn field(&self) -> f32 {
        self.x
    }

    #[inline(always)]
    fn step(&mut self) {
        self.x += self.speed;
    }
}

/// Three floats, as in any game.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(crate) struct Vec3 {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

impl AddAssign for Vec3 {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z };
    }
}

impl Mul<f32> for Vec3 {
    type Output = Self;

    #[inline(always)]
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

/// The time that a step takes.
pub(crate) const DT: f32 = 1.0 / 64.0;

both_ways! {
    /// 24 bytes: something that moves.
    Mover, ColumnMover {
        pos: Vec3,
        vel: Vec3,
    }
}

impl Mover {
    /// Makes mover number `n`: no two neighbours move alike.
    pub(crate) fn number(n: u32) -> Self {
        let x = whole(n);
        Self {
            pos: Vec3 { x, y: -x, z: 0.5 * x },
            vel: Vec3 { x: 1.0, y: whole(n % 7), z: whole(n % 3) },
        }
    }

    /// Moves by what the velocity says.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        self.pos += self.vel * DT;
    }
}

bitflags! {
    /// What some of the movers have and others lack.
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Mark: u32 {
        /// The views of the `match` workloads see these; the `tag` workloads give and take it.
        const MATCH = 1;
    }
}

both_ways! {
    /// A mover with tags.
    Marked, ColumnMarked {
        #[thing(tags)]
        mark: Mark,
        pos: Vec3,
        vel: Vec3,
    }
}

impl Marked {
    /// Tags a mover, or not.
    pub(crate) fn new(mover: Mover, matches: bool) -> Self {
        Self {
            mark: if matches { Mark::MATCH } else { Mark::empty() },
            pos: mover.pos,
            vel: mover.vel,
        }
    }
}

both_ways! {
    /// A number with tags: what a tag costs is not to be hidden behind what else there is.
    Labelled, ColumnLabelled {
        #[thing(tags)]
        mark: Mark,
        data: f32,
    }
}

impl Labelled {
    /// Makes a thing without tags.
    pub(crate) fn new(data: f32) -> Self {
        Self { mark: Mark::empty(), data }
    }
}

/// How many kinds there are in the `kinds` workloads.
pub(crate) const KINDS: usize = 26;

bitflags! {
    /// A to Z: one tag per kind.
    #[derive(Clone, Copy, Default, PartialEq)]
    pub(crate) struct Kinds: u32 {
        /// The first 26 bits.
        const ALL = (1 << KINDS) - 1;
    }
}

both_ways! {
    /// The fat struct of 26 kinds: one number that all of them have, one that means something else
    /// for each.
    Kindred, ColumnKindred {
        #[thing(tags)]
        kinds: Kinds,
        data: f32,
        own: f32,
    }
}

impl Kindred {
    /// Makes a thing of one of the 26 kinds.
    pub(crate) fn new(kind: usize, data: f32) -> Self {
        Self { kinds: Kinds::from_bits_retain(1 << kind), data, own: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_the_sizes_that_the_workloads_claim() {
        assert_eq!((size_of::<Small>(), size_of::<Fat>(), size_of::<Large>()), (16, 100, 256));
        assert_eq!((size_of::<Mover>(), size_of::<HotFat>()), (24, 100));
    }
}

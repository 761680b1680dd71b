//! The things that the workloads are about: plain data of 16, 100 and 256 bytes, numbered.

use lath_core::Thing;

/// A thing whose content follows from a number, so that every candidate can be asked whether it kept it.
pub(crate) trait Sample: Copy + Default + 'static {
    /// Makes thing number `n`.
    fn number(n: u32) -> Self;

    /// The one `f32` that lookups read: a small whole number that tells most things apart.
    fn field(&self) -> f32;

    /// One step of a simulation: reads one field, changes another.
    fn step(&mut self);
}

/// The field of thing `n`: whole numbers, so that sums are exact and no order of addition changes them.
fn whole(n: u32) -> f32 {
    (n % 4096) as f32
}

/// 16 bytes: a position and a speed.
#[derive(Thing, Clone, Copy, Default, PartialEq)]
pub(crate) struct Small {
    x: f32,
    y: f32,
    z: f32,
    speed: f32,
}

impl Sample for Small {
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = whole(n);
        Self { x, y: x, z: x, speed: 1.0 }
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

/// 100 bytes in five parts: the fat struct of a small game. For an entity component system, each part is a component.
#[derive(Thing, Clone, Copy, Default, PartialEq)]
pub(crate) struct Fat {
    position: [f32; 3],
    velocity: [f32; 3],
    rotation: [f32; 4],
    stats: [f32; 8],
    links: [u32; 7],
}

impl Sample for Fat {
    #[inline(always)]
    fn number(n: u32) -> Self {
        let x = whole(n);
        // One value throughout: a few wide stores. Making the thing must not cost more than keeping it.
        Self { position: [x; 3], velocity: [x; 3], rotation: [x; 4], stats: [x; 8], links: [n; 7] }
    }

    #[inline(always)]
    fn field(&self) -> f32 {
        self.position[0]
    }

    #[inline(always)]
    fn step(&mut self) {
        self.position[0] += self.velocity[0];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_the_sizes_that_the_workloads_claim() {
        assert_eq!((size_of::<Small>(), size_of::<Fat>(), size_of::<Large>()), (16, 100, 256));
    }
}

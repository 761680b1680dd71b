//! Where things are: points, directions, and both together.
//!
//! Directions are unit vectors, not angles: turning is a multiplication, which gives the same bits
//! on every machine, and sines do not.

use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A point, a way from one point to another, or a direction.
#[derive(Clone, Copy, Default, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Vec2 {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

impl Vec2 {
    pub(crate) const ZERO: Self = Self::new(0.0, 0.0);
    /// The direction of things that face nowhere in particular.
    pub(crate) const EAST: Self = Self::new(1.0, 0.0);

    pub(crate) const fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    pub(crate) fn length(self) -> f32 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// Turned by a direction.
    pub(crate) fn turned(self, by: Self) -> Self {
        Self::new(self.x * by.x - self.y * by.y, self.x * by.y + self.y * by.x)
    }
}

impl Add for Vec2 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Vec2 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f32> for Vec2 {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Self::new(self.x * by, self.y * by)
    }
}

/// A place and a direction: what game engines call a transform.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Pose {
    pub(crate) at: Vec2,
    pub(crate) dir: Vec2,
}

impl Default for Pose {
    fn default() -> Self {
        Self::at(Vec2::ZERO)
    }
}

impl Pose {
    pub(crate) const fn at(at: Vec2) -> Self {
        Self { at, dir: Vec2::EAST }
    }

    /// Where something is in the world that has the pose `local` as seen from this one.
    pub(crate) fn then(self, local: Self) -> Self {
        Self { at: self.at + local.at.turned(self.dir), dir: local.dir.turned(self.dir) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ahead_of_a_cart_stays_ahead_when_it_turns() {
        let north = Vec2::new(0.0, 1.0);
        let cart = Pose { at: Vec2::new(5.0, 5.0), dir: north };
        let mule = Pose::at(Vec2::new(2.0, 0.0));
        assert_eq!(cart.then(mule), Pose { at: Vec2::new(5.0, 7.0), dir: north });
    }
}

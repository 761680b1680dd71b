//! The thing: a part that is somewhere on another part, and the systems that put all parts in their
//! places.

use lath::prelude::*;

use crate::canvas::{Color, Point};

/// Where something is, and how it is turned, in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Where.
    pub at: Point,
    /// Turned by.
    pub turn: f32,
}

impl Pose {
    /// At a point, not turned.
    pub const fn at(x: f32, y: f32) -> Self {
        Self { at: [x, y], turn: 0.0 }
    }

    /// From a point on the part to where it is in the world.
    pub fn point(&self, [x, y]: Point) -> Point {
        let (sin, cos) = self.turn.sin_cos();
        [self.at[0] + x * cos - y * sin, self.at[1] + x * sin + y * cos]
    }

    /// Where something is that is at `local` as seen from here.
    ///
    /// # Examples
    ///
    /// ```
    /// use lath_windows::hierarchy::Pose;
    /// use std::f32::consts::FRAC_PI_2;
    ///
    /// let turned = Pose { at: [10.0, 0.0], turn: FRAC_PI_2 };
    /// let tip = turned.then(Pose::at(5.0, 0.0));
    /// assert!((tip.at[0] - 10.0).abs() < 1e-5 && (tip.at[1] - 5.0).abs() < 1e-5);
    /// ```
    #[must_use]
    pub fn then(&self, local: Pose) -> Pose {
        Pose { at: self.point(local.at), turn: self.turn + local.turn }
    }

    /// The way back: what is here in the world, as seen from `parent`.
    #[must_use]
    pub fn seen_from(&self, parent: Pose) -> Pose {
        let (sin, cos) = parent.turn.sin_cos();
        let [x, y] = [self.at[0] - parent.at[0], self.at[1] - parent.at[1]];
        Pose { at: [x * cos + y * sin, y * cos - x * sin], turn: self.turn - parent.turn }
    }
}

/// What a part looks like, around its own origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shape {
    /// Only a place for others to be attached to.
    #[default]
    Nothing,
    /// A filled circle with this radius, and a shadow on the side away from the sun.
    Ball(f32),
    /// A circle that shines.
    Star(f32),
    /// A circle that others move along.
    Orbit(f32),
    /// A small arrow.
    Arrow(f32),
    /// A box from the upper left corner to the lower right one.
    Box(Point, Point),
    /// The same, made of planks.
    Crate(Point, Point),
    /// The same, as a cab on a broad foot.
    Cab(Point, Point),
    /// A beam of so much length, as wide at its foot and at its end.
    Beam(f32, f32, f32),
    /// A rope that hangs down so far.
    Rope(f32),
}

/// A part of something.
#[derive(Thing, Clone, Debug, Default)]
#[thing(columns)]
pub struct Part {
    /// Where it is on its parent.
    pub local: Pose,
    /// Where that is in the world: worked out by [`place`].
    pub world: Pose,
    /// How fast it turns, in radians per second.
    pub spin: f32,
    /// It hangs: its direction is not that of its parent.
    pub hangs: bool,
    /// What it looks like.
    pub shape: Shape,
    /// In which colour.
    pub color: Color,
    /// What it is called.
    pub name: &'static str,
}

impl Part {
    /// A part with a name, at some place on its parent.
    pub fn new(name: &'static str, x: f32, y: f32) -> Self {
        Self { name, local: Pose::at(x, y), ..default() }
    }

    /// Looks like this.
    #[must_use]
    pub fn looks(self, shape: Shape, color: u32) -> Self {
        Self { shape, color: Color::rgb(color), ..self }
    }

    /// Turns, so many radians per second.
    #[must_use]
    pub fn spins(self, spin: f32) -> Self {
        Self { spin, ..self }
    }
}

/// Whatever spins turns a little.
pub fn spin(mut parts: Query<(Mut<part::local>, Ref<part::spin>)>, time: Res<Time>) {
    parts.par_each(|(mut local, spin)| {
        // Kept small, so that it is as exact after a day as after a minute.
        local.turn = (local.turn + *spin * time.dt).rem_euclid(std::f32::consts::TAU);
    });
}

/// What [`place`] needs of each part.
#[derive(View)]
#[view(Part)]
pub struct Placed<'a> {
    local: &'a Pose,
    hangs: &'a bool,
    world: &'a mut Pose,
}

/// Parents before children: each part finds its place in the world from that of its parent.
pub fn place(mut parts: Sweep<Ref<part::world>, Placed>) {
    parts.par_down(|parent, part| {
        *part.world = parent.map_or(*part.local, |parent| parent.then(*part.local));
        if *part.hangs {
            part.world.turn = part.local.turn;
        }
    });
}

//! The things in parts, as the entity component systems want them: one type per component.

use bevy_ecs::bundle::{Bundle, NoBundleEffect};
use sparsey::component::ComponentSet;

use crate::things::{Fat, Mover, Sample, Small, Vec3};

/// Declares components for whoever wants them declared; hecs and sparsey take any type.
macro_rules! components {
    ($($(#[$about:meta])* struct $name:ident $(<const $parameter:ident: usize>)? ($($value:ty)?);)+) => {$(
        $(#[$about])*
        #[allow(dead_code, reason = "some values are only kept, never looked at")]
        #[derive(Clone, Copy, Default)]
        #[derive(bevy_ecs::component::Component, evenio::component::Component, shipyard::Component)]
        #[cfg_attr(feature = "flecs", derive(flecs_ecs::prelude::Component))]
        pub(crate) struct $name $(<const $parameter: usize>)? ($(pub(crate) $value)?);
    )+};
}

pub(crate) use components;

components! {
    struct Position(Vec3);
    struct Velocity(Vec3);
    struct Rotation([f32; 4]);
    struct Links([u32; 14]);

    /// What lookups read.
    struct Health(f32);

    /// What some of the movers have: nothing but being there.
    struct Match();

    /// What all of the 26 kinds have.
    struct Data(f32);
    /// What only one of them has.
    struct Kind<const N: usize>(f32);
}

/// The two components of a mover.
#[inline(always)]
pub(crate) fn of_mover(mover: Mover) -> (Position, Velocity) {
    (Position(mover.pos), Velocity(mover.vel))
}

/// A thing that can be taken apart into components. The one that lookups read is [`Health`].
pub(crate) trait InParts: Sample {
    /// A tuple of components.
    type Parts: hecs::Bundle + Bundle<Effect: NoBundleEffect> + ComponentSet;

    /// Takes it apart.
    fn parts(self) -> Self::Parts;
}

impl InParts for Small {
    type Parts = (Health, Position);

    #[inline(always)]
    fn parts(self) -> Self::Parts {
        let Small { health, x, y, z } = self;
        (Health(health), Position(Vec3 { x, y, z }))
    }
}

impl InParts for Fat {
    type Parts = (Health, Position, Velocity, Rotation, Links);

    #[inline(always)]
    fn parts(self) -> Self::Parts {
        let vector = |[x, y, z]: [f32; 3]| Vec3 { x, y, z };
        let Fat { health, position, velocity, rotation, links } = self;
        (
            Health(health),
            Position(vector(position)),
            Velocity(vector(velocity)),
            Rotation(rotation),
            Links(links),
        )
    }
}

/// Does something with the component type of kind number `$kind`, which is known only at run time.
macro_rules! with_kind {
    ($kind:expr, $Kind:ident => $do:expr) => {
        with_kind!(@ $kind, $Kind, $do, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
    };
    (@ $kind:expr, $Kind:ident, $do:expr, $($n:literal)+) => {
        match $kind {
            $($n => { type $Kind = crate::parts::Kind<$n>; $do })+
            none => unreachable!("there are 26 kinds, and {none} is none of them"),
        }
    };
}
pub(crate) use with_kind;

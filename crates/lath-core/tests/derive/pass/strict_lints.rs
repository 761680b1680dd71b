//! The code that the derive writes is not for the user's lints.
#![forbid(unsafe_code, missing_docs, non_camel_case_types, unreachable_pub)]
#![forbid(missing_debug_implementations, missing_copy_implementations, unnameable_types)]
#![forbid(unused_qualifications, unused_results, trivial_casts, trivial_numeric_casts, private_interfaces)]
#![deny(warnings, future_incompatible, nonstandard_style, rust_2018_idioms, unused)]
#![deny(clippy::all, clippy::pedantic, clippy::undocumented_unsafe_blocks)]

use lath_core::bitflags::bitflags;
use lath_core::{Field, Fields, Handle, Pool, Thing, View};

bitflags! {
    /// Tags.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Tags: u64 {
        /// A tag.
        const A = 1;
    }
}

/// A thing.
#[derive(Thing, Debug, Default)]
#[thing(handle(kind = 2))]
pub struct Actor<X: Default + 'static, const N: usize> {
    /// A field.
    #[thing(tags)]
    pub tags: Tags,
    #[thing(kind)]
    sort: u8,
    /// A field.
    pub next: Handle<Self>,
    pub(crate) value: X,
}

/// A view.
#[derive(View, Debug)]
#[view(Actor<X, N>, with = Tags::A, without = Tags::empty())]
pub struct Look<'a, X: Default + 'static, const N: usize> {
    /// A field.
    pub tags: &'a Tags,
    next: &'a mut Handle<Actor<X, N>>,
    value: &'a X,
    who: Handle<Actor<X, N>>,
}

/// A thing.
#[derive(Thing, Debug, Default)]
pub struct Pair(
    /// A field.
    pub String,
);

/// Clippy does not like modules within modules of the same name, unless a macro writes them.
mod ship {
    #[derive(lath_core::Thing, Debug, Default)]
    pub(crate) struct Ship {
        pub(super) hull: u8,
        pub(crate) cargo: (),
    }
}

fn local() -> &'static str {
    #[derive(Thing, Debug, Default)]
    struct Local {
        field: u8,
    }
    #[derive(View, Debug)]
    #[view(Local)]
    struct Look<'a> {
        field: &'a u8,
    }
    Pool::<Local>::new().view_mut::<Look<'_>>().each(|look| assert_eq!(*look.field, 0));
    assert_eq!(Local { field: 1 }.field, 1);
    <local::field as Field>::NAME
}

fn main() {
    let actor = Actor::<u8, 3> { tags: Tags::A, sort: 1, next: Handle::NIL, value: 0 };
    assert_eq!((actor.tags().bits(), actor.kind(), Actor::<u8, 3>::FIELDS.len()), (1, 1, 4));
    assert_eq!((actor.tags.bits(), actor.sort, actor.next, actor.value), (1, 1, Handle::NIL, 0));
    assert_eq!(<actor::sort<u8, 3> as Field>::NAME, "sort");
    Pool::new().view_mut::<Look<'_, u8, 3>>().each(|Look { tags, next, value, who }| {
        assert_eq!((tags.bits(), *value), (1, 0));
        *next = who;
    });
    assert_eq!(Pair::default().0, "");
    assert_eq!(local(), "field");

    let ship = ship::Ship { hull: 1, cargo: () };
    assert_eq!((ship.hull, ship.cargo, ship::Ship::FIELDS.len()), (1, (), 2));
}

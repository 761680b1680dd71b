//! **lath**, a LArge array of THings: one fat struct per kind of thing, kept in one large array, named by handles that
//! cannot lie.
//!
//! Declare a struct, put its things into a [`Pool`], and keep [`Handle`]s where you would have kept pointers:
//!
//! ```
//! use lath::prelude::*;
//!
//! #[derive(Thing, Default)]
//! struct Ship {
//!     hull: i32,
//!     target: Handle<Ship>, // nothing, until told otherwise
//! }
//!
//! let mut ships = Pool::new();
//! let prey = ships.spawn(Ship { hull: 10, ..Default::default() });
//! let hunter = ships.spawn(Ship { hull: 50, target: prey });
//!
//! // Change one thing and look at the others, all through the same pool.
//! ships.each_with_rest(|_, me, rest| {
//!     if rest.get(me.target).is_some() {
//!         me.hull += 1; // the chase keeps the crew awake
//!     }
//! });
//! assert_eq!(ships[hunter].hull, 51);
//!
//! // The prey goes and its slot is used again. The hunter's handle does not follow.
//! ships.despawn(prey);
//! let other = ships.spawn(Ship::default());
//! assert_eq!(other.index(), prey.index());
//! assert!(ships.get(prey).is_none());
//! assert_eq!(ships.read(prey).hull, 0); // the nil thing, `Ship::default()`: readable by all, writable by none
//! ```
//!
//! # What to call
//!
//! | to | call |
//! |---|---|
//! | put in | [`spawn`](Pool::spawn), [`spawn_many`](Pool::spawn_many), [`spawn_range`](Pool::spawn_range), [`spawn_at`](Pool::spawn_at) |
//! | put in while others look | [`stage`](Pool::stage), [`reserve`](Pool::reserve), then [`commit`](Pool::commit) |
//! | look up | [`get`](Pool::get), [`get_mut`](Pool::get_mut), [`read`](Pool::read), [`edit`](Pool::edit), [`check`](Pool::check) |
//! | use several at once | [`get_disjoint_mut`](Pool::get_disjoint_mut), [`split`](Pool::split), [`each_with_rest`](Pool::each_with_rest) |
//! | walk | [`each`](Pool::each), [`query`](Pool::query), [`iter`](Pool::iter), [`iter_mut`](Pool::iter_mut), [`handles`](Pool::handles) |
//! | use some fields only | a [`View`] in [`each`](Pool::each), [`query_mut`](Pool::query_mut), [`view`](Pool::view), [`view_mut`](Pool::view_mut); [`set`](Pool::set); [`runs`](Pool::runs) for slices |
//! | mark and filter | [`insert_tags`](Pool::insert_tags), [`remove_tags`](Pool::remove_tags), [`has`](Pool::has), and `with`/`without` of a [`View`] |
//! | link | [`tree_mut`](Pool::tree_mut), [`tree`](Pool::tree), [`spawn_child`](Pool::spawn_child), [`spawn_tree`](Pool::spawn_tree), [`take_tree`](Pool::take_tree) |
//! | take out | [`despawn`](Pool::despawn), [`take`](Pool::take), [`retain`](Pool::retain), [`drain_where`](Pool::drain_where), [`clear`](Pool::clear) |
//! | take out when somebody else is done | [`despawn_after`](Pool::despawn_after), then [`reap`](Pool::reap) |
//! | never allocate again | [`Pool::fixed`]; [`FixedPool`] needs no heap at all |
//! | ask what has changed | [`track_changes`](Pool::track_changes), [`next_tick`](Pool::next_tick), [`changed_since`](Pool::changed_since) |
//! | ask how it is doing | [`stats`](Pool::stats), [`expect_at_most`](Pool::expect_at_most) |
//!
//! # The crates
//!
//! | crate | holds |
//! |---|---|
//! | `lath` | this one: re-exports and the [`prelude`] |
//! | `lath-core` | handles, pools, views, tags; `no_std` |
//! | `lath-soa` | `#[thing(columns)]`: struct-of-arrays storage; `no_std` |
//! | `lath-derive` | `#[derive(Thing)]`, `#[derive(View)]` |
//!
//! # Features
//!
//! | feature | brings |
//! |---|---|
//! | `std` (default) | the warning of [`Pool::expect_at_most`] is printed, and loops over views use AVX2 where the processor has it; without it lath needs `alloc` only |
//! | `parallel` | `Pool::par_each` and `Pool::par_runs`: loops on rayon's threads |
//! | `serde` | handles and ranges of handles are written as their bits |
//! | `bytemuck` | handles can be zeroed and looked at as bytes; `Pool::map` for pure functions over plain fields |
//! | `full` | all of them |

#![no_std]
#![forbid(unsafe_code)]

#[doc(inline)]
pub use lath_core::*;
#[doc(inline)]
pub use lath_derive::{Thing, View};
#[doc(inline)]
pub use lath_soa::*;

/// How the code that the derives write finds the crates of lath, whatever the user's crate depends on.
#[doc(hidden)]
pub mod __private {
    pub use lath_core;
    pub use lath_soa;
}

/// What most programs type: `use lath::prelude::*`.
///
/// The thing and its handles, the pools, views, the macro that declares tags, and the errors that calls return. What a
/// call hands out and nobody has to name (iterators, [`Stats`]) stays at the root of the crate.
///
/// # Examples
///
/// ```
/// use lath::prelude::*;
///
/// #[derive(Thing, Default)]
/// struct Crew { age: u32 }
///
/// fn birthday(crew: &mut Pool<Crew>, who: Handle<Crew>) -> Result<(), HandleError> {
///     crew.check(who)?;
///     crew.edit(who, |who| who.age += 1);
///     Ok(())
/// }
///
/// let mut crew = Pool::new();
/// assert_eq!(birthday(&mut crew, Handle::NIL), Err(HandleError::Nil));
/// ```
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{
        AnyHandle, Branch, CapacityError, FixedPool, Handle, HandleError, HandleRange, LinkError, Mut, Orphans, Pool,
        Ref, Relation, Rest, Reuse, SpawnError, SpawnFault, Thing, View, bitflags::bitflags,
    };
}

/// The README and the pages of the guide: every block of Rust in them is compiled and run by `cargo test`.
#[cfg(doctest)]
mod guide {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../../docs/introduction.md")]
    mod introduction {}
    #[doc = include_str!("../../../docs/handles.md")]
    mod handles {}
    #[doc = include_str!("../../../docs/pools.md")]
    mod pools {}
    #[doc = include_str!("../../../docs/columns.md")]
    mod columns {}
    #[doc = include_str!("../../../docs/views.md")]
    mod views {}
    #[doc = include_str!("../../../docs/tags.md")]
    mod tags {}
    #[doc = include_str!("../../../docs/changes.md")]
    mod changes {}
    #[doc = include_str!("../../../docs/trees.md")]
    mod trees {}
    #[doc = include_str!("../../../docs/choosing.md")]
    mod choosing {}
    #[doc = include_str!("../../../docs/sources.md")]
    mod sources {}
    #[doc = include_str!("../../../docs/ARCHITECTURE.md")]
    mod architecture {}
}
